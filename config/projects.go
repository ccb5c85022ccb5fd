package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// projectsKey is the key of Kind Projects.
const projectsKey = "projects"

// projectsForm says how the settings of projects are written.
const projectsForm = `an object of projects and their settings, such as {"~/work/shop": {"search.weights": {"recency": 0.5}}}`

// maxProjects bounds for how many projects there may be settings.
const maxProjects = 1000

// For returns the settings as they are for a project: those that it has of its own over
// the others. project is the path by which memories know it; the settings name it by
// that, by one that begins with ~/, or by the bare name of its folder.
func (c *Config) For(project string) *Config {
	text := c.value(projectsKey).text
	if text == "" || project == "" {
		return c
	}
	object, err := decodeObject([]byte(text))
	if err != nil {
		return c // it was checked when it was taken
	}
	// A path says more than a name, and a later one overrides.
	var byName, byPath []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		switch {
		case !strings.ContainsAny(name, `/\`):
			if name == filepath.Base(project) {
				byName = append(byName, name)
			}
		case c.isPath(name, project):
			byPath = append(byPath, name)
		}
	}
	own := *c
	for _, name := range slices.Concat(byName, byPath) {
		settings, _ := object[name].(map[string]any)
		for key, v := range settings {
			i, ok := index(key)
			if !ok {
				continue
			}
			// The environment has the last word.
			if parsed, err := keys[i].fromJSON(v); err == nil && own.values[i].origin != Env {
				if keys[i].Kind == Numbers {
					parsed.text = keys[i].joined(own.values[i].text, parsed.text)
				}
				parsed.origin = File
				own.values[i] = parsed
			}
		}
	}
	return &own
}

// isPath reports whether what is written in the settings is the path of a project.
func (c *Config) isPath(written, project string) bool {
	path, err := c.expand(written)
	if err != nil {
		return false
	}
	if path == filepath.Clean(project) {
		return true
	}
	target, err := filepath.EvalSymlinks(path)
	return err == nil && target == filepath.Clean(project)
}

// parseProjects reads the one-line form, which is the JSON of settings.json.
func parseProjects(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	object, err := decodeObject([]byte(text))
	if err != nil {
		return "", fmt.Errorf("%q is not %s", text, projectsForm)
	}
	return projectsFrom(object)
}

// projectsFrom checks the settings of projects and gives them in their one-line form.
func projectsFrom(object map[string]any) (string, error) {
	if len(object) > maxProjects {
		return "", fmt.Errorf("it has %d projects, and %d are allowed", len(object), maxProjects)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		settings, ok := object[name].(map[string]any)
		if !ok {
			return "", fmt.Errorf("must be %s", projectsForm)
		}
		if err := checkProject(name); err != nil {
			return "", err
		}
		for _, key := range slices.Sorted(maps.Keys(settings)) {
			i, ok := index(key)
			if !ok {
				return "", fmt.Errorf("%s: %s: %w", name, key, unknown(key))
			}
			if !keys[i].PerProject {
				return "", fmt.Errorf("%s: %s cannot be set for one project; %s can", name, key, strings.Join(perProject(), " and "))
			}
			if _, err := keys[i].fromJSON(settings[key]); err != nil {
				return "", fmt.Errorf("%s: %s: %w", name, key, err)
			}
		}
	}
	if len(object) == 0 {
		return "", nil
	}
	return compact(object), nil
}

// checkProject refuses a name that no project can have.
func checkProject(name string) error {
	if name == "" {
		return errors.New("a project has no name; give its path")
	}
	p := filepath.ToSlash(name)
	if strings.Contains(p, "/") && !filepath.IsAbs(name) && !strings.HasPrefix(p, "~/") || p == "." || p == ".." {
		return fmt.Errorf("%q is relative; give an absolute path, one that begins with ~/, or the bare name of a folder", name)
	}
	return nil
}

// perProject names the keys of which a project may have values of its own.
func perProject() []string {
	var names []string
	for i := range keys {
		if keys[i].PerProject {
			names = append(names, keys[i].Name)
		}
	}
	return names
}
