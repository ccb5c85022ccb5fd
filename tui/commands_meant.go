package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

// maxMeant is how many memories that mean what is searched for are shown below those
// that hold the words.
const maxMeant = 20

// meant looks for memories that mean what text says, once the typing rests: who
// types sees what holds the words, and nothing moves under the cursor.
func (c *commands) meant(list int, text string, f memory.Filter) tea.Cmd {
	return c.run(slotMeant, "search by meaning", func(ctx context.Context) tea.Msg {
		if !sleep(ctx, c.timing.meant) {
			return nil
		}
		hits, err := c.source.Meant(ctx, text, f, maxMeant)
		found := make([]hit, len(hits))
		for i, h := range hits {
			found[i] = meantOf(text, h)
		}
		return meantMsg{list, found, err}
	})
}
