package hooks

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"cmem/memory"
)

func TestSecretFilesAreKnownByTheirNames(t *testing.T) {
	for name, want := range map[string]bool{
		".env": true, "/srv/app/.env": true, ".env.production": true, ".env.local": true, "prod.env": true, ".envrc": true, `C:\app\.ENV`: true,
		".env.example": false, ".env.sample": false, ".env.production.template": false, ".environment": false, "env": false, "environment.ts": false,
		"server.pem": true, "tls/server.key": true, "cert.p12": true, "id_rsa": true, "/home/dev/.ssh/id_ed25519": true, "id_rsa.pub": false, "id_card.go": false,
		"~/.ssh/work": true, "~/.ssh/config": false, "~/.ssh/known_hosts": false, ".netrc": true, "_netrc": true, "~/.npmrc": true, ".pypirc": true,
		"~/.aws/credentials": true, "credentials.json": true, "credentials.go": false, "src/credentials/form.tsx": false, "kubeconfig": true, "~/.kube/config": true,
		"git/config": false, "config/secrets.yml": true, "secrets.toml": true, "secret.json": true, "app-secrets.yaml": true, "secrets_test.go": false,
		"src/secrets.go": false, "infra/terraform.tfvars": true, "terraform.tfstate": true, "terraform.tfstate.backup": true, "service-account-prod.json": true,
		"client_secret_12.json": true, "客户/.env": true, "密码.txt": false, "monkey.ts": false, ".key": false, "data.key": true, "": false,
		"/proc/self/environ": true, "/run/secrets/db": true, "~/.docker/config.json": true, "package.json": false, "auth.json": true, "auth.go": false,
	} {
		if got := isSecretFile(name); got != want {
			t.Errorf("isSecretFile(%q) = %v", name, got)
		}
	}
}

// tool gives the payload of a tool call.
func tool(name, input, rest string) string {
	return `{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"` + name + `","tool_input":` + input + rest + `}`
}

func TestSecretFilesKeepTheirNameAndNotTheirContent(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		keep []string // beside what is common; geheim must be gone
	}{
		"read": {tool("Read", `{"file_path":"/w/.env"}`, `,"tool_response":{"type":"text","file":{"filePath":"/w/.env","content":"A=geheim\n","numLines":1}}`),
			[]string{`"file_path":"/w/.env"`, `"filePath":"/w/.env"`, fileMark, `"numLines":1`, `"type":"text"`}},
		"edit": {tool("Edit", `{"file_path":"/w/config/secrets.yml","old_string":"geheim","new_string":"geheim2","replace_all":false}`,
			`,"tool_response":{"filePath":"/w/config/secrets.yml","oldString":"geheim","newString":"geheim2","originalFile":"x geheim","structuredPatch":[{"oldStart":1,"lines":["-geheim","+geheim2"]}]}`),
			[]string{"secrets.yml", `"oldStart":1`}},
		"write":         {tool("Write", `{"file_path":"C:\\app\\.env","content":"geheim"}`, `,"tool_response":{"type":"create","filePath":"C:\\app\\.env","content":"geheim"}`), []string{`C:\\app\\.env`}},
		"failed edit":   {tool("Edit", `{"file_path":".env","old_string":"geheim","new_string":"x"}`, `,"error":"String to replace not found in file.\nString: geheim"`), nil},
		"another tool":  {tool("mcp__fs__read_text", `{"path":"deploy/id_ed25519"}`, `,"tool_response":[{"type":"text","text":"geheim"}]`), []string{"id_ed25519"}},
		"by its answer": {tool("mcp__ide__current", `{}`, `,"tool_response":{"path":"/w/.env","text":"geheim"}`), []string{`"path":"/w/.env"`}},
		"text response": {tool("mcp__fs__read_text", `{"paths":["a.go","x.pem"]}`, `,"tool_response":"geheim"`), []string{"x.pem", "a.go"}},
		"cat":           {tool("Bash", `{"command":"cat .env","description":"Show"}`, `,"tool_response":{"stdout":"geheim","stderr":"","interrupted":false}`), []string{`"command":"cat .env"`, "Show", `"stderr":""`}},
		"cat in a pipe": {tool("Bash", `{"command":"cat ./a/.env | grep geheim"}`, `,"tool_response":{"stdout":"geheim"}`), []string{"cat ./a/.env | grep …"}},
		"echo into it":  {tool("Bash", `{"command":"echo \"KEY=geheim\" >> .env && chmod 600 .env"}`, `,"tool_response":{"stdout":""}`), []string{"echo … >> .env && chmod … .env"}},
		"a heredoc":     {tool("Bash", `{"command":"cat > .env <<EOF\nKEY=geheim\nEOF"}`, `,"tool_response":{"stdout":""}`), []string{"cat > .env"}},
		"sed":           {tool("Bash", `{"command":"sed -i 's/KEY=.*/KEY=geheim/' /w/.env.local"}`, ``), []string{"sed -i … /w/.env.local"}},
		"in an option":  {tool("Bash", `{"command":"docker run --env-file=.env geheim"}`, `,"tool_response":{"stdout":"geheim"}`), []string{"docker"}},
		"environment":   {tool("Bash", `{"command":"printenv"}`, `,"tool_response":{"stdout":"A=geheim"}`), []string{`"command":"printenv"`}},
		"env in a pipe": {tool("Bash", `{"command":"cd x && env | sort"}`, `,"tool_response":{"stdout":"A=geheim"}`), []string{"env | sort"}},
		"a vault":       {tool("Bash", `{"command":"kubectl get secret db -o yaml"}`, `,"tool_response":{"stdout":"pw: geheim"}`), []string{"kubectl get secret db"}},
		"grep": {tool("Bash", `{"command":"grep -rn KEY ."}`, `,"tool_response":{"stdout":"./.env:3:KEY=geheim\n./src/a.go:9:KEY := 1\n./.env-4-NEXT=geheim\n","stderr":""}`),
			[]string{"./.env:" + fileMark, "./src/a.go:9:KEY := 1"}},
		"grep tool": {tool("Grep", `{"pattern":"KEY","output_mode":"content"}`, `,"tool_response":{"mode":"content","filenames":[],"content":"src/a.go:1:KEY\nconf/.env.prod:2:geheim"}`),
			[]string{"src/a.go:1:KEY", "conf/.env.prod:" + fileMark}},
		"a difference": {tool("Bash", `{"command":"git diff"}`, `,"tool_response":{"stdout":"diff --git a/.env b/.env\n-A=geheim\n+A=geheim2\ndiff --git a/x.go b/x.go\n+kept\n"}`),
			[]string{`diff --git a/.env b/.env\n` + fileMark + `\ndiff --git a/x.go b/x.go\n+kept`}},
		"head of many":             {tool("Bash", `{"command":"head *"}`, `,"tool_response":{"stdout":"==> .netrc <==\ngeheim\n\n==> a.txt <==\nkept\n"}`), []string{`==> a.txt <==\nkept`}},
		"lines in a list of files": {tool("Read", `{"file_path":"/a/.env"}`, `,"tool_response":{"files":["PIN=geheim","PIN: geheim","a geheim","geheim","/a/.env"]}`), []string{`"/a/.env"]`}},
		"beside an object":         {tool("mcp__fs__read_text", `{"path":"/a/.env"}`, `,"tool_response":[{"type":"text","path":"/a/.env"},"geheim/1.x"]`), []string{`"path":"/a/.env"},"` + fileMark + `"`}},
		"a name with a space":      {tool("Read", `{"file_path":"/我的 project/.env"}`, `,"tool_response":"geheim"`), []string{"/我的 project/.env"}},
		"lines in a batch":         {`{"session_id":"s","hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"grep -rn KEY ."},"tool_response":"./.env:3:KEY=geheim\n./a.go:9:KEY := 1"}]}`, []string{"./.env:" + fileMark, "./a.go:9:KEY := 1"}},
		"a batch":                  {`{"session_id":"s","hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Read","tool_use_id":"t1","tool_input":{"file_path":".env"},"tool_response":"geheim"}]}`, []string{`"file_path":".env"`, `"tool_use_id":"t1"`}},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Decode("x", []byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(e.Raw, []byte("geheim")) || strings.Contains(e.Error, "geheim") {
				t.Errorf("the content is kept: %s", e.Raw)
			}
			for _, want := range tt.keep {
				if !bytes.Contains(e.Raw, []byte(want)) {
					t.Errorf("%s lacks %s", e.Raw, want)
				}
			}
			again, err := Decode("x", e.Raw)
			if err != nil || !bytes.Equal(again.Raw, e.Raw) {
				t.Errorf("decoded again: %s, %v", again.Raw, err)
			}
		})
	}
}

func TestOtherFilesKeepTheirContent(t *testing.T) {
	for _, in := range []string{
		tool("Read", `{"file_path":"/w/.env.example"}`, `,"tool_response":{"file":{"filePath":"/w/.env.example","content":"A=\n"}}`),
		tool("Glob", `{"pattern":"**/*"}`, `,"tool_response":{"filenames":["/w/.env","/w/a.go"],"numFiles":2,"truncated":false}`),
		tool("Bash", `{"command":"env FOO=1 make test"}`, `,"tool_response":{"stdout":"ok: 3 passed\nerror: none"}`),
		tool("Bash", `{"command":"set -e; go test ./..."}`, `,"tool_response":{"stdout":"ok cmem/store 1.2s"}`),
		tool("Bash", `{"command":"npm run env:check"}`, `,"tool_response":{"stdout":"a:b"}`),
		tool("Edit", `{"file_path":"/w/secrets_test.go","old_string":"a","new_string":"b"}`, ``),
	} {
		e, err := Decode("x", []byte(in))
		if err != nil || string(e.Raw) != in {
			t.Errorf("kept %s, %v\nof   %s", e.Raw, err, in)
		}
	}
}

func TestToolCallsAboutExcludedPathsAreFound(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, tt := range []struct {
		pattern, tool, input, response string
		want                           bool
	}{
		{"**/private/**", "Read", `{"file_path":"/w/private/a.md"}`, ``, true},
		{"private", "Read", `{"file_path":"/w/private/a.md"}`, ``, true},
		{"private", "Read", `{"file_path":"/w/privateer/a.md"}`, ``, false},
		{"*.md", "Edit", `{"file_path":"docs/a.md"}`, ``, true},
		{"docs/*.md", "Edit", `{"file_path":"docs/a.md"}`, ``, true},
		{"docs/*.md", "Edit", `{"file_path":"docs/sub/a.md"}`, ``, false},
		{"/w/docs/**", "Edit", `{"file_path":"./docs/sub/../a.md"}`, ``, true},
		{"~/notes", "Read", `{"file_path":"` + filepath.ToSlash(home) + `/notes/x"}`, ``, true},
		{"~/notes", "Bash", `{"command":"cat ~/notes/x.txt"}`, ``, true},
		{"*.{key,crt}", "Bash", `{"command":"openssl x509 -in tls/a.crt"}`, ``, true},
		{"客户/**", "Write", `{"file_path":"/w/客户/名单.csv"}`, ``, true},
		{"C:/Users/dev/secret", "Read", `{"file_path":"C:\\Users\\dev\\secret\\a.txt"}`, ``, true},
		{"tables", "mcp__db__dump", `{"paths":["/w/tables/a"]}`, ``, true},
		{"*.csv", "Glob", `{"pattern":"**"}`, `{"filenames":["/w/a.go","/w/b.csv"]}`, true},
		{"*.csv", "Bash", `{"command":"go test ./..."}`, `{"stdout":"b.csv"}`, false},
		{"*.csv", "", `{"file_path":"a.csv"}`, ``, false},
	} {
		e := memory.Event{CWD: "/w", ToolName: tt.tool, ToolInput: []byte(tt.input), ToolResponse: []byte(tt.response)}
		if got := touchesExcluded(e, []string{tt.pattern}); got != tt.want {
			t.Errorf("%q and %s %s %s: %v", tt.pattern, tt.tool, tt.input, tt.response, got)
		}
	}
	if runtime.GOOS == "linux" && touchesExcluded(memory.Event{CWD: "/w", ToolName: "Read", ToolInput: []byte(`{"file_path":"A.MD"}`)}, []string{"*.md"}) {
		t.Error("a name is compared without case where files are told apart by it")
	}
}

func TestExcludedPathsFollowLinksOnBothSides(t *testing.T) {
	dir := t.TempDir()
	folder, link := filepath.Join(dir, "folder"), filepath.Join(dir, "link")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder, link); err != nil {
		t.Skipf("no links on this system: %v", err)
	}
	for _, tt := range [][2]string{{folder, link + "/**"}, {link, folder}, {link, link + "/*.md"}, {folder, folder + "/n*"}} {
		if file := filepath.Join(tt[0], "new.md"); !excludedPath("/", file, []string{tt[1]}) {
			t.Errorf("%s is recorded, with %s excluded", file, tt[1])
		}
	}
}
