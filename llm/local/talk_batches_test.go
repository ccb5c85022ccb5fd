package local

import (
	"strings"
	"testing"

	"cmem/memory"
)

func TestAnswersAndDecisionsAreKept(t *testing.T) {
	checkBatches(t, []batchCase{
		{
			"a question answered by reading",
			asked("Why do cart totals differ between the frontend and the API?").
				tool("Grep", obj("pattern", "toFixed"), obj("mode", "content", "content", "web/src/cart/total.ts:8: return sum.toFixed(2)")).
				read("web/src/cart/total.ts", "internal/cart/total.go").
				stop("The frontend rounds with `toFixed` on floats while the backend adds integer cents, so VAT lines can differ by one cent.\n\n- `web/src/cart/total.ts:8` rounds each line before adding\n- `internal/cart/total.go:31` rounds once, at the end\n\nDo you want me to change the frontend?"),
			[]told{{kind: memory.TypeDiscovery, title: "The frontend rounds with toFixed on floats while the backend adds integer cents", certainty: memory.CertaintyClaimed,
				facts: []string{"`web/src/cart/total.ts:8` rounds each line before adding", "`internal/cart/total.go:31` rounds once, at the end"}, read: []string{"web/src/cart/total.ts", "internal/cart/total.go"}}},
		},
		{
			"the person decides in words",
			asked("Let's use PostgreSQL advisory locks instead of Redis Redlock for order numbers, we do not want a second point of failure.").
				stop("Agreed. `pg_advisory_xact_lock` is released at commit and needs no TTL, so a crashed worker cannot block the numbering. Order numbers stay gapless per day."),
			[]told{{kind: memory.TypeDecision, title: "Uses PostgreSQL advisory locks instead of Redis Redlock for order numbers", certainty: memory.CertaintyConfirmed, says: []string{"`pg_advisory_xact_lock` is released at commit"}}},
		},
		{
			"the person answers a question of the assistant",
			asked("add a cache").tool("AskUserQuestion", obj("questions", []any{map[string]any{"question": "Which cache backend should the product list use?", "header": "Cache"}}), obj("answers", map[string]any{"Which cache backend should the product list use?": "In-process LRU"})),
			[]told{{kind: memory.TypeDecision, title: "Chosen: In-process LRU", certainty: memory.CertaintyConfirmed, facts: []string{"Which cache backend should the product list use? → In-process LRU"}}},
		},
		{
			"a plan that was agreed to",
			asked("plan the currency support").tool("ExitPlanMode", obj("plan", "# Currency support\n\n1. Add `orders.currency`, default EUR\n2. Make `Money` carry its currency\n3. Refuse carts with two currencies"), obj()),
			[]told{{kind: memory.TypeDecision, title: "Plan: Currency support", facts: []string{"Add `orders.currency`, default EUR", "Make `Money` carry its currency"}}},
		},
		{
			"a standing rule",
			asked("Always use pnpm in this repo, never npm."),
			[]told{{kind: memory.TypeDecision, title: "Rule: Always use pnpm in this repo, never npm", certainty: memory.CertaintyConfirmed}},
		},
		{
			"a standing rule in Chinese",
			asked("记住：金额一律用整数分，不要用浮点数。"),
			[]told{{kind: memory.TypeDecision, title: "约定：记住：金额一律用整数分，不要用浮点数", certainty: memory.CertaintyConfirmed, concepts: []string{"money"}}},
		},
	})
}

func TestChinesePromptsAreToldInChinese(t *testing.T) {
	checkBatches(t, []batchCase{
		{
			"修复",
			asked("请修复 DecreaseStock 的超卖问题，高并发下会出现负库存").
				read("internal/inventory/stock_service.go").
				edit("internal/inventory/stock_service.go", "\tif stock < n {\n\t\treturn ErrOutOfStock\n\t}\n\tdb.Exec(\"UPDATE stock SET n = ?\", stock-n)", "\tres, err := db.Exec(\"UPDATE stock SET n = n - ? WHERE n >= ?\", n, n)").
				bash("go test ./internal/inventory/ -race", "ok  \tshop/internal/inventory\t1.20s").
				stop("已修复超卖：原因是 `DecreaseStock` 先读后写，两个请求会读到同一个库存。改成条件更新 `WHERE n >= ?`，失败时返回 `ErrOutOfStock`。"),
			[]told{{kind: memory.TypeBugfix, title: "修复 DecreaseStock 的超卖问题，高并发下会出现负库存", certainty: memory.CertaintyConfirmed,
				says: []string{"原因是 `DecreaseStock` 先读后写", "改动：internal/inventory/stock_service.go"}, concepts: []string{"concurrency", "inventory"}}},
		},
		{
			"新增",
			asked("帮我给订单列表加上分页，每页 20 条").
				edit("src/api/orders.ts", "export async function listOrders() {", "export const PAGE_SIZE = 20;\n\nexport async function listOrders(page: number) {").
				stop("已为 `listOrders` 加上分页参数。"),
			[]told{{kind: memory.TypeFeature, title: "给订单列表加上分页，每页 20 条", facts: []string{"PAGE_SIZE = 20 (src/api/orders.ts)"}, concepts: []string{"pagination", "order"}}},
		},
		{
			"为什么",
			asked("登录接口为什么偶发 500？").read("internal/auth/limiter.go", "config/redis.yaml").
				stop("登录接口偶发 500 是因为 Redis 连接池耗尽：`PoolSize` 默认 10，限流脚本会阻塞连接。建议把 `PoolSize` 调到 50，并设置 `ReadTimeout` 2s。"),
			[]told{{kind: memory.TypeDiscovery, title: "登录接口偶发 500 是因为 Redis 连接池耗尽：PoolSize 默认 10，限流脚本会阻塞连接", certainty: memory.CertaintyClaimed, concepts: []string{"authentication", "connection-pool"}}},
		},
		{
			"模糊的提示用改动本身来说明",
			asked("继续").edit("config/app.yaml", "timeout: 5s", "timeout: 30s"),
			[]told{{kind: memory.TypeChange, title: "修改 timeout: 5s → 30s（config/app.yaml）"}},
		},
	})
}

func TestNoiseIsNotRemembered(t *testing.T) {
	checkBatches(t, []batchCase{
		{"a lone ls", asked("what is here").bash("ls -la", "cart.go\nmain.go").stop("There are two files: cart.go and main.go."), nil},
		{"a read that led nowhere", asked("open main.go").read("main.go").stop("Done."), nil},
		{"thanks", asked("thanks!").stop("You're welcome."), nil},
		{"cmem's own tools", asked("what did we do yesterday").tool("mcp__cmem__search", obj("query", "yesterday"), []byte(`[{"type":"text","text":"#12 Add retry"}]`)).tool("mcp__plugin_cmem_cmem__timeline", obj("anchor", 12), []byte(`[]`)), nil},
		{"a plan alone", asked("make a list").tool("TodoWrite", obj("todos", []any{map[string]any{"content": "x", "status": "pending"}}), obj()), nil},
		{"green tests alone", asked("run the tests").bash("go test ./...", "ok  \tshop\t0.1s").stop("All tests pass."), nil},
		{"a grep without a match", asked("is it used").bashFails("grep -rn legacyTotal src", ""), nil},
		{"a question back", asked("make it faster").stop("Which part feels slow to you? Is it the product list or the checkout?"), nil},
		{"an edit that failed", asked("rename it").toolFails("Edit", obj("file_path", abs("a.go"), "old_string", "x", "new_string", "y"), "String to replace not found in file."), nil},
		{"an API error", asked("add a cache").stop("API Error: 529 overloaded_error: the service is overloaded, try again in a moment please"), nil},
		{"scratch files", asked("check the output").bash("go run . > /tmp/out.txt; cat /tmp/out.txt", "42"), nil},
		{"routine git", asked("push").bash("git push", "To github.com:webshop/shop.git\n   1a2b3c4..5d6e7f8  main -> main"), nil},
		{"the host's own prompt", asked("<task-notification>\n<task-id>a1</task-id>\n<summary>Agent \"Count files\" finished</summary>\n<result>Done.</result>\n</task-notification>").stop("Done."), nil},
	})
}

func TestTheSameHookTwiceTellsOnce(t *testing.T) {
	s := asked("add a limit").edit("a.go", "x := 1", "x := 1\nconst maxItems = 50")
	once := s.compress(t)
	last := s.b.Events[len(s.b.Events)-1]
	last.ID = "again"
	s.b.Events = append(s.b.Events, last)
	twice := s.compress(t)
	if len(twice) != 1 || twice[0].Subtitle != once[0].Subtitle || twice[0].TokensSource != once[0].TokensSource {
		t.Errorf("registered twice: %+v\nonce: %+v", twice, once)
	}
}

func TestDifferentWishesForUnconnectedFilesAreTwoTopics(t *testing.T) {
	s := asked("Add a dark theme to the settings page. Also raise the upload limit in the importer to 50 MB.").
		write("web/settings/Theme.tsx", "export function ThemeSwitch() {\n  return null;\n}\n").
		edit("internal/importer/limit.go", "const maxUpload = 10 << 20", "const maxUpload = 50 << 20")
	checkBatches(t, []batchCase{{"two topics", s, []told{
		{kind: memory.TypeFeature, title: "Adds a dark theme to the settings page", modified: []string{"web/settings/Theme.tsx"}},
		{kind: memory.TypeChange, title: "Raises the upload limit in the importer to 50 MB", modified: []string{"internal/importer/limit.go"}},
	}}})
}

func TestALongSessionGivesFewObservations(t *testing.T) {
	s := asked("refactor the handlers to use the new Money type")
	for i := range 60 {
		f := "internal/handlers/h" + string(rune('a'+i%26)) + ".go"
		s.read(f).edit(f, "func H(total float64) {", "func H(total moneyAmount) {")
		if i%10 == 9 {
			s.bashFails("go build ./...", "internal/handlers/ha.go:3:9: cannot use total (variable of type moneyAmount) as float64 value")
		}
	}
	s.bash("go build ./... && go test ./...", "ok  \tshop/internal/handlers\t0.4s")
	got := s.compress(t)
	if len(got) != 1 {
		t.Fatalf("got %d observations, want 1", len(got))
	}
	o := got[0]
	checkTold(t, o, told{kind: memory.TypeRefactor, title: "Refactors the handlers to use the new Money type", certainty: memory.CertaintyConfirmed})
	if len(o.FilesModified) != 26 || len([]rune(o.Narrative)) > narrativeRunes || len(o.Facts) > maxFacts {
		t.Errorf("files %d, narrative %d runes, facts %d", len(o.FilesModified), len([]rune(o.Narrative)), len(o.Facts))
	}
}

func TestAWishThatWasToldIsNotTheTitleAgain(t *testing.T) {
	s := asked("Add paging to the order list").edit("src/orders.go", "x", "x\nfunc nextPage() {}")
	first := s.compress(t)[0].Title
	s.b.Recent = []string{first}
	if again := s.compress(t)[0].Title; again == first || !strings.Contains(again, "nextPage") {
		t.Errorf("second batch of the prompt is titled %q again", again)
	}
}
