package cli

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"cmem/config"
	"cmem/logs"
)

// lately is how far doctor looks back in the log.
const lately = 24 * time.Hour

const (
	mostHappenings = 12  // are told
	mostGroups     = 200 // are kept while the log is read: old lines are told apart by their words
)

// happening is what went wrong in one way, once or often.
type happening struct {
	Kind  logs.Kind  `json:"kind,omitempty"` // "" for a line of an older version
	Cause logs.Cause `json:"cause,omitempty"`
	Count int        `json:"count"`
	First time.Time  `json:"first"`
	Last  time.Time  `json:"last"`

	newest   logs.Line
	overcome time.Time // when it was well again; zero when that is not known
}

// diagnoseLog turns what went wrong lately into sentences. It is told, not counted
// as wrong, for the log does not know what has been mended since; but an event
// that was lost is something to know.
func (a *App) diagnoseLog(cfg *config.Config) []diagnosis {
	all, err := happenings(cfg, a.Now())
	if err != nil {
		return []diagnosis{{Name: "log", Found: err.Error()}}
	}
	if len(all) == 0 {
		return []diagnosis{{Name: "log", OK: true, Found: "no problem was logged in the last 24 hours"}}
	}
	var told []diagnosis
	for i := range all[:min(len(all), mostHappenings)] {
		h := &all[i]
		found, advice := h.tell(cfg)
		told = append(told, diagnosis{Name: "log", OK: h.Kind != logs.EventLost, Found: found, Advice: advice, Lately: h})
	}
	if more := len(all) - len(told); more > 0 {
		told = append(told, diagnosis{Name: "log", OK: true, Found: count(more, "other thing") + " went wrong", Advice: "`cmem logs --level warn --since 24h` shows all"})
	}
	return told
}

// overcomes says which kind of line ends which kind of problem.
var overcomes = map[logs.Kind]logs.Kind{logs.ProviderBack: logs.ProviderFailed, logs.EmbedderBack: logs.EmbedderFailed}

// happenings reads the last day of the log: lost events first, then what happened
// last.
func happenings(cfg *config.Config, now time.Time) ([]happening, error) {
	logs.ReportCrashes(cfg.Logs(), newLog(cfg, "doctor"))
	groups := map[string]*happening{}
	back := map[logs.Kind]time.Time{} // by what has been overcome
	_, err := logs.Read(cfg.Logs(), logs.Query{Last: -1, Level: slog.LevelInfo, Since: now.Add(-lately)}, func(l logs.Line) error {
		if failed, ends := overcomes[l.Kind]; ends {
			back[failed] = l.Time
		}
		if l.Level < slog.LevelWarn {
			return nil
		}
		key := string(l.Kind) + "\x00" + string(l.Cause)
		if l.Kind == "" {
			key += "\x00" + l.Message
		}
		h := groups[key]
		switch {
		case h == nil && len(groups) == mostGroups:
			return nil
		case h == nil:
			h = &happening{Kind: l.Kind, Cause: l.Cause, First: l.Time}
			groups[key] = h
		}
		h.Count++
		h.Last, h.newest = l.Time, l
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	var all []happening
	for _, h := range groups {
		if at := back[h.Kind]; at.After(h.Last) {
			h.overcome = at
		}
		all = append(all, *h)
	}
	slices.SortFunc(all, func(x, y happening) int {
		if lx, ly := x.Kind == logs.EventLost, y.Kind == logs.EventLost; lx != ly {
			if lx {
				return -1
			}
			return 1
		}
		return cmp.Or(y.Last.Compare(x.Last), strings.Compare(string(x.Kind+y.newest.Kind), string(y.Kind+x.newest.Kind)))
	})
	return all, nil
}

// tell gives a sentence about what happened, and what to do.
func (h *happening) tell(cfg *config.Config) (found, advice string) {
	t, known := tellings[h.Kind]
	switch {
	case !known:
		found = h.newest.Message
		if h.Count > 1 {
			found = fmt.Sprintf("%s, %s", found, times(h.Count))
		}
	case h.Count == 1:
		found = t.one
	default:
		found = fmt.Sprintf(t.many, grouped(h.Count))
	}
	if why := causes[h.Cause].because; why != "" {
		found += ", because " + why
	}
	found += h.when()
	if h.newest.Error != "" {
		last := ""
		if h.Count > 1 {
			last = "last: "
		}
		found += fmt.Sprintf(" (%s%s)", last, oneLine(h.newest.Error, 200))
	}
	if place, _, _ := strings.Cut(h.newest.Field("stack"), "\n"); place != "" {
		found += " in " + oneLine(place, 200)
	}
	if !h.overcome.IsZero() {
		return found + "; it answers again since " + localTime(h.overcome), ""
	}
	advice = cmp.Or(causes[h.Cause].advice, t.advice)
	if h.Kind == logs.EmbedderFailed || h.Kind == logs.EmbedderRefused { // the causes' is about the compressor
		advice = t.advice
	}
	return found, strings.NewReplacer("{data}", cfg.DataDir(), "{settings}", cfg.File(), "{provider}", cfg.String("provider"), "{folder}", h.newest.Field("folder")).Replace(advice)
}

// when tells the time of what happened.
func (h *happening) when() string {
	first, last := localTime(h.First), localTime(h.Last)
	if first == last {
		return ", at " + last
	}
	return fmt.Sprintf(", between %s and %s", first, last)
}

// times gives "once" or "n times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return grouped(n) + " times"
}
