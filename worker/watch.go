package worker

import (
	"github.com/fsnotify/fsnotify"

	"cmem/hooks/spool"
	"cmem/logs"
)

// watch gives a channel that has a value when something arrived in the spool.
// Where events of the file system are not to be had, only the poll is left.
func (w *worker) watch() (<-chan struct{}, func()) {
	arrivals := make(chan struct{}, 1)
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		err = watcher.Add(spool.NewDir(w.SpoolDir))
		if err != nil {
			_ = watcher.Close() // the reason is reported below
		}
	}
	if err != nil {
		w.Log.Warn("no file-system events for the spool, polling instead", "kind", logs.WorkerHindered, "error", err)
		return arrivals, func() {}
	}
	go func() {
		for {
			select {
			case e, open := <-watcher.Events:
				if !open {
					return
				}
				if !e.Has(fsnotify.Create) {
					continue // that was ourselves, taking an event away
				}
				select {
				case arrivals <- struct{}{}:
				default:
				}
			case err, open := <-watcher.Errors:
				if !open {
					return
				}
				w.Log.Warn("file-system events of the spool were missed; the poll finds what they meant", "kind", logs.WorkerHindered, "error", err)
			}
		}
	}()
	return arrivals, func() {
		if err := watcher.Close(); err != nil {
			w.Log.Warn("spool watch not closed", "kind", logs.WorkerHindered, "error", err)
		}
	}
}
