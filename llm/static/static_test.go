package static

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestTextsAreCutIntoTheWordsOfTheTable(t *testing.T) {
	for text, want := range map[string]string{
		"parseHTTPRequest2 order_service":    "parse http request order service",
		"修复 Redis缓存 的问题":                     "修复 redis 缓存 的问 问题",
		"锁":                                  "锁",
		"用户登录🔒":                              "用户 户登 登录",
		"ＡＢＣ 42 --dry-run x":                 "abc dry run",
		"pkg/retry.go:120 ERR_CONN_RESET v1": "pkg retry go err conn reset",
		"":                                   "",
	} {
		if got := strings.Join(Tokens(text), " "); got != want {
			t.Errorf("%q is cut into %q, want %q", text, got, want)
		}
	}
}

func TestWordsOfTheSameMeaningAreNearEachOther(t *testing.T) {
	w := load()
	near := func(a, b string) float32 {
		x, ok := w.find(a)
		y, also := w.find(b)
		if !ok || !also {
			t.Fatalf("the table lacks %q or %q", a, b)
		}
		return similarity(w, int(x), int(y))
	}
	for _, pair := range [][3]string{
		{"密码", "password", "banana"}, {"证书", "certificate", "window"}, {"缓存", "cache", "invoice"},
		{"超时", "timeout", "colour"}, {"delete", "remove", "latency"},
	} {
		if a, b := near(pair[0], pair[1]), near(pair[0], pair[2]); a < 0.45 || b > 0.35 {
			t.Errorf("%s is %.2f from %s and %.2f from %s", pair[0], a, pair[1], b, pair[2])
		}
	}
	if got := near("cache", "cache"); math.Abs(float64(got)-1) > 0.02 {
		t.Errorf("a word is %.3f from itself", got)
	}
}

// similarity gives the cosine of two words of the table.
func similarity(w *words, x, y int) float32 {
	a, b := packForward(w.row(x)), packBackward(w.row(y))
	return float32(dot(&a, &b)) * w.scale(x) * w.scale(y)
}

func TestThreeNumbersMultipliedAtOnceGiveWhatEachAloneGives(t *testing.T) {
	w := load()
	r := rand.New(rand.NewPCG(3, 4))
	longest := 0
	for i := range w.known() {
		square := 0
		for _, b := range []byte(w.row(i)) {
			square += int(int8(b)) * int(int8(b))
		}
		longest = max(longest, square)
	}
	if longest >= 1<<20 {
		t.Fatalf("a row of the table has the length %.0f, too long for dot", math.Sqrt(float64(longest)))
	}
	for range 20_000 {
		x, y := r.IntN(w.known()), r.IntN(w.known())
		want := int32(0)
		for i := range Dims {
			want += int32(int8(w.row(x)[i])) * int32(int8(w.row(y)[i]))
		}
		a, b := packForward(w.row(x)), packBackward(w.row(y))
		if got := dot(&a, &b); got != want {
			t.Fatalf("%s and %s: %d, want %d", w.name(x), w.name(y), got, want)
		}
	}
}

func TestEveryWordOfTheTableIsFound(t *testing.T) {
	w := load()
	for i := range w.known() {
		if got, ok := w.numbered(w.name(i)); !ok || int(got) != i {
			t.Fatalf("word %d, %q, is found as %d, %v", i, w.name(i), got, ok)
		}
	}
	for _, name := range []string{"", "\n", "zorblaxify", "the\nof"} {
		if i, ok := w.numbered(name); ok {
			t.Errorf("%q is found as word %d", name, i)
		}
	}
}

func TestWordsThatBeginAlikeStandForEachOther(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"migrate", "migration"}: true, {"zorblax", "zorblaxes"}: true, {"log", "logs"}: true,
		{"container", "conflict"}: false, {"go", "google"}: false, {"cat", "catalogue"}: false,
	} {
		if got := alike(pair[0], pair[1]) > 0; got != want {
			t.Errorf("%v are alike: %v, want %v", pair, got, want)
		}
	}
	q := NewQuery("zorblaxes", nil)
	if a, b := q.Soft(Encode("migration").Words), NewQuery("migrates", nil).Soft(Encode("migration").Words); a != 0 || b < 0.3 {
		t.Errorf("migration counts %.2f for zorblaxes and %.2f for migrates", a, b)
	}
}

func TestASearchIsNearerToWhatSaysTheSameInOtherWords(t *testing.T) {
	texts := []string{
		"Adds a retry to the payment webhook after a timeout",
		"把用户密码改为加盐后保存",
		"Makes the thumbnails of products smaller",
		"OrderService.cancel releases the reserved stock",
	}
	for search, want := range map[string]int{
		"支付回调超时后重试":                           0,
		"how do we store passwords of users":  1,
		"图片 大小":                               2,
		"cancelling an order frees inventory": 3,
		"OrderService":                        3,
	} {
		q := NewQuery(search, nil)
		best, most := -1, 0.0
		for i, text := range texts {
			if s := q.Score(Encode(text)); s > most {
				best, most = i, s
			}
		}
		if best != want {
			t.Errorf("%q is nearest to text %d, want %d (%.2f)", search, best, want, most)
		}
	}
}

func TestAWordThatTheTableLacksIsFoundByItself(t *testing.T) {
	q := NewQuery("zorblaxify", nil)
	with, without := Encode("Renames zorblaxify to blend"), Encode("Renames frobnicate to blend")
	if got := q.Soft(with.Words); got != 1 {
		t.Errorf("the word itself counts %.2f, want 1", got)
	}
	if got := q.Soft(without.Words); got > 0.01 {
		t.Errorf("another unknown word counts %.2f, want 0", got)
	}
	if a, b := q.Mean(with.Vector), q.Mean(without.Vector); a <= b+0.2 {
		t.Errorf("the vectors are %.2f and %.2f from the word", a, b)
	}
}

func TestATextWithoutWordsIsNearNothing(t *testing.T) {
	empty := Encode("… 🙂 --- 42")
	if empty.Vector != nil || empty.Words != nil {
		t.Errorf("a text without words has %d numbers and %d words", len(empty.Vector), len(empty.Words))
	}
	if got := NewQuery("cache", nil).Score(empty); got != 0 {
		t.Errorf("it scores %v", got)
	}
	if got := NewQuery("?!", nil).Score(Encode("cache")); got != 0 {
		t.Errorf("an empty search scores %v", got)
	}
}

func TestTheSameTextHasTheSameEncoding(t *testing.T) {
	text := "修复 handleStripeWebhook 的重复扣款 zorblax ERR_CONN_RESET"
	a := Encode(text)
	for range 20 {
		if b := Encode(text); !slices.Equal(a.Vector, b.Vector) || !slices.Equal(a.Words, b.Words) {
			t.Fatal("two encodings of a text differ")
		}
	}
}

func TestAnyEncodingCanBeScored(t *testing.T) {
	q := NewQuery("cache of the order service 缓存", nil)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		e := Encoding{Vector: make([]int8, r.IntN(2*Dims)), Words: make([]uint16, r.IntN(50))}
		for i := range e.Words {
			e.Words[i] = uint16(r.UintN(math.MaxUint16 + 1))
		}
		slices.Sort(e.Words)
		if s := q.Score(e); s < 0 || s > 1.0001 || math.IsNaN(s) {
			t.Fatalf("a foreign encoding scores %v", s)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	text := strings.Repeat("The retry of the payment webhook in handleStripeWebhook waits 请求超时 ", 10)
	Encode(text)
	for b.Loop() {
		Encode(text)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		index(table)
	}
}

func BenchmarkQuery(b *testing.B) {
	var list []Encoding
	for i := range 1000 {
		list = append(list, Encode(fmt.Sprintf("The retry %d of the payment webhook in handleStripeWebhook waits 请求超时 for queue%d", i, i)))
	}
	for b.Loop() {
		q := NewQuery("payment callback retries 支付", nil)
		for _, e := range list {
			q.Score(e)
		}
	}
}
