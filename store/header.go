package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// lostStart looks at the beginning of a file that SQLite does not understand, and
// gives ErrDamaged when it is not that of an SQLite database of a schema that can
// be. SQLite calls only some of that damage. Of a file that a Store of this process
// has open, which so began as it should, it says nothing.
func lostStart(path string) error {
	return opened.alone(path, func() error { return lostHeader(path) })
}

func lostHeader(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	head := make([]byte, 100)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	number := func(at int) uint32 { return binary.BigEndian.Uint32(head[at:]) }
	// Most schema versions to come are below a thousand.
	const mostVersions = 1000
	switch {
	case n < len(head), string(head[:16]) != "SQLite format 3\x00":
		return fmt.Errorf("%w: it does not begin as a database does", ErrDamaged)
	case head[18] > 2, head[19] > 2, head[21] != 64, head[22] != 32, head[23] != 32, number(44) > 4, number(56) > 3:
		return fmt.Errorf("%w: its header is none", ErrDamaged)
	case number(68) == applicationID && (number(60) == 0 || number(60) > mostVersions):
		return fmt.Errorf("%w: it cannot have schema version %d", ErrDamaged, number(60))
	}
	return nil
}

// versionOf gives the schema version of a file that nobody has open, without a log.
func versionOf(path string) (version int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var number [4]byte
	_, err = f.ReadAt(number[:], 60)
	return int(binary.BigEndian.Uint32(number[:])), err
}
