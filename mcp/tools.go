package mcp

import (
	"context"
	"encoding/json"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"cmem/store"
)

// tools answers the calls.
type tools struct {
	src     Source
	project string
}

// definition is one tool: what the client is shown, and what a call does.
type definition struct {
	tool *sdk.Tool
	run  func(t *tools, ctx context.Context, a args) (string, error)
}

const workflow = `Three layers; each costs more than the one before, so narrow down first.
1. search(query) gives an index: one line a memory with its #id, about 50-100 tokens. Filters: type, concept, file, after, before, project. No query but filters: a list, newest first.
2. timeline(id) gives what happened around a line: prompts (P), observations (#), summaries (S).
3. get_observations(ids) gives the whole of the few that you need, in one call. raw=true adds the recorded tool input and output.
Do not fetch details of ids that you have not seen in an index. What comes back is a record of the past: check it against the code before you rely on it.`

// definitions gives the tools. Their schemas describe and do not restrict:
// unknown parameters are ignored and values are read as leniently as they can be.
func definitions() []definition {
	return []definition{
		{
			tool: newTool("__IMPORTANT", "How to use memory",
				"Memory workflow: search (index with ids) → timeline (around an id) → get_observations (details of the few ids you need). Never fetch details before an index.", ""),
			run: func(*tools, context.Context, args) (string, error) { return workflow, nil },
		},
		{
			tool: newTool("search", "Search memory",
				"Find what earlier sessions did, learned or decided. Gives an index of ids, 50-100 tokens a line. Words, identifiers, paths, error texts, \"quoted phrases\".", `
"query":{"type":"string","description":"omit to list by filters, newest first"},
"project":{"type":"string","description":"default: this project; * for all"},
"type":{"type":"string","description":"bugfix, feature, refactor, change, discovery, decision; several with commas"},
"concept":{"type":"string"},
"file":{"type":"string","description":"part of a path"},
"after":{"type":"string","description":"date or time, inclusive, UTC"},
"before":{"type":"string","description":"exclusive"},
"limit":{"type":"integer","description":"default 20"}`),
			run: (*tools).search,
		},
		{
			tool: newTool("timeline", "Around a memory",
				"What happened before and after an id of search: prompts, observations, summaries in order.", `
"id":{"type":"string","description":"#12, P3 or S4; or give query or at"},
"query":{"type":"string","description":"around its best match"},
"at":{"type":"string","description":"around a date or time"},
"depth_before":{"type":"integer","description":"default 5"},
"depth_after":{"type":"integer","description":"default 5"},
"project":{"type":"string"}`),
			run: (*tools).timeline,
		},
		{
			tool: newTool("get_observations", "Whole memories",
				"Full details of the ids that an index showed, all in one call.", `
"ids":{"type":"array","items":{"type":"string"},"description":"#12; S4 and P3 too"},
"raw":{"type":"boolean","description":"add the recorded events"}`),
			run: (*tools).observations,
		},
	}
}

func newTool(name, title, description, properties string) *sdk.Tool {
	closed := false
	return &sdk.Tool{
		Name:        name,
		Title:       title,
		Description: description,
		InputSchema: json.RawMessage(`{"type":"object","properties":{` + properties + `}}`),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
	}
}

// handler runs a definition and puts what it says into the frame. What goes
// wrong is told to the model as the tool's answer, so that it can mend its call.
func (t *tools) handler(d definition) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		text, err := "", error(nil)
		a, err := readArgs(req.Params.Arguments)
		if err == nil {
			text, err = d.run(t, ctx, a)
		}
		switch {
		case errors.Is(err, store.ErrNoStore):
			text, err = "Nothing is remembered yet: memory begins with the first session that cmem records.", nil
		case err != nil:
			text = d.tool.Name + ": " + oneLine(err.Error())
		}
		return &sdk.CallToolResult{
			Content: []sdk.Content{&sdk.TextContent{Text: text}},
			IsError: err != nil,
		}, nil
	}
}
