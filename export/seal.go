package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/url"
	"os"
	"strings"
)

// A seal is the last line of every file in an exported folder. It says what the
// file is about and the hash of all lines above, so that a later export finds
// the file again under any name and knows whether a person edited it. It needs
// no list beside the files, which could be lost, or conflict in a merge.
type seal struct {
	key string
	sum string // SHA-256 in hex
}

const (
	markdownSeal = "<!-- cmem key="
	jsonSeal     = `{"kind":"end","key":`
)

// line gives the seal as the last line of a file.
func (s seal) line(format Format) string {
	if format == JSON {
		key, _ := json.Marshal(s.key) // a string always has a JSON form
		return jsonSeal + string(escapeControls(key)) + `,"sha256":"` + s.sum + "\"}\n"
	}
	// Escaped for a query, a key has no > that could end the comment.
	return markdownSeal + url.QueryEscape(s.key) + " sha256=" + s.sum + " -->\n"
}

// parseSeal reads what line wrote.
func parseSeal(line string, format Format) (seal, bool) {
	if format == JSON {
		var v struct{ Key, SHA256 string }
		err := json.Unmarshal([]byte(line), &v)
		return seal{v.Key, v.SHA256}, err == nil
	}
	rest, ok := strings.CutPrefix(line, markdownSeal)
	if !ok {
		return seal{}, false
	}
	escaped, rest, ok := strings.Cut(rest, " sha256=")
	if !ok {
		return seal{}, false
	}
	key, err := url.QueryUnescape(escaped)
	sum, _, ok := strings.Cut(rest, " -->")
	return seal{key, sum}, err == nil && ok
}

// ownFile is a file of ours that an earlier export left in the folder.
type ownFile struct {
	name string
	seal
	edited bool
}

// sealSearch is how far from its end a file is searched for its seal, in bytes:
// room for what a person wrote below it.
const sealSearch = 64 << 10

// inspect reads the file at path; ok reports whether it is one of ours.
func inspect(path string, format Format) (own ownFile, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return own, false, err
	}
	defer func() { _ = f.Close() }() // only read
	opening, prefix := frontMatterOpening, markdownSeal
	if format == JSON {
		opening, prefix = jsonOpening, jsonSeal
	}

	head := make([]byte, 2*len(opening))
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return own, false, err
	}
	if !bytes.HasPrefix(withoutReturns(head[:n]), []byte(opening)) {
		return own, false, nil
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return own, false, err
	}
	from := max(0, size-sealSearch)
	tail := make([]byte, size-from)
	if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
		return own, false, err
	}
	at := bytes.LastIndex(tail, []byte("\n"+prefix)) + 1
	if at == 0 {
		return own, false, nil
	}
	line, below, _ := strings.Cut(string(tail[at:]), "\n")
	if own.seal, ok = parseSeal(line, format); !ok {
		return own, false, nil
	}
	sum := newDigest()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, from+int64(at))); err != nil {
		return own, false, err
	}
	own.edited = sum.String() != own.sum || strings.TrimSpace(below) != ""
	return own, true, nil
}

// digest hashes what is written to it, apart from carriage returns: we write
// none, and git may add them on a checkout.
type digest struct{ h hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) Write(p []byte) (int, error) {
	_, _ = d.h.Write(withoutReturns(p)) // a hash never fails
	return len(p), nil
}

func (d digest) String() string { return hex.EncodeToString(d.h.Sum(nil)) }

func withoutReturns(p []byte) []byte {
	if bytes.IndexByte(p, '\r') < 0 {
		return p
	}
	return bytes.ReplaceAll(p, []byte("\r"), nil)
}

// sealed writes a document by write to w, and its seal below.
func sealed(w io.Writer, key string, format Format, write func(io.Writer) error) (seal, error) {
	sum := newDigest()
	both := io.MultiWriter(w, sum)
	if err := write(both); err != nil {
		return seal{}, err
	}
	if format == Markdown {
		if _, err := io.WriteString(both, "\n"); err != nil {
			return seal{}, fmt.Errorf("write export: %w", err)
		}
	}
	s := seal{key: key, sum: sum.String()}
	if _, err := io.WriteString(w, s.line(format)); err != nil {
		return seal{}, fmt.Errorf("write export: %w", err)
	}
	return s, nil
}
