package hooks

import (
	"regexp"
	"strings"
	"sync"

	"cmem/hooks/secrets"
)

// secretMark stands in a stored text in place of a secret.
const secretMark = secrets.Mark

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

func (m *secretMasker) mask(s string) string { return secrets.Mask(m.maskKeys(s)) }

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
	switch strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(key, "_", ""), "-", "")) {
	case "password", "passwd", "passphrase", "secret", "apikey", "accesskey", "secretkey", "secretaccesskey", "privatekey",
		"token", "authtoken", "accesstoken", "refreshtoken", "privatetoken", "clientsecret", "authorization":
		return true
	}
	return false
}
