package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"cmem/hooks"
	"cmem/store"
)

const (
	// findPatience is how long FindImports looks: somebody waits for its answer.
	findPatience = 200 * time.Millisecond
	// findFiles is at how many transcripts counting ends.
	findFiles = 10_000
)

// Found is something on this machine that can be imported.
type Found struct {
	Kind    string // "claude-code" or "claude-mem"
	Path    string // a folder of transcripts or a database
	What    string // for people: "214 Claude Code transcripts, 92.0 MiB"
	Command string // what imports it
}

// FindImports looks for what can be imported: Claude Code's transcripts and a
// claude-mem database, in their usual places below home or where the environment
// says. It answers within a fifth of a second and counts no further than it gets.
// Where there is nothing, or nothing can be read, there is nothing found.
func FindImports(ctx context.Context, home string, getenv func(string) string) []Found {
	ctx, cancel := context.WithTimeout(ctx, findPatience)
	defer cancel()
	finders := []func(context.Context) (Found, bool){
		func(ctx context.Context) (Found, bool) {
			return findTranscripts(ctx, hooks.TranscriptsDir(getenv, home))
		},
		func(ctx context.Context) (Found, bool) { return findClaudeMem(ctx, claudeMemFile(getenv, home)) },
	}
	type answer struct {
		Found
		ok bool
	}
	answers := make([]chan answer, len(finders))
	for i, find := range finders {
		answers[i] = make(chan answer, 1)
		go func() {
			// Some time is left for telling how far it came.
			ctx, cancel := context.WithTimeout(ctx, findPatience*3/4)
			defer cancel()
			f, ok := find(ctx)
			answers[i] <- answer{f, ok}
		}()
	}
	var found []Found
	for _, c := range answers {
		select {
		case f := <-c:
			if f.ok {
				found = append(found, f.Found)
			}
		case <-ctx.Done(): // a disk that does not answer is left behind
		}
	}
	return found
}

func findTranscripts(ctx context.Context, dir string) (f Found, ok bool) {
	f = Found{Kind: "claude-code", Path: dir, Command: "cmem import claude-code"}
	enough := errors.New("counted enough")
	files, size := 0, int64(0)
	err := hooks.WalkTranscripts(ctx, dir, func(_ string, info fs.FileInfo) error {
		size += info.Size()
		if !strings.HasPrefix(info.Name(), "agent-") {
			files++
		}
		if files >= findFiles {
			return enough
		}
		return nil
	})
	switch {
	case files == 0:
		return f, false
	case err != nil:
		f.What = fmt.Sprintf("%s+ Claude Code transcripts, more than %s", grouped(files), bytesText(size))
	default:
		f.What = fmt.Sprintf("%s, %s", count(files, "Claude Code transcript"), bytesText(size))
	}
	return f, true
}

func findClaudeMem(ctx context.Context, path string) (f Found, ok bool) {
	f = Found{Kind: "claude-mem", Path: path, Command: "cmem import claude-mem"}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return f, false
	}
	f.What = "a claude-mem database, " + bytesText(info.Size())
	db, err := store.OpenClaudeMem(ctx, path)
	if err != nil {
		return f, !errors.Is(err, store.ErrNotClaudeMem)
	}
	n, err := db.Count(ctx)
	if cerr := db.Close(); err == nil && cerr == nil {
		f.What = fmt.Sprintf("claude-mem: %s of %s, %s", count(n.Observations, "observation"), count(n.Sessions, "session"), bytesText(info.Size()))
	}
	return f, true
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
