package tui

import (
	"fmt"
	"strings"

	"cmem/memory"
)

// markdown writes a memory for the clipboard.
func markdown(item memory.Item, c content) string {
	var b strings.Builder
	section := func(title, body string) {
		if body != "" {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", title, body)
		}
	}
	list := func(title string, items []string, format string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n", title)
		for _, i := range items {
			fmt.Fprintf(&b, format, i)
		}
	}
	_, word, _ := looks(item.Kind, item.Type)
	title := item.Title
	if item.Kind == memory.KindPrompt {
		title = fmt.Sprintf("Prompt %d", item.PromptNumber)
	}
	fmt.Fprintf(&b, "# %s\n\n%s %s · %s · %s\n", title, word, idOf(item.Kind, item.ID),
		item.CreatedAt.UTC().Format("2006-01-02 15:04 MST"), projectName(item.Project))
	switch item.Kind {
	case memory.KindObservation:
		o := c.observation
		if o.Subtitle != "" {
			fmt.Fprintf(&b, "\n*%s*\n", o.Subtitle)
		}
		if o.Status != "" && o.Status != memory.StatusActive {
			fmt.Fprintf(&b, "\n> %s\n", strings.TrimSuffix(statusWord(o.Status)+": "+o.StatusReason, ": "))
		}
		if o.Narrative != "" {
			fmt.Fprintf(&b, "\n%s\n", o.Narrative)
		}
		list("Facts", o.Facts, "- %s\n")
		list("Concepts", o.Concepts, "- %s\n")
		list("Tags", o.Tags, "- %s\n")
		list("Files changed", o.FilesModified, "- `%s`\n")
		list("Files read", o.FilesRead, "- `%s`\n")
	case memory.KindSummary:
		s := c.summary
		section("Investigated", s.Investigated)
		section("Learned", s.Learned)
		section("Completed", s.Completed)
		section("Next steps", s.NextSteps)
		section("Notes", s.Notes)
		list("Files changed", s.FilesModified, "- `%s`\n")
		list("Files read", s.FilesRead, "- `%s`\n")
	default:
		fmt.Fprintf(&b, "\n%s\n", c.prompt.Text)
	}
	return b.String()
}
