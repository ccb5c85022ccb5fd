package worker

import (
	"sync"
	"time"
)

// Progress says how far the worker is with the events that wait in the spool.
type Progress struct {
	Done  int       `json:"done"` // since it began with them
	Left  int       `json:"left"`
	Since time.Time `json:"since"`
	At    time.Time `json:"at"` // when that was so
}

// Remaining estimates how much longer it takes, 0 when that cannot be told.
func (p Progress) Remaining() time.Duration {
	if p.Done == 0 {
		return 0
	}
	return time.Duration(float64(p.At.Sub(p.Since)) / float64(p.Done) * float64(p.Left))
}

// shownFrom is how many events must wait for their number to be worth telling.
const shownFrom = 1000

// progress is kept by the drain and told by the heartbeat, which run beside each other.
type progress struct {
	mu   sync.Mutex
	now  Progress
	most int
}

// left says how many events wait.
func (p *progress) left(waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.Since.IsZero() {
		p.now.Since = time.Now()
	}
	p.now.Left = waiting
	p.most = max(p.most, waiting)
}

// took says that events were dealt with.
func (p *progress) took(events int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.Done += events
	p.now.Left = max(p.now.Left-events, 0)
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.most = Progress{}, 0
}

// tell gives how far the worker is, nil when that takes no time worth telling of.
func (p *progress) tell() *Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most < shownFrom {
		return nil
	}
	told := p.now
	told.At = time.Now()
	return &told
}
