package corpus

import (
	"math/rand/v2"
	"strings"
)

// nouns are what a program is about, the most frequent first.
var nouns = strings.Fields(`
	test user order error request file cache session token config server client query index
	page build job queue table column migration response handler header payload schema field
	record event message worker retry timeout limit cart price product invoice payment refund
	coupon customer address account login password permission role policy audit log metric
	trace span alert dashboard report export import batch stream buffer parser lexer compiler
	linker module package version release branch commit merge conflict patch diff review deploy
	container image volume network socket proxy gateway router route middleware template layout
	theme color font button form input dialog modal tooltip menu sidebar toolbar chart graph
	tree node edge vertex matrix vector tensor model layer weight gradient loss epoch dataset
	sample label feature pipeline stage step task schedule timer clock calendar date zone locale
	currency rate tax discount shipping warehouse inventory stock supplier category tag search
	filter sort cursor pagination snapshot backup restore replica shard partition leader follower
	quorum lock mutex semaphore channel goroutine thread process signal pipe descriptor inode
	directory path symlink archive checksum hash digest signature certificate key secret vault
	cookie origin redirect upload download attachment thumbnail video subtitle codec frame pixel
	shader texture mesh camera light shadow collision physics sprite animation keyframe`)

var verbs = strings.Fields(`
	get set load save parse build make find fetch send read write open close start stop create
	update delete remove insert append merge split validate check verify compute render format
	encode decode encrypt sign compress expand resolve register notify publish subscribe retry
	schedule cancel flush rotate migrate export import index scan walk filter sort group`)

var suffixes = strings.Fields("_ By For With Handler Service Factory Options Result Error Config Impl Async All Once Batch")

// chinese are words of two characters, the most frequent first.
var chinese = strings.Fields(`
	测试 用户 订单 错误 请求 文件 缓存 会话 令牌 配置 服务 查询 索引 页面 构建 任务 队列 数据 字段 迁移
	响应 处理 接口 参数 结构 记录 事件 消息 重试 超时 限制 价格 商品 发票 支付 退款 优惠 客户 地址 账户
	登录 密码 权限 角色 策略 审计 日志 指标 告警 报表 导出 导入 批量 解析 编译 模块 版本 发布 分支 提交
	合并 冲突 补丁 评审 部署 容器 镜像 网络 代理 网关 路由 模板 布局 主题 颜色 字体 按钮 表单 输入 弹窗
	菜单 图表 节点 矩阵 向量 模型 训练 样本 标签 特征 流程 阶段 定时 日期 时区 货币 税率 折扣 物流 仓库
	库存 供应 分类 搜索 排序 分页 快照 备份 恢复 副本 分片 选举 互斥 线程 进程 信号 管道 目录 归档 校验
	签名 证书 密钥 上传 下载 附件 视频 字幕 画面 贴图 碰撞 动画 乱码 编码 内存 泄漏 并发 事务 回滚 幂等`)

var syllables = strings.Fields(`
	ba be bi bo bra bre da de di dra du fa fi flo ga gle gri ha hi jo ka ke kli kra la le lo lu
	ma me mi mo na ne ni no nu pa pe pli po qua ra re ri ro sa se shi sko sta su ta te thi to
	tra tu va ve vi vo wa we wi xa xe ya yo za ze zi zu`)

const (
	tailWords       = 40_000 // names, jargon and slips that are seen seldom
	identifierWords = 60_000
)

var extensions = strings.Fields(".go .go .go .ts .tsx .py .py .rs .java .sql .yaml .md .css .sh")

// vocabulary draws words with the frequencies of real text: a few everywhere,
// most hardly ever.
type vocabulary struct {
	rng                           *rand.Rand
	noun, tail, identifier, hanzi *rand.Zipf
}

func newVocabulary(rng *rand.Rand) *vocabulary {
	return &vocabulary{
		rng:        rng,
		noun:       rand.NewZipf(rng, 1.15, 3, uint64(len(nouns)-1)),
		tail:       rand.NewZipf(rng, 1.05, 8, tailWords-1),
		identifier: rand.NewZipf(rng, 1.08, 12, identifierWords-1),
		hanzi:      rand.NewZipf(rng, 1.15, 3, uint64(len(chinese)-1)),
	}
}

func (v *vocabulary) aNoun() string    { return nouns[v.noun.Uint64()] }
func (v *vocabulary) aChinese() string { return chinese[v.hanzi.Uint64()] }

// aTailWord spells the number of a word in syllables.
func (v *vocabulary) aTailWord() string {
	n := int(v.tail.Uint64())*7919%(tailWords*7) + len(syllables)
	var b strings.Builder
	for ; n > 0; n /= len(syllables) {
		b.WriteString(syllables[n%len(syllables)])
	}
	return b.String()
}

// anIdentifier gives a name as programs have them, in one of three styles.
func (v *vocabulary) anIdentifier() string {
	n := int(v.identifier.Uint64()) * 7919 % identifierWords
	verb, n := verbs[n%len(verbs)], n/len(verbs)
	noun, n := nouns[n%len(nouns)], n/len(nouns)
	suffix := strings.Trim(suffixes[n%len(suffixes)], "_")
	switch len(verb+noun) % 4 {
	case 0:
		return strings.TrimRight(verb+"_"+noun+"_"+strings.ToLower(suffix), "_")
	case 1:
		return title(verb) + title(noun) + suffix
	default:
		return verb + title(noun) + suffix
	}
}

// aPath gives a file of a program, its name in the style of the identifiers.
func (v *vocabulary) aPath() string {
	dirs := []string{"src", "internal", "lib", "app", "pkg", "web/src", "services"}
	return dirs[v.rng.IntN(len(dirs))] + "/" + v.aNoun() + "/" + v.anIdentifier() + extensions[v.rng.IntN(len(extensions))]
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
