package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
	"cmem/recall"
)

// many is a store with n observations a minute apart, the first in webshop, the
// next in blog, and so on, with the longest lines there can be.
func many(n int) *fake {
	src := &fake{projects: []memory.Project{{Key: webshop}, {Key: blog}}}
	for i := range n {
		project := webshop
		if i%2 == 1 {
			project = blog
		}
		src.observations = append(src.observations, memory.Observation{
			ID: int64(100_001 + i), SessionID: "s", Project: project, PromptNumber: 1, CreatedAt: at(8, 0).Add(time.Duration(i) * time.Minute),
			Type: "发现和决定以及其他", Title: strings.Repeat("订单服务的锁 ", 60), Subtitle: strings.Repeat("long words here 很长 ", 60),
			Narrative: "the narrative", Status: memory.StatusSuperseded,
		})
	}
	return src
}

var lineID = regexp.MustCompile(`(?m)^([#PS]\d+) `)

func idsIn(text string) []string {
	var ids []string
	for _, m := range lineID.FindAllStringSubmatch(text, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

var moreLine = regexp.MustCompile(`More: (\w+)=(\S+)\n`)

// pages follows an answer's More line to the end.
func pages(t *testing.T, c *client, arguments map[string]any) (ids []string, calls int) {
	t.Helper()
	for range 100 {
		encoded, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		text, failed := c.call("search", string(encoded))
		if failed {
			t.Fatal(text)
		}
		calls++
		ids = append(ids, idsIn(text)...)
		more := moreLine.FindStringSubmatch(text)
		if more == nil {
			return ids, calls
		}
		arguments[more[1]] = more[2]
	}
	t.Fatal("there is no end")
	return nil, 0
}

func TestFollowingTheMoreLineGivesEverythingOnce(t *testing.T) {
	const n = 70
	src := many(n)
	var newestFirst, asStored []string
	for _, o := range src.observations {
		asStored = append(asStored, fmt.Sprintf("#%d", o.ID))
	}
	newestFirst = slices.Clone(asStored)
	slices.Reverse(newestFirst)
	for name, tt := range map[string]struct {
		arguments map[string]any
		want      []string
	}{
		"a list":                     {map[string]any{"project": "*", "limit": 30}, newestFirst},
		"a list cut by its budget":   {map[string]any{"project": "*", "limit": 30, "max_tokens": 900}, newestFirst},
		"a list of projects":         {map[string]any{"projects": []string{"webshop", "blog"}, "limit": 30}, newestFirst},
		"a list of kinds":            {map[string]any{"project": "*", "kinds": "observations,summaries", "limit": 30}, newestFirst},
		"a search":                   {map[string]any{"query": "narrative", "project": "*", "limit": 30, "max_tokens": 20_000}, asStored},
		"a search cut by its budget": {map[string]any{"query": "narrative", "project": "*", "limit": 30, "max_tokens": 700}, asStored},
		"a search in projects":       {map[string]any{"query": "narrative", "projects": "webshop,blog", "limit": 11}, asStored},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, src, webshop)
			c.initialize()
			got, calls := pages(t, c, tt.arguments)
			if !slices.Equal(got, tt.want) {
				t.Errorf("in %d calls:\n%v\nwant\n%v", calls, got, tt.want)
			}
			if calls < 2 {
				t.Errorf("%d call", calls)
			}
		})
	}
}

func TestTwentyResultsAreWithinTwoThousandTokensAlsoInChinese(t *testing.T) {
	c := connect(t, many(60), webshop)
	c.initialize()
	for _, arguments := range []string{
		`{"project":"*"}`,
		`{"project":"*","query":"narrative"}`,
		`{"projects":"webshop,blog","query":"narrative"}`,
	} {
		text, failed := c.call("search", arguments)
		if n := memory.EstimateTokens(text); failed || n > 2_000 || len(idsIn(text)) != 20 {
			t.Errorf("search(%s) gives %d lines for %d tokens, failed %v", arguments, len(idsIn(text)), n, failed)
		}
	}
}

func TestAnAnswerKeepsToTheBudgetThatIsAskedFor(t *testing.T) {
	src := many(60)
	for range 20 {
		src.events = append(src.events, memory.RawEvent{SessionID: "s", PromptNumber: 1, Name: "PostToolUse", Payload: json.RawMessage(`"` + strings.Repeat("日志", 400) + `"`)})
	}
	for i := range src.observations {
		src.observations[i].Narrative = strings.Repeat("the narrative 叙述 ", 300)
	}
	c := connect(t, src, webshop)
	c.initialize()
	for _, most := range []int{300, 1_000, 4_000} {
		for _, form := range []string{"text", "json"} {
			for tool, arguments := range map[string]string{
				"search":           `"project":"*","limit":100,"explain":true`,
				"timeline":         `"id":100030,"depth_before":50,"depth_after":50,"project":"*"`,
				"get_observations": `"ids":[100001,100002,100003,100004],"raw":true`,
			} {
				text, failed := c.call(tool, fmt.Sprintf(`{%s,"max_tokens":%d,"format":%q}`, arguments, most, form))
				if n := memory.EstimateTokens(text); failed || n > most {
					t.Errorf("%s of %d tokens at most in %s costs %d; failed %v", tool, most, form, n, failed)
				}
				if !strings.Contains(text, "1000") {
					t.Errorf("%s of %d tokens in %s holds nothing: %s", tool, most, form, text)
				}
			}
		}
	}
}

func TestAResultIsShownWithAllThatIsKnownOfIt(t *testing.T) {
	l := lookup{scope: scope{projects: []string{webshop}}, query: "retry", limit: 20, tokens: indexTokens}
	score := recall.Score{Total: 0.83, Keyword: 1, Semantic: 0.6, Recency: 0.95, Exact: true}
	found := recall.Answer{
		Results: []recall.Result{
			{Item: memory.Item{Kind: memory.KindObservation, ID: 12, Project: webshop, CreatedAt: at(8, 10), Type: "bugfix", Title: "Retry in fetchPage", Tokens: 22},
				Snippet: "tries \uE000again\uE001 on 5xx", Score: score, Folded: []int64{13, 15}},
			{Item: memory.Item{Kind: memory.KindSummary, ID: 4, Project: webshop, CreatedAt: at(8, 20), Title: "Make the import robust", Tokens: 9, Status: memory.StatusActive}},
			{Item: memory.Item{Kind: memory.KindPrompt, ID: 3, Project: webshop, CreatedAt: at(8, 0), Title: "为什么会停？", Tokens: 6}},
		},
		More:  true,
		Notes: []string{"The semantic index is still being built: 300 of 1,000 memories are in it."},
	}
	golden(t, "index-plain", l.index(found, nil).text)
	l.explain = true
	golden(t, "index-explained", l.index(found, nil).text)
	golden(t, "index-nothing-with-note", l.index(recall.Answer{Notes: found.Notes}, nil).text)
}

func TestAListHasTheKindsThatAreAskedFor(t *testing.T) {
	c := connect(t, filled(), webshop)
	c.initialize()
	for arguments, want := range map[string]string{
		`{}`:                                 "#13 #12 #11",
		`{"kinds":"prompts"}`:                "P2 P1",
		`{"kinds":["summary"]}`:              "S4",
		`{"kind":"summaries, prompts"}`:      "P2 S4 P1",
		`{"kinds":"all","limit":4}`:          "#13 P2 S4 #12",
		`{"kinds":"all","cursor":"P2"}`:      "S4 #12 #11 P1",
		`{"kinds":"all","page":2,"limit":4}`: "#11 P1",
	} {
		text, failed := c.call("search", arguments)
		if got := strings.Join(idsIn(text), " "); failed || got != want {
			t.Errorf("search(%s) gives %s, want %s\n%s", arguments, got, want, text)
		}
	}
}

func TestASearchThatFindsNothingSaysWhatItsFiltersKeepOut(t *testing.T) {
	c := connect(t, filled(), webshop)
	c.initialize()
	text, failed := c.call("search", `{"query":"atom.xml"}`)
	if failed {
		t.Fatal(text)
	}
	golden(t, "search-missed", text)
}

// forgetful is a store whose search index knows nothing of what is stored.
type forgetful struct{ *fake }

func (forgetful) Search(context.Context, string, memory.Filter, int) ([]memory.Hit, error) {
	return nil, nil
}

func (forgetful) IndexKnows(context.Context, memory.ItemKind) (bool, error) { return false, nil }

func TestABrokenIndexIsNeverShownAsNoResults(t *testing.T) {
	c := connect(t, forgetful{filled()}, webshop)
	c.initialize()
	for tool, arguments := range map[string]string{"search": `{"query":"backoff"}`, "timeline": `{"query":"backoff"}`} {
		text, failed := c.call(tool, arguments)
		if !failed || !strings.Contains(text, "`cmem doctor --fix` rebuilds it") || strings.Contains(text, "No memory") {
			t.Errorf("%s: failed=%v %s", tool, failed, text)
		}
	}
}

func TestStructuredContentIsGivenWhenItIsAskedForAndInsteadOfTheText(t *testing.T) {
	c := connect(t, filled(), webshop)
	c.initialize()
	call := func(tool, arguments string) (text string, structured json.RawMessage) {
		t.Helper()
		r := c.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
		var res struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
		if err := json.Unmarshal(r.Result, &res); err != nil || len(res.Content) != 1 || res.IsError {
			t.Fatalf("%s(%s): %s", tool, arguments, r.Result)
		}
		return res.Content[0].Text, res.StructuredContent
	}
	for _, tt := range []struct{ name, tool, arguments string }{
		{"json-search", "search", `{"query":"fetchpage","explain":true,"limit":1,"format":"json"}`},
		{"json-search-nothing", "search", `{"query":"没有这个","format":"json"}`},
		{"json-timeline", "timeline", `{"id":"#12","depth_before":1,"depth_after":1,"format":"JSON"}`},
		{"json-observations", "get_observations", `{"ids":["#12","S4","P1","#99"],"raw":true,"format":"json"}`},
	} {
		text, structured := call(tt.tool, tt.arguments)
		if string(structured) != text {
			t.Errorf("%s: the text is not the structured content:\n%s\n%s", tt.name, text, structured)
		}
		var indented strings.Builder
		enc := json.NewEncoder(&indented)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(structured); err != nil {
			t.Fatal(err)
		}
		golden(t, tt.name, indented.String())

		text, structured = call(tt.tool, strings.Replace(strings.Replace(tt.arguments, `"JSON"`, `"text"`, 1), `"json"`, `"text"`, 1))
		if structured != nil || !strings.HasPrefix(text, frameOpen) {
			t.Errorf("%s as text has structured content %s and the text %s", tt.name, structured, text)
		}
	}
}

func TestFieldsInTheQueryNarrowAsParametersDo(t *testing.T) {
	c := connect(t, many(10), webshop)
	c.initialize()
	for query, want := range map[string]string{
		`narrative type:bugfix`:                       "in webshop, type bugfix",
		`narrative project:blog file:"a b.go"`:        "in blog, file a b.go",
		`project:* before:2019-01-01 narrative`:       "in all projects, before 2019-01-01",
		`narrative project:nosuch`:                    `there is no project "nosuch"`,
		`type:发现和决定以及其他`:                              "in webshop, type 发现和决定以及其他",
		`narrative http://localhost:80 unknown:field`: "for «narrative http://localhost:80 unknown:field» in webshop",
	} {
		encoded, err := json.Marshal(map[string]any{"query": query})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := c.call("search", string(encoded)); !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in:\n%s", query, want, got)
		}
	}
}
