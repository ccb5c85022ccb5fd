package tui

// maxPlaces is how many memories are remembered by where their reader was.
const maxPlaces = 64

// reading is where one was in the details of a memory.
type reading struct {
	top   int
	words string // what was lit: another search begins with what it found
}

// places remembers where one was in the memories that were read last.
type places struct {
	at   map[itemKey]reading
	keys []itemKey // the one that was read last at the end
}

func (p *places) get(k itemKey) (reading, bool) {
	r, known := p.at[k]
	return r, known
}

// put remembers a place. The beginning is where one is anyway.
func (p *places) put(k itemKey, r reading) {
	p.drop(k)
	if r.top == 0 && r.words == "" {
		return
	}
	if p.at == nil {
		p.at = map[itemKey]reading{}
	}
	if len(p.keys) == maxPlaces {
		p.drop(p.keys[0])
	}
	p.at[k], p.keys = r, append(p.keys, k)
}

func (p *places) drop(k itemKey) {
	if _, known := p.at[k]; !known {
		return
	}
	delete(p.at, k)
	for n, known := range p.keys {
		if known == k {
			p.keys = append(p.keys[:n], p.keys[n+1:]...)
			return
		}
	}
}
