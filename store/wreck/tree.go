package wreck

import (
	"encoding/binary"
	"iter"
	"slices"
)

// The kinds of pages of a tree, as their first byte tells them.
const (
	indexInside = 2
	tableInside = 5
	indexLeaf   = 10
	tableLeaf   = 13
)

// deepest is how deep a tree is at most: SQLite's own limit.
const deepest = 20

// An Object is an entry of the schema.
type Object struct {
	Kind, Name, Table, SQL string
	Root                   uint32 // 0 for what has no tree
}

// Schema gives the entries of the schema that are left.
func (f *File) Schema() []Object {
	owner := make(owners, f.pages+1)
	damaged := !f.walk(1, 1, owner, nil)
	var list []Object
	add := func(r Row) {
		if o, ok := objectOf(r); ok && !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	for r := range f.leaves(func(n uint32) bool { return owner[n] == 1 }) {
		add(r)
	}
	if damaged || len(list) == 0 {
		for r := range f.leaves(func(n uint32) bool { return owner[n] == 0 }) {
			add(r)
		}
	}
	return list
}

// objectOf reads a row of the schema.
func objectOf(r Row) (o Object, ok bool) {
	if len(r.Values) != 5 {
		return o, false
	}
	var texts [3]string
	for i := range texts {
		if texts[i], ok = r.Values[i].(string); !ok {
			return o, false
		}
	}
	root, ok := r.Values[3].(int64)
	if !ok || root < 0 || root > 1<<31 || !slices.Contains([]string{"table", "index", "trigger", "view"}, texts[0]) {
		return o, false
	}
	sql, _ := r.Values[4].(string) // the indexes of constraints have none
	return Object{Kind: texts[0], Name: texts[1], Table: texts[2], SQL: sql, Root: uint32(root)}, true
}

// owners says of each page to which tree it belongs, by the tree's root.
type owners []uint32

// notATree is the owner of pages that are in no tree.
const notATree = 1<<32 - 1

// Rows gives the rows of all tables: first those that the trees of the tables with
// the roots lead to, then those on pages that nothing leads to any more. A page
// that is free is passed over.
func (f *File) Rows(roots []uint32) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		owner := make(owners, f.pages+1)
		f.walk(1, 1, owner, nil)
		for _, root := range roots {
			f.walk(root, root, owner, nil)
		}
		f.markFree(owner)
		for _, led := range []bool{true, false} {
			for r := range f.leaves(func(n uint32) bool { return owner[n] != notATree && owner[n] != 1 && (owner[n] != 0) == led }) {
				r.Root = owner[r.Root]
				if !yield(r) {
					return
				}
			}
		}
	}
}

// leaves gives the rows of the pages that take says, with the page in the place of
// the root.
func (f *File) leaves(take func(page uint32) bool) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		buf := make([]byte, f.pageSize)
		for n := uint32(1); n <= f.pages; n++ {
			if !take(n) || !f.page(n, buf) {
				continue
			}
			head, ok := headOf(buf, n)
			if !ok || head.kind != tableLeaf {
				continue
			}
			for _, at := range head.cells(buf) {
				if r, ok := f.row(buf, at); ok {
					r.Root = n
					if !yield(r) {
						return
					}
				}
			}
		}
	}
}

// Entries counts the entries of the index with the root that can be reached.
func (f *File) Entries(root uint32) (n int) {
	f.walk(root, root, make(owners, f.pages+1), func(h head) {
		if h.kind == indexLeaf || h.kind == indexInside {
			n += h.count
		}
	})
	return n
}

// walk marks the pages of the tree below n as root's and shows each to visit, if
// that is not nil. It reports whether all of them look whole.
func (f *File) walk(n, root uint32, owner owners, visit func(head)) bool {
	return f.walkFrom(n, root, owner, visit, deepest)
}

func (f *File) walkFrom(n, root uint32, owner owners, visit func(head), depth int) bool {
	if depth == 0 || n == 0 || n >= uint32(len(owner)) || owner[n] != 0 { //nolint:gosec // as many as pages
		return false
	}
	buf := make([]byte, f.pageSize)
	if !f.page(n, buf) {
		return false
	}
	h, ok := headOf(buf, n)
	if !ok {
		return false
	}
	owner[n] = root
	if visit != nil {
		visit(h)
	}
	if h.kind == tableLeaf || h.kind == indexLeaf {
		return true
	}
	whole := true
	for _, at := range h.cells(buf) {
		if at+4 > len(buf) || !f.walkFrom(binary.BigEndian.Uint32(buf[at:]), root, owner, visit, depth-1) {
			whole = false
		}
	}
	return f.walkFrom(h.right, root, owner, visit, depth-1) && whole
}

// markFree marks the pages that the list of free pages names and that are in no tree.
func (f *File) markFree(owner owners) {
	buf := make([]byte, f.pageSize)
	if !f.page(1, buf) || string(buf[:16]) != magic {
		return
	}
	free := func(n uint32) bool {
		if n < 2 || n > f.pages || owner[n] != 0 {
			return false
		}
		owner[n] = notATree
		return true
	}
	for trunk := binary.BigEndian.Uint32(buf[32:]); free(trunk) && f.page(trunk, buf); trunk = binary.BigEndian.Uint32(buf) {
		count := binary.BigEndian.Uint32(buf[4:])
		if count > uint32(f.usable/4-2) { //nolint:gosec // of a page
			return
		}
		for i := range int(count) {
			free(binary.BigEndian.Uint32(buf[8+4*i:]))
		}
	}
}

// head is the beginning of a page of a tree.
type head struct {
	kind  byte
	at    int    // where it begins in the page
	count int    // of cells
	right uint32 // the last child
}

// headOf reads the head of page n and reports whether it can be one.
func headOf(page []byte, n uint32) (h head, ok bool) {
	if n == 1 {
		h.at = headerSize
	}
	b := page[h.at:]
	h.kind, h.count = b[0], int(binary.BigEndian.Uint16(b[3:]))
	length := 8
	switch h.kind {
	case tableInside, indexInside:
		length, h.right = 12, binary.BigEndian.Uint32(b[8:])
	case tableLeaf, indexLeaf:
	default:
		return h, false
	}
	return h, length+2*h.count <= len(b)
}

// cells gives where in the page the cells begin.
func (h head) cells(page []byte) []int {
	from := h.at + 8
	if h.kind == tableInside || h.kind == indexInside {
		from += 4
	}
	list := make([]int, h.count)
	for i := range list {
		list[i] = int(binary.BigEndian.Uint16(page[from+2*i:]))
	}
	return list
}
