package main

import (
	"errors"
	"time"
)

// page is what a terminal showed, and for how long a recording shows it.
type page struct {
	cells [][]cell
	hold  time.Duration
}

func play(string, string, scene) ([]page, error) {
	return nil, errors.New("the pictures are made on Linux or macOS: Windows has no such pseudo-terminals")
}
