package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

// openProjects lets the person choose a project, with the present one selected.
func (m *model) openProjects() tea.Cmd {
	c := &choice{title: "Projects", foot: "enter shows · esc closes", empty: "counting…", line: &input{}}
	c.chosen = func(m *model, n int) tea.Cmd {
		key := ""
		if n > 0 {
			key = m.projects[n-1].Key
		}
		return m.setProject(key)
	}
	all := memory.Project{}
	for _, p := range m.projects {
		all.Observations += p.Observations
	}
	options := []option{{label: "All projects", note: count(all.Observations, "memory")}}
	for _, p := range m.projects {
		name := projectName(p.Key)
		if m.namesake(p.Key) {
			name = cleanLine(p.Key)
		}
		options = append(options, option{label: name, note: count(p.Observations, "memory") + "  " + age(p.LastActive, m.now())})
	}
	c.offer(options)
	c.cursor = 1 + slices.IndexFunc(m.projects, func(p memory.Project) bool { return m.project != "" && p.Key == m.project })
	m.overlays = append(m.overlays, c)
	return m.countProjects(0)
}
