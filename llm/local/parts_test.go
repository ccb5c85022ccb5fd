package local

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestShellLinesAreReadAsTheyRun(t *testing.T) {
	for _, c := range []struct {
		src  string
		want []string // shown, one a command
	}{
		{"cd web && npm test", []string{"npm test"}},
		{"FOO=1 BAR='a b' sudo -u app env X=1 timeout 30 go test ./... 2>&1 | tail -5", []string{"go test ./...", "tail -5"}},
		{"poetry run pytest -q; docker compose exec -T web pytest tests", []string{"pytest -q", "pytest tests"}},
		{"bash -lc 'cd api && cargo build'", []string{"cargo build"}},
		{"for f in *.go; do gofmt -w $f; done", []string{"gofmt -w '$f'"}},
		{"if grep -q x a.txt; then make test; fi # then build", []string{"grep -q x a.txt", "make test"}},
		{"echo 'a && b' \"c | d\"", []string{"echo 'a && b' 'c | d'"}},
		{"cat > f.txt <<'EOF'\nrm -rf / && it's\nEOF\nls", []string{"cat", "ls"}},
		{"a \\\n  -b", []string{"a -b"}},
		{"(cd x; make) && echo $(git rev-parse HEAD)", []string{"make", "echo '$(git rev-parse HEAD)'"}},
	} {
		var got []string
		for _, k := range parseShell(c.src) {
			got = append(got, shown(k))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q\n got %q\nwant %q", c.src, got, c.want)
		}
	}
}

func TestCommandsAreKnownByWhatTheyDo(t *testing.T) {
	for src, want := range map[string]purpose{
		"grep -rn 'TypeError' src": forReading, "sed -n 1,20p a.go": forReading, "sed -i s/a/b/ a.go": forEditing, "git log --oneline -5": forReading, "git -C x status": forReading,
		"git commit -m x": forCommitting, "git push": forGit, "go test ./...": forTesting, "go vet ./...": forLinting, "go build": forBuilding, "npm run test:unit": forTesting, "npm test": forTesting,
		"npm run lint": forLinting, "yarn build": forBuilding, "pnpm add zod": forInstalling, "npm ci": forInstalling, "make test": forTesting, "make": forBuilding, "python -m pytest": forTesting,
		"python manage.py migrate": forData, "python3 script.py": forRunning, "./gradlew test": forTesting, "mvn -q verify": forTesting, "cargo clippy": forLinting, "docker compose up -d": forServing,
		"docker ps": forReading, "kubectl get pods": forReading, "kubectl apply -f x.yaml": forDeploying, "terraform plan": forReading, "psql -c 'SELECT 1'": forReading, "psql -c 'DROP TABLE x'": forData,
		"gh pr create": forHub, "gh pr view 3": forReading, "node --test": forTesting, "curl -s localhost": forRunning, "echo hi": forNothing, "npx tsc --noEmit": forBuilding, "npx jest": forTesting,
		"/usr/local/bin/pytest": forTesting, "rm old.go": forEditing, "apply_patch x": forEditing, "bundle exec rspec": forTesting, "node -v": forReading,
	} {
		if got := purposeOf(parseShell(src)[0]); got != want {
			t.Errorf("%q has purpose %d, want %d", src, got, want)
		}
	}
}

func TestTestResultsOfTheCommonRunners(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		ok     bool
		want   string
		first  string // name and place of the first failure
	}{
		"go -v":        {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:7: got 1\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tshop\t0.1s", false, "1 failed (TestB), 1 passed", "TestB"},
		"go packages":  {"ok  \tshop/a\t0.1s\nok  \tshop/b\t(cached)\n?   \tshop/c\t[no test files]", true, "2 packages ok", ""},
		"go panic":     {"panic: runtime error: index out of range [3] with length 3 [recovered]\nFAIL\tshop\t0.01s", false, "failed", ""},
		"pytest -q":    {"F...\n1 failed, 3 passed, 2 skipped in 0.02s", false, "1 failed, 3 passed, 2 skipped", ""},
		"pytest":       {"tests/test_a.py:9: AssertionError\nFAILED tests/test_a.py::TestCart::test_sum - assert 1 == 2\n==== 1 failed, 3 passed in 0.1s ====", false, "1 failed (test_sum), 3 passed", "test_sum tests/test_a.py:9"},
		"jest":         {"  ● Cart › rounds\n\n    expect(received).toBe(expected)\n      at Object.<anonymous> (src/cart.test.ts:8:5)\n\nTests:       1 failed, 12 passed, 13 total", false, "1 failed (Cart > rounds), 12 passed", "Cart > rounds src/cart.test.ts:8"},
		"vitest green": {" ✓ src/a.test.ts (3)\n Test Files  1 passed (1)\n      Tests  3 passed (3)", true, "3 passed", ""},
		"mocha":        {"  12 passing (30ms)\n  1 failing\n\n  1) Cart rounds:\n     Error: no", false, "1 failed (Cart rounds), 12 passed", "Cart rounds"},
		"node --test":  {"✖ rounds (1.2ms)\nℹ tests 3\nℹ pass 2\nℹ fail 1", false, "1 failed (rounds), 2 passed", "rounds"},
		"cargo":        {"test cart::rounds ... FAILED\nthread 'cart::rounds' panicked at src/cart.rs:12:5:\nassertion failed: a == b\ntest result: FAILED. 11 passed; 1 failed; 0 ignored; 0 measured", false, "1 failed (cart::rounds), 11 passed", "cart::rounds src/cart.rs:12"},
		"cargo two":    {"test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\ntest result: ok. 4 passed; 0 failed; 0 ignored; 0 measured", true, "7 passed, 1 skipped", ""},
		"maven":        {"[INFO] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE!\n[ERROR]   CartTest.rounds:42 expected:<28> but was:<27>\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0", false, "1 failed (CartTest.rounds), 2 passed", "CartTest.rounds CartTest.rounds:42"},
		"gradle":       {"CartTest > rounds FAILED\n12 tests completed, 1 failed", false, "1 failed (CartTest > rounds), 11 passed", "CartTest > rounds"},
		"rspec":        {"12 examples, 1 failure\n\nrspec ./spec/cart_spec.rb:9 # Cart rounds", false, "1 failed (Cart rounds), 11 passed", "Cart rounds spec/cart_spec.rb:9"},
		"phpunit":      {"OK (12 tests, 30 assertions)", true, "12 passed", ""},
		"unittest":     {"FAIL: test_sum (tests.test_a.T)\nRan 4 tests in 0.001s\n\nFAILED (failures=1)", false, "1 failed (test_sum), 3 passed", "test_sum"},
		"dotnet":       {"Failed!  - Failed:     1, Passed:    11, Skipped:     0, Total:    12", false, "1 failed, 11 passed", ""},
		"zero failed":  {"Errors: 0\n5 passed, 0 failed in 0.1s", true, "5 passed", ""},
	} {
		r := parseTests(c.output, c.ok)
		if got := r.String(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if r.red == c.ok {
			t.Errorf("%s: red is %v", name, r.red)
		}
		got := ""
		if len(r.failures) > 0 {
			got = strings.TrimSpace(r.failures[0].name + " " + r.failures[0].where)
		}
		if c.first != "" && got != c.first {
			t.Errorf("%s: first failure %q, want %q", name, got, c.first)
		}
	}
}

func TestTheErrorLineThatMatters(t *testing.T) {
	rel := func(p string) string { return strings.TrimPrefix(p, "/home/dev/projects/webshop/") }
	for _, c := range []struct{ output, want, name, where string }{
		{"Traceback (most recent call last):\n  File \"/home/dev/projects/webshop/shop/db.py\", line 12, in get\n    return d[k]\nKeyError: 'sku'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"/usr/lib/python3/site-packages/flask/app.py\", line 1, in f\nRuntimeError: no product", "RuntimeError: no product", "RuntimeError", "shop/db.py:12"},
		{"node:internal/fs:1\n  throw err;\n\nError: ENOENT: no such file or directory, open 'config.json'\n    at Object.openSync (node:fs:601:3)\n    at load (/home/dev/projects/webshop/src/config.js:4:18)", "Error: ENOENT: no such file or directory, open 'config.json'", "ENOENT", "src/config.js:4"},
		{"# shop/cart\ncart/cart.go:31:9: undefined: discount\ncart/cart.go:40:2: missing return", "undefined: discount", "", "cart/cart.go:31"},
		{"panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation]\n\ngoroutine 1 [running]:\nmain.main()\n\t/home/dev/projects/webshop/main.go:9 +0x18", "panic: runtime error: invalid memory address or nil pointer dereference", "panic", "main.go:9"},
		{"ERROR:  duplicate key value violates unique constraint \"refunds_once\"\nSQLSTATE 23505", "SQLSTATE 23505", "SQLSTATE 23505", ""},
		{"error[E0308]: mismatched types\n  --> src/cart.rs:12:5", "error[E0308]: mismatched types", "E0308", "src/cart.rs:12"},
		{"npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree", "ERESOLVE", "ERESOLVE", ""},
		{"0 errors, 0 warnings\nall good", "", "", ""},
		{"java.lang.NullPointerException: Cannot invoke \"Order.total()\"\n\tat shop.Cart.sum(Cart.java:14)", "java.lang.NullPointerException: Cannot invoke \"Order.total()\"", "NullPointerException", "Cart.java:14"},
	} {
		f := findFailure(c.output, rel)
		if f.String() != c.want || f.name != c.name || f.where != c.where {
			t.Errorf("%.60q\n got %q %q %q\nwant %q %q %q", c.output, f.String(), f.name, f.where, c.want, c.name, c.where)
		}
	}
}

func TestSymbolsOfTheCommonLanguages(t *testing.T) {
	for _, c := range []struct{ file, line, want string }{
		{"a.go", "func (c *Cart[T]) Total() int {", "func Cart.Total"}, {"a.go", "func TestX(t *testing.T) {", "test TestX"}, {"a.go", "type Cents int64", "type Cents"},
		{"a.ts", "export const fetchPage = async (url: string): Promise<Page> => {", "func fetchPage"}, {"a.ts", "export interface Order {", "type Order"}, {"a.tsx", "export default function Cart() {", "func Cart"},
		{"a.ts", "  async load(id: string): Promise<void> {", "func load"}, {"a.ts", "  if (x) {", ""}, {"a.test.ts", "  it('rounds totals', () => {", "test rounds totals"}, {"a.js", "app.post('/orders', create)", "route POST /orders"},
		{"a.py", "    async def add_item(self, sku):", "func add_item"}, {"a.py", "MAX_ITEMS = 5", "const MAX_ITEMS"}, {"a.py", "@app.get(\"/orders\")", "route GET /orders"},
		{"a.rs", "pub(crate) async fn load(&self) -> Result<()> {", "func load"}, {"a.rs", "pub struct Cart {", "type Cart"},
		{"A.java", "    public static BigDecimal total(List<Item> items) {", "func total"}, {"A.kt", "    suspend fun load(id: String): Order {", "func load"}, {"A.cs", "    public async Task<Order> Load(int id)", "func Load"},
		{"a.c", "static int parse_line(const char *s)", "func parse_line"}, {"a.h", "#define MAX_ITEMS 5", "const MAX_ITEMS"}, {"a.rb", "  def self.total(items)", "func total"},
		{"a.sql", "CREATE TABLE IF NOT EXISTS shop.refunds (", "table shop.refunds"}, {"a.sql", "ALTER TABLE orders ADD COLUMN IF NOT EXISTS currency char(3);", "column orders.currency"}, {"a.sql", "create unique index concurrently refunds_once on refunds (id);", "index refunds_once"},
		{"README.md", "## Install from source", "section Install from source"}, {"Makefile", "test-race: build", "target test-race"}, {"main.tf", "resource \"aws_s3_bucket\" \"exports\" {", "resource aws_s3_bucket.exports"},
		{"run.sh", "deploy_all() {", "func deploy_all"}, {"a.go", "// func notThis() {", ""}, {"a.txt", "func x()", ""},
	} {
		got := ""
		if s, ok := declaredIn(c.file, c.line); ok {
			got = s.kind + " " + s.name
		}
		if got != c.want {
			t.Errorf("%s %q declares %q, want %q", c.file, c.line, got, c.want)
		}
	}
}

func TestCommitMessages(t *testing.T) {
	for src, want := range map[string]string{
		`git commit -m "feat(cart)!: refuse mixed currencies"`:                               "feat|cart|refuse mixed currencies|",
		`git commit -am 'Fix rounding' -m 'Because cents.'`:                                  "||Fix rounding|Because cents.",
		"git commit -F - <<'EOF'\nfix: it's done\n\nBody (here).\nSigned-off-by: x\nEOF\n":   "fix||it's done|Body (here).",
		"git commit -m \"$(cat <<'EOF'\ndocs: don't (ever)\n\nWhy \"so\".\nEOF\n)\" --quiet": "docs||don't (ever)|Why \"so\".",
		`git commit --message="Note: not a prefix"`:                                          "||Note: not a prefix|",
	} {
		k := commitsIn(parseShell(src), "", gitCommit{})
		if len(k) != 1 {
			t.Errorf("%q holds %d commits", src, len(k))
			continue
		}
		if got := fmt.Sprintf("%s|%s|%s|%s", k[0].prefix, k[0].scope, k[0].subject, k[0].body); got != want {
			t.Errorf("%q gives %q, want %q", src, got, want)
		}
	}
}

func TestTheLanguageIsThePersonsOwn(t *testing.T) {
	for s, want := range map[string]language{
		"帮我修复 fetchPage 的 retry 问题": chinese, "Add the string '购物车为空' to cart.go when the cart has no items": english, "修复 login": chinese, "fix the bug": english,
		"": english, "カートの合計を直してください": english, "把 internal/cart/total.go 里的 RoundHalfUp 换成 RoundHalfEven": chinese,
	} {
		if got := languageOf(s); got != want {
			t.Errorf("%q is told in language %d, want %d", s, got, want)
		}
	}
}

func TestTextIsCutWhereItCanBe(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"Adds retry to fetchPage", 80, "Adds retry to fetchPage"},
		{"Adds retry to handleStripeWebhookEvents", 22, "Adds retry to…"},
		{"修复库存超卖问题并补上测试", 12, "修复库存超…"},
		{"🛒🛒🛒🛒", 5, "🛒🛒…"},
	} {
		if got := clip(c.in, c.n); got != c.want || cells(got) > c.n {
			t.Errorf("clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
	got := sentences("See client.go v1.2, e.g. line 3. It works! 好的。完成", 9)
	if want := []string{"See client.go v1.2, e.g. line 3.", "It works!", "好的。", "完成"}; !reflect.DeepEqual(got, want) {
		t.Errorf("sentences %q, want %q", got, want)
	}
}

func TestWishesAreSplitAndTold(t *testing.T) {
	for in, want := range map[string][]string{
		"Could you please add retry to fetchPage, and then fix the flaky test?": {"Adds retry to fetchPage", "Fixes the flaky test?"},
		"remove the old API and update the docs":                                {"Removes the old API", "Updates the docs"},
		"请帮我新增导出功能，并修复乱码":                                                       {"新增导出功能", "修复乱码"},
		"log errors and retries":                                                {"Logs errors and retries"},
	} {
		var got []string
		for _, c := range splitClauses(in) {
			got = append(got, tell(c))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q is told as %q, want %q", in, got, want)
		}
	}
}
