package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cmem/config"
	"cmem/export"
	"cmem/hooks"
	"cmem/hooks/spool"
	"cmem/logs"
	"cmem/memory"
	"cmem/project"
	"cmem/store"
)

// forgetting is all that was found of what a person wants forgotten.
type forgetting struct {
	what     store.Forgetting
	words    phrases
	whole    bool     // all of the sessions that were asked for, not what has words or is of a kind or time
	waiting  []string // files of the spool
	drafts   []string // files and folders that the browser left
	logLines int      // with the words
}

// phrases are what a text must have all of, in lower case.
type phrases []string

func newPhrases(words []string) phrases {
	var p phrases
	for _, w := range words {
		if w = strings.ToLower(strings.TrimSpace(w)); w != "" {
			p = append(p, w)
		}
	}
	return p
}

// in reports whether the texts have all of the phrases, in any case. Without any,
// everything has them.
func (p phrases) in(texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	for _, w := range p {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

// inPayload reports whether a JSON text has all of the phrases as it stands or in
// what it says.
func (p phrases) inPayload(raw []byte) bool {
	if p.in(string(raw)) {
		return true
	}
	if !bytes.ContainsRune(raw, '\\') {
		return false
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return false
	}
	var text strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			text.WriteString(v + "\n")
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for k, x := range v {
				text.WriteString(k + "\n")
				walk(x)
			}
		}
	}
	walk(v)
	return p.in(text.String())
}

// findForgetting looks for what the ids or the flags tell, everywhere in the data
// directory.
func (a *App) findForgetting(ctx context.Context, cfg *config.Config, s *store.Store, flags filterFlags, words, ids []string) (*forgetting, error) {
	f := &forgetting{words: newPhrases(words)}
	if len(words) > 0 && len(f.words) == 0 {
		return nil, usageError{errors.New("--match is empty")}
	}
	var where memory.Filter
	var err error
	if len(ids) > 0 {
		err = f.findIDs(ctx, s, ids)
	} else if where, err = flags.filter(ctx, a, s); err == nil {
		f.whole = len(f.words) == 0 && flags.onlyOrigin()
		err = f.findInStore(ctx, s, export.Everything(where))
	}
	if err != nil {
		return nil, err
	}
	if err := f.findWaiting(cfg, where); err != nil {
		return nil, err
	}
	if err := f.findDrafts(ctx, cfg, s); err != nil {
		return nil, err
	}
	return f, f.findLogLines(cfg)
}

func (f *forgetting) findIDs(ctx context.Context, s *store.Store, ids []string) error {
	for _, id := range ids {
		v, err := lookUp(ctx, s, id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return fmt.Errorf("nothing has the id %s", id)
		case err != nil:
			return err
		}
		switch v := v.(type) {
		case memory.Session:
			f.what.Sessions = append(f.what.Sessions, v.ID)
		case memory.Observation:
			f.what.Refs = append(f.what.Refs, memory.Ref{Kind: memory.KindObservation, ID: v.ID})
		case memory.Summary:
			f.what.Refs = append(f.what.Refs, memory.Ref{Kind: memory.KindSummary, ID: v.ID})
		case memory.Prompt:
			f.what.Refs = append(f.what.Refs, memory.Ref{Kind: memory.KindPrompt, ID: v.ID})
		}
	}
	return nil
}

// findInStore finds whole sessions or, in them, single memories and raw events.
func (f *forgetting) findInStore(ctx context.Context, s *store.Store, where memory.Filter) error {
	if f.whole {
		return each(s.ScanSessions(ctx, where), func(v memory.Session) { f.what.Sessions = append(f.what.Sessions, v.ID) })
	}
	add := func(kind memory.ItemKind, id int64, texts ...string) {
		if f.words.in(texts...) {
			f.what.Refs = append(f.what.Refs, memory.Ref{Kind: kind, ID: id})
		}
	}
	err := each(s.ScanObservations(ctx, where), func(o memory.Observation) {
		add(memory.KindObservation, o.ID, append([]string{o.Title, o.Subtitle, o.Narrative},
			strings.Join(o.Facts, "\n"), strings.Join(o.Concepts, "\n"), strings.Join(o.Tags, "\n"), strings.Join(o.FilesRead, "\n"), strings.Join(o.FilesModified, "\n"))...)
	})
	if err != nil || len(where.Types) > 0 || len(where.Concepts) > 0 || len(where.Files) > 0 {
		return err // nothing else has these
	}
	return errors.Join(
		each(s.ScanSummaries(ctx, where), func(m memory.Summary) {
			add(memory.KindSummary, m.ID, m.Request, m.Investigated, m.Learned, m.Completed, m.NextSteps, m.Notes, strings.Join(m.FilesRead, "\n"), strings.Join(m.FilesModified, "\n"))
		}),
		each(s.ScanPrompts(ctx, where), func(p memory.Prompt) { add(memory.KindPrompt, p.ID, p.Text) }),
		each(s.ScanRaw(ctx, where), func(e memory.RawEvent) {
			if f.words.inPayload(e.Payload) {
				f.what.Events = append(f.what.Events, e.ID)
			}
		}),
	)
}

// each calls do for everything that a scan gives.
func each[T any](scan iter.Seq2[T, error], do func(T)) error {
	for v, err := range scan {
		if err != nil {
			return err
		}
		do(v)
	}
	return nil
}

// findWaiting finds events in the spool that belong to the sessions or the project,
// or have the words.
func (f *forgetting) findWaiting(cfg *config.Config, where memory.Filter) error {
	sessions := map[string]bool{}
	for _, id := range f.what.Sessions {
		sessions[id] = true
	}
	look := func(dir string, list func(string) ([]string, error)) error {
		names, err := list(cfg.Spool())
		if err != nil {
			return fmt.Errorf("list the waiting events: %w", err)
		}
		for _, name := range names {
			path := filepath.Join(dir, name)
			raw, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue // the worker has it
			}
			if err != nil {
				return fmt.Errorf("read a waiting event: %w", err)
			}
			if f.isAsked(raw, name, sessions, where) {
				f.waiting = append(f.waiting, path)
			}
		}
		return nil
	}
	return errors.Join(
		look(spool.NewDir(cfg.Spool()), spool.List),
		look(spool.BadDir(cfg.Spool()), spool.ListBad),
		look(spool.TmpDir(cfg.Spool()), spool.ListTmp),
	)
}

// isAsked reports whether an event that waits is one to be forgotten.
func (f *forgetting) isAsked(raw []byte, name string, sessions map[string]bool, where memory.Filter) bool {
	e, err := hooks.Decode(name, raw)
	if err != nil {
		// It was put aside for that, or a hook was killed while it wrote it: what stands in
		// it is all to go by.
		for id := range sessions {
			if bytes.Contains(raw, []byte(strconv.Quote(id))) {
				return true
			}
		}
		return len(f.words) > 0 && f.words.inPayload(raw)
	}
	inPlace := (where.SessionID == "" || e.SessionID == where.SessionID) && (where.Project == "" || project.Find(e.CWD).Key == where.Project)
	switch {
	case sessions[e.SessionID]:
		return true
	case len(f.words) > 0:
		return inPlace && f.words.inPayload(raw)
	default: // memories of a kind or a time are not yet what events that wait will be
		return f.whole && where.Project != "" && inPlace
	}
}

// findDrafts finds texts that the browser keeps in files.
func (f *forgetting) findDrafts(ctx context.Context, cfg *config.Config, s *store.Store) error {
	ids := map[int64]bool{}
	for _, ref := range f.what.Refs {
		if ref.Kind == memory.KindObservation {
			ids[ref.ID] = true
		}
	}
	ofSession := func(id int64) bool {
		o, err := s.Observation(ctx, id)
		if err != nil {
			return true // it is not remembered any more
		}
		for _, session := range f.what.Sessions {
			if o.SessionID == session {
				return true
			}
		}
		return false
	}
	err := filepath.WalkDir(filepath.Join(cfg.DataDir(), scratchFolder), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var id int64
		_, _ = fmt.Sscanf(d.Name(), "observation-%d", &id) // another name has no id
		if len(f.words) > 0 && f.words.in(string(text)) || id > 0 && (ids[id] || len(f.what.Sessions) > 0 && ofSession(id)) {
			f.drafts = append(f.drafts, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look through the drafts: %w", err)
	}
	if state, err := os.ReadFile(cfg.UIState()); err == nil && len(f.words) > 0 && f.words.inPayload(state) {
		f.drafts = append(f.drafts, cfg.UIState())
	}
	return nil
}

// findLogLines counts the lines of the log with the words. At the level debug it may
// have texts.
func (f *forgetting) findLogLines(cfg *config.Config) (err error) {
	f.logLines, err = logs.Count(cfg.Logs(), f.inLog)
	return err
}

// inLog reports whether a line of the log has the words.
func (f *forgetting) inLog(line []byte) bool { return len(f.words) > 0 && f.words.inPayload(line) }

// removeFiles removes what was found outside of the store.
func (f *forgetting) removeFiles(cfg *config.Config) error {
	for _, path := range f.waiting {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a waiting event: %w", err)
		}
	}
	for _, session := range f.what.Sessions {
		if err := hooks.ForgetTold(cfg.DataDir(), session); err != nil {
			return err
		}
	}
	for _, path := range f.drafts {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("remove a draft: %w", err)
		}
	}
	logs.ReportCrashes(cfg.Logs(), newLog(cfg, "forget")) // without the words that it may quote
	_, err := logs.Drop(cfg.Logs(), f.inLog)
	return err
}
