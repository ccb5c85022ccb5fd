package local

import (
	"testing"

	"cmem/memory"
)

const clientGo = `package catalog

import "net/http"

const maxAttempts = 1

// fetchPage gets one page.
func (c *Client) fetchPage(url string) (*http.Response, error) {
	resp, err := c.http.Get(url)
	if err != nil {
		return nil, err
	}
	return resp, nil
}
`

func TestEditsAreToldByWhatChanged(t *testing.T) {
	checkBatches(t, []batchCase{
		{
			"the person's wish is the title",
			asked("Please add retry with backoff to fetchPage, it dies on the first 503").
				read("internal/catalog/client.go").
				editIn("internal/catalog/client.go", clientGo, "const maxAttempts = 1", "const maxAttempts = 3").
				editIn("internal/catalog/client.go", clientGo, "\tresp, err := c.http.Get(url)\n", "\tresp, err := c.getWithRetry(url)\n").
				bash("cd /home/dev/projects/webshop && go test ./internal/catalog/...", "ok  \tshop/internal/catalog\t0.21s").
				stop("Added retry with exponential backoff to `fetchPage`, because a deploy of the catalogue answers 503 for about two seconds."),
			[]told{{kind: memory.TypeFeature, title: "Adds retry with backoff to fetchPage", certainty: memory.CertaintyConfirmed,
				facts: []string{"maxAttempts: 1 → 3 (internal/catalog/client.go:5)", "go test ./internal/catalog/...: 1 package ok"}, says: []string{"because a deploy of the catalogue answers 503"}, concepts: []string{"retry"}, modified: []string{"internal/catalog/client.go"}}},
		},
		{
			"a vague wish leaves the telling to the changed lines",
			asked("go on").editIn("internal/catalog/client.go", clientGo, "\treturn resp, nil\n}\n", "\treturn resp, nil\n}\n\nfunc retryDelay(n int) time.Duration { return time.Duration(n) * time.Second }\n"),
			[]told{{kind: memory.TypeChange, title: "Adds retryDelay to client.go", certainty: memory.CertaintyObserved}},
		},
		{
			"one changed line shows old and new",
			asked("ok").editIn("src/main.go", "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n", "println(\"hello\")", "println(\"hello, webshop\")"),
			[]told{{kind: memory.TypeChange, title: `Changes main in src/main.go: println("hello") → println("hello, webshop")`}},
		},
		{
			"a configuration value is told with its path, old and new",
			asked("The pool runs dry under load, raise the pool size to 50").
				editIn("config/production.yaml", "server:\n  port: 8080\ndatabase:\n  host: db\n  pool_size: 10\n", "  pool_size: 10", "  pool_size: 50").
				stop("Raised the pool size to 50."),
			[]told{{kind: memory.TypeChange, title: "Raises the pool size to 50", facts: []string{"database.pool_size: 10 → 50 (config/production.yaml:5)"}, concepts: []string{"connection-pool"}}},
		},
		{
			"a secret is never told",
			asked("set up the env file").write(".env", "API_TOKEN=sk-verysecret\nDB_PASSWORD=hunter2\nPORT=8080\n"),
			[]told{{kind: memory.TypeChange, title: "Adds .env", facts: []string{"PORT = 8080 (.env:3)"}}},
		},
		{
			"a rename by sed over several files is a refactoring",
			asked("rename getTotal to cartTotal everywhere").
				bash("sed -i 's/getTotal/cartTotal/g' src/cart.ts src/order.ts src/checkout/summary.ts && npx tsc --noEmit", ""),
			[]told{{kind: memory.TypeRefactor, title: "Renames getTotal to cartTotal in 3 files", modified: []string{"src/cart.ts", "src/order.ts", "src/checkout/summary.ts"}}},
		},
		{
			"a function that goes from one file to another is moved",
			asked("continue").
				edit("src/cart.py", "def vat(amount):\n    return amount * 0.19\n\n\ndef total():\n    pass", "def total():\n    pass").
				edit("src/tax.py", "RATES = {}", "RATES = {}\n\n\ndef vat(amount):\n    return amount * 0.19"),
			[]told{{kind: memory.TypeChange, title: "Moves vat from cart.py to tax.py"}},
		},
		{
			"apply_patch is an edit like any other",
			asked("validate the quantity in add_item").
				tool("apply_patch", obj("input", "*** Begin Patch\n*** Update File: shop/cart.py\n@@ def add_item(self, sku, quantity):\n-        self.items.append((sku, quantity))\n+        if quantity < 1:\n+            raise InvalidQuantity(quantity)\n+        self.items.append((sku, quantity))\n*** Add File: shop/errors.py\n+class InvalidQuantity(ValueError):\n+    pass\n*** End Patch"), obj("output", "ok")).
				bash("pytest -q", "...........\n11 passed in 0.42s"),
			[]told{{kind: memory.TypeFeature, title: "Validates the quantity in add_item", certainty: memory.CertaintyConfirmed, modified: []string{"shop/cart.py", "shop/errors.py"},
				facts: []string{"pytest -q: 11 passed", "class InvalidQuantity (shop/errors.py:1)"}, says: []string{"changes add_item"}}},
		},
		{
			"apply_patch by a here-document",
			asked("yes please").bash("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: scripts/seed.sh\n+#!/bin/sh\n+seed_users() {\n+  psql -f seed.sql\n+}\n*** End Patch\nEOF", "Success"),
			[]told{{kind: memory.TypeFeature, title: "Adds scripts/seed.sh with seed_users"}},
		},
		{
			"a migration names its table and columns",
			asked("orders need a currency").
				write("migrations/0015_currency.sql", "ALTER TABLE orders ADD COLUMN currency CHAR(3) NOT NULL DEFAULT 'EUR';\nCREATE INDEX orders_currency_idx ON orders (currency);\n").
				bash("psql -d shop -f migrations/0015_currency.sql", "ALTER TABLE\nCREATE INDEX").
				stop("The `orders` table has a `currency` column now, default 'EUR'."),
			[]told{{kind: memory.TypeFeature, title: "Adds migrations/0015_currency.sql with column orders.currency",
				facts: []string{"`psql -d shop -f migrations/0015_currency.sql`", "column orders.currency (migrations/0015_currency.sql:1)"}}},
		},
		{
			"a notebook cell",
			asked("add a cell that plots the daily revenue").tool("NotebookEdit", obj("notebook_path", abs("analysis/revenue.ipynb"), "new_source", "def plot_revenue(df):\n    df.plot()", "edit_mode", "insert"), obj()),
			[]told{{kind: memory.TypeFeature, title: "Adds a cell that plots the daily revenue", modified: []string{"analysis/revenue.ipynb"}}},
		},
		{
			"MultiEdit tells all its places",
			asked("k").tool("MultiEdit", obj("file_path", abs("src/api.ts"), "edits", []any{
				map[string]any{"old_string": "export const TIMEOUT = 5000;", "new_string": "export const TIMEOUT = 15000;"},
				map[string]any{"old_string": "const x = 1;", "new_string": "export function cancelOrder(id: string) {\n  return api.delete(`/orders/${id}`);\n}"},
			}), obj()),
			[]told{{kind: memory.TypeChange, title: "Adds cancelOrder to api.ts", facts: []string{"TIMEOUT: 5000 → 15000 (src/api.ts)"}}},
		},
		{
			"a Python script in a here-document that rewrites a file",
			asked("use the v2 endpoint").bash("python3 - <<'EOF'\nfrom pathlib import Path\np = Path('src/api/client.py')\ns = p.read_text()\ns = s.replace(\"/v1/orders\", \"/v2/orders\")\np.write_text(s)\nEOF", ""),
			[]told{{kind: memory.TypeChange, title: "Uses the v2 endpoint", modified: []string{"src/api/client.py"}, says: []string{"/v1/orders → /v2/orders"}}},
		},
	})
}

func TestChecksDecideHowSureAMemoryIs(t *testing.T) {
	failing := "--- FAIL: TestTotal/two_items (0.00s)\n    cart_test.go:19: Total() = 27, want 28\nFAIL\nFAIL\tshop/cart\t0.01s"
	checkBatches(t, []batchCase{
		{
			"red, edit, green is a bug fixed",
			asked("look at the cart").bashFails("go test ./...", failing).
				editIn("cart/cart.go", "package cart\n\nfunc (c *Cart) Total() int {\n\treturn c.sum - 1\n}\n", "\treturn c.sum - 1\n", "\treturn c.sum\n").
				bash("go test ./...", "ok  \tshop/cart\t0.01s"),
			[]told{{kind: memory.TypeBugfix, title: "Changes Cart.Total in cart.go: c.sum - 1 → c.sum", certainty: memory.CertaintyConfirmed,
				facts: []string{"go test ./... failed: TestTotal/two_items: Total() = 27, want 28 (cart_test.go:19)"}, says: []string{"failed before (TestTotal/two_items) and passes now"}}},
		},
		{
			"pytest red to green",
			asked("Checkout crashes when the basket is empty. Fix it.").
				bashFails("python -m pytest tests/ -x", "============ FAILURES ============\n______ test_empty_basket ______\n\n    def test_empty_basket():\n>       assert total([]) == 0\nE       IndexError: list index out of range\n\nshop/basket.py:14: IndexError\n===== short test summary info =====\nFAILED tests/test_basket.py::test_empty_basket - IndexError: list index out of range\n===== 1 failed, 6 passed in 0.31s =====").
				edit("shop/basket.py", "def total(items):\n    first = items[0]", "def total(items):\n    if not items:\n        return 0\n    first = items[0]").
				bash("python -m pytest tests/ -x", "===== 7 passed in 0.29s =====").
				stop("Fixed. `total` read `items[0]` before checking for an empty list."),
			[]told{{kind: memory.TypeBugfix, title: "Fixes: checkout crashes when the basket is empty", certainty: memory.CertaintyConfirmed,
				facts: []string{"python -m pytest tests/ -x failed: test_empty_basket: IndexError: list index out of range (tests/test_basket.py)", "python -m pytest tests/ -x: 7 passed"}}},
		},
		{
			"jest still red",
			asked("make the coupon test pass").
				edit("src/coupon.ts", "return total - value;", "return Math.max(0, total - value);").
				bashFails("npm test -- coupon", "FAIL src/coupon.test.ts\n  ● Coupon › never goes below zero\n\n    expect(received).toBe(expected)\n\n    TypeError: Cannot read properties of undefined (reading 'value')\n\n      at applyCoupon (src/coupon.ts:12:18)\n      at Object.<anonymous> (src/coupon.test.ts:8:5)\n\nTests:       1 failed, 11 passed, 12 total"),
			[]told{{kind: memory.TypeChange, title: "Makes the coupon test pass — still failing: Coupon > never goes below zero", certainty: memory.CertaintyClaimed,
				facts: []string{"npm test -- coupon fails: Coupon > never goes below zero: TypeError: Cannot read properties of undefined (reading 'value') (src/coupon.ts:12)"}}},
		},
		{
			"cargo",
			asked("handle negative quantities in the Rust parser").
				edit("src/parser.rs", "pub fn parse_qty(s: &str) -> u32 {\n    s.parse().unwrap()\n}", "pub fn parse_qty(s: &str) -> Result<u32, QtyError> {\n    s.parse().map_err(|_| QtyError::Negative)\n}").
				bash("cargo test --quiet 2>&1 | tail -20", "running 14 tests\n..............\ntest result: ok. 14 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s"),
			[]told{{kind: memory.TypeChange, title: "Handles negative quantities in the Rust parser", certainty: memory.CertaintyConfirmed, facts: []string{"cargo test --quiet: 14 passed"}}},
		},
		{
			"a pipe does not hide a red test",
			asked("bump the version").edit("package.json", "\"version\": \"1.2.0\"", "\"version\": \"1.3.0\"").
				bash("npx vitest run | tail -5", " FAIL  src/cart.test.ts > Cart > rounds totals\nAssertionError: expected 27 to be 28\n ❯ src/cart.test.ts:12:5\n Tests  1 failed | 12 passed (13)"),
			[]told{{kind: memory.TypeChange, title: "Bumps the version — still failing: Cart > rounds totals", certainty: memory.CertaintyClaimed, facts: []string{"version: \"1.2.0\" → \"1.3.0\" (package.json)"}}},
		},
		{
			"a bug fixed without a test is a claim",
			asked("fix the off-by-one in paginate").edit("src/page.go", "for i := 0; i <= n; i++ {", "for i := 0; i < n; i++ {"),
			[]told{{kind: memory.TypeBugfix, title: "Fixes the off-by-one in paginate", certainty: memory.CertaintyClaimed}},
		},
		{
			"a short wish takes along what is wrong",
			asked("the importer panics on empty lines, fix parseLine").edit("internal/importer/parse.go", "return Row{l[0]}", "return firstCell(l)"),
			[]told{{kind: memory.TypeBugfix, title: "Fixes parseLine: the importer panics on empty lines"}},
		},
		{
			"a description of what is wrong is a wish to fix it",
			asked("handleStripeWebhook charges twice when Stripe retries").
				editIn("internal/payment/webhook.go", "package payment\n\nfunc other() {}\n\nfunc handleStripeWebhook(e Event) error {\n\treturn charge(e)\n}\n", "\treturn charge(e)\n", "\tif seenEvent(e.ID) {\n\t\treturn nil\n\t}\n\treturn charge(e)\n"),
			[]told{{kind: memory.TypeBugfix, title: "Fixes: handleStripeWebhook charges twice when Stripe retries", certainty: memory.CertaintyClaimed, says: []string{"changes handleStripeWebhook"}, concepts: []string{"payment", "webhook"}}},
		},
		{
			"a choice with its reason is a decision of its own",
			asked("make the order numbers gapless").
				edit("internal/order/number.go", "redlock(tx)", "advisoryLock(tx)").bash("go test ./...", "ok  \tshop/internal/order\t0.1s").
				stop("Order numbers are gapless now. I chose pg_advisory_xact_lock instead of Redlock because it is released at commit and needs no TTL."),
			[]told{
				{kind: memory.TypeChange, title: "Makes the order numbers gapless", certainty: memory.CertaintyConfirmed},
				{kind: memory.TypeDecision, title: "Chooses pg_advisory_xact_lock instead of Redlock", certainty: memory.CertaintyConfirmed, says: []string{"because it is released at commit and needs no TTL"}, modified: []string{"internal/order/number.go"}},
			},
		},
		{
			"an attempt that git took back is told as one",
			asked("try to cache the product list").
				editIn("src/products.go", "package shop\n\nfunc List() []Product {\n\treturn load()\n}\n", "\treturn load()\n", "\treturn cached(load)\n").
				bashFails("go test -race ./...", "==================\nWARNING: DATA RACE\n--- FAIL: TestListParallel (0.02s)\n    testing.go:1490: race detected during execution of test\nFAIL").
				bash("git checkout -- src/products.go", "").
				stop("I took the cache out again: `List` is called from several goroutines and the map in `cached` is not locked, so the race detector fails."),
			[]told{{kind: memory.TypeDiscovery, title: "Tried and reverted: caches the product list", certainty: memory.CertaintyObserved,
				says: []string{"taken back with git", "the race detector fails"}, concepts: []string{"cache", "concurrency"}}},
		},
		{
			"a test written first is a feature, not a bug",
			asked("support gift cards in the checkout").
				write("gift_test.go", "package shop\n\nfunc TestGiftCardPaysPart(t *testing.T) {\n}\n").
				bashFails("go test ./...", "--- FAIL: TestGiftCardPaysPart (0.00s)\n    gift_test.go:5: left = 10, want 4\nFAIL").
				write("gift.go", "package shop\n\n// GiftCard is prepaid money.\ntype GiftCard struct{ Cents int }\n").
				bash("go test ./...", "ok  \tshop\t0.01s"),
			[]told{{kind: memory.TypeFeature, title: "Supports gift cards in the checkout", certainty: memory.CertaintyConfirmed}},
		},
	})
}

func TestCommitsAreTopics(t *testing.T) {
	checkBatches(t, []batchCase{
		{
			"two commits are two observations, each with its files",
			asked("round the totals, and then document the rounding").
				edit("cart/total.go", "return sum", "return round(sum)").
				bash(`git add cart/total.go && git commit -m "fix(cart): round totals to cents" -m "Customers saw 27.999."`, "[main 1a2b3c4] fix(cart): round totals to cents\n 1 file changed, 1 insertion(+), 1 deletion(-)").
				edit("docs/rounding.md", "# Rounding", "# Rounding\n\n## Cents\n\nTotals are rounded half up.").
				bash("git commit -am \"$(cat <<'EOF'\ndocs: describe how totals are rounded\n\nIt's asked for in every review (see SHOP-12).\n\nCo-Authored-By: Claude <noreply@anthropic.com>\nEOF\n)\"", "[main 5d6e7f8] docs: describe how totals are rounded\n 1 file changed, 4 insertions(+)"),
			[]told{
				{kind: memory.TypeBugfix, title: "cart: round totals to cents", certainty: memory.CertaintyConfirmed, facts: []string{"Commit 1a2b3c4 on main"}, says: []string{"Customers saw 27.999."}, modified: []string{"cart/total.go"}},
				{kind: memory.TypeChange, title: "Describe how totals are rounded", facts: []string{"Commit 5d6e7f8 on main"}, says: []string{"It's asked for in every review (see SHOP-12)."}, modified: []string{"docs/rounding.md"}},
			},
		},
		{
			"a commit of earlier work is told by its subject",
			asked("commit").bash("git add -A; git commit -q -m 'perf: load prices in one query'; git log --oneline -1", "9f8e7d6 perf: load prices in one query"),
			[]told{{kind: memory.TypeRefactor, title: "Load prices in one query", facts: []string{"Commit 9f8e7d6"}}},
		},
		{
			"a commit that a hook refused is no commit",
			asked("commit this").bashFails("git commit -m 'add export'", "eslint.............................Failed\n- hook id: eslint\n/home/dev/projects/webshop/src/export.ts\n  14:7  error  'rows' is assigned a value but never used  no-unused-vars"),
			[]told{{kind: memory.TypeDiscovery, title: "git commit -m 'add export' fails: 14:7 error 'rows' is assigned a value but…"}},
		},
		{
			"a merge conflict left open",
			asked("merge the release branch").bashFails("git merge release/2.4", "Auto-merging internal/order/number.go\nCONFLICT (content): Merge conflict in internal/order/number.go\nAutomatic merge failed; fix conflicts and then commit the result."),
			[]told{{kind: memory.TypeDiscovery, title: "git merge release/2.4 fails: … Merge conflict in internal/order/number.go", concepts: []string{"git"}}},
		},
		{
			"a conflict solved and committed",
			asked("merge the release branch").bashFails("git merge release/2.4", "CONFLICT (content): Merge conflict in internal/order/number.go\nAutomatic merge failed; fix conflicts and then commit the result.").
				edit("internal/order/number.go", "<<<<<<< HEAD\n\treturn next()\n=======\n\treturn nextGapless()\n>>>>>>> release/2.4", "\treturn nextGapless()").
				bash("git add internal/order/number.go && git commit --no-edit", "[main 0a1b2c3] Merge branch 'release/2.4'"),
			[]told{{kind: memory.TypeChange, title: "Merge branch 'release/2.4'", facts: []string{"`git merge release/2.4` failed: CONFLICT (content): Merge conflict in internal/order/number.go", "Commit 0a1b2c3 on main"}}},
		},
	})
}

func TestWorkOutsideTheCodeIsTold(t *testing.T) {
	checkBatches(t, []batchCase{
		{
			"packages installed",
			asked("install zod and the types for node").bash("npm install zod@3.23.8 && npm i -D @types/node", "added 2 packages, and audited 311 packages in 3s"),
			[]told{{kind: memory.TypeChange, title: "Installs zod and the types for node", facts: []string{"`npm install zod@3.23.8`", "`npm i -D @types/node`"}, concepts: []string{"dependencies"}}},
		},
		{
			"a service that does not start",
			asked("start the database").bashFails("docker compose up -d db", "Error response from daemon: driver failed programming external connectivity on endpoint webshop-db-1: Bind for 0.0.0.0:5432 failed: port is already allocated"),
			[]told{{kind: memory.TypeDiscovery, title: "docker compose up -d db fails: … port is already allocated", certainty: memory.CertaintyObserved, says: []string{"port is already allocated"}, concepts: []string{"docker"}}},
		},
		{
			"a failing command that worked the second time is no trouble",
			asked("run the migrations").bashFails("alembic upgrade head", "sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection to server at \"localhost\", port 5432 failed: Connection refused").
				bash("docker compose up -d db", " Container webshop-db-1  Started").bash("alembic upgrade head", "INFO  [alembic.runtime.migration] Running upgrade 0014 -> 0015, add currency"),
			[]told{{kind: memory.TypeChange, title: "Runs the migrations", facts: []string{"`docker compose up -d db`", "`alembic upgrade head`", `alembic upgrade head: sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) connection to server at "localhost", port 5432 failed: Connection refused`}}},
		},
		{
			"a pull request",
			asked("open a PR for the currency work").bash(`gh pr create --title "Orders have a currency" --body "…"`, "https://github.com/webshop/shop/pull/214"),
			[]told{{kind: memory.TypeChange, title: "Opens a PR for the currency work", facts: []string{"`gh pr create --title 'Orders have a currency' --body …`"}}},
		},
		{
			"an MCP tool that changes something",
			asked("file a ticket for the flaky test").tool("mcp__tickets__create_ticket", obj("title", "TestCheckoutTimeout is flaky on CI"), []byte(`[{"type":"text","text":"created SHOP-501"}]`)),
			[]told{{kind: memory.TypeChange, title: "Files a ticket for the flaky test", facts: []string{"tickets create_ticket: TestCheckoutTimeout is flaky on CI"}}},
		},
		{
			"a failing build that nobody touched",
			asked("does it build?").bashFails("cd web && pnpm run build", "> web@1.0.0 build\n> tsc && vite build\n\nsrc/cart/total.ts(14,7): error TS2322: Type 'string' is not assignable to type 'number'.\n ELIFECYCLE  Command failed with exit code 2."),
			[]told{{kind: memory.TypeDiscovery, title: "pnpm run build fails: error TS2322: Type 'string' is not assignable to type…", facts: []string{"pnpm run build: error TS2322: Type 'string' is not assignable to type 'number'. (src/cart/total.ts:14)"}}},
		},
	})
}
