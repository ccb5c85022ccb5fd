package local

import (
	"context"
	"strings"
	"testing"

	"cmem/llm"
	"cmem/memory"
)

func summarize(t *testing.T, story llm.Story) memory.Summary {
	t.Helper()
	s, _, err := New().Summarize(context.Background(), story)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func prompts(first int, texts ...string) []memory.Prompt {
	var out []memory.Prompt
	for i, p := range texts {
		out = append(out, memory.Prompt{Number: first + i, Text: p})
	}
	return out
}

func stopEvent(message string) memory.Event {
	return memory.Event{Name: memory.EventStop, LastAssistantMessage: message}
}

func TestASummaryTellsWhatWasAskedLearnedDoneAndLeft(t *testing.T) {
	s := summarize(t, llm.Story{
		Prompts: prompts(1, "Please make the importer faster", "ok", "<task-notification>\n<result>Done.</result>", "why is parseLine slow?"),
		Observations: []memory.Observation{
			{Type: memory.TypeRefactor, Title: "Reads the import in chunks", FilesModified: []string{"import.go"}, FilesRead: []string{"row.go"}, ToolName: "Edit"},
			{Type: memory.TypeDiscovery, Title: "parseLine compiles its regexp on every call", Subtitle: "Why is parseLine slow?", Narrative: "`parseLine` compiles its regexp on every call, because it was moved out of init.", FilesRead: []string{"import.go", "line.go"}},
		},
		Events: []memory.Event{
			{Name: memory.EventPostToolUse, ToolName: "TodoWrite", ToolInput: obj("todos", []any{
				map[string]any{"content": "Read in chunks", "status": "completed"}, map[string]any{"content": "Measure with 1 GB", "status": "in_progress"}, map[string]any{"content": "Document the limits", "status": "pending"}})},
			stopEvent("`parseLine` compiles its regexp on every call. Next I would hoist it to a package variable. Let me know if you want that next."),
		},
	})
	for _, c := range []struct{ name, got, want string }{
		{"request", s.Request, "Make the importer faster. Then: Why is parseLine slow?"},
		{"investigated", s.Investigated, "Read row.go, line.go; Why is parseLine slow?"},
		{"learned", s.Learned, "`parseLine` compiles its regexp on every call, because it was moved out of init."},
		{"completed", s.Completed, "Reads the import in chunks."},
		{"next steps", s.NextSteps, "Measure with 1 GB (under way); Document the limits; Next I would hoist it to a package variable."},
		{"files modified", strings.Join(s.FilesModified, " "), "import.go"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q\nwant %q", c.name, c.got, c.want)
		}
	}
}

func TestACheckpointCoversWhatThePreviousOneCovered(t *testing.T) {
	first := summarize(t, llm.Story{
		Prompts:      prompts(1, "Add coupons"),
		Observations: []memory.Observation{{Type: memory.TypeFeature, Title: "Adds coupons to the cart", FilesModified: []string{"cart.go"}, ToolName: "Edit"}},
	})
	second := summarize(t, llm.Story{
		Prompts:      prompts(11, "Now refuse a second coupon"),
		Observations: []memory.Observation{{Type: memory.TypeFeature, Title: "Refuses a second coupon", FilesModified: []string{"coupon.go"}, ToolName: "Edit"}},
		Previous:     &first,
	})
	if want := "Adds coupons to the cart; Refuses a second coupon."; second.Completed != want {
		t.Errorf("completed %q, want %q", second.Completed, want)
	}
	if want := "Add coupons. Then: Refuse a second coupon"; second.Request != want {
		t.Errorf("request %q, want %q", second.Request, want)
	}
	if want := "cart.go coupon.go"; strings.Join(second.FilesModified, " ") != want {
		t.Errorf("files %q, want %q", second.FilesModified, want)
	}
	again := summarize(t, llm.Story{
		Prompts:      prompts(11, "Now refuse a second coupon"),
		Observations: []memory.Observation{{Type: memory.TypeFeature, Title: "Refuses a second coupon", FilesModified: []string{"coupon.go"}, ToolName: "Edit"}},
		Previous:     &second,
	})
	if again.Completed != second.Completed || again.Request != second.Request {
		t.Errorf("telling it again changed it:\n%q\n%q", again.Completed, again.Request)
	}
}

func TestASummaryIsInThePersonsLanguage(t *testing.T) {
	s := summarize(t, llm.Story{
		Prompts:      prompts(1, "请修复退款金额", "继续"),
		Observations: []memory.Observation{{Type: memory.TypeBugfix, Title: "修复退款金额", FilesModified: []string{"refund.go"}, FilesRead: []string{"order.go"}, ToolName: "Edit"}, {Type: memory.TypeChange, Title: "更新退款文档", ToolName: "Edit"}},
		Events:       []memory.Event{stopEvent("退款按比例计算，因为优惠券按订单分摊到每件商品。下一步：给后台页面加 `request_id`。")},
	})
	for _, c := range []struct{ name, got, want string }{
		{"request", s.Request, "修复退款金额"},
		{"investigated", s.Investigated, "阅读 order.go。"},
		{"completed", s.Completed, "修复退款金额；更新退款文档。"},
		{"next steps", s.NextSteps, "下一步：给后台页面加 `request_id`。"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestASessionOfSmallTalkHasNoSummary(t *testing.T) {
	s := summarize(t, llm.Story{Prompts: prompts(1, "hello", "thanks"), Events: []memory.Event{stopEvent("Hello! How can I help?")}})
	if s.Request != "" || s.Completed != "" || s.NextSteps != "" {
		t.Errorf("told %+v", s)
	}
}

func TestTasksThatAreOpenAreTheNextSteps(t *testing.T) {
	task := func(tool, id, subject, status string) memory.Event {
		return memory.Event{Name: memory.EventPostToolUse, ToolName: tool, ToolInput: obj("taskId", id, "subject", subject, "status", status), ToolResponse: obj("task", map[string]any{"id": id, "subject": subject})}
	}
	s := summarize(t, llm.Story{
		Prompts:      prompts(1, "Build the export"),
		Observations: []memory.Observation{{Type: memory.TypeFeature, Title: "Adds the export", ToolName: "Write", FilesModified: []string{"export.go"}}},
		Events:       []memory.Event{task("TaskCreate", "1", "Write the CSV", ""), task("TaskCreate", "2", "Stream large exports", ""), task("TaskUpdate", "1", "", "completed"), stopEvent("Done.")},
	})
	if want := "Stream large exports."; s.NextSteps != want {
		t.Errorf("next steps %q, want %q", s.NextSteps, want)
	}
}

func TestALongSessionKeepsItsSummaryShort(t *testing.T) {
	var story llm.Story
	for i := range 400 {
		word := strings.Repeat(string(rune('a'+i%26)), 12)
		story.Prompts = append(story.Prompts, memory.Prompt{Number: i + 1, Text: "Add the " + word + " report, number " + word})
		story.Observations = append(story.Observations, memory.Observation{Type: memory.TypeFeature, Title: "Adds the " + word + " report " + strings.Repeat("x", i%30), FilesModified: []string{word + ".go"}, ToolName: "Edit"})
		story.Events = append(story.Events, stopEvent("The "+word+" report is slow because `fetch"+word+"` asks 12 times."))
	}
	s := summarize(t, story)
	for name, text := range map[string]string{"request": s.Request, "learned": s.Learned, "completed": s.Completed, "investigated": s.Investigated, "next": s.NextSteps} {
		if cells(text) > sectionCells+20 {
			t.Errorf("%s has %d cells", name, cells(text))
		}
	}
	if !strings.HasPrefix(s.Request, "Add the aaaaaaaaaaaa report") || len(s.FilesModified) > maxSummaryPath {
		t.Errorf("request %q, %d files", s.Request, len(s.FilesModified))
	}
}

func TestACancelledContextIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New().Compress(ctx, llm.Batch{}); err == nil {
		t.Error("Compress went on")
	}
	if _, _, err := New().Summarize(ctx, llm.Story{}); err == nil {
		t.Error("Summarize went on")
	}
}
