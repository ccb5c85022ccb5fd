package llm

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"cmem/memory"
)

const whole = `{"observations":[{"type":"bugfix","title":"fetchPage 重试三次","subtitle":"503 不再中断","narrative":"原因：只请求一次。\n现在退避重试。",
"facts":["200 ms doubling","` + "`--retries`" + ` sets it"],"concepts":["problem-solution","bugfix","gotcha: order matters"],
"files_read":["/home/dev/projects/webshop/src/client.go"],"files_modified":["client.go","invented.go"],"certainty":"observed","events":[4,3]}]}`

func TestAWholeAnswerBecomesAnObservationWithItsEvidence(t *testing.T) {
	obs, err := ParseObservations(whole, batch())
	if err != nil || len(obs) != 1 {
		t.Fatalf("%v, %v", obs, err)
	}
	got := obs[0]
	source := got.TokensSource
	got.TokensSource = 0
	want := memory.Observation{
		Type: "bugfix", Title: "fetchPage 重试三次", Subtitle: "503 不再中断", Narrative: "原因：只请求一次。\n现在退避重试。",
		Facts: []string{"200 ms doubling", "`--retries` sets it"}, Concepts: []string{"problem-solution", "gotcha"},
		FilesRead: []string{"src/client.go"}, FilesModified: []string{"client.go"}, // invented.go is in no event
		Certainty: memory.CertaintyObserved, ToolName: "Bash", GitBranch: "main", GitCommit: "0123456", CreatedAt: at(3),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if source < 300 {
		t.Errorf("the events are said to cost %d tokens", source)
	}
}

func TestAnswersAreReadLeniently(t *testing.T) {
	const one = `{"type":"discovery","title":"T"}`
	for _, tt := range []struct{ name, answer, titles string }{
		{"fence", "```json\n{\"observations\":[" + one + "]}\n```", "T"},
		{"prose around", "Here you go {as asked}: [1] \n{\"observations\":[" + one + "]}\nHope it helps {}", "T"},
		{"thoughts", "<think>maybe {\"observations\":[]}</think>{\"observations\":[" + one + "]}", "T"},
		{"bare list", "[" + one + "," + one + "]", "T|T"},
		{"bare observation", one, "T"},
		{"unknown fields", `{"v":2,"observations":[{"title":"T","score":{"a":[1]},"type":"x"}],"more":1}`, "T"},
		{"wrong types", `{"observations":[{"title":["T","U"],"type":null,"facts":"one","concepts":{"a":1},"files_read":7,"events":"1"}]}`, "T U"},
		{"line ends in strings", "{\"observations\":[{\"title\":\"T\nU\",\"type\":\"x\"}]}", "T U"},
		{"stray escapes", `{"observations":[{"title":"C:\Users\dev \d+ \u12","type":"x"}]}`, `C:\Users\dev \d+ \u12`},
		{"no title but a narrative", `{"observations":[{"narrative":"What happened.\nMore."}]}`, "What happened. More."},
		{"no title but a fact", `{"observations":[{"facts":["Port 8080 is taken"]}]}`, "Port 8080 is taken"},
		{"cut off", `{"observations":[` + one + `,{"type":"bugfix","title":"half`, "T"},
		{"broken later", `{"observations":[` + one + `,{"type" "bugfix"}]}`, "T"},
		{"empty text", " \n", ""},
		{"empty list", `{"observations":[]}`, ""},
		{"null", `{"observations":null}`, ""},
		{"empty object", `{}`, ""},
		{"empty observation", `{"observations":[{"type":"change","title":" "}]}`, ""},
		{"prose", "Nothing here is worth remembering.", ""},
		{"prose with a bracket", "Nothing [really] {is} worth it.", ""},
	} {
		obs, err := ParseObservations(tt.answer, batch())
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var titles []string
		for _, o := range obs {
			titles = append(titles, o.Title)
		}
		if got := strings.Join(titles, "|"); got != tt.titles {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.titles)
		}
	}
}

func TestJSONThatCannotBeReadIsAnError(t *testing.T) {
	for _, answer := range []string{
		`{"observations":[{"title":"half`,
		`{"observations":"none"}`,
		`{"observations"`,
		`{"title":"half`,
		`[{"title"`,
	} {
		if obs, err := ParseObservations(answer, batch()); err == nil {
			t.Errorf("%s gave %v and no error", answer, obs)
		}
	}
	for _, answer := range []string{`{"summary":{"request":"half`, `{"summary":"text"}`} {
		if s, err := ParseSummary(answer, story()); err == nil {
			t.Errorf("%s gave %+v and no error", answer, s)
		}
	}
}

func TestTypesAreKeptAndDefaulted(t *testing.T) {
	for _, tt := range []struct{ observation, want string }{
		{`{"title":"T","type":"Security_Alert "}`, "security_alert"},
		{`{"title":"T"}`, memory.TypeDiscovery},
		{`{"title":"T","files_modified":["client.go"]}`, memory.TypeChange},
	} {
		obs, err := ParseObservations(`{"observations":[`+tt.observation+`]}`, batch())
		if err != nil || len(obs) != 1 || obs[0].Type != tt.want {
			t.Errorf("%s: %v, %v", tt.observation, obs, err)
		}
	}
}

func TestWhatAnAnswerSaysIsCutToLimitsAndMadeHarmless(t *testing.T) {
	long := strings.Repeat("很长的文字 ", 400)
	item := map[string]any{
		"type": long, "title": "\x1b[2J\u202e" + long, "subtitle": long, "narrative": long, "certainty": "certain", "events": []any{0, -1, 99, "x"},
		"facts": make([]string, 0), "concepts": []string{}, "files_read": []string{},
	}
	var facts []string
	for i := range 70 {
		facts = append(facts, fmt.Sprint(i, long))
	}
	item["facts"], item["concepts"], item["files_read"] = facts, facts, facts
	list := make([]any, maxObservations+3)
	for i := range list {
		list[i] = item
	}
	answer, err := json.Marshal(map[string]any{"observations": list})
	if err != nil {
		t.Fatal(err)
	}
	obs, err := ParseObservations(string(answer), batch())
	if err != nil || len(obs) != maxObservations {
		t.Fatalf("%d observations, %v", len(obs), err)
	}
	o := obs[0]
	for _, tt := range []struct {
		name, text string
		limit      int
	}{{"type", o.Type, maxType}, {"title", o.Title, maxTitle}, {"subtitle", o.Subtitle, maxSubtitle}, {"narrative", o.Narrative, maxNarrative}, {"fact", o.Facts[0], maxFact}, {"concept", o.Concepts[0], maxConcept}} {
		if n := utf8.RuneCountInString(tt.text); n > tt.limit || !strings.HasSuffix(tt.text, "…") {
			t.Errorf("%s has %d characters: %.60q", tt.name, n, tt.text)
		}
	}
	if len(o.Facts) != maxFacts || len(o.Concepts) != maxConcepts || len(o.FilesRead) != 0 {
		t.Errorf("%d facts, %d concepts, %d files", len(o.Facts), len(o.Concepts), len(o.FilesRead))
	}
	if strings.ContainsAny(o.Title, "\x1b\u202e") || o.Certainty != memory.CertaintyClaimed {
		t.Errorf("title %q, certainty %s", o.Title, o.Certainty)
	}
	if o.ToolName != "Weird" || !o.CreatedAt.Equal(at(5)) { // no event named: the last tool call
		t.Errorf("from %s at %s", o.ToolName, o.CreatedAt)
	}
	sum := 0
	for _, o := range obs {
		sum += o.TokensSource
	}
	if one, _ := ParseObservations(whole, batch()); sum != one[0].TokensSource {
		t.Errorf("the shares add up to %d, not %d", sum, one[0].TokensSource)
	}
}

func TestASummaryIsReadAndItsFilesAreThoseOfTheSession(t *testing.T) {
	const fields = `"request":"修复导入","completed":"fetchPage 重试","next_steps":["Add metric","Release"],"files_read":["go.mod","/home/dev/projects/webshop/src/client.go","ghost.go"],"files_modified":["src/client.go"]`
	want := memory.Summary{Request: "修复导入", Completed: "fetchPage 重试", NextSteps: "Add metric\nRelease",
		FilesRead: []string{"go.mod", "src/client.go"}, FilesModified: []string{"src/client.go"}}
	for name, answer := range map[string]string{
		"whole": `{"summary":{` + fields + `}}`,
		"bare":  `{` + fields + `}`,
		"fence": "```\n{\"summary\":{" + fields + "}}\n```",
	} {
		got, err := ParseSummary(answer, story())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, err, got, want)
		}
	}
	for _, answer := range []string{"", "{}", "[]", `{"summary":null}`, `{"summary":{"request":" "}}`, "Nothing happened."} {
		if got, err := ParseSummary(answer, story()); err != nil || !reflect.DeepEqual(got, memory.Summary{}) {
			t.Errorf("%q gave %+v, %v", answer, got, err)
		}
	}
}

func TestWindowsPathsAreEvidenceToo(t *testing.T) {
	b := Batch{
		Session: memory.Session{Project: `C:\Users\dev\webshop`},
		Events:  []memory.Event{tool(1, "Read", `{"file_path":"C:\\Users\\dev\\webshop\\src\\client.go"}`, `{}`)},
	}
	obs, err := ParseObservations(`{"observations":[{"title":"T","files_read":["C:\\Users\\dev\\webshop\\src\\client.go","src/client.go"]}]}`, b)
	if err != nil || len(obs) != 1 || !reflect.DeepEqual(obs[0].FilesRead, []string{"src/client.go"}) {
		t.Errorf("%+v, %v", obs, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{whole, "```json\n{}\n```", `[{"title":"a"`, `{"observations":{"a":1}}`, `{"summary":{"notes":[1,null,{}]}}`, `{"a":"\u`, `{"a":"\`, "<think>[{"} {
		f.Add(s)
	}
	b, s := batch(), story()
	f.Fuzz(func(t *testing.T, answer string) {
		obs, err := ParseObservations(answer, b)
		if err != nil && obs != nil {
			t.Errorf("both %v and %v", obs, err)
		}
		for _, o := range obs {
			if o.Title == "" || o.Type == "" || !utf8.ValidString(o.Title+o.Narrative) {
				t.Errorf("%+v", o)
			}
		}
		if sum, err := ParseSummary(answer, s); err != nil && !reflect.DeepEqual(sum, memory.Summary{}) {
			t.Errorf("both %+v and %v", sum, err)
		}
	})
}
