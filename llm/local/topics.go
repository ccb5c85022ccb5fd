package local

import (
	"path"
	"sort"
	"strings"
	"sync"
	"unicode"

	"cmem/memory"
)

const maxConcepts = 6

// topics is the list of what developers work on: a name, and the words of English
// (one word, or two joined by a hyphen) and of Chinese that speak of it. A word is
// matched as a part of an identifier too.
var topics = sync.OnceValue(func() topicTable {
	return parseTopics(`
authentication: auth authn login logout signin signup password oauth oauth2 oidc sso saml jwt mfa 2fa passkey | 登录 登陆 认证 鉴权 密码 单点登录
authorization: authz authorization permission permissions rbac acl role roles policy forbidden 403 | 授权 权限 角色
session: session sessions cookie cookies | 会话
security: security vulnerability xss csrf injection sanitize cve encrypt encryption hmac signature | 安全 漏洞 加密 签名 注入
secrets: secret secrets credential credentials vault keyring | 密钥 凭证
tls: tls ssl https certificate certificates mtls | 证书
cache: cache caching cached redis memcached lru ttl | 缓存
database: database db postgres postgresql mysql sqlite mongodb orm gorm sqlalchemy prisma | 数据库
sql: sql query subquery | 查询语句
migration: migration migrations migrate alembic flyway schema | 迁移 表结构
transaction: transaction transactions tx commit-rollback rollback isolation savepoint deadlock | 事务 死锁
index: btree gin explain full-table-scan index-scan | 索引
pagination: pagination paginate page-size cursor offset keyset fetchpage nextpage | 分页 翻页
search: search fts fts5 elasticsearch bm25 fulltext opensearch tokenizer | 搜索 检索 全文 分词
concurrency: concurrency concurrent goroutine goroutines mutex race thread threads parallel lock locks atomic semaphore waitgroup | 并发 竞态 锁 线程 协程 超卖
async: async await promise promises asyncio future futures eventloop | 异步
queue: queue queues kafka rabbitmq sqs pubsub nats worker workers job jobs | 队列
scheduling: cron schedule scheduler scheduled crontab | 定时 调度
retry: retry retries backoff jitter attempts | 重试 退避
timeout: timeout timeouts deadline deadlines | 超时
rate-limit: ratelimit rate-limit throttle throttling 429 | 限流 频率限制
idempotency: idempotent idempotency dedup dedupe duplicate duplicates | 幂等 重复 去重
error-handling: errors-is errors-as recover panic exception exceptions fallback unwrap | 异常 错误处理 容错
logging: log logs logging logger slog zap winston logrus | 日志
monitoring: metric metrics prometheus grafana alert alerts telemetry opentelemetry tracing trace | 监控 指标 告警 链路
performance: performance perf slow latency benchmark profiling pprof optimize optimization throughput | 性能 慢 优化 延迟 压测
memory-usage: oom leak leaks heap allocation allocations gc | 内存 泄漏
testing: test tests testing pytest jest vitest unittest coverage mock mocks fixture fixtures | 测试 单测 覆盖率
e2e: e2e playwright cypress selenium | 端到端
flaky-test: flaky flake | 偶发 不稳定
ci: ci pipeline github-actions workflow workflows gitlab-ci jenkins | 流水线 持续集成
build: build compile compiler bundler webpack vite esbuild makefile tsc | 构建 编译 打包
dependencies: dependency dependencies upgrade package-json requirements lockfile go-mod cargo-toml npm pip | 依赖 升级
deployment: deploy deployment release rollout helm vercel | 部署 发布 上线
docker: docker dockerfile container containers compose | 容器 镜像
kubernetes: kubernetes k8s kubectl pod pods ingress helm | 集群
cloud: aws s3 gcp azure lambda terraform cloudformation | 云服务
configuration: config configuration settings env environment getenv dotenv yaml toml | 配置 环境变量 设置
feature-flag: feature-flag featureflag toggle | 开关 灰度
cli: cli flag flags argv cobra argparse subcommand | 命令行
api: api endpoint endpoints rest handler route routes router controller | 接口 路由
graphql: graphql resolver resolvers | 
grpc: grpc protobuf proto | 
websocket: websocket websockets sse socket | 长连接
http: http header headers status-code cors proxy redirect | 请求 响应 跨域 代理
webhook: webhook webhooks callback | 回调
serialization: json marshal unmarshal serialize serialization deserialize encoding decode xml | 序列化 编码
validation: validate validation validator schema zod pydantic invalid | 校验 验证
parsing: parse parser parsing lexer ast regex regexp | 解析 正则
types: typescript typing generics generic interface mypy type-error | 类型
frontend: react vue svelte angular component components jsx tsx nextjs dom | 前端 组件
state-management: redux zustand pinia store usestate reducer | 状态管理
css: css tailwind scss style styles layout theme dark-mode | 样式 布局 主题 暗色
ui: button modal dialog dropdown toast sidebar | 按钮 弹窗 表单 页面 界面
accessibility: accessibility a11y aria | 无障碍
i18n: i18n locale locales translation translations l10n | 国际化 翻译 多语言
timezone: timezone timezones utc dst datetime | 时区
unicode: unicode utf8 utf-8 emoji encoding gbk | 乱码 编码
money: money cents currency rounding price prices amount amounts decimal | 金额 价格 精度
payment: payment payments stripe paypal charge charges checkout invoice billing alipay | 支付 付款 结算 收款
refund: refund refunds chargeback | 退款
order: orders order-id order-item | 订单
cart: cart basket | 购物车
inventory: inventory stock sku warehouse | 库存
coupon: coupon coupons discount discounts voucher promotion promo | 优惠券 折扣 促销
shipping: shipping shipment delivery | 物流 发货 配送
user: users account accounts profile | 用户 账户 账号
notification: notification notifications email smtp sms push | 通知 邮件 短信
upload: upload uploads download file-upload multipart | 上传 下载
export: export csv xlsx pdf report reports | 导出 报表
import: importer csv-import ingest etl | 导入
streaming: stream streaming chunk chunks | 流式
embedding: embedding embeddings vector vectors rag similarity | 向量 嵌入
llm: llm gpt claude gemini openai anthropic prompt prompts | 大模型 提示词
machine-learning: training inference pytorch tensorflow dataset model-training | 训练 模型
algorithm: algorithm sort sorting graph tree complexity | 算法 排序
math: float floating overflow precision | 浮点 溢出
file-system: filesystem fsnotify inode mkdir symlink path-join | 文件系统 路径
git: git rebase merge-conflict cherry-pick branch gitignore conflict | 分支 合并冲突 冲突
code-review: review pull-request pr | 评审 代码审查
documentation: readme docs documentation changelog docstring | 文档 注释
refactoring: refactor refactoring rename extract cleanup | 重构 重命名 拆分
naming: naming convention conventions | 命名
linting: lint linter eslint golangci prettier gofmt ruff format | 格式化 规范
architecture: architecture design layering monorepo microservice microservices | 架构 微服务
dependency-injection: injection-container provider providers wire | 依赖注入
plugin: plugin plugins extension extensions hook hooks | 插件 扩展 钩子
compatibility: compatibility backward deprecated deprecation breaking | 兼容 废弃
windows: windows powershell crlf | 
mobile: ios android flutter swift kotlin react-native | 移动端 小程序
desktop: electron tauri | 桌面
tui: tui bubbletea terminal ansi | 终端
networking: dns tcp udp port ports socket econnrefused connection connections | 网络 端口 连接
connection-pool: pool pool-size poolsize max-connections | 连接池
load-balancing: nginx haproxy load-balancer | 负载均衡
backup: backup restore snapshot | 备份 恢复
audit: audit audit-log history | 审计
analytics: analytics tracking event-tracking | 埋点 统计
data-model: entity entities model models relation foreign-key | 数据模型 外键
constraint: unique constraint constraints not-null check-constraint | 唯一约束 约束
soft-delete: soft-delete deleted-at tombstone | 软删除
shutdown: shutdown graceful sigterm sigint | 优雅退出 停机
startup: startup boot bootstrap init | 启动
recursion: recursion recursive | 递归
pointer: nil-pointer null-pointer npe nullpointerexception dereference | 空指针 空值
`)
})

// topicTable finds topics by their trigger words.
type topicTable struct {
	english map[string][]string // trigger, lower case, one or two words joined by "-" → topics
	han     map[string]string
	hanKeys []string
}

func parseTopics(src string) topicTable {
	t := topicTable{english: map[string][]string{}, han: map[string]string{}}
	for line := range strings.Lines(src) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		en, zh, _ := strings.Cut(rest, "|")
		for w := range strings.FieldsSeq(en) {
			t.english[w] = append(t.english[w], name)
		}
		for w := range strings.FieldsSeq(zh) {
			t.han[w] = name
			t.hanKeys = append(t.hanKeys, w)
		}
	}
	sort.Strings(t.hanKeys)
	return t
}

// score adds weight to the topics that a text speaks of. A word counts once a text.
func (t topicTable) score(text string, weight float64, scores map[string]float64) {
	seen := map[string]bool{}
	prev := ""
	for _, w := range wordParts(head(text, 16<<10)) {
		for _, key := range [2]string{w, prev + "-" + w} {
			if seen[key] {
				continue
			}
			seen[key] = true
			for _, name := range t.english[key] {
				scores[name] += weight
			}
		}
		prev = w
	}
	if hasHan(text) {
		for _, w := range t.hanKeys {
			if strings.Contains(text, w) {
				scores[t.han[w]] += weight
			}
		}
	}
}

// wordParts splits text into lower-case words, identifiers into their parts.
func wordParts(s string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 1 {
			out = append(out, b.String())
		}
		b.Reset()
	}
	lastLower := false
	for _, r := range s {
		switch {
		case r >= 0x2E80 || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			lastLower = false
		case unicode.IsUpper(r):
			if lastLower {
				flush()
			}
			b.WriteRune(unicode.ToLower(r))
			lastLower = false
		default:
			b.WriteRune(r)
			lastLower = true
		}
	}
	flush()
	return out
}

// concepts gives the topics of an observation: what its words speak of, then what
// its files and names speak of, then the parts of its paths that name a module.
func (s *scene) concepts(o memory.Observation, a *arc) []string {
	scores := map[string]float64{}
	topics().score(o.Title, 3, scores)
	topics().score(o.Subtitle, 1, scores)
	if a.kind == editing || a.kind == finding || a.kind == ruling {
		wish := s.words
		if len(a.clauses) > 0 {
			wish = strings.Join(a.clauses, " ")
		}
		topics().score(wish, 2, scores)
	}
	topics().score(o.Narrative, 0.7, scores)
	topics().score(strings.Join(o.Facts, " "), 0.7, scores)
	var paths []string
	for _, f := range append(append([]string{}, o.FilesModified...), o.FilesRead...) {
		if !isLock(f) && !strings.HasPrefix(f, "/") {
			paths = append(paths, f)
		}
	}
	topics().score(strings.Join(paths[:min(len(paths), 12)], " "), 0.8, scores)
	var names []string
	for _, f := range a.files {
		for _, e := range f.effects {
			names = append(names, e.name)
		}
	}
	topics().score(strings.Join(names, " "), 0.8, scores)
	var out []string
	for name, n := range scores {
		if n >= 1.4 {
			out = append(out, name)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if scores[out[i]] != scores[out[j]] {
			return scores[out[i]] > scores[out[j]]
		}
		return out[i] < out[j]
	})
	out = out[:min(len(out), maxConcepts-1)]
	for _, f := range paths {
		if m := moduleOf(f); m != "" && scores[m] == 0 {
			out = appendNew(out, maxConcepts, m)
		}
	}
	return out
}

var genericDirs = set("src lib libs internal pkg cmd app apps test tests __tests__ spec testdata web server client backend frontend main java python resources packages modules components pages api core common shared utils helpers types models docs doc scripts tools bin dist build public static assets com org io node_modules vendor github")

// moduleOf gives the first directory of a path that names something of the project's own.
func moduleOf(file string) string {
	for _, d := range strings.Split(path.Dir(file), "/") {
		if len(d) > 2 && !genericDirs[d] && !strings.ContainsAny(d, ".~") {
			return strings.ToLower(d)
		}
	}
	return ""
}
