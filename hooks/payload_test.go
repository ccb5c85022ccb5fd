package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/hooks/spool"
)

func TestDecodeReadsEveryRecordedPayload(t *testing.T) {
	files, err := filepath.Glob("testdata/payloads/*.json")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d recorded payloads, %v", len(files), err)
	}
	at := time.Date(2026, 11, 30, 8, 0, 0, 5e6, time.UTC)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Decode(spool.NameAt(at, 1), raw)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
			continue
		}
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
		if e.Name != name || e.SessionID == "" || e.Agent != AgentClaudeCode || !e.CreatedAt.Equal(at) {
			t.Errorf("%s: decoded as %q of session %q at %s", filepath.Base(file), e.Name, e.SessionID, e.CreatedAt)
		}
		if e.IsTool() && (e.ToolName == "" || e.ToolUseID == "" || len(e.ToolInput) == 0) {
			t.Errorf("%s: tool %q, id %q, input %s", filepath.Base(file), e.ToolName, e.ToolUseID, e.ToolInput)
		}
	}
}

func TestDecodeRefusesWhatIsNoEvent(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		want error
	}{
		"empty":             {"", ErrEmpty},
		"white space":       {" \n", ErrEmpty},
		"text":              {"hello", ErrNotObject},
		"array":             {"[1]", ErrNotObject},
		"no event":          {`{"session_id":"s"}`, ErrNoEvent},
		"no session":        {`{"hook_event_name":"Stop"}`, ErrNoSession},
		"event not text":    {`{"session_id":"s","hook_event_name":7}`, ErrNoEvent},
		"session not text":  {`{"session_id":{},"hook_event_name":"Stop"}`, ErrNoSession},
		"null for an event": {`{"session_id":"s","hook_event_name":null}`, ErrNoEvent},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Decode("x", []byte(tt.in)); !errors.Is(err, tt.want) {
				t.Errorf("Decode(%q) gave %v, want %v", tt.in, err, tt.want)
			}
		})
	}
	if _, err := Decode("x", []byte(`{"session_id":"s","hook_event_name":"Stop"`)); err == nil {
		t.Error("cut-off JSON was accepted")
	}
}

func TestFieldsOfAWrongTypeCountAsMissing(t *testing.T) {
	e, err := Decode("x", []byte(`{"session_id":"s","hook_event_name":"PostToolUse","cwd":7,"prompt":["x"],"tool_name":{},"duration_ms":"12","tool_response":"text","unknown":{"a":[1]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if e.CWD != "" || e.Prompt != "" || e.ToolName != "" || e.DurationMS != 0 || string(e.ToolResponse) != `"text"` {
		t.Errorf("decoded %+v", e)
	}
	if !bytes.Contains(e.Raw, []byte(`"unknown":{"a":[1]}`)) {
		t.Errorf("the unknown field is not kept: %s", e.Raw)
	}
}

func TestWhatIsPrivateIsCutEverywhere(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"in a prompt":           {`"prompt":"before <private>geheim</private> after"`, `"prompt":"before [private] after"`},
		"with attributes":       {`"prompt":"<private why=\"x\">geheim</private>!"`, `"prompt":"[private]!"`},
		"in capitals":           {`"prompt":"<PRIVATE>geheim</Private>!"`, `"prompt":"[private]!"`},
		"nested":                {`"prompt":"a<private>b<private>geheim</private>geheim</private>c"`, `"prompt":"a[private]c"`},
		"not closed":            {`"prompt":"a <private>geheim to the end"`, `"prompt":"a [private]"`},
		"not opened":            {`"prompt":"a</private> b <private>geheim</private>"`, `"prompt":"a b [private]"`},
		"behind an escape":      {`"prompt":"a \u003cprivate\u003egeheim\u003c/private\u003e b"`, `"prompt":"a [private] b"`},
		"around one not opened": {`"prompt":"a <</private>private>b</private> c"`, `"prompt":"a <[private]private>b[private] c"`},
		"half a tag around one": {`"prompt":"a <pri</private>vate"`, `"prompt":"a <pri[private]vate"`},
		"escaped letter":        {`"prompt":"a <\u0070rivate>geheim</private> b"`, `"prompt":"a [private] b"`},
		"deep in a tool input":  {`"tool_input":{"a":[{"b":"x<private>geheim</private>"}],"n":12345678901234567890}`, `"tool_input":{"a":[{"b":"x[private]"}],"n":12345678901234567890}`},
		"over two strings":      {`"tool_input":{"old_string":"x<private>geheim","new_string":"geheim</private>y"},"z":"kept"`, `"tool_input":{"old_string":"x[private]","new_string":"[private]y"},"z":"kept"`},
		"self-closing":          {`"prompt":"a <private/>geheim</private> b"`, `"prompt":"a [private] b"`},
		"without its bracket":   {`"prompt":"a <private geheim"`, `"prompt":"a [private]"`},
		"in a key":              {`"tool_input":{"<private>geheim</private>":1,"b":"c"}`, `"tool_input":{"[private]":1,"b":"c"}`},
		"from key to value":     {`"tool_input":{"<private>":"geheim","b":"geheim</private>c"}`, `"tool_input":{"[private]":"[private]","[private]":"[private]c"}`},
		"a number":              {`"tool_input":{"a":["<private>",4711,true,null,"</private>",12]}`, `"tool_input":{"a":["[private]","[private]","[private]","[private]","[private]",12]}`},
		"a name between":        {`"tool_input":{"command":"<private>","geheim":{"geheim":1},"z":"</private>"},"geheim2":3`, `"tool_input":{"command":"[private]","[private]":{"[private]":"[private]"},"[private]":"[private]"},"geheim2":3`},
		"from field to field":   {`"prompt":"a <private>b","tool_input":{"command":"geheim"},"error":"x</private>y","z":"kept"`, `"prompt":"a [private]","tool_input":{"command":"[private]"},"error":"[private]y","z":"kept"`},
		"never closed":          {`"tool_input":{"command":"a <private>b"},"tool_response":{"stdout":"geheim"},"tool_use_id":"t1","duration_ms":7,"geheim":"x"`, `"tool_input":{"command":"a [private]"},"tool_response":{"stdout":"[private]"},"tool_use_id":"t1","duration_ms":7,"[private]":"[private]"`},
		"not out of the host's": {`"cwd":"/a/<private>b","prompt":"kept"`, `"cwd":"/a/[private]","prompt":"kept"`},
		"with space":            {`"prompt":"a < Private >geheim< / PRIVATE > b"`, `"prompt":"a [private] b"`},
		"on two lines":          {`"prompt":"a <\nprivate\n>geheim</\nprivate> b"`, `"prompt":"a [private] b"`},
		"in wide brackets":      {`"prompt":"密码＜private＞geheim＜／private＞完"`, `"prompt":"密码[private]完"`},
		"escaped slash":         {`"tool_response":{"stdout":"{\"a\":\"<private>geheim<\\/private>b\"}"}`, `"tool_response":{"stdout":"{\"a\":\"[private]b\"}"}`},
		"letter in JSON's JSON": {`"tool_response":{"stdout":"<\\u0050riv\\u0061te\\u003Egeheim\\u003C\\u002fprivate> b"}`, `"tool_response":{"stdout":"[private] b"}`},
		"with a lone surrogate": {`"prompt":"\ud800<private>geheim\udfff</private>z"`, `"prompt":"�[private]z"`},
		"JSON within JSON":      {`"tool_response":[{"text":"{\"a\":\"\\u003cprivate\\u003egeheim\\u003c/private\\u003e\"}"}]`, `"tool_response":[{"text":"{\"a\":\"[private]\"}"}]`},
		"a word that begins so": {`"prompt":"x <privateer> \u003cb>"`, `"prompt":"x <privateer> <b>"`},
		"chinese":               {`"prompt":"退款 <private>密码是geheim</private> 数据库"`, `"prompt":"退款 [private] 数据库"`},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Decode("x", []byte(`{"session_id":"s","hook_event_name":"UserPromptSubmit",`+tt.in+`}`))
			if err != nil {
				t.Fatal(err)
			}
			if want := `{"session_id":"s","hook_event_name":"UserPromptSubmit",` + tt.want + `}`; string(e.Raw) != want {
				t.Errorf("kept %s\nwant %s", e.Raw, want)
			}
			if strings.Contains(e.Prompt, "geheim") || bytes.Contains(e.ToolInput, []byte("geheim")) {
				t.Errorf("private text in the fields: %q %s", e.Prompt, e.ToolInput)
			}
		})
	}
}

func TestKnownShapesOfSecretsAreMasked(t *testing.T) {
	// The values are made up; they are joined here so that no scanner takes this file for a leak.
	secret := map[string]string{
		"anthropic": "sk-" + "ant-api03-" + strings.Repeat("aB3_", 8),
		"openai":    "sk-" + strings.Repeat("aB3x", 8),
		"github":    "ghp" + "_" + strings.Repeat("aB3x", 9),
		"aws":       "AKIA" + "IOSFODNN7EXAMPLE",
		"google":    "AIza" + strings.Repeat("aB3_x", 7),
		"stripe":    "sk" + "_live_" + strings.Repeat("aB3x", 6),
		"hugging":   "hf" + "_" + strings.Repeat("aBcx", 9),
		"sendgrid":  "SG" + "." + strings.Repeat("aB3x", 5) + "." + strings.Repeat("aB3x", 10),
		"slack":     "xoxb" + "-123456789012-abcdefABCDEF",
		"jwt":       "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dBjftJeZ4CVPmB92K27uhbUJU1p1r",
	}
	for name, value := range secret {
		got := new(secretMasker).mask("key " + value + " end")
		if want := "key " + secretMark + " end"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for in, want := range map[string]string{
		"Authorization: Bearer abcdef1234567890abcdef":                                    "Authorization: Bearer [secret]",
		"postgres://app:hunter2@db/shop":                                                  "postgres://app:[secret]@db/shop",
		"DB_PASSWORD=correct7horse7battery":                                               "DB_PASSWORD=[secret]",
		`api_key: "9f8e7d6c5b4a39281706"`:                                                 `api_key: "[secret]"`,
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nxyz\n-----END RSA PRIVATE KEY-----\nrest": "[secret]\nrest",
		"-----BEGIN PRIVATE KEY-----\ncut off":                                            "[secret]",
		"password=hunter22":                                                               "password=[secret]",
		"password=MyDogIsCalled7":                                                         "password=[secret]",
		"password: Tr0ub4dor&3":                                                           "password: [secret]",
		"DB_PASSWORD=hunter22":                                                            "DB_PASSWORD=[secret]",
		"password: string":                                                                "password: string",
		"GITHUB_TOKEN=abcdefgh make release":                                              "GITHUB_TOKEN=[secret] make release",
		"DB_PASS='swordfish'":                                                             "DB_PASS='[secret]'",
		"tool --password swordfish --verbose":                                             "tool --password [secret] --verbose",
		"Authorization: token 0123456789abcdef":                                           "Authorization: token [secret]",
		"curl -s -u admin:swordfish https://x.io":                                         "curl -s -u admin:[secret] https://x.io",
		"mysql -u root -pswordfish shop":                                                  "mysql -u root -p[secret] shop",
		"redis://:swordfish@cache:6379":                                                   "redis://:[secret]@cache:6379",
		`{\"api_key\": \"9f8e7d6c5b4a3928\"}`:                                             `{\"api_key\": \"[secret]\"}`,
		"密码：swordfish9":                                                                   "密码：[secret]",
		"git commit -m 'token refresh' --amend":                                           "git commit -m 'token refresh' --amend",
		"the --token flag is required":                                                    "the --token flag is required",
		"the password field is required":                                                  "the password field is required",
		"func token(s string) error":                                                      "func token(s string) error",
		"see https://example.com:8080/path and user@example.com":                          "see https://example.com:8080/path and user@example.com",
		"secret := os.Getenv(\"SECRET\")":                                                 "secret := os.Getenv(\"SECRET\")",
		"task-sk-learn uses sk-learn 1.2":                                                 "task-sk-learn uses sk-learn 1.2",
		"tokens_source = estimateTokens":                                                  "tokens_source = estimateTokens",
		"数据库密码 password=Zx81Zx81Zx81 已更新":                                                 "数据库密码 password=[secret] 已更新",
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixes token refresh in access_token.go": "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixes token refresh in access_token.go",
	} {
		if got := new(secretMasker).mask(in); got != want {
			t.Errorf("mask(%q)\n = %q\nwant %q", in, got, want)
		}
	}
}

func TestSecretsAreMaskedInFieldsAndArchive(t *testing.T) {
	key := "ghp" + "_" + strings.Repeat("aB3x", 9)
	e, err := Decode("x", []byte(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"curl -H 'x: `+key+`'"},"tool_response":{"stdout":"`+key+`\n"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for what, b := range map[string][]byte{"input": e.ToolInput, "response": e.ToolResponse, "archive": e.Raw} {
		if bytes.Contains(b, []byte(key)) {
			t.Errorf("the key stands in the %s: %s", what, b)
		}
	}
}

func TestAKeyIsMaskedOverTheLinesOfAPatch(t *testing.T) {
	e, err := Decode("x", []byte(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Write","tool_response":{"structuredPatch":[{"lines":["-x","+-----BEGIN RSA PRIVATE KEY-----","+MIIEpGEHEIM","+GEHEIM==","+-----END RSA PRIVATE KEY-----"," kept"]}]},"z":"kept too"}`))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(e.Raw, []byte("GEHEIM")) || !bytes.Contains(e.Raw, []byte(`" kept"`)) || !bytes.Contains(e.Raw, []byte("kept too")) {
		t.Errorf("archived %s", e.Raw)
	}
}

func TestAValueUnderASecretsNameIsMasked(t *testing.T) {
	e, err := Decode("x", []byte(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"mcp__x__login","tool_input":{"user":"dev","password":"swordfish","api_key":"abc","token_count":"7"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"user":"dev","password":"[secret]","api_key":"[secret]","token_count":"7"}`; string(e.ToolInput) != want {
		t.Errorf("tool input %s, want %s", e.ToolInput, want)
	}
}

func TestSalvageKeepsWhatCameBeforeTheCut(t *testing.T) {
	whole := `{"session_id":"s","cwd":"/home/dev","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"content":"` + strings.Repeat("x", 1000) + `"}}`
	got, err := salvage([]byte(whole[:600]), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	e, err := Decode("x", got)
	if err != nil {
		t.Fatal(err)
	}
	if e.SessionID != "s" || e.ToolName != "Write" || e.CWD != "/home/dev" || e.ToolInput != nil {
		t.Errorf("salvaged %s", got)
	}
	if !bytes.Contains(got, []byte(`"cmem_dropped_bytes":`)) {
		t.Errorf("the loss is not said: %s", got)
	}
	for _, part := range []string{"", "[", `{"session_id":"s","tool`, `{"hook_event_name":"Stop","x":"`} {
		if got, err := salvage([]byte(part), 1<<30); err == nil {
			t.Errorf("salvage(%q) = %s", part, got)
		}
	}
}

func FuzzDecodeNeverPanicsAndNeverLeaksPrivateText(f *testing.F) {
	f.Add([]byte(`{"session_id":"s","hook_event_name":"Stop","prompt":"<private>geheim</private>"}`))
	f.Add([]byte(`{"session_id":"s","hook_event_name":"Stop","a":{"b":["<private>","geheim"]}}`))
	f.Add([]byte(`{"session_id":"s","hook_event_name":"Stop","prompt":"<</private>private"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := Decode("x", raw)
		if err != nil {
			return
		}
		if !json.Valid(e.Raw) {
			t.Fatalf("archived payload is no JSON: %q", e.Raw)
		}
		var v any
		if err := json.Unmarshal(e.Raw, &v); err == nil && mayHoldPrivate(e.Raw) {
			// What is left of a tag can only be one that is not complete.
			if len(tagsIn(e.Prompt)) > 0 || len(tagsIn(e.LastAssistantMessage)) > 0 {
				t.Fatalf("a private tag was kept: %q", e.Raw)
			}
		}
	})
}

func TestExclusionsMatchFoldersAndAllBelow(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, tt := range []struct {
		cwd     string
		pattern string
		want    bool
	}{
		{"/srv/secret", "/srv/secret", true},
		{"/srv/secret/sub/dir", "/srv/secret", true},
		{"/srv/secret/sub", "/srv/secret/**", true},
		{"/srv/secrets", "/srv/secret", false},
		{"/srv/客户/a", "/srv/客户", true},
		{"/srv/client-x/a", "/srv/client-*", true},
		{"/srv/other", "/srv/client-*", false},
		{home + "/private/x", "~/private", true},
		{"/anything", "/", true},
		{"/home/dev/node_modules/x", "node_modules", true},
		{"/home/dev/x", "", false},
		{"", "/srv", false},
	} {
		if got := excluded(tt.cwd, []string{tt.pattern}); got != tt.want {
			t.Errorf("excluded(%q, %q) = %v, want %v", tt.cwd, tt.pattern, got, tt.want)
		}
	}
}

func TestExclusionsFollowLinksOnBothSides(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder, link := filepath.Join(dir, "folder"), filepath.Join(dir, "link")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder, link); err != nil {
		t.Skipf("no links on this system: %v", err)
	}
	for _, tt := range [][2]string{{folder, link}, {link, folder}, {link, link}, {filepath.Join(folder, "sub"), link}} {
		if !excluded(tt[0], []string{tt[1]}) {
			t.Errorf("in %s, with %s excluded: recorded", tt[0], tt[1])
		}
	}
}
