package tui

// rows is the place in a list of n rows of one line each: what is selected and
// what is in sight.
type rows struct {
	n      int
	cursor int // 0 when there are no rows
	top    int // first row in sight
	height int // rows in sight
}

// resize says how many rows there are and how many are in sight.
func (r *rows) resize(n, height int) {
	r.n, r.height = n, max(height, 0)
	r.move(0)
}

// move selects the row n steps on and scrolls as little as needed to show it.
func (r *rows) move(n int) {
	r.cursor = max(min(r.cursor+n, r.n-1), 0)
	r.top = min(max(r.top, r.cursor-r.height+1), r.cursor, max(r.n-r.height, 0))
	r.top = max(r.top, 0)
}

// scroll moves what is in sight by n rows. The selection comes along at the edge.
func (r *rows) scroll(n int) {
	r.top = max(min(r.top+n, r.n-r.height), 0)
	r.cursor = max(min(max(r.cursor, r.top), r.top+r.height-1, r.n-1), 0)
}

// pick selects the n-th row in sight and reports whether there is one, and
// whether it was selected before.
func (r *rows) pick(n int) (there, again bool) {
	n += r.top
	if n < r.top || n >= r.n || n >= r.top+r.height {
		return false, false
	}
	again = n == r.cursor
	r.cursor = n
	return true, again
}

// act moves as an action says and reports whether it was a movement.
func (r *rows) act(a action) bool {
	n := steps(a, r.height, r.n)
	r.move(n)
	return n != 0 || a == actFirst || a == actLast
}

// end gives the row after the last in sight.
func (r *rows) end() int { return min(r.top+r.height, r.n) }

// steps gives how far an action moves in a list.
func steps(a action, height, total int) int {
	switch a {
	case actDown:
		return 1
	case actUp:
		return -1
	case actHalfDown:
		return max(height/2, 1)
	case actHalfUp:
		return -max(height/2, 1)
	case actPageDown:
		return max(height-1, 1)
	case actPageUp:
		return -max(height-1, 1)
	case actFirst:
		return -total
	case actLast:
		return total
	}
	return 0
}
