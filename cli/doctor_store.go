package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cmem/config"
	"cmem/store"
)

// diagnoseStore looks at the store. With fix it repairs what can be, and what
// cannot it salvages into a fresh store.
func (a *App) diagnoseStore(ctx context.Context, cfg *config.Config, fix bool) []diagnosis {
	if _, err := os.Stat(cfg.DB()); errors.Is(err, os.ErrNotExist) {
		return []diagnosis{{Name: "store", OK: true, Found: "none yet; the first session makes it", Advice: backupAdvice(cfg, "if there was one, ")}}
	}
	all, broken := examineStore(ctx, cfg, fix)
	if !fix || !broken {
		return all
	}
	saved, err := a.salvage(ctx, cfg)
	if err != nil {
		all = append(all, diagnosis{Name: "store", Found: err.Error(), Advice: storeAdvice(cfg, err)})
	}
	if !saved.Done {
		return all
	}
	after, _ := examineStore(ctx, cfg, false)
	return slices.Concat(all, describeSalvaged(cfg, saved), after)
}

// examineStore checks the store, and repairs when fix is set. It reports whether
// there is damage that only salvaging helps against.
func examineStore(ctx context.Context, cfg *config.Config, fix bool) (all []diagnosis, broken bool) {
	s, err := store.Open(ctx, cfg.DB())
	if err != nil {
		broken = errors.Is(err, store.ErrDamaged)
		return []diagnosis{{Name: "store", Found: err.Error(), Advice: storeAdvice(cfg, err), Fixable: broken}}, broken
	}
	defer s.Close() //nolint:errcheck // nothing is written after Fix
	if fix {
		done, err := s.Fix(ctx)
		for _, what := range done {
			all = append(all, diagnosis{Name: "store", OK: true, Found: what})
		}
		if errors.Is(err, store.ErrDamaged) {
			return all, true
		}
		if err != nil {
			all = append(all, diagnosis{Name: "store", Found: err.Error(), Advice: storeAdvice(cfg, err)})
		}
	}
	findings, err := s.Check(ctx)
	if err != nil {
		return append(all, diagnosis{Name: "store", Found: err.Error(), Advice: storeAdvice(cfg, err)}), false
	}
	for _, f := range findings {
		damaged := f.Name == store.CheckIntegrity && !f.Fixable
		broken = broken || damaged
		all = append(all, diagnosis{Name: "store", Found: f.Problem, Advice: f.Advice, Fixable: f.Fixable || damaged})
	}
	if len(findings) == 0 {
		all = append(all, diagnosis{Name: "store", OK: true, Found: "sound: " + filepath.Base(cfg.DB()) + " passed every check"})
	}
	if t, err := s.Totals(ctx, ""); err == nil && t.Sessions == 0 {
		if advice := backupAdvice(cfg, "if it should have, "); advice != "" {
			all = append(all, diagnosis{Name: "store", OK: true, Found: "it has no memories", Advice: advice})
		}
	}
	if len(findings) == 0 {
		all = append(all, diagnoseMeaning(ctx, cfg, s, askEmbedder))
	}
	return all, broken
}

func (a *App) salvage(ctx context.Context, cfg *config.Config) (saved store.Salvaged, err error) {
	err = a.withoutWorker(cfg, func() error {
		saved, err = store.Salvage(ctx, cfg.DB())
		return err
	})
	return saved, err
}

// describeSalvaged says what was saved and what was not.
func describeSalvaged(cfg *config.Config, saved store.Salvaged) []diagnosis {
	if saved.Rows() == 0 {
		return []diagnosis{{
			Name: "store", OK: true, Found: "nothing of it could be read; a new one stands in its place",
			Advice: "what was there is kept as " + saved.Kept,
		}}
	}
	var whole, part []string
	for _, t := range saved.Tables {
		word, shown := salvagedWords[t.Name]
		switch lost := t.Known - t.Saved; {
		case !shown || t.Known == 0:
		case lost > 0:
			part = append(part, fmt.Sprintf("%s of %s", grouped(t.Saved), count(t.Known, word)))
		default:
			whole = append(whole, count(t.Saved, word))
		}
	}
	text := "salvaged " + strings.Join(append(part, whole...), ", ")
	cut, remade := 0, 0
	for _, t := range saved.Tables {
		cut += t.Cut
		remade += t.Remade
	}
	if remade > 0 {
		text += "; made " + count(remade, "session") + " anew from what was in them"
	}
	if cut > 0 {
		text += "; " + grouped(cut) + " of the rows lost a part, such as the end of a text"
	}
	all := []diagnosis{{Name: "store", OK: true, Found: text, Advice: "the damaged store is kept as " + saved.Kept + "; delete it when you miss nothing"}}
	if advice := backupAdvice(cfg, "what is missing may be in a backup: "); advice != "" && len(part) > 0 {
		all[0].Advice += "; " + advice
	}
	return all
}

// salvagedWords are the words for what people know of the tables.
var salvagedWords = map[string]string{
	"sdk_sessions": "session", "user_prompts": "prompt", "events": "event", "observations": "observation", "session_summaries": "summary",
}

// storeAdvice says what to do about a store that cannot be opened or repaired.
func storeAdvice(cfg *config.Config, err error) string {
	var newer *store.NewerSchemaError
	var full *store.NoRoomError
	switch {
	case errors.Is(err, store.ErrNothingLeft):
		return backupAdvice(cfg, "")
	case errors.Is(err, store.ErrDamaged):
		return "`cmem doctor --fix` saves what can be read into a fresh store and keeps the damaged one; hooks keep their events in the spool meanwhile"
	case errors.Is(err, store.ErrBusy):
		return "try again when the other program is done"
	case errors.As(err, &full):
		return "free some space; hooks keep their events in the spool meanwhile"
	case errors.As(err, &newer):
		return "upgrade cmem; hooks keep their events in the spool meanwhile"
	}
	return "hooks keep their events in the spool meanwhile"
}

// backupAdvice says how to get the newest backup back, "" when there is none.
func backupAdvice(cfg *config.Config, before string) string {
	list, err := store.Backups(cfg.DB())
	if errors.Is(err, fs.ErrNotExist) || err != nil || len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("%s`cmem restore %s` brings back the store of %s", before, quotedPath(list[0].Path), localTime(list[0].At))
}
