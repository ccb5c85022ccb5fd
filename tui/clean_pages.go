package tui

import (
	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

func cleanSessions(list []memory.Session) {
	for n := range list {
		list[n] = cleanSession(list[n])
	}
}

func cleanCounts(list []memory.Count) []memory.Count {
	for n := range list {
		list[n].Name = cleanLine(list[n].Name)
	}
	return list
}

// cleanTotals makes the types harmless, which may be of somebody's own making.
func cleanTotals(t store.Totals) store.Totals {
	types := make(map[string]int, len(t.ByType))
	for name, n := range t.ByType {
		types[cleanLine(name)] += n
	}
	t.ByType = types
	return t
}

func cleanEntry(e recall.ContextEntry) recall.ContextEntry {
	e.Item = cleanItems([]memory.Item{e.Item})[0]
	e.Reason = cleanReason(e.Reason)
	return e
}

// cleanReason makes what a reason says harmless. Project stays: it is a key.
func cleanReason(r recall.Reason) recall.Reason {
	r.Filter, r.Note, r.By = cleanLine(r.Filter), cleanLine(r.Note), cleanLine(r.By)
	r.Words = cleanLines(r.Words)
	return r
}
