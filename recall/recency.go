package recall

import (
	"math"
	"time"

	"cmem/memory"
)

const day = 24 * time.Hour

// OtherTypes is what the types are called that have no half-life of their own.
const OtherTypes = "other"

// DefaultHalfLife gives after what time an observation of a type counts as half as
// recent: decisions hold for long, changes are soon overtaken.
func DefaultHalfLife() map[string]time.Duration {
	return map[string]time.Duration{
		memory.TypeDecision: 180 * day, memory.TypeDiscovery: 90 * day, memory.TypeFeature: 90 * day,
		memory.TypeBugfix: 60 * day, memory.TypeRefactor: 60 * day, memory.TypeChange: 30 * day,
		OtherTypes: 60 * day,
	}
}

// recency gives how recent an observation is: 1 for one of now, half of that after
// the half-life of its type.
func (s *scorer) recency(o memory.Observation) float64 {
	half := s.halfLife[o.Type]
	if half <= 0 {
		half = s.halfLife[OtherTypes]
	}
	if half <= 0 {
		return 0
	}
	age := max(0, s.now.Sub(o.CreatedAt))
	return math.Exp2(-float64(age) / float64(half))
}
