package export

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"cmem/store"
)

// mostOrphans is how many sessions without a row are kept in mind at once.
const mostOrphans = 10_000

// places knows which projects the sessions of a database belong to. It grows with
// their number by a few bytes each.
type places struct {
	keys      []string                  // of projects
	index     map[string]int32          // where they stand in keys
	bySession map[int64]int32           // the place in keys, by a session's row
	byName    map[string]map[int32]bool // the places that sessions of a name were found in
	orphans   map[string]string         // keys by claude-mem's id of a session without a row
	unplaced  map[string]bool
}

// place finds the project of every session that something tells the path of.
func (m *claudeMemImport) place(ctx context.Context) error {
	m.places = places{index: map[string]int32{}, bySession: map[int64]int32{}, byName: map[string]map[int32]bool{}, orphans: map[string]string{}, unplaced: map[string]bool{}}
	for s, err := range m.db.Sessions(ctx) {
		if err != nil {
			return err
		}
		if isSelfProject(s.Project) {
			continue
		}
		key, err := m.locate(ctx, s, s.Project)
		if err != nil {
			return err
		}
		if key == "" {
			continue
		}
		i := m.places.number(key)
		m.places.bySession[s.Row] = i
		name := mainName(s.Project)
		if m.places.byName[name] == nil {
			m.places.byName[name] = map[int32]bool{}
		}
		m.places.byName[name][i] = true
	}
	return nil
}

func (p *places) number(key string) int32 {
	i, ok := p.index[key]
	if !ok {
		i = int32(len(p.keys))
		p.keys = append(p.keys, key)
		p.index[key] = i
	}
	return i
}

// locate gives the key of the project that a session ran in, "" when nothing of
// the session tells.
func (m *claudeMemImport) locate(ctx context.Context, s store.ClaudeMemSession, name string) (string, error) {
	dir := s.CWD
	if dir == "" && s.Row != 0 && agentOf(s.Platform) == "claude-code" {
		dir = m.Directory(s.ID)
	}
	if isAbsolute(dir) {
		key := m.Project(dir)
		if path.Base(slashes(key)) == mainName(name) {
			return key, nil
		}
		// A folder that is gone is its own project; the name tells which one above it was meant.
		if root := rootNamed(path.Base(name), dir+"/"); root != "" {
			return m.Project(root), nil
		}
		return key, nil
	}
	lists, err := m.db.SessionFiles(ctx, s.MemoryID)
	if err != nil {
		return "", err
	}
	roots := map[string]int{}
	for _, list := range lists {
		for _, file := range listOf(list) {
			if root := rootNamed(path.Base(name), file); root != "" {
				roots[root]++
			}
		}
	}
	best := ""
	for _, root := range slices.Sorted(maps.Keys(roots)) {
		if roots[root] > roots[best] {
			best = root
		}
	}
	if best == "" {
		return "", nil
	}
	return m.Project(best), nil
}

// wanted gives the key of the project that a row of the session, of the project
// called name, belongs to, and whether it may be remembered.
func (m *claudeMemImport) wanted(ctx context.Context, s store.ClaudeMemSession, name string) (key string, ok bool) {
	if i, there := m.places.bySession[s.Row]; there && mainName(name) == mainName(s.Project) {
		key = m.places.keys[i]
	} else if s.Row == 0 && s.MemoryID != "" {
		key = m.orphan(ctx, s, name)
	}
	if key == "" {
		key = m.named(mainName(name))
	}
	if m.Excluded(key) {
		return key, false
	}
	if !isAbsolute(key) && len(m.places.unplaced) < mostOrphans {
		m.places.unplaced[key] = true
	}
	return key, true
}

func (m *claudeMemImport) orphan(ctx context.Context, s store.ClaudeMemSession, name string) string {
	id := s.MemoryID + "\x00" + name
	if key, there := m.places.orphans[id]; there {
		return key
	}
	key, err := m.locate(ctx, s, name)
	if err != nil {
		key = "" // the name will do; the rows themselves are read elsewhere
	}
	if len(m.places.orphans) >= mostOrphans {
		clear(m.places.orphans)
	}
	m.places.orphans[id] = key
	return key
}

// named gives the key of a project of which only the name is known: the only one
// of that name, or the name.
func (m *claudeMemImport) named(name string) string {
	found := m.places.byName[name]
	if len(found) == 1 {
		for i := range found {
			return m.places.keys[i]
		}
	}
	if name == "" {
		name = "unknown-project"
	}
	if len(found) == 0 {
		if key := m.Known(name); key != "" {
			return key
		}
	}
	return name
}

func (m *claudeMemImport) unplaced() []string { return slices.Sorted(maps.Keys(m.places.unplaced)) }

// mainName gives the name of the project that a worktree ("shop/fix") is a tree of.
func mainName(name string) string {
	name, _, _ = strings.Cut(strings.TrimSpace(name), "/")
	return name
}

// rootNamed gives the outermost folder called name that file, an absolute path,
// lies in; "" for none.
func rootNamed(name, file string) string {
	if name == "" || name == "." || !isAbsolute(file) {
		return ""
	}
	whole := slashes(file)
	i := strings.Index(whole, "/"+name+"/")
	if i < 0 {
		return ""
	}
	return file[:i+1+len(name)] // slashes keeps the length
}

func isAbsolute(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// slashes gives a path of Windows with slashes; of another one a backslash is a letter.
func slashes(p string) string {
	if strings.HasPrefix(p, "/") {
		return p
	}
	return strings.ReplaceAll(p, `\`, "/")
}
