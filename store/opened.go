package store

import "sync"

// opened knows the stores that this process has open, or is opening. It has to be
// the process's: when a process closes a file, the system forgets all locks that the
// process has on it, also those of another Store.
var opened = openStores{by: map[string]int{}}

// openStores counts the Stores by the path of their file.
type openStores struct {
	mu sync.Mutex
	by map[string]int
}

func (o *openStores) add(path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.by[path]++
}

func (o *openStores) remove(path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.by[path]--; o.by[path] == 0 {
		delete(o.by, path)
	}
}

// alone calls look, which may open and close the file at path, unless a Store has it
// open. None can open it meanwhile.
func (o *openStores) alone(path string, look func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.by[path] > 0 {
		return nil
	}
	return look()
}
