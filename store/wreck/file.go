// Package wreck reads rows out of an SQLite file that SQLite itself does not read
// any more: cut off, overwritten in places, with broken trees. It follows the file
// format as documented at sqlite.org/fileformat2.html, believes nothing that a page
// says without looking whether it can be, and gives what is left.
//
// SQLite's own tool for that, .recover, is part of its shell and not of the library
// that cmem is built with. Nothing here writes, and no SQL and no word about what is
// in the tables belongs here.
package wreck

import (
	"bytes"
	"encoding/binary"
	"io"
)

const (
	magic       = "SQLite format 3\x00"
	usualPage   = 4096
	headerSize  = 100 // of the file, at the beginning of page 1
	walHeader   = 32
	frameHeader = 24
)

// File is a damaged database.
type File struct {
	main     io.ReaderAt
	size     int64
	wal      io.ReaderAt
	frames   map[uint32]int64 // where in the log the newest state of a page is
	pageSize int
	usable   int    // of a page; some files reserve bytes at its end
	pages    uint32 // as many as there can be
}

// Open gives the database in the first size bytes of main, with the transactions
// that its write-ahead log holds whole. wal may be nil.
func Open(main io.ReaderAt, size int64, wal io.ReaderAt, walSize int64) *File {
	f := &File{main: main, size: size, wal: wal, frames: map[uint32]int64{}}
	head := make([]byte, headerSize)
	if n, _ := main.ReadAt(head, 0); n == headerSize && string(head[:16]) == magic {
		f.pageSize = pageSizeOf(uint32(binary.BigEndian.Uint16(head[16:])))
		if f.pageSize > 0 && head[20] <= 64 {
			f.usable = f.pageSize - int(head[20])
		}
	}
	var log []byte
	if wal != nil {
		log = make([]byte, walHeader)
		if n, _ := wal.ReadAt(log, 0); n < walHeader {
			log = nil
		}
	}
	if log != nil && f.pageSize == 0 {
		f.pageSize = pageSizeOf(binary.BigEndian.Uint32(log[8:]))
	}
	if f.pageSize == 0 {
		f.pageSize = usualPage
	}
	if f.usable == 0 {
		f.usable = f.pageSize
	}
	f.pages = pagesIn(size, f.pageSize)
	if log != nil {
		f.readLog(log, walSize)
	}
	return f
}

// pageSizeOf gives the size that a header tells, 0 when it cannot be.
func pageSizeOf(n uint32) int {
	if n == 1 {
		n = 65536
	}
	if n < 512 || n > 65536 || n&(n-1) != 0 {
		return 0
	}
	return int(n)
}

// pagesIn counts the pages of a file, one that is cut off too.
func pagesIn(size int64, pageSize int) uint32 {
	return uint32(min((size+int64(pageSize)-1)/int64(pageSize), 1<<31)) //nolint:gosec // bounded
}

// readLog finds the frames of transactions that were committed: those before the
// first whose checksum is wrong.
func (f *File) readLog(head []byte, size int64) {
	var order binary.ByteOrder
	switch binary.BigEndian.Uint32(head) {
	case 0x377f0682:
		order = binary.LittleEndian
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return
	}
	if pageSizeOf(binary.BigEndian.Uint32(head[8:])) != f.pageSize {
		return
	}
	sum := checksum(order, [2]uint32{}, head[:24])
	if sum != pair(head[24:]) {
		return
	}
	frame := make([]byte, frameHeader+f.pageSize)
	open := map[uint32]int64{} // of the transaction that is being read
	for at := int64(walHeader); at+int64(len(frame)) <= size; at += int64(len(frame)) {
		if n, _ := f.wal.ReadAt(frame, at); n < len(frame) {
			return
		}
		page, pages := binary.BigEndian.Uint32(frame), binary.BigEndian.Uint32(frame[4:])
		sum = checksum(order, sum, frame[:8])
		sum = checksum(order, sum, frame[frameHeader:])
		if !bytes.Equal(frame[8:16], head[16:24]) || sum != pair(frame[16:]) || page == 0 {
			return
		}
		open[page] = at + frameHeader
		if pages == 0 {
			continue
		}
		for page, where := range open {
			f.frames[page] = where
		}
		clear(open)
		// After a commit the file has as many pages as that says, also when it is to be
		// cut, or is still to grow, by what is in the log.
		f.pages = min(pages, pagesIn(f.size, f.pageSize)+uint32(at/int64(len(frame)))+1) //nolint:gosec // a log of less than 2^31 frames
		for page := range f.frames {
			if page > pages {
				delete(f.frames, page)
			}
		}
	}
}

func pair(b []byte) [2]uint32 {
	return [2]uint32{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// checksum goes on with the sums of a log over b.
func checksum(order binary.ByteOrder, s [2]uint32, b []byte) [2]uint32 {
	for ; len(b) >= 8; b = b[8:] {
		s[0] += order.Uint32(b) + s[1]
		s[1] += order.Uint32(b[4:]) + s[0]
	}
	return s
}

// page reads a page into buf, which has the size of one, and reports whether it
// is there. What of it lies behind the end of the file is zero.
func (f *File) page(n uint32, buf []byte) bool {
	if n == 0 || n > f.pages {
		return false
	}
	if at, ok := f.frames[n]; ok {
		got, _ := f.wal.ReadAt(buf, at)
		return got == len(buf)
	}
	at := int64(n-1) * int64(f.pageSize)
	if at >= f.size {
		return false
	}
	got, err := f.main.ReadAt(buf[:min(int64(len(buf)), f.size-at)], at)
	if got == 0 && err != nil {
		return false // a bad place on the disk
	}
	clear(buf[got:])
	return true
}
