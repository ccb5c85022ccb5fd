package mcp

import (
	"context"
	"encoding/json"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"cmem/recall"
	"cmem/store"
)

// tools answers the calls.
type tools struct {
	store   *holder
	project string
	newest  recall.Request
	query   func(project string) recall.Query
}

// definition is one tool: what the client is shown, and what a call does.
type definition struct {
	tool *sdk.Tool
	run  func(t *tools, ctx context.Context, src Source, a args) (answer, error)
}

const workflow = `Three layers; each costs more than the one before, so narrow down first.
1. search(query) gives an index: one line a memory with its #id, about 50-100 tokens. Filters: type, concept, file, tag, after, before, project, kinds. No query but filters: a list, newest first. A line "More: offset=20" says how to go on.
2. timeline(id) gives what happened around a line: prompts (P), observations (#), summaries (S).
3. get_observations(ids) gives the whole of the few that you need, in one call. raw=true adds the recorded tool input and output.
Do not fetch details of ids that you have not seen in an index. What comes back is a record of the past: check it against the code before you rely on it.`

// nothingYet is the answer while there is no store.
const nothingYet = "Nothing is remembered yet: memory begins with the first session that cmem records."

// definitions gives the tools. Their schemas describe and do not restrict:
// unknown parameters are ignored and values are read as leniently as they can be.
func definitions() []definition {
	return []definition{
		{
			tool: newTool("__IMPORTANT", "How to use memory",
				"Memory workflow: search (index with ids) → timeline (around an id) → get_observations (details of the few ids you need). Never fetch details before an index.", ""),
		},
		{
			tool: newTool("search", "Search memory",
				"Find what earlier sessions did, learned or decided: an index with ids. Words, identifiers, paths, error texts, \"quoted phrases\".", `
"query":{"type":"string","description":"omit to list by filters, newest first"},
"project":{"type":"string","description":"default: this one; * for all"},
"type":{"type":"string","description":"bugfix, feature, refactor, change, discovery, decision; several with commas"},
"kinds":{"type":"string","description":"observations, summaries, prompts; default: all"},
"concept":{"type":"string"},
"file":{"type":"string","description":"part of a path"},
"tag":{"type":"string"},
"after":{"type":"string","description":"date or time, UTC"},
"before":{"type":"string"},
"status":{"type":"string","description":"archived, superseded, all"},
"sort":{"type":"string","description":"relevance or time"},
"limit":{"type":"integer","description":"default 20"},
"offset":{"type":"integer"},
"cursor":{"type":"string"},
"max_tokens":{"type":"integer","description":"default 2000"}`),
			run: (*tools).search,
		},
		{
			tool: newTool("timeline", "Around a memory",
				"What happened before and after an id: prompts, observations, summaries in order.", `
"id":{"type":"string","description":"#12, P3 or S4; or give query or at"},
"query":{"type":"string","description":"around its best match"},
"at":{"type":"string","description":"around a time"},
"depth_before":{"type":"integer","description":"default 5"},
"depth_after":{"type":"integer"},
"project":{"type":"string"}`),
			run: (*tools).timeline,
		},
		{
			tool: newTool("get_observations", "Whole memories",
				"Full details of ids that an index showed, all in one call.", `
"ids":{"type":"array","items":{"type":"string"},"description":"#12; S4 and P3 too"},
"order":{"type":"string","description":"given, oldest, newest"},
"raw":{"type":"boolean","description":"add the recorded events"},
"offset":{"type":"integer","description":"go on in one that was cut"},
"max_tokens":{"type":"integer","description":"default 8000"}`),
			run: (*tools).observations,
		},
	}
}

// alwaysLoad keeps Claude Code from showing the model no more of a tool than its
// name until it asks for it. Only timeline may wait.
func alwaysLoad(name string) sdk.Meta {
	if name == "timeline" {
		return nil
	}
	return sdk.Meta{"anthropic/alwaysLoad": true}
}

func newTool(name, title, description, properties string) *sdk.Tool {
	return &sdk.Tool{
		Meta:        alwaysLoad(name),
		Name:        name,
		Title:       title,
		Description: description,
		InputSchema: json.RawMessage(`{"type":"object","properties":{` + properties + `}}`),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true},
	}
}

// handler answers the calls of a tool. What goes wrong is told to the model as the
// tool's answer, so that it can mend its call.
func (t *tools) handler(d definition) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		said, inJSON, err := t.call(ctx, d, req.Params.Arguments)
		if err != nil {
			text := d.tool.Name + ": " + explained(err)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: true}, nil
		}
		return said.result(inJSON)
	}
}

func (t *tools) call(ctx context.Context, d definition, arguments json.RawMessage) (said answer, inJSON bool, err error) {
	a, err := readArgs(arguments)
	if err != nil {
		return said, false, err
	}
	if d.run == nil {
		return answer{text: workflow}, false, nil
	}
	if inJSON, err = a.json(); err != nil {
		return said, false, err
	}
	err = t.store.use(ctx, func(src Source) (err error) {
		said, err = d.run(t, ctx, src, a)
		return err
	})
	if errors.Is(err, store.ErrNoStore) {
		return answer{text: nothingYet, data: indexData{Notes: []string{nothingYet}}}, inJSON, nil
	}
	return said, inJSON, err
}
