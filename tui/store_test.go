package tui_test

import (
	"cmem/store"
	"cmem/tui"
)

var _ tui.Source = (*store.Store)(nil)
