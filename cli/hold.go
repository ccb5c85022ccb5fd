package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"cmem/config"
	"cmem/hooks/spool"
	"cmem/worker"
)

// withoutWorker calls do while no worker runs and none can start: a running one is
// asked to leave. What hooks take in meanwhile waits in the spool.
func (a *App) withoutWorker(cfg *config.Config, do func() error) (err error) {
	lock := flock.New(filepath.Join(cfg.DataDir(), spool.LockFile), flock.SetPermissions(0o600))
	for deadline := time.Now().Add(stopPatience); ; {
		there, err := worker.Stop(cfg.DataDir(), stopPatience)
		if err != nil {
			return fmt.Errorf("%w; try again later, or end it", err)
		}
		if there {
			a.say("The worker has stopped for this.")
		}
		// A hook may have started the next one in between.
		held, err := lock.TryLock()
		if err != nil {
			return fmt.Errorf("lock the data directory %s: %w", cfg.DataDir(), err)
		}
		if held {
			break
		}
		if time.Now().After(deadline) {
			return errors.New("hooks start worker after worker; try again when the assistant is not at work")
		}
	}
	defer func() {
		err = errors.Join(err, lock.Unlock())
		// One that could do nothing with the store as it was is to try again.
		if rerr := os.Remove(filepath.Join(cfg.DataDir(), spool.RestingFile)); !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
		// Nobody else wakes a worker for what came in meanwhile.
		if empty, eerr := spool.Empty(cfg.Spool()); eerr == nil && !empty {
			err = errors.Join(err, spool.Wake(cfg.DataDir()))
		}
	}()
	return do()
}
