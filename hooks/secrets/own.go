package secrets

import "strings"

// ownRules are what gitleaks' rules miss. The shapes come from the public
// documentation of those who issue them. The others know a secret by the name that
// it is assigned to and keep the name: after a name in capitals, as in the
// environment, or a flag, any value is one; elsewhere the value has to hold a digit,
// or every sentence about passwords would be mangled.
func ownRules() []rule {
	const (
		quote = `(?:\\?["'])?`
		value = `[^\s"'\\,;&|<>{}()]`
	)
	variables := []allow{{Regexes: []string{`^\$[A-Za-z_{(]`, `^%\w+%$`, `^\{\{`, `^[*.xX]+$`, `(?i)^(?:password|passwd|secret|changeme|your[-_].*)$`}}}
	list := []rule{
		{ID: "own-sk", Keywords: []string{"sk-", "sk_", "rk_", "rk-"}, need: mixed,
			Regex: `\b[sr]k[-_](?:ant-|proj-|or-v1-|live_|test_)?[A-Za-z0-9_\-]{20,}`},
		{ID: "own-github", Keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, Regex: `\bgh[pousr]_[A-Za-z0-9]{30,}`},
		{ID: "own-github-fine", Keywords: []string{"github_pat_"}, Regex: `\bgithub_pat_[A-Za-z0-9_]{40,}`},
		{ID: "own-gitlab", Keywords: []string{"glpat-"}, Regex: `\bglpat-[A-Za-z0-9_\-]{20,}`},
		{ID: "own-slack", Keywords: []string{"xox"}, need: digit, Regex: `\bxox[abeoprs]-[A-Za-z0-9\-]{10,}`},
		{ID: "own-slack-hook", Keywords: []string{"hooks.slack.com"}, Regex: `hooks\.slack\.com/services/([A-Za-z0-9/]{20,})`},
		{ID: "own-aws-id", Keywords: []string{"akia", "asia"}, Regex: `\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`},
		{ID: "own-google", Keywords: []string{"aiza"}, Regex: `\bAIza[A-Za-z0-9_\-]{35}`},
		{ID: "own-npm", Keywords: []string{"npm_"}, need: digit, Regex: `\bnpm_[A-Za-z0-9]{36}`},
		{ID: "own-huggingface", Keywords: []string{"hf_"}, Regex: `\bhf_[A-Za-z0-9]{30,}`},
		{ID: "own-sendgrid", Keywords: []string{"sg."}, Regex: `\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}`},
		{ID: "own-jwt", Keywords: []string{"eyj"}, Regex: `\beyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}`},
		{ID: "own-bearer", Keywords: []string{"bearer ", "basic "}, need: digit, Regex: `(?i)\b(?:bearer|basic) +([A-Za-z0-9_\-.~+/]{16,}=*)`},
		{ID: "own-authorization", Keywords: []string{"authorization"},
			Regex: `(?i)\bauthorization` + quote + `\s*[:=]\s*` + quote + `(?:(?:token|apikey) +([A-Za-z0-9_\-.~+/]{8,}=*)|(?:bearer|basic) +([A-Za-z0-9_\-.~+/]{8,}=*))`},
		{ID: "own-url", Keywords: []string{"://"}, Regex: `[a-z][a-z0-9+.\-]{0,30}://[^\s:/@"'<>]{0,100}:([^\s:/@"'<>]{3,})@`},
		{ID: "own-curl", Keywords: []string{"curl"}, Regex: `\bcurl\b[^\n|;]*? (?:-u|--user)[ =]` + quote + `[^\s:"']+:([^\s"']+)`},
		{ID: "own-argument", Keywords: []string{"redis-cli", "sshpass", "htpasswd", " login", "pass:", "aws_secret_access_key", "machine ", "sudo", "chpasswd", "useradd", "usermod", "net user", "storepass", "keypass"},
			Regex: `\bredis-cli\b[^\n|;]*? -a ` + quote + `([^\s"']+)|\bsshpass +-p *` + quote + `([^\s"']+)|\bhtpasswd\b[^\n|;]*? -[a-zA-Z]*b[a-zA-Z]* +\S+ +\S+ +` + quote + `([^\s"']+)` +
				`|\b(?:docker|podman|nerdctl|helm|oras|skopeo)\b[^\n|;]*? login\b[^\n|;]*? -p[ =]?` + quote + `([^\s"']+)|-pass(?:in|out)?[ =]` + quote + `pass:([^\s"']+)` +
				`|\baws_secret_access_key +([A-Za-z0-9/+]{40})|\bmachine\s+\S+\s+login\s+\S+\s+password\s+([^\s"'\\]+)` +
				`|\b(?:echo|printf) +(?:-\w+ +)?` + quote + `([^\n"'\\|]+?)(?:\\n)?` + quote + ` *\| *sudo +-S\b|\becho +` + quote + `[\w.-]+:([^\n"'\\|]+?)` + quote + ` *\| *(?:sudo +)?chpasswd\b` +
				`|\buser(?:add|mod)\b[^\n|;]*? -p +` + quote + `([^\s"'\\]+)|\bnet user +\S+ +([^\s/"']+)|-(?:\w*storepass|\w*keypass)[ =]` + quote + `([^\s"'\\]+)|\baz login\b[^\n|;]*? -p +` + quote + `([^\s"'\\]+)`},
		{ID: "own-cookie", Keywords: []string{"cookie"}, need: digit, Regex: `(?i)\b(?:set-)?cookie\\?["']?\s*:\s*(?:\\?["'])?([^\n"'\\]{20,})`},
		{ID: "own-bot", Keywords: []string{"telegram.org/bot", "/api/webhooks/"}, Regex: `telegram\.org/bot(\d{6,12}:[A-Za-z0-9_\-]{30,})|/api/webhooks/\d+/([A-Za-z0-9_\-]{50,})`},
		{ID: "own-sql", Keywords: []string{"password", "identified"},
			Regex: `(?i)\b(?:with\s+(?:encrypted\s+)?password|identified\s+(?:with\s+\w+\s+)?by)\s+\\?['"]([^'"\\]{3,})`},
		{ID: "own-define", Keywords: []string{"define("}, Regex: `\bdefine\(\s*\\?['"][A-Z_]*(?:PASSWORD|SECRET|KEY|TOKEN|SALT)\\?['"]\s*,\s*\\?['"]([^'"\\]{4,})`},
		{ID: "own-manifest", Keywords: []string{"value:"},
			Regex: `\bname:\s*` + quote + `[A-Z0-9_]*(?:PASSWORD|TOKEN|SECRET|_KEY)` + quote + `\s*(?:\\n|\n)\s*value:\s*` + quote + `([^\s"'\\]{4,})`},
		{ID: "own-mailgun", Keywords: []string{"key-"}, Regex: `\bkey-[0-9a-f]{32}\b`},
		{ID: "own-prose", Keywords: []string{"password is"}, need: digit, Regex: `(?i)\bpassword is:? +["'\x60]?(` + value + `{6,})`},
		{ID: "own-mysql", Keywords: []string{"mysql"}, Regex: `\b(?:mysql|mysqldump|mysqladmin)\b[^\n|;]*? -p([^\s"']+)`},
		{ID: "own-flag", Keywords: []string{"-password", "-passwd", "-passphrase", "-token", "-secret", "-api-key", "-apikey", "-access-key", "-account-key", "-auth-token"}, need: notName,
			Regex: `(?i) --?(?:password|passwd|passphrase|token|secret|api-key|apikey|access-key|account-key|auth-token)[ =]` + quote + `(` + value + `{6,})`},
		{ID: "own-environment", Keywords: []string{"token=", "password=", "passwd=", "pass=", "pwd=", "secret=", "passphrase=", "key="},
			Regex: `\b[A-Z0-9_]*(?:TOKEN|PASSWORD|PASSWD|PASS|PWD|SECRET|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|APP_KEY)=` + quote + `(` + value + `{6,})`},
		{ID: "own-azure-storage", Keywords: []string{"accountkey="}, Regex: `\bAccountKey=([A-Za-z0-9+/=]{16,})`},
		{ID: "own-docker", Keywords: []string{`auth"`, `auth\"`}, Regex: `"auth\\?"\s*:\s*\\?"([A-Za-z0-9+/=]{12,})`},
		{ID: "own-chinese", Keywords: []string{"密码", "密碼", "口令", "密钥", "パスワード"}, need: digit,
			Regex: `(?:密码|密碼|口令|密钥|パスワード)(?:(?:是|为|為|は)\s*[:：=]?|\s*[:：= ])\s*([!#-&*-+\--:?-\[\]-~]{4,})`},
		{ID: "own-assigned", Keywords: []string{"password", "passwd", "passphrase", "secret", "api_key", "apikey", "api-key", "access_key", "accesskey", "access-key",
			"auth_token", "auth-token", "authtoken", "access_token", "access-token", "accesstoken", "private_token", "private-token", "privatetoken", "_pass"}, need: digit, Named: true,
			Regex: `(?i)[\w.-]{0,50}?(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?token|_pass)(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?([A-Za-z0-9_\-./+~!@#$%^&*]{6,})`},
	}
	for i := range list {
		list[i].own, list[i].Allow = true, variables
	}
	return list
}

// digit reports whether a value holds a digit; without one it may as well be a
// word, a type or a variable.
func digit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// notName reports whether a value is something else than the name of one, as in the
// usage of a command.
func notName(s string) bool { return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" }

// mixed reports whether a value holds a digit and a capital or long run without a
// hyphen, unlike names such as sk-learn-contrib-imbalanced.
func mixed(s string) bool {
	if !digit(s) {
		return false
	}
	longest, run := 0, 0
	for _, c := range s {
		if run++; c == '-' || c == '_' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest >= 12 || strings.ToLower(s) != s
}
