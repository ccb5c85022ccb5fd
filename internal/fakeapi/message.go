package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// defaultInputTokens is the usage reported when a turn names none.
const defaultInputTokens = 1000

// message is an answer of the Messages API.
type message struct {
	ID           string    `json:"id"`
	Type         string    `json:"type"`
	Role         string    `json:"role"`
	Model        string    `json:"model"`
	Content      []content `json:"content"`
	StopReason   *string   `json:"stop_reason"`
	StopSequence *string   `json:"stop_sequence"`
	Usage        usage     `json:"usage"`
}

type usage struct {
	Input         int `json:"input_tokens"`
	Output        int `json:"output_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
}

// content is a text block (Text set, even when empty) or a tool_use block.
type content struct {
	Type  string          `json:"type"`
	Text  *string         `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

// newMessage makes the answer to request n. Its ids follow from n and the
// block's place, so the same conversation always has the same ids.
func newMessage(n int, model string, t Turn) message {
	stop, out := "end_turn", 0
	blocks := []content{}
	for i, b := range t.Blocks {
		if b.Tool == "" {
			blocks = append(blocks, content{Type: "text", Text: &b.Text})
			out += len(b.Text)/4 + 1
			continue
		}
		input := b.Input
		if len(input) == 0 {
			input = json.RawMessage("{}")
		}
		blocks = append(blocks, content{
			Type: "tool_use", ID: fmt.Sprintf("toolu_%06d%02d", n, i), Name: b.Tool, Input: input,
		})
		stop = "tool_use"
		out += len(input)/4 + 1
	}
	if t.StopReason != "" {
		stop = t.StopReason
	}
	in := t.InputTokens
	if in == 0 {
		in = defaultInputTokens
	}
	return message{
		ID: fmt.Sprintf("msg_%08d", n), Type: "message", Role: "assistant", Model: model,
		Content: blocks, StopReason: &stop, Usage: usage{Input: in, Output: out},
	}
}

// stream sends msg as the server-sent events of the streaming API. A write error
// means that the client went away, which is its right.
func stream(w http.ResponseWriter, msg message) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	flush := http.NewResponseController(w)
	send := func(event string, fields map[string]any) {
		fields["type"] = event
		data, err := json.Marshal(fields)
		if err != nil {
			panic(fmt.Sprintf("fakeapi: encode %s: %v", event, err))
		}
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data)
		_ = flush.Flush()
	}

	head := msg
	head.Content, head.StopReason = []content{}, nil
	send("message_start", map[string]any{"message": head})
	for i, c := range msg.Content {
		start, delta := split(c)
		send("content_block_start", map[string]any{"index": i, "content_block": start})
		send("content_block_delta", map[string]any{"index": i, "delta": delta})
		send("content_block_stop", map[string]any{"index": i})
	}
	send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": msg.StopReason, "stop_sequence": nil},
		"usage": map[string]int{"output_tokens": msg.Usage.Output},
	})
	send("message_stop", map[string]any{})
}

// split parts a block into its empty start and the one delta that fills it.
func split(c content) (start content, delta map[string]string) {
	start = c
	if c.Type == "tool_use" {
		start.Input = json.RawMessage("{}")
		return start, map[string]string{"type": "input_json_delta", "partial_json": string(c.Input)}
	}
	empty := ""
	start.Text = &empty
	return start, map[string]string{"type": "text_delta", "text": *c.Text}
}

func writeError(w http.ResponseWriter, status int, kind, text string) {
	if kind == "" {
		kind = "api_error"
	}
	writeJSON(w, status, map[string]any{
		"type":  "error",
		"error": map[string]string{"type": kind, "message": text},
	})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fakeapi: encode answer: %v", err))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}
