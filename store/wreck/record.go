package wreck

import (
	"encoding/binary"
	"math"
)

// maxPayload is what a row may take at most, in bytes; SQLite's own limit.
const maxPayload = 1_000_000_000

// Missing stands for a value that is lost while others of its row are there.
type Missing struct{}

// A Row is a row of a table.
type Row struct {
	// Root is the root page of the table, as far as a tree leads to the row; 0 when
	// none does any more.
	Root   uint32
	ID     int64 // its rowid
	Values []any // nil, int64, float64, string, []byte or Missing
}

// varint reads a number of up to nine bytes and gives how many it took, 0 when it
// is cut off.
func varint(b []byte) (v uint64, n int) {
	for i, c := range b[:min(len(b), 9)] {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// row reads the cell at an offset of a leaf page of a table.
func (f *File) row(page []byte, at int) (r Row, ok bool) {
	page = page[:f.usable]
	if at >= len(page) {
		return r, false
	}
	size, n := varint(page[at:])
	if n == 0 || size < 2 || size > maxPayload {
		return r, false
	}
	at += n
	id, n := varint(page[at:])
	if n == 0 {
		return r, false
	}
	at += n
	r.ID = int64(id) //nolint:gosec // it is stored so
	payload, ok := f.payload(page[at:], int(size))
	if !ok {
		return r, false
	}
	r.Values, ok = values(payload, int(size))
	return r, ok
}

// payload gives the bytes of a row that begins with local and goes on in other
// pages: as many as are there.
func (f *File) payload(local []byte, size int) (b []byte, ok bool) {
	here := size
	if most := f.usable - 35; size > most {
		least := (f.usable-12)*32/255 - 23
		if here = least + (size-least)%(f.usable-4); here > most {
			here = least
		}
	}
	if here == size {
		if size > len(local) {
			return nil, false
		}
		return local[:size], true
	}
	if here+4 > len(local) || int64(size) > int64(f.pages)*int64(f.pageSize) {
		return nil, false
	}
	b = append(make([]byte, 0, min(size, 1<<20)), local[:here]...)
	next := binary.BigEndian.Uint32(local[here:])
	buf := make([]byte, f.pageSize)
	seen := map[uint32]bool{} // a broken chain can lead in a circle
	for len(b) < size && next > 1 && !seen[next] && f.page(next, buf) {
		seen[next] = true
		part := min(size-len(b), f.usable-4)
		b = append(b, buf[4:4+part]...)
		next = binary.BigEndian.Uint32(buf)
		if last := len(b) == size; last != (next == 0) {
			// It is no part of this chain.
			return b[:len(b)-part], true
		}
	}
	return b, true
}

// values reads a record of size bytes, of which b are there: whole columns, the
// beginning of a text that is cut off, and Missing for the others.
func values(b []byte, size int) (list []any, ok bool) {
	header, n := varint(b)
	if n == 0 || header < uint64(n) || header > uint64(len(b)) || header > 1<<16 {
		return nil, false
	}
	types, at := b[n:header], int(header) //nolint:gosec // bounded
	for len(types) > 0 {
		t, n := varint(types)
		if n == 0 {
			return nil, false
		}
		types = types[n:]
		length, known := lengthOf(t)
		if !known || length > size-at {
			return nil, false
		}
		v := any(Missing{})
		switch end := at + length; {
		case end <= len(b):
			v = value(t, b[at:end])
		case t >= 13 && t%2 == 1 && at < len(b):
			v = string(b[at:])
		}
		list = append(list, v)
		at += length
	}
	return list, at == size && len(list) > 0
}

// lengthOf gives how many bytes a value of a serial type takes.
func lengthOf(t uint64) (n int, known bool) {
	switch {
	case t == 10, t == 11, t > 2*maxPayload+13:
		return 0, false
	case t >= 12:
		return int(t-12) / 2, true
	}
	return []int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}[t], true
}

// value reads a value of a serial type.
func value(t uint64, b []byte) any {
	switch {
	case t == 0:
		return nil
	case t == 7:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	case t == 8, t == 9:
		return int64(t - 8) //nolint:gosec // 0 or 1
	case t >= 13 && t%2 == 1:
		return string(b)
	case t >= 12:
		return append([]byte{}, b...)
	}
	v := int64(int8(b[0])) //nolint:gosec // the first byte has the sign
	for _, c := range b[1:] {
		v = v<<8 | int64(c)
	}
	return v
}
