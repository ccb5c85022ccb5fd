package hooks

import (
	"bytes"
	"regexp"
	"sync"
)

// secretMark stands in a stored text in place of a secret.
const secretMark = "[secret]"

// secretHints are strings of which a payload must hold one, in any case, before
// the rules below are tried on it.
func secretHints() [][]byte {
	return [][]byte{
		[]byte("sk-"), []byte("ghp_"), []byte("gho_"), []byte("ghu_"), []byte("ghs_"), []byte("github_pat_"),
		[]byte("glpat-"), []byte("xox"), []byte("akia"), []byte("asia"), []byte("aiza"), []byte("npm_"),
		[]byte("private key"), []byte("eyj"), []byte("bearer "), []byte("basic "), []byte("://"),
		[]byte("password"), []byte("passwd"), []byte("secret"), []byte("token"), []byte("api_key"), []byte("apikey"), []byte("api-key"),
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
// documentation of those who issue them; the last ones know a secret by the name
// that it is assigned to, keep the name, and ask for a value that looks random
// enough not to be a word of the language.
var secretRules = sync.OnceValue(func() []secretRule {
	rule := func(pattern, with string) secretRule {
		return secretRule{regexp.MustCompile(pattern), with}
	}
	return []secretRule{
		rule(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`, secretMark),
		rule(`\bsk-(?:ant-|proj-|or-v1-)?[A-Za-z0-9_\-]{20,}`, secretMark),
		rule(`\bgh[pousr]_[A-Za-z0-9]{30,}`, secretMark),
		rule(`\bgithub_pat_[A-Za-z0-9_]{40,}`, secretMark),
		rule(`\bglpat-[A-Za-z0-9_\-]{20,}`, secretMark),
		rule(`\bxox[abeoprs]-[A-Za-z0-9\-]{10,}`, secretMark),
		rule(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`, secretMark),
		rule(`\bAIza[A-Za-z0-9_\-]{35}`, secretMark),
		rule(`\bnpm_[A-Za-z0-9]{36}`, secretMark),
		rule(`\beyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}`, secretMark),
		rule(`(?i)\b(bearer|basic)( +)[A-Za-z0-9_\-.~+/]{16,}=*`, "${1}${2}"+secretMark),
		rule(`([a-z][a-z0-9+.\-]*://[^\s:/@"']+:)[^\s:/@"']{3,}@`, "${1}"+secretMark+"@"),
		rule(`(?i)\b([a-z0-9_\-]*(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?token)["']?\s*[:=]\s*["']?)[A-Za-z0-9_\-./+~!@#$%^&*]*[0-9][A-Za-z0-9_\-./+~!@#$%^&*]{7,}`, "${1}"+secretMark),
	}
})

// maskSecrets replaces what has the shape of a secret in s.
func maskSecrets(s string) string {
	if !mayHoldSecret([]byte(s)) {
		return s
	}
	for _, r := range secretRules() {
		s = r.pattern.ReplaceAllString(s, r.with)
	}
	return s
}
