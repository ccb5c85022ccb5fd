package static

// A search holds thousands of words against each of its own, and multiplying their
// numbers one by one would be most of what it costs. So three are multiplied at once,
// as the digits of one number: of
//
//	(a0 + a1·B + a2·B²) · (b2 + b1·B + b0·B²)
//
// the digit of B² is a0·b0 + a1·b1 + a2·b2, and with B = 2²¹ those below it do not
// reach into it but for a carry, and those above it reach the 64th bit at most.

const (
	digit     = 21 // bits
	perPacked = 3
)

// packed is a row of the table, three numbers in one.
type packed [Dims / perPacked]uint64

// packForward packs a row for the left side of dot.
func packForward(row string) (p packed) {
	for i := range p {
		at := row[perPacked*i : perPacked*i+perPacked]
		p[i] = uint64(int64(int8(at[0]))) + uint64(int64(int8(at[1])))<<digit + uint64(int64(int8(at[2])))<<(2*digit)
	}
	return p
}

// packBackward packs a row for the right side of dot.
func packBackward(row string) (p packed) {
	for i := range p {
		at := row[perPacked*i : perPacked*i+perPacked]
		p[i] = uint64(int64(int8(at[2]))) + uint64(int64(int8(at[1])))<<digit + uint64(int64(int8(at[0])))<<(2*digit)
	}
	return p
}

// dot gives the sum of the products of two rows' numbers. It is right as long as no
// digit of the sum outgrows its bits, that is as long as the product of the rows'
// lengths stays below 2²⁰: those of the table do.
func dot(a, b *packed) int32 {
	var s0, s1 uint64
	for i := 0; i < len(a); i += 2 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
	}
	sum := int64(s0+s1) << 1 >> 1 // the 64th bit belongs to B³
	// The digits below are signed: what they are has to be taken off before the next.
	low := sum << (64 - digit) >> (64 - digit)
	sum = (sum - low) >> digit
	low = sum << (64 - digit) >> (64 - digit)
	return int32((sum - low) >> digit)
}
