// Package openai is the compressor that asks a model through the chat completions
// API, and the embedding model that is asked through the embeddings API: OpenAI's
// own, or any server that speaks it, such as Ollama, llama.cpp, vLLM, LiteLLM and
// OpenRouter.
//
// It holds that API's wire format and nothing else: what is asked and how an
// answer is read stands in package llm.
package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"cmem/llm"
	"cmem/memory"
)

const (
	provider       = "openai"
	defaultBaseURL = "https://api.openai.com/v1"
)

// Options say how to reach the API.
type Options struct {
	APIKey  string // may be empty for a server that wants none
	Model   string
	BaseURL string      // up to and with /v1, without /chat/completions; empty for OpenAI's
	Header  http.Header // goes with every call beside the key
	// HTTPClient is used instead of a client of the package's own, with its own timeout.
	HTTPClient *http.Client
	Timeout    time.Duration // of one call; 0 for llm.DefaultTimeout
}

// Compressor asks one model of one server.
type Compressor struct {
	server
	model string
	// plain is set once the server has refused response_format.
	plain atomic.Bool
}

var _ llm.Compressor = (*Compressor)(nil)

// New gives a compressor. It makes no call; an error is an *llm.Error of
// KindAuth and says which setting is missing.
func New(o Options) (*Compressor, error) {
	s, err := o.server("/chat/completions")
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		return nil, setting("no model; set it with: cmem config set openai.model NAME")
	}
	return &Compressor{server: s, model: o.Model}, nil
}

func setting(text string) error {
	return &llm.Error{Provider: provider, Kind: llm.KindAuth, Err: errors.New(text)}
}

// ID implements llm.Compressor.
func (c *Compressor) ID() string { return provider + "/" + llm.PromptVersion }

// Compress implements llm.Compressor.
func (c *Compressor) Compress(ctx context.Context, b llm.Batch) (llm.Result, error) {
	return llm.CompressWith(ctx, provider, c.ask, b)
}

// Summarize implements llm.Compressor.
func (c *Compressor) Summarize(ctx context.Context, s llm.Story) (memory.Summary, llm.Result, error) {
	return llm.SummarizeWith(ctx, provider, c.ask, s)
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type format struct {
	Type string `json:"type"`
}

// request names no temperature and no token limit: servers disagree about
// both, and refuse a call for them.
type request struct {
	Model          string    `json:"model"`
	Messages       []message `json:"messages"`
	ResponseFormat *format   `json:"response_format,omitempty"`
}

type response struct {
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	} `json:"usage"`
}

func (c *Compressor) ask(ctx context.Context, p llm.Prompt) (llm.Answer, error) {
	in := request{
		Model:    c.model,
		Messages: []message{{Role: "system", Content: p.System}, {Role: "user", Content: p.User}},
	}
	if !c.plain.Load() {
		in.ResponseFormat = &format{Type: "json_object"}
	}
	var out response
	err := c.post(ctx, in, &out)
	if in.ResponseFormat != nil && llm.KindOf(err) == llm.KindRequest {
		// Some compatible servers do not know the field; the prompt asks for JSON
		// anyway. If this call is refused too, the field was not the reason.
		in.ResponseFormat = nil
		out = response{}
		if err = c.post(ctx, in, &out); err == nil {
			c.plain.Store(true)
		}
	}
	if err != nil {
		return llm.Answer{}, err
	}
	if len(out.Choices) == 0 {
		return llm.Answer{}, &llm.Error{Provider: provider, Kind: llm.KindAnswer, Err: errors.New("the answer holds no choices")}
	}
	choice := out.Choices[0]
	if choice.Message.Refusal != "" || choice.FinishReason == "content_filter" {
		return llm.Answer{}, &llm.Error{Provider: provider, Kind: llm.KindRequest, Err: fmt.Errorf("the model %s refused", c.model)}
	}
	tokens := out.Usage.Total
	if tokens == 0 {
		tokens = out.Usage.Prompt + out.Usage.Completion
	}
	return llm.Answer{Text: choice.Message.Content, Model: out.Model, Tokens: tokens}, nil
}
