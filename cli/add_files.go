package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"cmem/project"
)

// filesOf gives the paths of files as a memory of a project has them: from its top, or
// whole where they are outside. A relative path is taken from the working directory, or,
// where that is in another project, from the project's top.
func (a *App) filesOf(key string, files []string) ([]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	dir, err := a.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the working directory: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil { // as the project's key is
		dir = resolved
	}
	where := project.Find(dir)
	if where.Key != key {
		dir, where = key, project.Info{Key: key, Root: key}
	}
	var paths []string
	for _, file := range files {
		path := writtenFrom(where, dir, file)
		if file == "" || path == "." {
			return nil, usageError{fmt.Errorf("--file %q names no file; nothing was added", file)}
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// writtenFrom gives the path of a file from the top of the work tree or of the project,
// or the whole path where it is in neither.
func writtenFrom(where project.Info, dir, file string) string {
	full := file
	switch {
	case filepath.IsAbs(file):
		full = filepath.Clean(file)
	case filepath.VolumeName(file) == "" && project.Find(file).Key != file: // no path of another system
		full = filepath.Join(dir, file)
	}
	// Who opens a file by a link looks for where that leads too, but not the other way round.
	names := []string{full}
	if parent, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil { // the file may not be there yet
		names = []string{filepath.Join(parent, filepath.Base(full)), full}
	}
	for _, root := range []string{where.Root, where.Key} {
		for _, name := range names {
			if path := project.Rel(root, name); path != name {
				return path
			}
		}
	}
	return names[0]
}
