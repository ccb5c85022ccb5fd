// Package claude is the compressor that asks a Claude model through
// Anthropic's Messages API.
//
// It holds that API's wire format and nothing else: what is asked and how an
// answer is read stands in package llm.
package claude

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"cmem/llm"
	"cmem/memory"
)

const (
	provider       = "claude"
	defaultBaseURL = "https://api.anthropic.com"
	apiVersion     = "2023-06-01"
	maxTokens      = 4096
)

// Options say how to reach the API.
type Options struct {
	APIKey  string // may be empty only with a BaseURL, such as a gateway's that has its own login
	Model   string
	BaseURL string // without /v1/messages; empty for Anthropic's
	// HTTPClient is used instead of a client of the package's own, with its own timeout.
	HTTPClient *http.Client
	Timeout    time.Duration // of one call; 0 for llm.DefaultTimeout
}

// Compressor asks one Claude model.
type Compressor struct {
	client *http.Client
	url    string
	key    string
	model  string
}

var _ llm.Compressor = (*Compressor)(nil)

// New gives a compressor. It makes no call; an error is an *llm.Error of
// KindAuth and says which setting is missing.
func New(o Options) (*Compressor, error) {
	if o.APIKey == "" && o.BaseURL == "" {
		return nil, setting("no API key; set it with: cmem config set claude.api_key KEY")
	}
	if o.Model == "" {
		return nil, setting("no model; set it with: cmem config set claude.model NAME")
	}
	base := strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), "/v1")
	if base == "" {
		base = defaultBaseURL
	}
	return &Compressor{
		client: llm.Client(o.HTTPClient, o.Timeout),
		url:    base + "/v1/messages",
		key:    o.APIKey,
		model:  o.Model,
	}, nil
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

type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    string    `json:"system"`
	Messages  []message `json:"messages"`
}

type response struct {
	Model   string `json:"model"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      struct {
		Input      int `json:"input_tokens"`
		Output     int `json:"output_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
	} `json:"usage"`
}

func (c *Compressor) ask(ctx context.Context, p llm.Prompt) (llm.Answer, error) {
	header := http.Header{"Anthropic-Version": {apiVersion}}
	if c.key != "" {
		header.Set("X-Api-Key", c.key)
	}
	in := request{
		Model:     c.model,
		MaxTokens: maxTokens,
		System:    p.System,
		Messages:  []message{{Role: "user", Content: p.User}},
	}
	var out response
	if err := llm.Post(ctx, c.client, provider, c.key, c.url, header, in, &out); err != nil {
		return llm.Answer{}, err
	}
	if out.StopReason == "refusal" {
		return llm.Answer{}, &llm.Error{Provider: provider, Kind: llm.KindRequest, Err: fmt.Errorf("the model %s refused", c.model)}
	}
	if out.Content == nil {
		return llm.Answer{}, &llm.Error{Provider: provider, Kind: llm.KindAnswer, Err: errors.New("the answer is not a message")}
	}
	var text strings.Builder
	for _, part := range out.Content {
		if part.Type == "text" {
			text.WriteString(part.Text)
		}
	}
	u := out.Usage
	return llm.Answer{
		Text:   text.String(),
		Model:  out.Model,
		Tokens: u.Input + u.Output + u.CacheWrite + u.CacheRead,
	}, nil
}
