package worker

import "time"

// trimEvery is how often a worker that works gives back what it does not use of its
// program's pages. What it does use comes back in a fraction of a millisecond.
const trimEvery = 200 * time.Millisecond

// trimmer keeps the memory of a working process small.
type trimmer struct {
	done    chan struct{}
	stopped chan struct{}
}

func startTrimmer(w *worker) *trimmer {
	t := &trimmer{done: make(chan struct{}), stopped: make(chan struct{})}
	trim() // what the start needed
	go func() {
		defer close(t.stopped)
		for {
			select {
			case <-t.done:
				return
			case <-w.busy:
			}
			trim()
			select {
			case <-t.done:
				return
			case <-time.After(trimEvery):
			}
		}
	}()
	return t
}

// work tells the trimmer that a piece of work begins.
func (w *worker) work() {
	select {
	case w.busy <- struct{}{}:
	default:
	}
}

func (t *trimmer) stop() {
	close(t.done)
	<-t.stopped
}
