package memory

import "time"

// Count is a name and how often it occurs.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// DayActivity is how much happened on one day.
type DayActivity struct {
	Day          time.Time `json:"day"` // its midnight, in the location that was asked for
	Observations int       `json:"observations"`
	Prompts      int       `json:"prompts"`
	Sessions     int       `json:"sessions"` // that began on it
}
