package recall

import (
	"fmt"
	"strings"
	"testing"

	"cmem/memory"
)

// everywhere makes an observation of another project that counts in every one.
func everywhere(id int64, days int, title string) memory.Observation {
	o := observation(id, "other", monday.AddDate(0, 0, -days), title)
	o.Project, o.Scope = "/home/dev/projects/blog", memory.ScopeGlobal
	return o
}

func TestWhatCountsInEveryProjectIsInEachBlock(t *testing.T) {
	src := fake{observations: []memory.Observation{
		observation(9, "s", monday, "A fix of the cart"), everywhere(7, 200, "提交信息用英文"), everywhere(5, 300, "Money is counted in cents"),
	}}
	elsewhere := observation(4, "other", monday, "Only theirs")
	elsewhere.Project = "/home/dev/projects/blog"
	src.observations = append(src.observations, elsewhere)
	b, err := Context(t.Context(), src, request())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nGlobal: counts in every project\n#5 ", "\n#7 ", "提交信息用英文", "\n#9 ", `observations="3" sessions="1"`,
	} {
		if !strings.Contains(b.Text, want) {
			t.Errorf("lacks %q:\n%s", want, b.Text)
		}
	}
	if strings.Contains(b.Text, "Only theirs") || strings.Count(b.Text, "#7 ") != 1 {
		t.Errorf("%s", b.Text)
	}
	if b.Stats.DepthDays != 0 {
		t.Errorf("the block reaches back %d days because of what counts everywhere", b.Stats.DepthDays)
	}
	// A session that is resumed was told already.
	r := request()
	r.Source, r.SessionID = SourceResume, "s"
	if b, err = Context(t.Context(), src, r); err != nil || strings.Contains(b.Text, "Global") {
		t.Errorf("%v\n%s", err, b.Text)
	}
}

func TestTheGlobalPartOfABlockIsBoundedAndExplained(t *testing.T) {
	src := fake{observations: []memory.Observation{observation(500, "s", monday, "Own")}}
	for i := range 30 {
		src.observations = append(src.observations, everywhere(int64(400-i), i, fmt.Sprint("rule ", i)))
	}
	p, err := Plan(t.Context(), src, request())
	if err != nil {
		t.Fatal(err)
	}
	checkPlan(t, src, request(), p)
	in, out := 0, 0
	for _, e := range p.Considered {
		switch e.Reason.Kind {
		case ReasonGlobal:
			in++
			if !e.In || !strings.Contains(p.Block.Text, fmt.Sprintf("\n#%d ", e.Item.ID)) {
				t.Errorf("#%d: %+v", e.Item.ID, e)
			}
		case ReasonGlobals:
			out++
			if e.In || e.Reason.String() != "beyond the newest 8 that count in every project" {
				t.Errorf("#%d: %+v", e.Item.ID, e)
			}
		}
	}
	if in != globalMax || out != 30-globalMax {
		t.Errorf("%d are in, %d out", in, out)
	}
}
