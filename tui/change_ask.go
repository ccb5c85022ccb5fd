package tui

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

// askTags lets the person type tags to add and to remove.
func (m *model) askTags() tea.Cmd {
	a := m.aim()
	w := &ask{
		title: "Tags of " + nameOf(a.observations), hint: "+add -remove, or just words to add",
		check: func(text string) string {
			_, _, err := parseTags(text)
			return wrongOf(err)
		},
		done: func(m *model, text string) tea.Cmd {
			add, drop, err := parseTags(text)
			if err != nil || len(add)+len(drop) == 0 {
				return nil
			}
			var what []string
			for _, t := range add {
				what = append(what, "+"+t)
			}
			for _, t := range drop {
				what = append(what, "-"+t)
			}
			s := a.step("Tagged %s", "tag %s", "no tags")
			s.did += ": " + strings.Join(what, " ")
			return m.commit(s, memory.Edit{AddTags: add, RemoveTags: drop}, a.observations)
		},
	}
	m.overlays = append(m.overlays, w)
	return m.cmds.tagsOf(w, a.ids(), a.project())
}

// tagsArrived shows which tags there are already, and lets known ones be completed.
func (m *model) tagsArrived(msg tagsMsg) {
	names := slices.SortedFunc(maps.Keys(msg.present), func(x, y string) int {
		return cmp.Or(cmp.Compare(msg.present[y], msg.present[x]), cmp.Compare(x, y))
	})
	for n, t := range names {
		names[n] = "#" + t
	}
	if len(names) > 0 {
		msg.ask.hint += "\nhas " + strings.Join(names, " ")
	}
	msg.ask.known = msg.known
	for t := range msg.present {
		if !slices.Contains(msg.ask.known, t) {
			msg.ask.known = append(msg.ask.known, t)
		}
	}
}

// parseTags reads what a person typed about tags.
func parseTags(text string) (add, drop []string, err error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '，' || r == '、' })
	for _, f := range fields {
		list := &add
		switch {
		case strings.HasPrefix(f, "+"):
			f = f[1:]
		case strings.HasPrefix(f, "-"):
			f, list = f[1:], &drop
		}
		if f = strings.TrimPrefix(f, "#"); f == "" {
			return nil, nil, errors.New("a tag is missing after + or -")
		}
		if !slices.Contains(*list, f) {
			*list = append(*list, f)
		}
	}
	for _, t := range add {
		if slices.Contains(drop, t) {
			return nil, nil, fmt.Errorf("%s is to be added and removed", t)
		}
	}
	return add, drop, nil
}

// askWrong lets the person say why memories are wrong.
func (m *model) askWrong() {
	a := m.aim()
	m.overlays = append(m.overlays, &ask{
		title: "Why " + isAre(a.observations) + " wrong?", hint: "in a few words; it may be left empty",
		done: func(m *model, text string) tea.Cmd {
			status, reason := memory.StatusInvalid, strings.TrimSpace(text)
			s := a.step("Marked %s as wrong", "mark %s as wrong", "nothing to mark as wrong")
			return m.commit(s, memory.Edit{Status: &status, Reason: &reason}, a.observations)
		},
	})
}

// askExpiry lets the person say until when memories are valid.
func (m *model) askExpiry() {
	a := m.aim()
	m.overlays = append(m.overlays, &ask{
		title: "How long " + isAre(a.observations) + " valid?",
		hint:  "7d, 2w, 3m, 1y, a day like 2026-12-31, or never",
		live: func(text string) string {
			until, err := parseExpiry(text, m.now())
			if err != nil || strings.TrimSpace(text) == "" {
				return ""
			}
			return expiryWords(until)
		},
		check: func(text string) string {
			_, err := parseExpiry(text, m.now())
			return wrongOf(err)
		},
		done: func(m *model, text string) tea.Cmd {
			until, err := parseExpiry(text, m.now())
			if err != nil {
				return nil
			}
			s := a.step("%s: "+expiryWords(until), "set how long %s is valid", "no end")
			return m.commit(s, memory.Edit{ValidUntil: &until}, a.observations)
		},
	})
}

// expiryWords says until when something is valid.
func expiryWords(until time.Time) string {
	if until.IsZero() {
		return "valid without end"
	}
	return "valid until the end of " + until.Format("Mon 2 Jan 2006")
}

// maxYears bounds how far ahead an expiry can lie.
const maxYears = 1000

// parseExpiry reads until when something is valid: the last moment of a day, or
// the zero time for never.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	end := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, -int(time.Millisecond), now.Location())
	}
	switch text {
	case "":
		return time.Time{}, errors.New("say how long, or never")
	case "never":
		return time.Time{}, nil
	case "today":
		return end(now), nil
	case "tomorrow":
		return end(now.AddDate(0, 0, 1)), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		if dayOf(day) < dayOf(now) {
			return time.Time{}, fmt.Errorf("%s is over; archive it to take it out at once", text)
		}
		return end(day), nil
	}
	unit := text[len(text)-1]
	n, err := strconv.Atoi(strings.TrimSpace(text[:len(text)-1]))
	years, months, days := 0, 0, 0
	switch unit {
	case 'd':
		days = n
	case 'w':
		days = 7 * n
	case 'm':
		months = n
	case 'y':
		years = n
	}
	if err != nil || n <= 0 || years+months+days == 0 {
		return time.Time{}, fmt.Errorf("%q is neither a time like 7d, 2w, 3m, 1y nor a day like 2026-12-31", text)
	}
	if n > maxYears*366 || now.AddDate(years, months, days).Year() > now.Year()+maxYears {
		return time.Time{}, errors.New("that is too far ahead; never is without end")
	}
	return end(now.AddDate(years, months, days)), nil
}

// isAre names memories as the subject of a question.
func isAre(items []memory.Item) string {
	if len(items) == 1 {
		return "is " + nameOf(items)
	}
	return "are " + nameOf(items)
}

// wrongOf gives an error as what is wrong with what was typed.
func wrongOf(err error) string {
	if err == nil {
		return ""
	}
	return cleanLine(err.Error())
}

// chooseSuccessor lets the person find the memory that took the place of others.
func (m *model) chooseSuccessor() tea.Cmd {
	a := m.aim()
	var offered []memory.Item
	c := &choice{
		title: "What took the place of " + nameOf(a.observations) + "?", empty: "type words of it, or its number",
		foot: "enter chooses · esc closes", line: &input{},
	}
	near := a.observations[0].ID
	c.changed = func(m *model, text string) tea.Cmd { return m.cmds.candidates(c, text, a.project(), near) }
	c.chosen = func(m *model, n int) tea.Cmd {
		successor := offered[n]
		by := " as superseded by " + idOf(successor.Kind, successor.ID)
		s := a.step("Marked %s"+by, "mark %s"+by, "no successor")
		return m.commit(s, memory.Edit{SupersededBy: &successor.ID}, a.observations)
	}
	c.arrived = func(m *model, items []memory.Item) {
		offered = slices.DeleteFunc(items, func(i memory.Item) bool { return slices.Contains(a.ids(), i.ID) })
		options := make([]option, 0, len(offered))
		for _, i := range offered {
			glyph, _, role := looks(i.Kind, i.Type)
			options = append(options, option{
				lead: []span{{role, glyph + " "}}, label: i.Title,
				note: idOf(i.Kind, i.ID) + "  " + shortTime(i.CreatedAt.In(m.now().Location()), m.now()),
			})
		}
		c.offer(options)
	}
	m.overlays = append(m.overlays, c)
	return m.cmds.candidates(c, "", a.project(), near)
}

// candidatesArrived offers what was found, if it is still what is looked for.
func (m *model) candidatesArrived(msg candidatesMsg) {
	c := msg.choice
	if c.line.text != msg.text || isCancelled(msg.err) {
		return
	}
	if msg.err != nil {
		c.offer(nil)
		c.empty = "it could not be looked for: " + cleanLine(msg.err.Error())
		return
	}
	c.empty = "nothing else has these words"
	c.arrived(m, msg.items)
}
