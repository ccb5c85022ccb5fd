package export

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// slugBytes bounds the readable part of a file name.
const slugBytes = 60

// fileName gives the name of a new file about sc: the day, so that a folder
// sorts by time, a few words, and what tells two sessions apart. Only letters,
// digits, dashes and dots are in it, which every file system takes.
func fileName(sc scope, format Format, loc *time.Location) string {
	name := "memories"
	switch sc := sc.(type) {
	case sessionScope:
		parts := []string{sc.session.CreatedAt.In(loc).Format(time.DateOnly)}
		if words := slug(sc.title); words != "" {
			parts = append(parts, words)
		}
		name = strings.Join(append(parts, idPart(sc.session.ID)), "-")
	case dayScope:
		name = sc.day.Format(time.DateOnly)
	}
	return name + extension(format)
}

func extension(format Format) string {
	if format == JSON {
		return ".jsonl"
	}
	return ".md"
}

// slug gives the words of s in small letters with dashes between them.
func slug(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(oneLine(s)) {
		if r == utf8.RuneError || !unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark) {
			gap = b.Len() > 0
			continue
		}
		size := utf8.RuneLen(r)
		if gap {
			size++
		}
		if b.Len()+size > slugBytes {
			break
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-`)

// idPart gives a short mark of a session: the beginning of a UUID; of any other
// name, which may begin like its neighbour's, the beginning of its hash.
func idPart(id string) string {
	if uuid.MatchString(id) {
		return id[:8]
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:4])
}
