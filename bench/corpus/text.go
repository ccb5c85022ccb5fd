package corpus

import (
	"fmt"
	"strings"

	"cmem/memory"
)

// Sentences have slots: n a noun, t a rare word, i an identifier, p a path, e an
// error code, d a number, c a Chinese word.
var (
	titles = []string{
		"Adds %n retry to %i", "Fixes the %n of %i when %n is empty", "%i no longer drops the %n",
		"Moves %n code into %p", "Finds why %i fails with %e", "Explains how %n and %n share %i",
		"Keeps the %n %n for %d seconds", "Removes the old %n flag from %i", "Tests %i with %d cases",
		"Renames %i to %i", "Decides to store the %n in the %t", "Makes %i safe for many callers",
	}
	sentences = []string{
		"The %n was read before the %n had been written, so %i returned %e.",
		"%i now waits for the %n and gives up after %d ms.",
		"The cause was a %n in %p that kept the %t of the last %n.",
		"All %d tests of the %n pass, and the %n test that failed with %e passes too.",
		"It stays compatible: callers of %i see the same %n as before.",
		"The %t %n is only used by %i and by one %n in %p.",
		"Measured on the %n of last week, the %n takes %d ms instead of %d ms.",
		"A second %n with the same %n is ignored; the first one wins.",
		"The user asked to keep the %n as it is, because the %t depends on it.",
		"Next, the %n should move out of %p.",
	}
	chineseTitles = []string{
		"修复 %i 的%c%c问题", "为%c增加%c重试", "%c%c改为写入 %p", "查明 %i 返回 %e 的原因",
		"%c的%c不再丢失", "决定用%c保存%c", "删除 %i 中旧的%c开关", "%i 支持%c%c",
	}
	chineseSentences = []string{
		"%c在%c写入之前就被读取，所以 %i 返回 %e。", "现在 %i 会等待%c，超过 %d 毫秒后放弃。",
		"原因是 %p 里的%c保留了上一次的%c。", "%d 个%c测试全部通过，之前报 %e 的那个也通过了。",
		"调用 %i 的地方不需要修改，%c保持不变。", "用户要求保留%c，因为%c依赖它。",
		"%c%c只在高%c时出现，%c里可以看到 %t。", "下一步把%c从 %p 中移出。",
	}
	asks = []string{
		"Please fix the %n in %p, it fails with %e", "why does %i return an empty %n?",
		"add a %n for %i and test it with the %t", "the %n is slow, have a look at %p",
		"Refactor %i so that the %n is not read twice",
	}
	chineseAsks = []string{
		"请修复 %p 里的%c，报错 %e", "为什么 %i 返回空的%c？", "给 %i 加上%c，并补充%c测试", "%c太慢了，看看 %p",
	}
	concepts = []string{"how-it-works", "problem-solution", "gotcha", "pattern", "trade-off", "what-changed", "why-it-exists"}
)

// writer fills sentences and remembers which words it used.
type writer struct {
	*vocabulary
	used map[string]struct{} // of the row in hand
}

func (w *writer) word(s string) string {
	w.used[s] = struct{}{}
	return s
}

// fill puts words into the slots of a sentence.
func (w *writer) fill(pattern string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(pattern, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		switch after[0] {
		case 'n':
			b.WriteString(w.word(w.aNoun()))
		case 't':
			b.WriteString(w.word(w.aTailWord()))
		case 'i':
			b.WriteString(w.word(w.anIdentifier()))
		case 'p':
			b.WriteString(w.aPath())
		case 'e':
			fmt.Fprintf(&b, "E%04d", w.rng.IntN(10_000))
		case 'd':
			fmt.Fprint(&b, 1+w.rng.IntN(900))
		case 'c':
			b.WriteString(w.word(w.aChinese()))
		}
		pattern = after[1:]
	}
}

func (w *writer) from(patterns []string) string {
	return w.fill(patterns[w.rng.IntN(len(patterns))])
}

// several gives lo to hi sentences with sep between them.
func (w *writer) several(lo, hi int, patterns []string, sep string) string {
	var all []string
	for range lo + w.rng.IntN(hi-lo+1) {
		all = append(all, w.from(patterns))
	}
	return strings.Join(all, sep)
}

// observation writes the told parts of an observation.
func (w *writer) observation(inChinese bool) memory.Observation {
	head, body, sep := titles, sentences, " "
	if inChinese {
		head, body, sep = chineseTitles, chineseSentences, ""
	}
	o := memory.Observation{
		Type:      memory.ObservationTypes()[w.rng.IntN(6)],
		Title:     w.from(head),
		Subtitle:  w.from(body),
		Narrative: w.several(2, 5, body, sep),
		Concepts:  []string{concepts[w.rng.IntN(len(concepts))]},
		ToolName:  []string{"Edit", "Edit", "Bash", "Bash", "Read", "Write"}[w.rng.IntN(6)],
	}
	for range w.rng.IntN(4) {
		o.Facts = append(o.Facts, w.from(body))
	}
	for range w.rng.IntN(3) {
		o.FilesRead = append(o.FilesRead, w.aPath())
	}
	for range w.rng.IntN(3) {
		o.FilesModified = append(o.FilesModified, w.aPath())
	}
	return o
}
