package hooks

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// secretMark stands in a stored text in place of a secret.
const secretMark = "[secret]"

// secretHints are strings of which a payload must hold one, in any case, before
// the rules below are tried on it.
func secretHints() [][]byte {
	return [][]byte{
		[]byte("sk-"), []byte("sk_"), []byte("rk_"), []byte("ghp_"), []byte("gho_"), []byte("ghu_"), []byte("ghs_"), []byte("github_pat_"),
		[]byte("glpat-"), []byte("xox"), []byte("hooks.slack"), []byte("akia"), []byte("asia"), []byte("aiza"), []byte("npm_"), []byte("hf_"), []byte("sg."),
		[]byte("private key"), []byte("eyj"), []byte("bearer "), []byte("basic "), []byte("://"), []byte("authorization"), []byte("auth\""),
		[]byte("pass"), []byte("pwd"), []byte("secret"), []byte("token"), []byte("api_key"), []byte("apikey"), []byte("api-key"), []byte("key="), []byte("_key"),
		[]byte("-u "), []byte("mysql"), []byte("密码"), []byte("口令"),
	}
}

// mayHoldSecret is the cheap look before maskSecrets.
func mayHoldSecret(raw []byte) bool {
	lower := bytes.ToLower(raw)
	for _, h := range secretHints() {
		if bytes.Contains(lower, h) {
			return true
		}
	}
	return false
}

type secretRule struct {
	pattern *regexp.Regexp
	with    string
}

// secretRules are well-known shapes of secrets. The shapes come from the public
// documentation of those who issue them. The others know a secret by the name that
// it is assigned to and keep the name: after a name in capitals, as in the
// environment, or a flag, any value is one; elsewhere the value has to hold a digit,
// or every sentence about passwords would be mangled.
var secretRules = sync.OnceValue(func() []secretRule {
	rule := func(pattern, with string) secretRule {
		return secretRule{regexp.MustCompile(pattern), with}
	}
	const (
		quote = `(?:\\?["'])?`
		value = `[^\s"'\\,;&|<>{}()]`
	)
	return []secretRule{
		rule(`\b[sr]k[-_](?:ant-|proj-|or-v1-|live_|test_)?[A-Za-z0-9_\-]{20,}`, secretMark),
		rule(`\bgh[pousr]_[A-Za-z0-9]{30,}`, secretMark),
		rule(`\bgithub_pat_[A-Za-z0-9_]{40,}`, secretMark),
		rule(`\bglpat-[A-Za-z0-9_\-]{20,}`, secretMark),
		rule(`\bxox[abeoprs]-[A-Za-z0-9\-]{10,}`, secretMark),
		rule(`(hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}`, "${1}"+secretMark),
		rule(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`, secretMark),
		rule(`\bAIza[A-Za-z0-9_\-]{35}`, secretMark),
		rule(`\bnpm_[A-Za-z0-9]{36}`, secretMark),
		rule(`\bhf_[A-Za-z0-9]{30,}`, secretMark),
		rule(`\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}`, secretMark),
		rule(`\beyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}`, secretMark),
		rule(`(?i)\b(bearer|basic)( +)[A-Za-z0-9_\-.~+/]{16,}=*`, "${1}${2}"+secretMark),
		rule(`(?i)\b(authorization`+quote+`\s*[:=]\s*`+quote+`(?:token|apikey) +)[A-Za-z0-9_\-.~+/]{8,}=*`, "${1}"+secretMark),
		rule(`([a-z][a-z0-9+.\-]*://[^\s:/@"']*:)[^\s:/@"']{3,}@`, "${1}"+secretMark+"@"),
		rule(`(\bcurl\b[^\n|;]*? (?:-u|--user)[ =]`+quote+`[^\s:"']+:)[^\s"']+`, "${1}"+secretMark),
		rule(`(\b(?:mysql|mysqldump|mysqladmin)\b[^\n|;]*? -p)[^\s"']+`, "${1}"+secretMark),
		rule(`(?i)( --?(?:password|passwd|passphrase|token|secret|api-key|apikey|access-key|auth-token)[ =]`+quote+`)`+value+`{6,}`, "${1}"+secretMark),
		rule(`\b([A-Z0-9_]*(?:TOKEN|PASSWORD|PASSWD|PASS|PWD|SECRET|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY)=`+quote+`)`+value+`{6,}`, "${1}"+secretMark),
		rule(`(\bAccountKey=)[A-Za-z0-9+/=]{16,}`, "${1}"+secretMark),
		rule(`("auth\\?"\s*:\s*\\?")[A-Za-z0-9+/=]{12,}`, "${1}"+secretMark),
		rule(`((?:密码|口令)(?:是|为)?\s*[:：=]\s*)`+value+`{4,}`, "${1}"+secretMark),
	}
})

var (
	keyBlockBegin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----`)
	})
	keyBlockEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----`)
	})
)

// secretMasker replaces what has the shape of a secret. A block with a private
// key may lie over several texts, as the lines of a patch do: mask is given the
// texts of one field in order and remembers that it is inside.
type secretMasker struct{ inKey bool }

func (m *secretMasker) mask(s string) string {
	s = m.maskKeys(s)
	if !mayHoldSecret([]byte(s)) {
		return s
	}
	for _, r := range secretRules() {
		s = r.pattern.ReplaceAllString(s, r.with)
	}
	return maskAssigned(s)
}

// assigned finds what is assigned to the name of a secret; the value is its second
// part.
var assigned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(\b[a-z0-9_\-]*(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?token)(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?)([A-Za-z0-9_\-./+~!@#$%^&*]{6,})`)
})

// maskAssigned masks an assigned value that holds a digit; without one it may as
// well be a word, a type or a variable.
func maskAssigned(s string) string {
	return assigned().ReplaceAllStringFunc(s, func(found string) string {
		parts := assigned().FindStringSubmatch(found)
		if !strings.ContainsAny(parts[2], "0123456789") {
			return found
		}
		return parts[1] + secretMark
	})
}

// maskKeys replaces blocks with private keys; one without an end goes on.
func (m *secretMasker) maskKeys(s string) string {
	if !m.inKey && !strings.Contains(s, "PRIVATE KEY") {
		return s
	}
	var out strings.Builder
	for s != "" {
		if m.inKey {
			end := keyBlockEnd().FindStringIndex(s)
			if end == nil {
				if out.Len() == 0 {
					return secretMark
				}
				return out.String()
			}
			if out.Len() == 0 {
				out.WriteString(secretMark)
			}
			m.inKey, s = false, s[end[1]:]
			continue
		}
		begin := keyBlockBegin().FindStringIndex(s)
		if begin == nil {
			out.WriteString(s)
			break
		}
		out.WriteString(s[:begin[0]] + secretMark)
		m.inKey, s = true, s[begin[1]:]
	}
	return out.String()
}

// namesSecret reports whether a value under this key of a tool's input or answer
// is a secret by its name alone.
func namesSecret(key string) bool {
	switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key)) {
	case "password", "passwd", "passphrase", "secret", "apikey", "accesskey", "secretkey", "secretaccesskey", "privatekey",
		"token", "authtoken", "accesstoken", "refreshtoken", "privatetoken", "clientsecret", "authorization":
		return true
	}
	return false
}
