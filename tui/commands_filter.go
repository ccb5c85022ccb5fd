package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// values asks for the values that a filter can have. They are an offer only:
// where they cannot be read, none are made.
func (c *commands) values(word, lead, field, typed, project string) tea.Cmd {
	return c.run(slotCompletion, "complete a filter", func(ctx context.Context) tea.Msg {
		values, err := c.source.Values(ctx, field, typed, project, maxSuggestions)
		if err != nil {
			return nil
		}
		for i := range values {
			values[i].Name = cleanLine(values[i].Name)
		}
		return completionMsg{word, lead, values}
	})
}
