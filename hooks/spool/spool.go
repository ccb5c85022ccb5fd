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
//
// What else stands in the folders is nobody's event: links are not followed, and no
// pipe and no file of another size than a hook's is ever waited for or read whole.
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
	return deliverNow(dir, payload, false)
}

// DeliverSynced is Deliver for an event that a power cut must not take either: when
// it returns, the event is on the disk. That costs the hook a write to the disk.
func DeliverSynced(dir string, payload []byte) (name string, err error) {
	return deliverNow(dir, payload, true)
}

func deliverNow(dir string, payload []byte, synced bool) (name string, err error) {
	for {
		// A clock from before 1970 has no digits for its time.
		now := max(time.Now().UnixNano(), lastNano+1, 1)
		lastNano = now
		name = nameAt(now, os.Getpid())
		// Another process can have the same number, in another container or with a
		// clock that was set back. It has the name, then.
		if err := deliverAs(dir, name, payload, synced, true); !errors.Is(err, os.ErrExist) {
			return name, err
		}
	}
}

// DeliverAs is Deliver with a name made by NameAt, for replaying recorded
// sessions at the times at which they happened. An event of that name that waits
// already is replaced.
func DeliverAs(dir, name string, payload []byte) error {
	return deliverAs(dir, name, payload, false, false)
}

// deliverAs writes an event under a name. With fresh it gives os.ErrExist when the
// name is taken.
func deliverAs(dir, name string, payload []byte, synced, fresh bool) error {
	tmp, final := dir+sep+tmpDir+sep+name, dir+sep+newDir+sep+name
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
	if err == nil && synced {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil && fresh {
		// Who holds the name in tmp/ is the only one who could move to it now.
		if _, taken := os.Lstat(final); taken == nil {
			err = os.ErrExist
		}
	}
	if err == nil {
		err = os.Rename(tmp, final)
	}
	if err != nil {
		_ = os.Remove(tmp) // best effort: the worker sweeps tmp/ anyway
		return err
	}
	if synced {
		if err = syncFolder(dir + sep + newDir); err != nil {
			_ = os.Remove(final) // best effort: who is told of an error delivers again, or knows
		}
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
// removing a file as Deliver does, of the size of a small event: a full disk takes an
// empty one. It leaves nothing behind.
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
	_, err = f.Write(make([]byte, 4<<10))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(tmp) // best effort: the worker sweeps tmp/ anyway
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

// maxName is the length of the longest name that NameAt makes.
const maxName = 19 + 1 + 19

// Time gives the moment at which an event was delivered, UTC, from its name, as the
// clock said then: it may be wrong by years. It reports false for a name that this
// package did not make.
func Time(name string) (time.Time, bool) {
	const digits = 19
	if len(name) < digits+2 || len(name) > maxName || name[digits] != '-' {
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
