package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// told imports prompts and summaries of a session, a minute apart.
func told(t *testing.T, s *Store, session string, prompts, requests []string) {
	t.Helper()
	var b Bundle
	for i, text := range prompts {
		b.Prompts = append(b.Prompts, memory.Prompt{SessionID: session, Project: webshop, Number: i + 1, Text: text, CreatedAt: noon.Add(time.Duration(i) * time.Minute)})
	}
	for i, text := range requests {
		b.Summaries = append(b.Summaries, memory.Summary{SessionID: session, Project: webshop, Request: text, CreatedAt: noon.Add(time.Duration(i) * time.Minute)})
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// matchedItems gives the titles of the summaries and prompts that a search finds.
func matchedItems(t *testing.T, s *Store, text string, f memory.Filter) (summaries, prompts []string) {
	t.Helper()
	m, err := s.MatchItems(t.Context(), text, f, 50)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, h := range m.Summaries.Hits {
		summaries = append(summaries, h.Item.Title)
	}
	for _, h := range m.Prompts.Hits {
		prompts = append(prompts, h.Item.Title)
	}
	slices.Sort(summaries)
	slices.Sort(prompts)
	return summaries, prompts
}

func TestSummariesAndPromptsAreFoundByTheLanguageOfSearches(t *testing.T) {
	s := newStore(t)
	told(t, s, "s1", []string{
		"Why does orderService drop the cart total?",
		"修复购物车的退款金额 🛒",
		"run it with --dry-run and look at pkg/cart/total.go:12",
		machinePrompt + " cart refund finished",
		strings.Repeat("filler ", 4000) + "latecomer",
	}, []string{"Refunds of the cart are rounded", "订单服务超时"})
	if _, err := s.AddSummary(t.Context(), memory.Summary{
		SessionID: "s1", Request: "again", Learned: "the ledger holds cents", FilesModified: []string{"internal/ledger/sum_lines.go"},
	}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"orderService":         `[] [Why does orderService drop the cart total?]`,
		"order_service":        `[] [Why does orderService drop the cart total?]`,
		"退款":                   `[] [修复购物车的退款金额 🛒]`,
		"车":                    `[] [修复购物车的退款金额 🛒]`,
		`"cart total"`:         `[] [Why does orderService drop the cart total? run it with --dry-run and look at pkg/cart/total.go:12]`,
		"cart -orderService":   `[] [run it with --dry-run and look at pkg/cart/total.go:12]`,
		"ledg*":                `[again] []`,
		"sumLines":             `[again] []`,
		"internal/ledger":      `[again] []`,
		"finished":             `[] []`, // the host wrote it
		"latecomer":            `[] []`, // far behind the beginning
		"nowhere 订单":           `[] []`,
		`') OR 1=1 -- "NEAR( `: `[] []`,
	} {
		summaries, prompts := matchedItems(t, s, text, memory.Filter{})
		if got := fmt.Sprint(summaries, " ", prompts); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for name, c := range map[string]struct {
		f    memory.Filter
		want string
	}{
		"superseded ones":          {memory.Filter{Statuses: []memory.Status{memory.StatusSuperseded}}, `[Refunds of the cart are rounded] []`},
		"all statuses":             {memory.Filter{Statuses: []memory.Status{memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded}}, `[Refunds of the cart are rounded] 2`},
		"prompts":                  {memory.Filter{Kinds: []memory.ItemKind{memory.KindPrompt}}, `[] 2`},
		"another project":          {memory.Filter{Project: "/other"}, `[] []`},
		"one of several projects":  {memory.Filter{Project: "/other", Projects: []string{webshop}}, `[] 2`},
		"what only these have not": {memory.Filter{Types: []string{memory.TypeBugfix}}, `[] []`},
		"before":                   {memory.Filter{Before: noon.Add(time.Minute)}, `[] [Why does orderService drop the cart total?]`},
	} {
		summaries, prompts := matchedItems(t, s, "cart", c.f)
		got := fmt.Sprint(summaries, " ", prompts)
		if len(prompts) == 2 {
			got = fmt.Sprint(summaries, " 2")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestAMatchOfASummaryOrPromptSaysWhereItIs(t *testing.T) {
	s := newStore(t)
	told(t, s, "s1", []string{"Please look why the nightly import stops"}, []string{"Make the import robust"})
	m, err := s.MatchItems(t.Context(), "nightly import", memory.Filter{}, 5)
	if err != nil || len(m.Prompts.Hits) != 1 || len(m.Summaries.Hits) != 1 {
		t.Fatalf("%+v (%v)", m, err)
	}
	p, sum := m.Prompts.Hits[0], m.Summaries.Hits[0]
	if want := "Please look why the \ue000nightly\ue001 \ue000import\ue001 stops"; p.Snippet != want {
		t.Errorf("%q, want %q", p.Snippet, want)
	}
	if p.Item.Kind != memory.KindPrompt || p.Item.PromptNumber != 1 || p.Item.Project != webshop || p.Item.Tokens == 0 || p.Text != p.Item.Title || !p.Item.CreatedAt.Equal(noon) {
		t.Errorf("%+v", p.Item)
	}
	if sum.Item.Kind != memory.KindSummary || sum.Item.Status != memory.StatusActive || sum.Text != "Make the import robust\n" || sum.Snippet != "Make the \ue000import\ue001 robust" {
		t.Errorf("%+v", sum)
	}
	if p.Keyword < 0.7*m.Prompts.Ideal || p.Keyword <= 0 {
		t.Errorf("a prompt with all the words scores %v of %v", p.Keyword, m.Prompts.Ideal)
	}
}

func TestNothingOfADeletedSummaryOrPromptStaysInTheFile(t *testing.T) {
	for _, kind := range []memory.ItemKind{memory.KindSummary, memory.KindPrompt} {
		for _, forget := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, " forgotten ", forget), func(t *testing.T) {
				s := newStore(t)
				var others []string
				for i := range 50 {
					others = append(others, "corner battle "+manyWords(i))
				}
				told(t, s, "s1", others, others)
				const secret = "Correcthorse9 is the password, batterystaple7 密码在抽屉里 🔑"
				told(t, s, "s2", []string{secret}, []string{secret})
				for _, x := range wordIndexes {
					if err := s.transact(t.Context(), func(t2 tx) error {
						_, err := t2.exec(t.Context(), x.query("INSERT INTO $fts ($fts) VALUES ('optimize')"))
						return err
					}); err != nil {
						t.Fatal(err)
					}
				}
				told(t, s, "s3", []string{"later"}, []string{"later"})
				if forget {
					if _, err := s.Forget(t.Context(), Forgetting{Sessions: []string{"s2"}}, false); err != nil {
						t.Fatal(err)
					}
				} else {
					mustDelete(t, s, memory.Ref{Kind: memory.KindSummary, ID: 51}, memory.Ref{Kind: memory.KindPrompt, ID: 51})
				}
				for i := 0; s.write.erasing.words && i < 1000; i++ {
					remember(t, s, memory.Observation{Title: fmt.Sprint("and then ", i)}) // each does a step of the rest
				}
				for _, word := range secrets {
					if holds(t, s, word) {
						t.Errorf("%s is still in the file", word)
					}
				}
				for _, x := range wordIndexes {
					if n, err := number(t.Context(), s.read, x.query(isErasing)); err != nil || n != 0 {
						t.Errorf("%s: %d marks are left (%v)", x.name, n, err)
					}
				}
				healthy(t, s)
			})
		}
	}
}

// A deletion of a memory does not rewrite what others have their words in.
func TestAnErasureRewritesTheIndexesThatItConcerns(t *testing.T) {
	s := newStore(t)
	o := remember(t, s, memory.Observation{Title: "one"})[0]
	told(t, s, "s1", []string{"a prompt"}, []string{"a request"})
	s.write.pace = pace{erase: 0, write: 0, closing: 0, log: time.Hour}
	marks := func() (list []string) {
		for _, x := range wordIndexes {
			n, err := number(t.Context(), s.read, x.query("SELECT count(*) FROM $fts_config WHERE k = 'usermerge'"))
			if err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				list = append(list, x.table)
			}
		}
		return list
	}
	mustDelete(t, s, observationRef(o))
	if got := fmt.Sprint(marks()); got != "[observations]" {
		t.Errorf("after an observation: %s", got)
	}
	mustDelete(t, s, memory.Ref{Kind: memory.KindPrompt, ID: 1})
	if got := fmt.Sprint(marks()); got != "[observations user_prompts]" {
		t.Errorf("after a prompt: %s", got)
	}
}

// unfilled makes a store with prompts and summaries one that has just got the indexes
// of them.
func unfilled(t *testing.T, s *Store) {
	t.Helper()
	var statements []string
	for _, x := range []*wordIndex{summaryWords, promptWords} {
		statements = append(statements,
			x.query("UPDATE search_indexes SET below = (SELECT max(id) + 1 FROM $table), unindexed = (SELECT max(id) + 1 FROM $table) WHERE name = '$table'"),
			x.query("INSERT INTO $fts ($fts) VALUES ('delete-all')"), x.query("UPDATE $table SET tokens = ''"))
	}
	mustExec(t, sqliteDB(t, s), statements...)
}

func TestSummariesAndPromptsFromBeforeAreIndexedInPieces(t *testing.T) {
	s := newStore(t)
	var prompts, requests []string
	for i := range 20 {
		prompts = append(prompts, fmt.Sprint("处理支付回调 orderService", i))
		requests = append(requests, fmt.Sprint("支付 request", i))
	}
	told(t, s, "s1", prompts, nil)
	for i, r := range requests {
		told(t, s, fmt.Sprint("r", i), nil, []string{r})
	}
	unfilled(t, s)
	count := func(text string) string {
		summaries, prompts := matchedItems(t, s, text, memory.Filter{})
		m, err := s.MatchItems(t.Context(), text, memory.Filter{}, 50)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%d+%d, %d+%d not yet", len(summaries), len(prompts), m.Summaries.Unindexed, m.Prompts.Unindexed)
	}
	if got := count("支付"); got != "0+0, 20+20 not yet" {
		t.Fatalf("at first %s", got)
	}
	// What is new meanwhile is found at once.
	told(t, s, "s2", []string{"支付 now"}, []string{"支付 now"})
	if got := count("支付"); got != "1+1, 20+20 not yet" {
		t.Errorf("with new ones %s", got)
	}
	step := func(want int64) {
		t.Helper()
		left, err := s.RetokenizeSome(t.Context(), 8)
		if err != nil || left != want {
			t.Fatalf("%d left, want %d (%v)", left, want, err)
		}
		healthy(t, s)
	}
	step(12)
	if got := count("支付"); got != "9+1, 12+20 not yet" {
		t.Errorf("after a piece %s", got)
	}
	// Rows go and come back, in the index or not, and texts change.
	gone := mustDelete(t, s, memory.Ref{Kind: memory.KindSummary, ID: 3}, memory.Ref{Kind: memory.KindSummary, ID: 18}, memory.Ref{Kind: memory.KindPrompt, ID: 2})
	healthy(t, s)
	if got := count("支付"); got != "8+1, 11+19 not yet" {
		t.Errorf("after a deletion %s", got)
	}
	if err := s.Restore(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	if got := count("支付"); got != "9+1, 12+20 not yet" {
		t.Errorf("after bringing them back %s", got)
	}
	mustExec(t, sqliteDB(t, s), "UPDATE session_summaries SET request = request || ' edited' WHERE id IN (4, 19)", "UPDATE user_prompts SET prompt_text = prompt_text || ' edited' WHERE id = 5")
	healthy(t, s)
	// Another process goes on.
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	step(4)
	step(16) // the last four summaries, and four prompts
	if got := count("支付"); got != "21+5, 0+16 not yet" {
		t.Errorf("after another process %s", got)
	}
	step(8)
	step(0)
	step(0)
	if got := count("支付"); got != "21+21, 0+0 not yet" {
		t.Errorf("in the end %s", got)
	}
	if got := count("edited"); got != "2+1, 0+0 not yet" {
		t.Errorf("edited: %s", got)
	}
	if got := count("order"); got != "0+20, 0+0 not yet" {
		t.Errorf("by parts: %s", got)
	}
	version, err := s.DataVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	step(0)
	if now, err := s.DataVersion(t.Context()); err != nil || now != version {
		t.Errorf("nothing to do, but the store was changed (%v)", err)
	}
}

// Rebuilding an index that is being filled takes all rows in.
func TestADamagedIndexThatIsBeingFilledIsRebuiltWhole(t *testing.T) {
	s := newStore(t)
	told(t, s, "s1", []string{"支付 alpha", "beta", "gamma", "delta"}, []string{"支付"})
	unfilled(t, s)
	if _, err := s.RetokenizeSome(t.Context(), 3); err != nil { // the summary and two prompts
		t.Fatal(err)
	}
	mustExec(t, sqliteDB(t, s), "DELETE FROM user_prompts_fts_docsize WHERE id = 4")
	found, err := s.Check(t.Context())
	if err != nil || len(found) != 1 || found[0].Problem != "it has 1 of 2 prompts, so searches miss memories" {
		t.Fatalf("%+v (%v)", found, err)
	}
	if _, err := s.Fix(t.Context()); err != nil {
		t.Fatal(err)
	}
	healthy(t, s)
	if _, prompts := matchedItems(t, s, "alpha beta gamma delta", memory.Filter{}); len(prompts) != 4 {
		t.Errorf("%q", prompts)
	}
	for left := int64(1); left > 0; {
		if left, err = s.RetokenizeSome(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
	}
	if _, prompts := matchedItems(t, s, "付", memory.Filter{}); len(prompts) != 1 {
		t.Errorf("by a part of a word %q", prompts)
	}
	healthy(t, s)
}

func TestPromptsOfEverySchemaOfThePastAreFound(t *testing.T) {
	for version := 1; version < newest(schema); version++ {
		s := openStore(t, pastStore(t, version))
		text, err := one(t.Context(), s.read, scanText, "SELECT prompt_text FROM user_prompts WHERE machine = 0 ORDER BY id LIMIT 1")
		if err != nil {
			t.Fatal(err)
		}
		for left := int64(1); left > 0; {
			if left, err = s.RetokenizeSome(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		if _, prompts := matchedItems(t, s, text, memory.Filter{}); !slices.Contains(prompts, oneLine(text, titleLength)) {
			t.Errorf("schema %d: %q finds %q", version, text, prompts)
		}
		healthy(t, s)
	}
}

// What a search of prompts costs does not grow with what is common in them.
func TestASearchOfManyPromptsReadsFew(t *testing.T) {
	s := newStore(t)
	s.scored = 40
	var prompts []string
	for i := range 400 {
		prompts = append(prompts, fmt.Sprint("please look at the case ", i, " of the cart"))
	}
	told(t, s, "s1", prompts, nil)
	words, unwanted, err := queryWords("please look at the cart")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.newRanking(t.Context(), promptWords, words, unwanted, memory.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	if most := budgetPerScored * s.scored / scoredOfOthers; len(r.seen) == 0 || len(r.seen) > most {
		t.Errorf("%d rows were read, at most %d should be", len(r.seen), most)
	}
}
