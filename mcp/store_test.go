package mcp

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/memory"
	"cmem/store"
)

func TestTheRealStoreServesEveryTool(t *testing.T) {
	ctx := t.Context()
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "cmem.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	event := func(id, name string, minute int, e memory.Event) memory.Event {
		e.ID, e.Name, e.CreatedAt = id, name, at(8, minute)
		e.Agent, e.SessionID, e.PromptID, e.Project, e.CWD = "claude-code", "s-1", "p-1", webshop, webshop
		e.Raw = []byte(`{"hook_event_name":"` + name + `","note":"订单"}`)
		return e
	}
	_, err = s.AddEvents(ctx, []memory.Event{
		event("e1", memory.EventUserPromptSubmit, 0, memory.Event{Prompt: "订单并发有问题，please fix orderService"}),
		event("e2", memory.EventPostToolUse, 5, memory.Event{ToolName: "Edit", ToolUseID: "toolu_1"}),
		event("e3", memory.EventStop, 6, memory.Event{LastAssistantMessage: "Done."}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.GroupEvents(ctx, at(9, 0), time.Minute, 100); err != nil {
		t.Fatal(err)
	}
	batches, err := s.PendingBatches(ctx, at(9, 0), 10)
	if err != nil || len(batches) == 0 {
		t.Fatalf("batches %v, %v", batches, err)
	}
	b := batches[len(batches)-1]
	obs, err := s.FinishBatch(ctx, b.ID, []memory.Observation{{
		SessionID: "s-1", Project: webshop, PromptNumber: b.PromptNumber, CreatedAt: at(8, 5), Type: memory.TypeBugfix, Title: "订单服务 orderService locks the row",
		FilesModified: []string{"order/service.go"}, ToolName: "Edit", Compressor: "local/v1", Scope: memory.ScopeProject, Status: memory.StatusActive,
	}}, memory.BatchDone)
	if err != nil || len(obs) != 1 {
		t.Fatalf("observations %v, %v", obs, err)
	}
	if _, err := s.AddSummary(ctx, memory.Summary{SessionID: "s-1", Project: webshop, PromptNumber: 1, CreatedAt: at(8, 10), Request: "Fix orderService", Status: memory.StatusActive, Compressor: "local/v1"}); err != nil {
		t.Fatal(err)
	}

	id := label(memory.KindObservation, obs[0].ID)
	c := connect(t, s, webshop)
	c.initialize()
	for _, tt := range []struct{ tool, arguments, says string }{
		{"search", `{"query":"order_service"}`, id + " "},
		{"search", `{"query":"订单"}`, id + " "},
		{"search", `{"query":"\" AND ( NEAR"}`, "No memory"},
		{"search", `{"file":"service.go","project":"webshop"}`, id + " "},
		{"timeline", `{"id":"` + id + `"}`, "P1 08:00 prompt 订单并发有问题"},
		{"timeline", `{"at":"2026-11-30T08:00:00Z"}`, "S1 08:10 summary Fix orderService"},
		{"get_observations", `{"ids":["` + id + `","S1","P1"],"raw":true}`, `"note":"订单"`},
	} {
		text, failed := c.call(tt.tool, tt.arguments)
		if failed || !strings.Contains(text, tt.says) {
			t.Errorf("%s(%s) failed=%v lacks %q:\n%s", tt.tool, tt.arguments, failed, tt.says, text)
		}
	}
}
