package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cmem/hooks"
	"cmem/memory"
)

func TestAtAnActionIsSaidWhatFitsAndWhetherThereIsMore(t *testing.T) {
	a := newAdder(t)
	var added []int64
	for _, title := range []string{"退款", "金额", "价格"} {
		added = append(added, a.added(strings.Repeat(title, 30), "--file", "cart.go").ID)
	}
	slices.Reverse(added) // the newest is told first
	var told []int64
	for i, more := range []bool{true, false} {
		found, err := actionMemory{cfg: a.config()}.AtAction(t.Context(), hooks.ActionRequest{
			Event: memory.EventPreToolUse, CWD: a.project, SessionID: "s", File: filepath.Join(a.project, "src", "cart.go"), MaxTokens: 230,
			Told: func(id int64) bool { return slices.Contains(told, id) },
		})
		if err != nil || found.More != more || len(found.IDs) == 0 {
			t.Fatalf("at the %d. time %v fit, more %v, %v", i+1, found.IDs, found.More, err)
		}
		if n := strings.Count(found.Block(found.IDs), "\n#"); n != len(found.IDs) {
			t.Errorf("%d of %v stand in the block", n, found.IDs)
		}
		told = append(told, found.IDs...)
	}
	if !slices.Equal(told, added) {
		t.Errorf("told %v, want %v", told, added)
	}
}
