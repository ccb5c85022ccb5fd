// Command mini is a timeline and a pane with details in Bubble Tea at 120
// frames a second, without a store, a theme or anything else: what a terminal
// program made with it costs at least. The memory browser is measured against
// it. It knows the keys j, k and q.
package main

import (
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

const total = 100_000 // rows

type model struct {
	width, height, cursor, top int
	row, selected, pane        lipgloss.Style
}

// Init implements tea.Model.
func (m model) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q":
			return m, tea.Quit
		case "j":
			m.cursor = min(m.cursor+1, total-1)
		case "k":
			m.cursor = max(m.cursor-1, 0)
		}
	}
	m.top = max(min(m.top, m.cursor), m.cursor-m.rows()+1)
	return m, nil
}

func (m model) rows() int { return max(m.height-3, 1) }

func title(i int) string {
	return fmt.Sprintf("%02d:%02d  bugfix    #%05d Fixed the token refresh race in auth", i/60%24, i%60, i)
}

// View implements tea.Model.
func (m model) View() tea.View {
	v := tea.NewView(m.screen())
	v.AltScreen = true
	return v
}

func (m model) screen() string {
	if m.width == 0 {
		return ""
	}
	left, rows := m.width/2, m.rows()
	var list []string
	for i := m.top; i < min(m.top+rows, total); i++ {
		style := m.row
		if i == m.cursor {
			style = m.selected
		}
		text := title(i)
		list = append(list, style.Width(left-2).Render(text[:max(min(len(text), left-2), 0)]))
	}
	details := fmt.Sprintf("Observation #%d\n\n%s\n\n%s", m.cursor, title(m.cursor),
		strings.Repeat("The refresh path held the lock while it awaited the network. ", 6))
	return lipgloss.JoinVertical(lipgloss.Left,
		lipgloss.JoinHorizontal(lipgloss.Top,
			m.pane.Width(left).Height(rows+2).Render(strings.Join(list, "\n")),
			m.pane.Width(m.width-left).Height(rows+2).Render(details)),
		m.row.Render(fmt.Sprintf("%d of %d   j/k move   q quit", m.cursor+1, total)))
}

func main() {
	m := model{
		row:      lipgloss.NewStyle().Foreground(lipgloss.Color("#888899")),
		selected: lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color("#ffffff")).Background(lipgloss.Color("#5544cc")),
		pane:     lipgloss.NewStyle().Border(lipgloss.RoundedBorder()).BorderForeground(lipgloss.Color("#5544cc")),
	}
	if _, err := tea.NewProgram(m, tea.WithFPS(120)).Run(); err != nil {
		fmt.Fprintln(os.Stderr, "mini:", err)
		os.Exit(1)
	}
}
