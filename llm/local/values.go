package local

import (
	"path"
	"strings"
)

var (
	keyValue = newPattern(`^\s*(?:(?:export|const|let|var|static|final|pub|private|public|readonly|ENV|ARG|-D)\s+|- )*["']?([A-Za-z_@][\w./@-]*)["']?\s*(?:: ?[\w<>\[\]*.]+ *=|:=|=>|\?=|=|:)\s*(.+?)\s*$`)
	// modVersion is a line of go.mod or of requirements.txt.
	modVersion  = newPattern(`^\s*(?:require\s+)?([\w./@-]+)(?:\s+|[=~^><]=\s*)(v?\d+(?:\.[\w.+-]+)+)\s*(?://.*)?$`)
	fromImage   = newPattern(`^\s*(?:FROM|image:)\s+([\w./-]+):([\w.-]+)`)
	simpleValue = newPattern("^(?:\"[^\"]{0,60}\"|'[^']{0,60}'|`[^`]{0,60}`|-?\\d[\\d_.]*[a-zA-Z%]{0,3}(?: ?(?:\\*|<<|\\+) ?[\\w.]+)?|[\\w.]+ ?\\* ?\\d+|true|false|null|nil|None|True|False)$")
	secretKey   = newPattern(`(?i)pass(?:word|wd|phrase)?$|secret|token$|api_?key|private_?key|credential`)
	settingName = newPattern(`(?i)(?:max|min|limit|timeout|ttl|port|version|size|count|interval|retries|attempts|delay|threshold|capacity|workers|concurrency|url|host|region|level)`)
)

// valuesIn finds settings and constants that a block gave a new value. A value
// of a key that sounds like a secret is never told.
func valuesIn(file string, b block) []value {
	if isLock(file) || isTest(file) {
		return nil
	}
	config := isConfig(file)
	before := map[string]string{}
	for _, l := range b.removed {
		if k, v, ok := settingIn(l.text, config); ok {
			before[k] = v
		}
	}
	prefix := ""
	if config && len(b.parents) > 0 {
		prefix = strings.Join(b.parents, ".") + "."
	}
	var out []value
	for _, l := range b.added {
		k, v, ok := settingIn(l.text, config)
		if !ok || len(out) >= 12 {
			continue
		}
		old, had := before[k]
		switch {
		case had && old != v:
		case had:
			continue
		case config:
		case strings.ToUpper(k) == k && len(k) > 2, settingName.MatchString(k) && indent(l.text) == 0:
		default:
			continue
		}
		key := k
		if prefix != "" && !strings.Contains(k, "/") {
			key = prefix + k
		}
		out = append(out, value{key, old, v, l.n})
	}
	return out
}

func settingIn(line string, config bool) (key, val string, ok bool) {
	if len(line) > 300 {
		return "", "", false
	}
	if m := fromImage.FindStringSubmatch(line); m != nil {
		return m[1], m[2], true
	}
	if m := modVersion.FindStringSubmatch(line); m != nil && config {
		return m[1], m[2], true
	}
	m := keyValue.FindStringSubmatch(line)
	if m == nil || secretKey.MatchString(m[1]) {
		return "", "", false
	}
	val = strings.TrimRight(m[2], ",; ")
	if i := strings.Index(val, " // "); i > 0 {
		val = strings.TrimRight(val[:i], ",; ")
	}
	if config {
		if i := strings.Index(val, " #"); i > 0 {
			val = strings.TrimSpace(val[:i])
		}
		if strings.HasSuffix(val, "{") || strings.HasSuffix(val, "[") || val == "|" || val == ">" || cells(val) > 70 {
			return "", "", false
		}
		return m[1], val, val != ""
	}
	return m[1], val, simpleValue.MatchString(val)
}

// String tells the value to the letter: "pool_size: 10 → 50".
func (v value) String() string {
	if v.before == "" {
		return v.key + " = " + v.after
	}
	return v.key + ": " + v.before + " → " + v.after
}

// shortFile gives the base name, or the last two parts where the base name says little.
func shortFile(file string) string {
	base := path.Base(file)
	switch strings.TrimSuffix(base, path.Ext(base)) {
	case "index", "main", "mod", "lib", "__init__", "page", "route", "layout", "config", "package", "types", "schema", "handler", "app", "README", "Dockerfile":
		if dir := path.Base(path.Dir(file)); dir != "." && dir != "/" {
			return dir + "/" + base
		}
	}
	return base
}
