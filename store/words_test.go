package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// indexed gives the words of each text as the index's own tokenizer makes them, in
// their order. The tokenizer is the one that the schema says.
func indexed(t testing.TB, texts []string) [][]string {
	t.Helper()
	s := newStore(t)
	db := sqliteDB(t, s)
	var schema string
	if err := db.QueryRowContext(t.Context(), "SELECT sql FROM sqlite_schema WHERE name = 'observations_fts'").Scan(&schema); err != nil {
		t.Fatal(err)
	}
	_, tokenizer, found := strings.Cut(schema, "tokenize =")
	if !found {
		t.Fatalf("no tokenizer in %s", schema)
	}
	mustExec(t, db, "CREATE VIRTUAL TABLE temp.texts USING fts5 (text, tokenize ="+tokenizer,
		"CREATE VIRTUAL TABLE temp.words USING fts5vocab (temp, texts, instance)", "BEGIN")
	insert, err := db.PrepareContext(t.Context(), "INSERT INTO temp.texts (rowid, text) VALUES (?, ?)")
	if err != nil {
		t.Fatal(err)
	}
	defer insert.Close() //nolint:errcheck // in memory
	for i, text := range texts {
		if _, err := insert.ExecContext(t.Context(), i, text); err != nil {
			t.Fatal(err)
		}
	}
	mustExec(t, db, "COMMIT")
	type place struct {
		offset int
		word   string
	}
	words := make([][]place, len(texts))
	rows, err := db.QueryContext(t.Context(), "SELECT doc, offset, term FROM temp.words")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var doc int
		var p place
		if err := rows.Scan(&doc, &p.offset, &p.word); err != nil {
			t.Fatal(err)
		}
		words[doc] = append(words[doc], p)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	out := make([][]string, len(texts))
	for i := range words {
		slices.SortFunc(words[i], func(a, b place) int { return a.offset - b.offset })
		for _, p := range words[i] {
			out[i] = append(out[i], p.word)
		}
	}
	return out
}

// stems gives the words of a text as they stand in the index.
func stems(text string) []string {
	var list []string
	w := wordScanner{text: text}
	for w.next() {
		list = append(list, string(stem(w.word)))
	}
	return list
}

func sameWords(t *testing.T, texts []string) {
	t.Helper()
	wrong := 0
	for i, want := range indexed(t, texts) {
		if got := stems(texts[i]); !slices.Equal(got, want) {
			if wrong++; wrong <= 10 {
				t.Errorf("%q: %q, the index has %q", texts[i], got, want)
			}
		}
	}
	if wrong > 10 {
		t.Errorf("and %d more", wrong-10)
	}
}

func TestWordsAreThoseOfTheIndex(t *testing.T) {
	texts := []string{
		"", "plain words, and a path/to/file.go", "orderService order_service", "用Redis缓存 数据库连接池", "🎉 🦄 x🦄y 🎉z",
		"Élan vital naïve façade", "e\u0301te a\u0305b \u0301x Ångström İstanbul ß ſ ﬁ", "ｆｕｌｌ ｗｉｄｔｈ １２", "½ ² ⅷ ٣", "a\ufffdb", "a\u200bb a\u00adb", "ソート 정렬 ー",
		strings.Repeat("abcing", 20) + " " + strings.Repeat("s", 64), `["a \"quoted\" fact","running tests"] []`,
	}
	for _, o := range readCorpus(t).Observations {
		texts = append(texts, o.Title, o.Narrative, searchTokens(o))
	}
	for _, o := range generated(0, 50).Observations {
		texts = append(texts, o.Title, o.Narrative)
	}
	sameWords(t, texts)
}

// Each character by itself, and between two letters.
func TestEveryCharacterIsAPartOfAWordOrNotAsInTheIndex(t *testing.T) {
	slow(t)
	var texts []string
	for c := rune(1); c < 0x20000; c += 64 {
		if c >= 0xd800 && c < 0xe000 {
			continue
		}
		var b strings.Builder
		for r := c; r < c+64; r++ {
			fmt.Fprintf(&b, "%c a%cb ", r, r)
		}
		texts = append(texts, b.String())
	}
	for _, c := range []rune{0x20000, 0x2fffd, 0x3134a, 0xe0000, 0xe0001, 0xe0100, 0xf0000, 0x100000, 0x10fffd} {
		texts = append(texts, fmt.Sprintf("%c a%cb", c, c))
	}
	sameWords(t, texts)
}

func TestStemsAreThoseOfTheIndex(t *testing.T) {
	slow(t)
	rng := rand.New(rand.NewPCG(1, 2))
	endings := []string{"", "s", "es", "ies", "sses", "ed", "eed", "ing", "y", "e", "er", "l", "ll", "le", "x", "w"}
	for _, rules := range [][]suffix{doubleSuffixes, adjectiveSuffixes, lastSuffixes} {
		for _, r := range rules {
			endings = append(endings, r.from)
		}
	}
	var texts []string
	for range 2000 {
		var words []string
		for range 20 {
			var b strings.Builder
			for range 1 + rng.IntN(6) {
				b.WriteByte("aeiouybcdfghlmnprstvwxz"[rng.IntN(23)])
			}
			b.WriteString(endings[rng.IntN(len(endings))])
			b.WriteString(endings[rng.IntN(len(endings))])
			words = append(words, b.String())
		}
		texts = append(texts, strings.Join(words, " "))
	}
	sameWords(t, texts)
	// What the library is searched for, whole.
	sameWords(t, strings.Fields("caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned falling hissing fizzed failing filing happy sky relational conditional rational valenci digitizer conformabli radicalli differentli vileli analogousli vietnamization predication operator feudalism decisiveness hopefulness callousness formaliti sensitiviti sensibiliti triplicate formative formalize electriciti electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption homologou communism activate angulariti homologous effective bowdlerize probate rate cease roll refunds refunding databases"))
}
