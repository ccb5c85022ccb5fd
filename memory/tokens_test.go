package memory

import (
	"strings"
	"testing"
)

func TestTokensAreEstimatedByScript(t *testing.T) {
	for text, want := range map[string]int{
		"":                         0,
		"a":                        1,
		"abcd":                     1,
		"abcde":                    2,
		"数据库":                      3,
		"修复 retry":                 4, // two Han, six others
		"データ":                      3,
		"한국어":                      3,
		"👩‍👩‍👧":                    2,
		strings.Repeat("word ", 8): 10,
	} {
		if got := EstimateTokens(text); got != want {
			t.Errorf("EstimateTokens(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestReadingAnObservationCountsAllItsText(t *testing.T) {
	o := Observation{Title: "abcd", Subtitle: "abcd", Narrative: "数据", Facts: []string{"abcd", "abcd"}, FilesRead: []string{"not counted"}}
	if got := o.ReadTokens(); got != 6 {
		t.Errorf("ReadTokens = %d, want 6", got)
	}
}
