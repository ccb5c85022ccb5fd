//go:build !unix

package main

import (
	"context"
	"errors"
)

func (b *bench) tui(context.Context) error {
	return errors.New("the memory browser is measured through a Unix pseudo-terminal; leave tui out of -parts")
}
