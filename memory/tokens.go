package memory

import "unicode"

// EstimateTokens estimates how many tokens a model needs for s: one for each
// Han, Kana or Hangul character and one for every four other characters,
// rounded up. It is an estimate for budgets and statistics, not for billing.
func EstimateTokens(s string) int {
	wide, other := 0, 0
	for _, r := range s {
		if r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			wide++
		} else {
			other++
		}
	}
	return wide + (other+3)/4
}
