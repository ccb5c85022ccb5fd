package local

// taskBoard follows TaskCreate and TaskUpdate, which carry one task a call.
type taskBoard struct {
	order []string
	tasks map[string]todo
}

func (b *taskBoard) note(tool string, in toolInput, answer toolAnswer) {
	if b.tasks == nil {
		b.tasks = map[string]todo{}
	}
	id := first(string(in.TaskID), string(answer.Task.v.ID))
	if tool == "TaskCreate" && id == "" {
		id = string(in.Subject)
	}
	t, known := b.tasks[id]
	if id == "" || !known && in.Subject == "" || len(b.order) > maxList {
		return
	}
	if !known {
		b.order = append(b.order, id)
		t.Status = "pending"
	}
	if in.Subject != "" {
		t.Content = in.Subject
	}
	if in.Status != "" {
		t.Status = in.Status
	}
	b.tasks[id] = t
}

func (b *taskBoard) list() []todo {
	out := make([]todo, 0, len(b.order))
	for _, id := range b.order {
		if b.tasks[id].Status != "deleted" {
			out = append(out, b.tasks[id])
		}
	}
	return out
}
