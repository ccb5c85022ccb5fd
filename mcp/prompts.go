package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// words are the arguments of the prompt recall. Claude Code cuts what a person types
// behind a prompt's name at its spaces and hands over a word an argument; what is
// more than there are arguments is lost.
var words = []string{"about", "word2", "word3", "word4", "word5", "word6"}

// addPrompts offers what a person may call by name. Nothing of it reaches the
// model before. A prompt has no title: Claude Code takes it for the name.
func (t *tools) addPrompts(s *sdk.Server) {
	s.AddPrompt(&sdk.Prompt{
		Name:        "recent",
		Description: "Put the newest memories of this project into the conversation",
	}, func(ctx context.Context, _ *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text, err := t.recent(ctx)
		if err != nil {
			return nil, err
		}
		return said("These are the newest memories of this project. Say in two or three sentences where the work stands and what is open.\n\n" + text), nil
	})
	arguments := make([]*sdk.PromptArgument, len(words))
	for i, name := range words {
		arguments[i] = &sdk.PromptArgument{Name: name, Description: "another word, where about holds only the first"}
	}
	arguments[0].Required, arguments[0].Description = true, "what to look for"
	s.AddPrompt(&sdk.Prompt{
		Name:        "recall",
		Description: "Search memory and put what is found into the conversation",
		Arguments:   arguments,
	}, t.recallPrompt)
}

func (t *tools) recallPrompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	var typed []string
	for _, name := range words {
		if w := strings.TrimSpace(req.Params.Arguments[name]); w != "" {
			typed = append(typed, w)
		}
	}
	query := strings.Join(typed, " ")
	if query == "" {
		return nil, errors.New("recall: say what to look for")
	}
	quoted, err := json.Marshal(query)
	if err != nil {
		return nil, err
	}
	found, _, err := t.call(ctx, definition{run: (*tools).search}, json.RawMessage(`{"query":`+string(quoted)+`}`))
	if err != nil {
		return nil, errors.New("recall: " + explained(err))
	}
	return said("What do we know about «" + oneLine(query) + "»? This is what memory has; fetch with get_observations what you need of it, and check it against the code.\n\n" + found.text), nil
}

func said(text string) *sdk.GetPromptResult {
	return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}
}
