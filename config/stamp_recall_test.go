package config

import (
	"path/filepath"
	"testing"
)

func TestStampTellsWhenMemoriesAreToldUnasked(t *testing.T) {
	for settings, want := range map[string]string{
		`{"recall": {"file": true, "failure": true, "prompt": false}}`:                      "",
		`{"recall": {"file": false}}`:                                                       "\x00no-file",
		`{"recall.failure": false, "recall.prompt": true, "spool.sync": true}`:              "\x00sync\x00no-failure\x00prompt",
		`{"recall": {"file": false, "failure": false, "prompt": true, "file_tokens": 100}}`: "\x00no-file\x00no-failure\x00prompt",
	} {
		e := newEnv(t)
		e.settings(t, settings)
		e.stamp(t)
		if text, ok := e.fresh(t); !ok || text != filepath.Dir(e.file())+want {
			t.Errorf("%s: the stamp is %q, %v", settings, text, ok)
		}
	}
}
