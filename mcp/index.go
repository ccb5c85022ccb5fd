package mcp

import (
	"fmt"
	"strconv"
	"strings"

	"cmem/memory"
	"cmem/recall"
)

// What the parts of a line of an index may cost, in tokens: so much that twenty
// lines, the longest there can be, are within indexTokens.
const (
	titleTokens   = 36
	aboutTokens   = 26
	typeTokens    = 5
	projectTokens = 7
)

// index writes the answer to a search.
func (l lookup) index(found recall.Answer, missed []recall.Miss) answer {
	p := newPage(l.tokens)
	what := l.place()
	if l.query != "" {
		what = "for «" + withinTokens(oneLine(l.query), 24) + "» " + what
	}
	data := indexData{Notes: found.Notes}
	switch {
	case len(found.Results) > 0:
		p.note(plural(len(found.Results), "memory ", "memories ") + what + ". Each line: #id time type title — about ~tokens to read it whole.")
	case l.offset > 0 || !l.after.IsZero():
		p.note("No further memory " + what + ".")
	default:
		p.note("No memory " + what + "." + l.broader(l.query))
	}
	for _, n := range found.Notes {
		p.note("Note: " + withinTokens(oneLine(n), 80))
	}
	shown := 0
	for _, r := range found.Results {
		line := indexLine(r, l.everywhere())
		if l.explain {
			line += scoreLine(r)
		}
		x := indexedOf(r, l.explain)
		if p.add(line, l.given(line, x)) {
			shown++
			data.Results = append(data.Results, x)
		}
	}
	data.Next = l.next(found, shown)
	switch {
	case p.cut > 0 && shown == 0:
		p.note(fmt.Sprintf("No line fits max_tokens=%d: raise it.", l.tokens))
	case p.cut > 0:
		p.note(fmt.Sprintf("%d more found no room in max_tokens=%d. More: %s", p.cut, l.tokens, data.Next))
	case found.More:
		p.note("More: " + data.Next)
	}
	if len(missed) > 0 {
		p.note("Not shown, and why:")
		for _, m := range missed {
			r := recall.ResultOf(m.Hit)
			line := strings.TrimSuffix(indexLine(r, true), "\n") + " (" + reasons(m) + ")\n"
			x := indexedOf(r, false)
			x.Why = reasons(m)
			if p.add(line, l.given(line, x)) {
				data.Missed = append(data.Missed, x)
			}
		}
	}
	return answer{text: p.String(), data: data}
}

// given is the form of a line that the answer is given in.
func (l lookup) given(line string, x indexed) string {
	if l.json {
		return x.String()
	}
	return line
}

// next gives the parameter that goes on behind what is shown, "" at the end.
func (l lookup) next(found recall.Answer, shown int) string {
	if shown == 0 || shown == len(found.Results) && !found.More {
		return ""
	}
	if l.query == "" {
		last := found.Results[shown-1]
		return "cursor=" + label(last.Kind, last.ID)
	}
	return "offset=" + strconv.Itoa(l.offset+shown)
}

func indexLine(r recall.Result, withProject bool) string {
	var b strings.Builder
	b.WriteString(label(r.Kind, r.ID) + " " + minute(r.CreatedAt) + " ")
	if withProject {
		b.WriteString("[" + withinTokens(oneLine(shortName(r.Project)), projectTokens) + "] ")
	}
	title := oneLine(r.Title)
	b.WriteString(typeOf(r.Item) + " " + withinTokens(title, titleTokens))
	if about := about(r, title); about != "" {
		b.WriteString(" — " + withinTokens(about, aboutTokens))
	}
	if r.Scope.IsGlobal() {
		b.WriteString(" (" + string(r.Scope) + ")")
	}
	if r.Status != "" && r.Status != memory.StatusActive {
		b.WriteString(" (" + shorten(oneLine(string(r.Status)), 12) + ")")
	}
	if n := len(r.Folded); n > 0 {
		fmt.Fprintf(&b, " (+%d alike)", n)
	}
	fmt.Fprintf(&b, " ~%d\n", r.Tokens)
	return b.String()
}

// typeOf gives an observation's type, and the kind of other rows.
func typeOf(i memory.Item) string {
	switch i.Kind {
	case memory.KindPrompt, memory.KindSummary:
		return string(i.Kind)
	}
	return withinTokens(oneLine(i.Type), typeTokens)
}

// scoreLine says where a result has its place from.
func scoreLine(r recall.Result) string {
	s := r.Score
	line := fmt.Sprintf("  score %.2f = keyword %.2f, semantic %.2f, recency %.2f, tags %.2f", s.Total, s.Keyword, s.Semantic, s.Recency, s.Tags)
	if s.Exact {
		line += ", exact"
	}
	if len(r.Folded) > 0 {
		var ids []string
		for _, id := range r.Folded {
			ids = append(ids, label(r.Kind, id))
		}
		line += "; alike: " + shorten(strings.Join(ids, " "), 80)
	}
	return line + "\n"
}

// about says more than the title: the place that matched, else the subtitle,
// else the files.
func about(r recall.Result, title string) string {
	for _, s := range []string{r.Snippet, r.Subtitle} {
		if s = oneLine(s); s != "" && !strings.Contains(title, strings.Trim(s, "…. ")) {
			return s
		}
	}
	if r.Observation == nil {
		return ""
	}
	files := r.Observation.FilesModified
	if len(files) == 0 {
		files = r.Observation.FilesRead
	}
	return oneLine(strings.Join(files[:min(len(files), 3)], ", "))
}

// reasons says why a memory was not found.
func reasons(m recall.Miss) string {
	var why []string
	for _, r := range m.Reasons {
		why = append(why, r.String())
	}
	return withinTokens(oneLine(strings.Join(why, "; ")), 24)
}
