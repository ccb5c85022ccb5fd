package local

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"cmem/memory"
)

// surrounded puts code between other code, as it stands in a real file.
func surrounded(code string) string {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "// helper%d is not what anybody asks for.\nfunc helper%d(in []string) (out []string) {\n\tfor _, v := range in {\n\t\tout = append(out, strings.TrimSpace(v))\n\t}\n\treturn out\n}\n\n", i, i)
		if i == 6 {
			b.WriteString(code + "\n\n")
		}
	}
	return b.String()
}

func (s *script) change(file, old, updated string) *script {
	s.tool("Read", obj("file_path", abs(file)), obj("type", "text", "file", map[string]any{"filePath": abs(file), "content": surrounded(old)}))
	return s.editIn(file, surrounded(old), old, updated)
}

// keywordCase is a piece of recorded work, and three queries by which its memory
// has to be found: identifiers, names of errors, the person's own words.
type keywordCase struct {
	s       *script
	queries [3]string
}

func keywordCases() []keywordCase {
	list := strings.Repeat("src/shop/module.go:12: // nothing of interest stands here\n", 60)
	return []keywordCase{
		{asked("handleStripeWebhook charges twice when Stripe retries, make it idempotent").change("internal/payment/webhook.go", "func handleStripeWebhook(e Event) error {\n\treturn charge(e)\n}", "func handleStripeWebhook(e Event) error {\n\tif seenEvent(e.ID) {\n\t\treturn nil\n\t}\n\treturn charge(e)\n}"), [3]string{"handleStripeWebhook", "Stripe charges twice", "idempotent webhook"}},
		{asked("coupons may not stack above 60 percent").change("internal/promo/policy.go", "const maxDiscount = 80", "const maxDiscount = 60").stop("`CouponPolicy.Evaluate` now stops at maxDiscount, because two vouchers together went to 95 percent."), [3]string{"maxDiscount", "CouponPolicy.Evaluate", "coupons stack"}},
		{asked("修复 DecreaseStock 的库存超卖").change("internal/inventory/stock.go", "func DecreaseStock(n int) error {\n\treturn write(read() - n)\n}", "func DecreaseStock(n int) error {\n\treturn conditionalUpdate(n)\n}").stop("原因是先读后写，改成条件更新，失败返回 ErrOutOfStock。"), [3]string{"DecreaseStock", "库存超卖", "ErrOutOfStock"}},
		{asked("why does search miss ABC-123").read("internal/search/mapping.json").bash("cat internal/search/mapping.json", list).stop("The analyzer splits `ABC-123` at the hyphen, so the exact SKU never matches. A keyword subfield `sku.raw` would keep it whole."), [3]string{"ABC-123 hyphen", "sku.raw", "search SKU"}},
		{asked("Move session cookies to signed JWT").change("internal/auth/token.go", "func newSession(u User) string {\n\treturn cookie(u)\n}", "func newSession(u User) string {\n\treturn signJWT(u, accessTTL)\n}\n\nconst accessTTL = 15 * time.Minute"), [3]string{"signed JWT", "accessTTL", "session cookies"}},
		{asked("raise the redis pool").change("config/redis.yaml", "redis:\n  pool_size: 10", "redis:\n  pool_size: 50"), [3]string{"pool_size 50", "redis pool", "config/redis.yaml"}},
		{asked("run the unit tests").bashFails("go test ./...", list+"--- FAIL: TestCheckoutTimeout (2.00s)\n    checkout_test.go:44: context deadline exceeded\nFAIL"), [3]string{"TestCheckoutTimeout", "deadline exceeded", "checkout_test.go"}},
		{asked("start it").bashFails("docker compose up -d", list+"Error response from daemon: Bind for 0.0.0.0:5432 failed: port is already allocated"), [3]string{"docker compose", "port already allocated", "5432"}},
		{asked("install date-fns").bash("npm install date-fns@3.6.0", list+"added 1 package"), [3]string{"date-fns", "npm install", "3.6.0"}},
		{asked("does the build work").bashFails("npm run build", list+"src/cart/total.ts(14,7): error TS2322: Type 'string' is not assignable to type 'number'."), [3]string{"TS2322", "npm build", "total.ts"}},
		{asked("Rename RoundHalfUp to RoundHalfEven").bash("sed -i 's/RoundHalfUp/RoundHalfEven/g' internal/money/round.go internal/cart/total.go && go build ./...", list), [3]string{"RoundHalfUp", "RoundHalfEven", "round.go"}},
		{asked("add soft delete to products").write("migrations/0021_soft_delete.sql", "ALTER TABLE products ADD COLUMN deleted_at TIMESTAMPTZ;\n"+strings.Repeat("-- keep\n", 150)), [3]string{"soft delete products", "deleted_at", "0021_soft_delete.sql"}},
		{asked("commit").bash("git add -A && git commit -m 'fix(refund): split the discount pro rata'", "[main 7ad4f40] fix(refund): split the discount pro rata\n"+strings.Repeat(" create mode 100644 testdata/f.json\n", 40)), [3]string{"refund discount pro rata", "7ad4f40", "fix refund"}},
		{asked("给订单导出加上 CSV 格式").change("internal/export/orders.go", "func Export(w io.Writer) error {\n\treturn writeJSON(w)\n}", "func Export(w io.Writer, format string) error {\n\tif format == \"csv\" {\n\t\treturn writeCSV(w)\n\t}\n\treturn writeJSON(w)\n}"), [3]string{"订单导出", "CSV", "Export"}},
		{asked("the importer panics on empty lines, fix parseLine").change("internal/importer/parse.go", "func parseLine(l string) Row {\n\treturn Row{l[0]}\n}", "func parseLine(l string) (Row, error) {\n\tif l == \"\" {\n\t\treturn Row{}, ErrEmptyLine\n\t}\n\treturn Row{l[0]}, nil\n}"), [3]string{"parseLine", "importer panics", "empty lines"}},
		{asked("what reads WEBSHOP_TIMEOUT").bash("grep -rn WEBSHOP_TIMEOUT .", list).stop("Only `LoadConfig` in config.go reads WEBSHOP_TIMEOUT; `NewClient` gets the parsed duration, so changing the environment later has no effect."), [3]string{"WEBSHOP_TIMEOUT", "LoadConfig", "NewClient duration"}},
		{asked("use advisory locks").change("internal/order/number.go", "func nextNumber(tx Tx) int {\n\treturn redlock(tx)\n}", "func nextNumber(tx Tx) int {\n\treturn advisoryLock(tx)\n}").stop("Uses pg_advisory_xact_lock instead of Redlock because it is released at commit."), [3]string{"pg_advisory_xact_lock", "Redlock", "advisory locks"}},
		{asked("add a health endpoint").change("web/server.ts", "app.get('/orders', list)", "app.get('/orders', list)\napp.get('/healthz', health)"), [3]string{"health endpoint", "/healthz", "server.ts"}},
		{asked("pytest please").bashFails("pytest -q", list+"E       sqlalchemy.exc.IntegrityError: duplicate key\nFAILED tests/test_orders.py::test_duplicate_order - sqlalchemy.exc.IntegrityError: duplicate key\n1 failed, 30 passed in 2.1s"), [3]string{"test_duplicate_order", "IntegrityError", "30 passed"}},
		{asked("登录接口为什么偶发 500").read("internal/auth/limiter.go").bash("tail -100 logs/app.log | grep 500", list).stop("登录接口偶发 500 是因为 Redis 连接池耗尽，PoolSize 默认 10，限流脚本阻塞连接。"), [3]string{"登录接口", "连接池耗尽", "PoolSize"}},
		{asked("deploy to staging").bashFails("kubectl apply -f k8s/staging.yaml", list+"Error from server (Forbidden): deployments.apps is forbidden: User \"ci\" cannot patch resource"), [3]string{"kubectl apply", "forbidden", "staging.yaml"}},
		{asked("write a section about rollbacks").change("docs/deploy.md", "# Deploy", "# Deploy\n\n## Rollback\n\nRun `helm rollback shop 1`."), [3]string{"rollbacks", "docs/deploy.md", "Rollback"}},
		{asked("cargo test").bashFails("cargo test", list+"error[E0502]: cannot borrow `cart` as mutable because it is also borrowed as immutable\n  --> src/cart.rs:31:9"), [3]string{"E0502", "cannot borrow cart", "src/cart.rs"}},
		{asked("bump go to 1.26").change("go.mod", "go 1.25", "go 1.26"), [3]string{"bump go 1.26", "go.mod", "1.25"}},
		{asked("limit uploads to 50 MB").change("internal/upload/handler.go", "const maxUploadBytes = 10 << 20", "const maxUploadBytes = 50 << 20"), [3]string{"maxUploadBytes", "limit uploads", "50 MB"}},
		{asked("merge main").bashFails("git merge main", list+"CONFLICT (content): Merge conflict in internal/order/number.go"), [3]string{"git merge", "CONFLICT", "order/number.go"}},
		{asked("file a bug").tool("mcp__tickets__create_ticket", obj("title", "Refund of free items is negative", "body", list), []byte(`[{"type":"text","text":"SHOP-501"}]`)), [3]string{"ticket", "Refund free items negative", "create_ticket"}},
		{asked("Never log customer e-mail addresses, legal asked for it.").change("internal/log/log.go", "func user(u User) string {\n\treturn u.Email\n}", "func user(u User) string {\n\treturn u.ID\n}"), [3]string{"never log customer", "e-mail addresses", "log.go"}},
		{asked("把结算页的按钮改成主题色").change("web/src/checkout/Pay.tsx", "const color = '#333';", "const color = theme.primary;"), [3]string{"结算页", "主题色", "Pay.tsx"}},
		{asked("test the refund with vitest").write("web/src/refund.test.ts", "import { refund } from './refund';\n\nit('refunds pro rata', () => {\n  expect(refund(1)).toBe(1);\n});\n"+strings.Repeat("// filler line\n", 120)).bash("npx vitest run", " Tests  3 passed (3)\n"+list), [3]string{"refunds pro rata", "vitest", "refund.test.ts"}},
	}
}

func TestTheWordsThatPeopleSearchForSurviveTheCompression(t *testing.T) {
	cases := keywordCases()
	if len(cases) < 30 {
		t.Fatalf("%d cases, want 30", len(cases))
	}
	words, found, raw, short := 0, 0, 0, 0
	for i, c := range cases {
		for _, e := range c.s.b.Events {
			raw += len(e.Prompt) + len(e.ToolInput) + len(e.ToolResponse) + len(e.Error) + len(e.LastAssistantMessage)
		}
		var row strings.Builder
		for _, o := range c.s.compress(t) {
			short += observationBytes(o)
			row.WriteString(searchable(o))
		}
		for _, q := range c.queries {
			for w := range strings.FieldsSeq(strings.ToLower(q)) {
				words++
				if strings.Contains(strings.ToLower(row.String()), w) {
					found++
				} else {
					t.Logf("case %d: %q of query %q is lost in: %s", i, w, q, row.String())
				}
			}
		}
	}
	t.Logf("%d of %d query words kept; %d bytes of %d, %.1f %%", found, words, short, raw, 100*float64(short)/float64(raw))
	if found*100 < words*97 {
		t.Errorf("only %d of %d query words are kept", found, words)
	}
	if short*100 > raw*15 {
		t.Errorf("%d bytes of %d: more than 15 %%", short, raw)
	}
}

func TestRecordedSessionsShrinkToAFewPercent(t *testing.T) {
	for _, name := range []string{"coupon-bug", "retry-backoff", "refund-zh"} {
		batches := map[string]*script{}
		raw, short := 0, 0
		for _, e := range readSession(t, filepath.Join("..", "..", "hooks", "testdata", "sessions", name+".jsonl")) {
			raw += len(e.Raw)
			if batches[e.PromptID] == nil {
				batches[e.PromptID] = &script{}
			}
			batches[e.PromptID].b.Events = append(batches[e.PromptID].b.Events, e)
		}
		for _, s := range batches {
			for _, o := range s.compress(t) {
				short += observationBytes(o)
			}
		}
		if short == 0 || short*100 > raw*8 {
			t.Errorf("%s: %d bytes of %d", name, short, raw)
		}
	}
}

func observationBytes(o memory.Observation) int {
	return len(o.Title) + len(o.Subtitle) + len(o.Narrative) + len(strings.Join(o.Facts, "")) + len(strings.Join(o.Concepts, ""))
}

func searchable(o memory.Observation) string {
	return strings.Join([]string{o.Title, o.Subtitle, o.Narrative, strings.Join(o.Facts, "\n"), strings.Join(o.Concepts, " "), strings.Join(o.FilesRead, " "), strings.Join(o.FilesModified, " ")}, "\n")
}
