package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cmem/memory"
)

func TestAConversationThatIsToldAnewIsLeftOut(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "payloads", "PostCompact-manual.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), "COMPACT-SUMMARY-MARK") {
		t.Fatal("the recorded payload has no summary any more")
	}
	for name, clean := range map[string]func([]byte, fields) ([]byte, error){"by the hook": cutPayload, "by the worker": cleanPayload} {
		got, err := clean(raw, fields{})
		if err != nil || strings.Contains(string(got), "COMPACT-SUMMARY-MARK") || !strings.Contains(string(got), `"trigger":"manual"`) {
			t.Errorf("%s: %s (%v)", name, got, err)
		}
	}
}

func TestAgentsOfAPrivateTurnStayPrivateAfterTheSession(t *testing.T) {
	turns := privateTurnsIn(t.TempDir())
	const session = "会话"
	for _, step := range []struct {
		e    memory.Event
		want bool
	}{
		{memory.Event{Name: memory.EventUserPromptSubmit, Prompt: privateMark, PromptID: "p1"}, true},
		{memory.Event{Name: memory.EventPostToolUse, ToolName: "Agent", PromptID: "p1", ToolResponse: []byte(`{"agentId":"ag1"}`)}, true},
		{memory.Event{Name: memory.EventSessionEnd}, false},
		{memory.Event{Name: memory.EventPostToolUse, ToolName: "Bash", AgentID: "ag1"}, true},
		{memory.Event{Name: memory.EventStop, PromptID: "p1"}, true},
		{memory.Event{Name: memory.EventUserPromptSubmit, Prompt: "go on", PromptID: "p2"}, false},
		{memory.Event{Name: memory.EventPostToolUse, ToolName: "Bash", PromptID: "p2"}, false},
	} {
		step.e.SessionID = session
		if hidden, err := turns.hides(step.e); hidden != step.want || err != nil {
			t.Errorf("%s %s%s: hidden %v (%v), want %v", step.e.Name, step.e.PromptID, step.e.AgentID, hidden, err, step.want)
		}
	}
}

func TestATagInALongTextIsFoundWhereverItStands(t *testing.T) {
	long := strings.Repeat("hello <b> 世界 \\u0041 ＜i＞ ", 5000)
	space := strings.Repeat(" \t\u3000", 4000)
	for name, text := range map[string]string{
		"between":        long + "<private>geheim</private>" + long,
		"far apart":      "<private>geheim" + long + "geheim</private>" + long,
		"much space":     long + "<" + space + "private" + space + ">geheim<" + space + "/private>" + long,
		"escaped":        long + `\u003c` + space + `private\u003egeheim\u003c/private\u003e` + long,
		"long attribute": long + `<private why="` + strings.Repeat("x", 9000) + `">geheim</private>` + long,
		"many, no end":   long + strings.Repeat("<private ", 20000) + "geheim",
	} {
		got := (&privateCutter{}).cut(text)
		if strings.Contains(got, "geheim") || strings.Contains(got, "xxx") || strings.Count(got, privateMark) != 1 {
			t.Errorf("%s: %d bytes are left with %d marks: %.60q … %.60q", name, len(got), strings.Count(got, privateMark), got, got[max(0, len(got)-60):])
		}
		if strings.HasSuffix(text, "</private>"+long) && !strings.HasSuffix(got, long) {
			t.Errorf("%s: what follows is cut, too", name)
		}
	}
}

func BenchmarkCut(b *testing.B) {
	for name, text := range map[string]string{
		"tags of others": strings.Repeat("hello <b> world ", 1<<16) + "<private>x</private>",
		"many, no end":   strings.Repeat("<private ", 1<<17),
		"closed":         strings.Repeat("<private>a</private> b ", 1<<15),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				(&privateCutter{}).cut(text)
			}
		})
	}
}
