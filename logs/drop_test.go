package logs

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// messagesOf gives the messages that readers of the log in dir see.
func messagesOf(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	_, err := Read(dir, Query{Last: -1, Level: slog.LevelDebug}, func(l Line) error {
		all = append(all, l.Message)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func withFalcon(line []byte) bool { return bytes.Contains(line, []byte("猎鹰")) }

func TestDroppedLinesAreOverwrittenInBothFilesAndOthersStay(t *testing.T) {
	dir := t.TempDir()
	log := New(Options{Dir: dir, By: "test"})
	log.Info("first")
	log.Info("猎鹰 one")
	if err := os.Rename(filepath.Join(dir, fileName), filepath.Join(dir, oldName)); err != nil {
		t.Fatal(err)
	}
	log.Info("猎鹰 two")
	log.Info("last")
	if err := os.WriteFile(filepath.Join(dir, crashName), []byte("panic: 猎鹰\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := Count(dir, withFalcon); n != 3 || err != nil {
		t.Errorf("%d lines match, %v; want 3", n, err)
	}
	if n, err := Drop(dir, withFalcon); n != 3 || err != nil {
		t.Errorf("dropped %d lines, %v; want 3", n, err)
	}
	for _, name := range []string{fileName, oldName, crashName} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || withFalcon(b) {
			t.Errorf("%s holds %q, %v", name, b, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, crashName)); err != nil || info.Size() != 0 {
		t.Errorf("what the crash left is not emptied: %v, %v", info, err)
	}
	log.Info("after")
	if got := strings.Join(messagesOf(t, dir), "|"); got != "first|last|after" {
		t.Errorf("the log says %q", got)
	}
	if n, err := Drop(dir, withFalcon); n != 0 || err != nil {
		t.Errorf("dropped again: %d, %v", n, err)
	}
}

func TestNoLineIsLostThatIsWrittenWhileOthersAreDropped(t *testing.T) {
	const writers, lines = 4, 200
	dir := t.TempDir()
	var all sync.WaitGroup
	for w := range writers {
		log := New(Options{Dir: dir, By: "test"})
		all.Go(func() {
			for i := range lines {
				log.Info(fmt.Sprintf("kept %d-%d", w, i))
				log.Info("猎鹰")
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	for open := true; open; {
		select {
		case <-done:
			open = false
		default:
		}
		if _, err := Drop(dir, withFalcon); err != nil {
			t.Error(err)
			open = false
		}
	}
	<-done
	seen := map[string]bool{}
	for _, message := range messagesOf(t, dir) {
		seen[message] = true
	}
	if len(seen) != writers*lines || seen["猎鹰"] {
		t.Errorf("%d messages are left, of %d; dropped ones among them: %v", len(seen), writers*lines, seen["猎鹰"])
	}
}

func TestWhereNothingIsLoggedNothingIsDropped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	if n, err := Drop(dir, withFalcon); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder was made: %v", err)
	}
}
