package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cmem/memory"
)

// machinePrompt is how a prompt begins that the host wrote to itself.
const machinePrompt = "<task-notification>"

const promptColumns = "id, session_id, project, prompt_number, prompt_id, prompt_text, machine, created_at_epoch"

func scanPrompt(r row) (memory.Prompt, error) {
	var p memory.Prompt
	return p, r.Scan(promptFields(&p)...)
}

// promptFields are where the promptColumns go.
func promptFields(p *memory.Prompt) []any {
	return []any{&p.ID, &p.SessionID, &p.Project, &p.Number, &p.PromptID, &p.Text, &p.Machine, epoch{&p.CreatedAt}}
}

// Prompt gives one prompt, ErrNotFound when there is none with that id.
func (s *Store) Prompt(ctx context.Context, id int64) (memory.Prompt, error) {
	p, err := one(ctx, s.read, scanPrompt, "SELECT "+promptColumns+" FROM user_prompts WHERE id = ?", id)
	if err != nil {
		return p, fmt.Errorf("read prompt %d: %w", id, err)
	}
	return p, nil
}

// SessionPrompts gives the prompts of a session in order.
func (s *Store) SessionPrompts(ctx context.Context, sessionID string) ([]memory.Prompt, error) {
	list, err := all(ctx, s.read, scanPrompt, "SELECT "+promptColumns+
		" FROM user_prompts WHERE session_id = ? ORDER BY prompt_number", sessionID)
	if err != nil {
		return nil, fmt.Errorf("read the prompts of session %s: %w", sessionID, err)
	}
	return list, nil
}

// promptPage is the query for the rows of a span in the given direction.
func promptPage(f filter, in span, direction string, limit int) (query string, args []any) {
	return page(memory.KindPrompt, promptColumns, f, in, direction, limit, time.Time{})
}

// insertPrompt stores p; one with the same number in its session is left alone.
func insertPrompt(ctx context.Context, t tx, p memory.Prompt) (added bool, err error) {
	text := clean(p.Text)
	changed, err := t.exec(ctx, `INSERT INTO user_prompts (
			id, session_id, project, prompt_number, prompt_id, machine, tokens_read, created_at, created_at_epoch, prompt_text, tokens)
		VALUES (`+nextID("user_prompts", memory.KindPrompt)+`, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		clean(p.SessionID), clean(p.Project), p.Number, clean(p.PromptID), p.Machine || strings.HasPrefix(text, machinePrompt),
		memory.EstimateTokens(text), isoTime(p.CreatedAt), p.CreatedAt.UnixMilli(), text, promptTokens(text))
	return changed > 0, err
}
