// Package secrets finds secrets in texts and masks them: keys, tokens, passwords.
//
// Most rules are gitleaks' own, as data (gitleaks/rules.json, made by
// internal/gensecrets of the copy beside it); own.go has what those miss in what
// an assistant sees: command lines, environments, other languages. It knows
// nothing of payloads and reads no files.
package secrets
