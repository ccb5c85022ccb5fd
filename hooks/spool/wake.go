package spool

import (
	"errors"
	"os"
	"time"
)

// Files of the worker in the data directory.
const (
	// LockFile is locked by a running worker, for as long as it runs.
	LockFile = "worker.lock"
	// HeartbeatFile is touched by a running worker every HeartbeatEvery. Where a
	// lock cannot be looked at, it is what tells that the worker is alive.
	HeartbeatFile = "worker.heartbeat"
	// HeartbeatEvery is how often a worker touches its heartbeat.
	HeartbeatEvery = 2 * time.Second
	// heartbeatStale is the age at which nobody counts on the worker any more.
	heartbeatStale = 10 * time.Second
	// StartingFile is touched by whoever starts a worker and removed by the worker
	// when it has the lock.
	StartingFile = "worker.starting"
	// startingStale is how long a worker may take from its start to the lock.
	startingStale = 3 * time.Second
	// RestingFile is written by a worker that left because it can do nothing here:
	// the store is damaged, say, or of a newer cmem. For RestFor no hook starts
	// another, which would only find the same.
	RestingFile = "worker.resting"
	// RestFor is how long that is, counted from the file's time.
	RestFor = time.Minute
)

// WorkerAlive reports whether a worker of dataDir is there or about to be. The
// kernel frees the lock of a worker that was killed, so that the next hook
// already starts another.
func WorkerAlive(dataDir string) bool {
	if fresh(dataDir+sep+StartingFile, startingStale) {
		return true
	}
	if held, known := lockHeld(dataDir + sep + LockFile); known {
		return held
	}
	return fresh(dataDir+sep+HeartbeatFile, heartbeatStale)
}

// fresh reports whether the file was touched less than limit ago. A time in the
// future is no sign of life: the clock was set back.
func fresh(path string, limit time.Duration) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	age := time.Since(info.ModTime())
	return age < limit && age > -limit
}

// Wake starts `cmem worker run` for dataDir, detached and with a cleaned
// environment, unless one is alive or the last one could do nothing a moment ago. It
// does not wait for it. Waking twice is harmless: the second worker finds the lock
// taken and leaves.
func Wake(dataDir string) error {
	if fresh(dataDir+sep+RestingFile, RestFor) || WorkerAlive(dataDir) {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	// The touch keeps a hundred hooks at once from starting a hundred workers.
	if err := touch(dataDir + sep + StartingFile); err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close() //nolint:errcheck // nothing was written
	keepFiles()
	p, err := os.StartProcess(exe, []string{exe, "worker", "run"}, &os.ProcAttr{
		Env:   workerEnv(os.Environ()),
		Files: []*os.File{null, null, null},
		Sys:   detached(),
	})
	if err != nil {
		_ = os.Remove(dataDir + sep + StartingFile) // the next hook shall try again at once
		return err
	}
	return p.Release()
}

func touch(path string) error {
	now := time.Now()
	err := os.Chtimes(path, now, now)
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// workerEnv keeps of env what a worker needs: a hook's environment carries the
// person's keys and the host's tokens, which are none of the worker's business.
// Our own CMEM_ variables stay, since settings may come from them.
func workerEnv(env []string) []string {
	kept := make([]string, 0, 24)
	for _, e := range env {
		name := e
		for i := 0; i < len(e); i++ {
			if e[i] == '=' {
				name = e[:i]
				break
			}
		}
		if keepEnv(name) {
			kept = append(kept, e)
		}
	}
	return kept
}

func keepEnv(name string) bool {
	switch name {
	case "HOME", "USER", "LOGNAME", "PATH", "SHELL", "TZ", "TMPDIR", "TMP", "TEMP", "LANG", "LC_ALL", "LC_CTYPE",
		"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "CLAUDE_CONFIG_DIR",
		// Windows finds its own libraries and the person's folders by these.
		"SystemRoot", "SYSTEMROOT", "windir", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PATHEXT", "ComSpec":
		return true
	}
	return len(name) > 5 && name[:5] == "CMEM_" && name != "CMEM_DISABLED"
}
