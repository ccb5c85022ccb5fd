package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"cmem/internal/e2e/scene"
)

// Where the invented developer works.
const (
	devHome    = "/home/dev"
	devProject = "/home/dev/projects/webshop"
)

// machine is where a recording was made.
type machine struct {
	home    string   // becomes devHome
	project string   // becomes devProject
	traces  []string // must not be in the recording
}

// normalise turns the payloads of a scene, by run, into JSON lines of a time and
// a payload, and refuses to let a trace of the machine through.
func normalise(name string, sc scene.Scene, runs [][][]byte, m machine) ([]byte, error) {
	paths := strings.NewReplacer(
		m.project, devProject,
		dashed(m.project), dashed(devProject), // the client's folder for the project's transcripts
		m.home, devHome,
	)
	ids := newIDs(name, sc.Session)
	clock := newClock(name)
	var out bytes.Buffer
	for i, payloads := range runs {
		clock.startRun(sc.Runs[i].At)
		for _, raw := range payloads {
			text := ids.replace(paths.Replace(strings.TrimSpace(string(raw))))
			var p payload
			if err := json.Unmarshal([]byte(text), &p); err != nil {
				return nil, fmt.Errorf("payload %.80q: %w", text, err)
			}
			fmt.Fprintf(&out, `{"at":"%s","payload":%s}`+"\n", clock.next(p).Format("2006-01-02T15:04:05.000Z"), text)
		}
	}
	for _, trace := range m.traces {
		if i := bytes.Index(out.Bytes(), []byte(trace)); i >= 0 {
			return nil, fmt.Errorf("a trace of this machine, %q, is left: …%s…", trace, out.Bytes()[max(0, i-80):min(out.Len(), i+80)])
		}
	}
	return out.Bytes(), nil
}

// payload is what the clock wants to know of an event.
type payload struct {
	Name       string `json:"hook_event_name"`
	DurationMS int64  `json:"duration_ms"`
}

func dashed(path string) string {
	return regexp.MustCompile(`[^a-zA-Z0-9]`).ReplaceAllString(path, "-")
}

// ids replaces the identifiers that differ from one recording to the next by
// ones that follow from the scene's name and their order of appearance.
type ids struct {
	seed  string
	known map[string]string
}

func newIDs(name, session string) *ids {
	return &ids{seed: name, known: map[string]string{session: session}}
}

var idPattern = regexp.MustCompile(`\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|toolu_[0-9]{8}|a[0-9a-f]{16})\b`)

func (s *ids) replace(text string) string {
	return idPattern.ReplaceAllStringFunc(text, func(id string) string {
		if s.known[id] == "" {
			h := fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %d", s.seed, len(s.known))))
			switch {
			case strings.HasPrefix(id, "toolu_"):
				s.known[id] = "toolu_01" + h[:22]
			case strings.Contains(id, "-"):
				s.known[id] = h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:32]
			default:
				s.known[id] = "a" + h[:16]
			}
		}
		return s.known[id]
	})
}

// clock gives the events times as if a person and a model had taken part: the
// stand-in answers at once, which would look like nothing that really happens.
type clock struct {
	rand *rand.Rand
	now  time.Time
	last string // the event before
}

func newClock(name string) *clock {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return &clock{rand: rand.New(rand.NewPCG(h.Sum64(), binary.BigEndian.Uint64([]byte("recorder"))))}
}

func (c *clock) startRun(at time.Time) { c.now, c.last = at.UTC(), "" }

// next returns the time of an event that follows the ones before it.
func (c *clock) next(p payload) time.Time {
	switch p.Name {
	case "SessionStart":
		if c.last != "" {
			c.pause(50*time.Millisecond, 300*time.Millisecond)
		}
	case "UserPromptSubmit", "PreCompact":
		if c.last == "SessionStart" {
			c.pause(4*time.Second, 30*time.Second) // typing
		} else {
			c.pause(40*time.Second, 5*time.Minute) // reading the answer, then typing
		}
	case "PreToolUse", "SubagentStop", "Stop":
		if c.last == "PreToolUse" { // tools that are called together
			c.pause(10*time.Millisecond, 120*time.Millisecond)
			break
		}
		c.pause(1500*time.Millisecond, 11*time.Second) // the model writes
	case "PostToolUse", "PostToolUseFailure":
		c.pause(20*time.Millisecond, 60*time.Millisecond)
		c.now = c.now.Add(time.Duration(p.DurationMS) * time.Millisecond)
	case "SessionEnd":
		c.pause(20*time.Second, 4*time.Minute)
	default:
		c.pause(20*time.Millisecond, 200*time.Millisecond)
	}
	c.last = p.Name
	return c.now
}

func (c *clock) pause(shortest, longest time.Duration) {
	c.now = c.now.Add(shortest + time.Duration(c.rand.Int64N(int64(longest-shortest))))
}
