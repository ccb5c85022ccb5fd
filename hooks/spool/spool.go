// Package spool is the queue on disk between the hooks and the worker.
//
// It follows Maildir: an event is written to tmp/, then renamed to new/. There
// is no lock, no half-written event is ever seen, and any number of processes
// may deliver at once. The name of the file is ordered by time, unique, and the
// event's identity for ever after, so reading an event twice stores it once.
//
// The package is linked into the path that runs before main (hooks/early): it
// imports only os, time, errors, io and syscall, which are initialised before
// anything heavy, and nothing else may be added.
package spool

import (
	"errors"
	"os"
	"time"
)

// Names of the folders of a spool.
const (
	tmpDir = "tmp" // being written
	newDir = "new" // waiting for the worker
	badDir = "bad" // put aside by the worker: could not be decoded
)

const sep = string(os.PathSeparator)

// lastNano keeps the names of one process apart and in order, even where the
// clock is coarse or steps back.
var lastNano int64

// Deliver puts payload into the spool at dir, creating it when it is missing,
// and gives the event's name. When it returns without an error the event is in
// new/ and survives the death of every process; it is not synced, so a power
// cut within the file system's write-back time can still lose it. After an
// error nothing of the event is left behind.
func Deliver(dir string, payload []byte) (name string, err error) {
	now := time.Now().UnixNano()
	if now <= lastNano {
		now = lastNano + 1
	}
	lastNano = now
	name = nameAt(now, os.Getpid())
	return name, DeliverAs(dir, name, payload)
}

// DeliverAs is Deliver with a name made by NameAt, for replaying recorded
// sessions at the times at which they happened.
func DeliverAs(dir, name string, payload []byte) error {
	tmp := dir + sep + tmpDir + sep + name
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		if err = Create(dir); err != nil {
			return err
		}
		f, err = os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(payload)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, dir+sep+newDir+sep+name)
	}
	if err != nil {
		_ = os.Remove(tmp) // best effort: the worker sweeps tmp/ anyway
	}
	return err
}

// Create makes the spool's folders at dir, for the owner only. new/ comes first: who
// finds tmp/ may rename at once.
func Create(dir string) error {
	for _, d := range []string{newDir, tmpDir} {
		if err := os.MkdirAll(dir+sep+d, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// Probe reports whether events can be delivered to the spool at dir, by making and
// removing a file as Deliver does. It leaves nothing behind.
func Probe(dir string) error {
	if err := Create(dir); err != nil {
		return err
	}
	name := nameAt(time.Now().UnixNano(), os.Getpid())
	tmp := dir + sep + tmpDir + sep + name
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	// A name that is no event's: a worker must not take it.
	moved := dir + sep + newDir + sep + "probe-" + name
	if err := os.Rename(tmp, moved); err != nil {
		_ = os.Remove(tmp) // best effort: the worker sweeps tmp/ anyway
		return err
	}
	return os.Remove(moved)
}

// NameAt gives the name of an event that happened at t; n tells events of the
// same nanosecond apart.
func NameAt(t time.Time, n int) string { return nameAt(t.UnixNano(), n) }

// nameAt is nineteen digits of nanoseconds since 1970, enough until the year
// 2286, a dash, and n in at least five digits.
func nameAt(nano int64, n int) string {
	b := make([]byte, 0, 32)
	b = appendDigits(b, nano, 19)
	b = append(b, '-')
	b = appendDigits(b, int64(n), 5)
	return string(b)
}

// appendDigits appends v in decimal with at least width digits. strconv would
// do, but is not among the packages that this room may import.
func appendDigits(b []byte, v int64, width int) []byte {
	var d [20]byte
	i := len(d)
	for v > 0 || len(d)-i < width {
		i--
		d[i] = byte('0' + v%10)
		v /= 10
	}
	return append(b, d[i:]...)
}

// Time gives the moment at which an event was delivered, UTC, from its name.
// It reports false for a name that this package did not make.
func Time(name string) (time.Time, bool) {
	const digits = 19
	if len(name) < digits+2 || name[digits] != '-' {
		return time.Time{}, false
	}
	var nano int64
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case i == digits:
		case c < '0' || c > '9':
			return time.Time{}, false
		case i < digits:
			nano = nano*10 + int64(c-'0')
			if nano < 0 {
				return time.Time{}, false
			}
		}
	}
	return time.Unix(0, nano).UTC(), true
}
