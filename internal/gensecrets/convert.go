package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// source is what is read of gitleaks' configuration.
type source struct {
	Allowlist sourceAllow  `toml:"allowlist"`
	Rules     []sourceRule `toml:"rules"`
}

type sourceRule struct {
	ID          string        `toml:"id"`
	Regex       string        `toml:"regex"`
	Path        string        `toml:"path"`
	Keywords    []string      `toml:"keywords"`
	Entropy     float64       `toml:"entropy"`
	SecretGroup int           `toml:"secretGroup"`
	Allowlists  []sourceAllow `toml:"allowlists"`
}

type sourceAllow struct {
	Condition   string   `toml:"condition"`
	RegexTarget string   `toml:"regexTarget"`
	Regexes     []string `toml:"regexes"`
	Paths       []string `toml:"paths"`
	StopWords   []string `toml:"stopwords"`
}

// The form in the binary; package secrets has the same names.
type rules struct {
	Source  string  `json:"source"`
	Version string  `json:"version"`
	Allow   []allow `json:"allow"`
	Rules   []rule  `json:"rules"`
}

type rule struct {
	ID       string   `json:"id"`
	Regex    string   `json:"regex"`
	Keywords []string `json:"keywords"`
	Entropy  float64  `json:"entropy,omitempty"`
	Group    int      `json:"group,omitempty"`
	Named    bool     `json:"named,omitempty"` // begins with the name that the secret is given to
	Allow    []allow  `json:"allow,omitempty"`
}

type allow struct {
	Target  string   `json:"target,omitempty"` // "match" or "line"; else the secret
	Regexes []string `json:"regexes,omitempty"`
	Words   []string `json:"words,omitempty"`
}

// leftOut are rules that we do without, and why.
var leftOut = map[string]string{
	"private-key":      "a key lies over several texts of a payload, line by line: package hooks follows it",
	"curl-auth-header": "our own rules find the same and leave the header's name",
	"curl-auth-user":   "our own rules find the same and leave the user's name",
}

// keywords are others than gitleaks': it looks for them in a whole file, we look
// around them.
var keywords = map[string][]string{
	"jwt":                      {"eyj"},  // "ey" is in every "key" and "they"; a token's header is an object, which begins so
	"sourcegraph-access-token": {"sgp_"}, // near the mere name every hash of a commit would be one
	"vault-service-token":      {"hvs."}, // "s." is what tokens began with before 2022, and many a call of a method
}

// named begins the expressions of rules that know a secret by the name that it is
// given to.
var named = []string{`(?i)[\w.-]{0,50}?(?:`, `[\w.-]{0,50}?(?i:[\w.-]{0,50}?(?:`}

func convert(version string, text []byte) ([]byte, error) {
	var in source
	if _, err := toml.Decode(string(text), &in); err != nil {
		return nil, fmt.Errorf("read gitleaks' rules: %w", err)
	}
	out := rules{Source: "https://github.com/gitleaks/gitleaks", Version: strings.TrimSpace(version), Allow: allows([]sourceAllow{in.Allowlist})}
	for _, r := range in.Rules {
		if _, without := leftOut[r.ID]; without || r.Regex == "" || r.Path != "" {
			continue // a rule for files of one name finds nothing where the file is not known
		}
		if len(r.Keywords) == 0 {
			return nil, fmt.Errorf("rule %s has no keyword: it would be tried everywhere", r.ID)
		}
		if _, err := regexp.Compile(r.Regex); err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.ID, err)
		}
		words := r.Keywords
		if others, ok := keywords[r.ID]; ok {
			words = others
		}
		out.Rules = append(out.Rules, rule{
			ID: r.ID, Regex: r.Regex, Keywords: words, Entropy: r.Entropy, Group: r.SecretGroup,
			Named: slices.ContainsFunc(named, func(begin string) bool { return strings.HasPrefix(r.Regex, begin) }),
			Allow: allows(r.Allowlists),
		})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(out); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// allows leaves out what is allowed by the path alone or also by it.
func allows(in []sourceAllow) []allow {
	var out []allow
	for _, a := range in {
		if strings.EqualFold(a.Condition, "AND") && len(a.Paths) > 0 || len(a.Regexes) == 0 && len(a.StopWords) == 0 {
			continue
		}
		words := slices.Clone(a.StopWords)
		slices.Sort(words)
		out = append(out, allow{Target: a.RegexTarget, Regexes: a.Regexes, Words: slices.Compact(words)})
	}
	return out
}
