package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"cmem/recall"
	"cmem/store"
)

// What can be read besides the tools: a person puts it into the conversation, in
// clients that let him.
const (
	recentURI      = "memory://project/recent"
	observationURI = "memory://observation/"
)

func (t *tools) addResources(s *sdk.Server) {
	s.AddResource(&sdk.Resource{
		URI: recentURI, Name: "recent", MIMEType: "text/markdown",
		Description: "The newest memories of this project, as a starting session is given them",
	}, func(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		text, err := t.recent(ctx)
		return contents(recentURI, "text/markdown", text), err
	})
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: observationURI + "{id}", Name: "observation", MIMEType: "text/plain",
		Description: "A memory whole: 12, P3 for a prompt, S4 for a summary",
	}, t.readObservation)
}

// recent gives the context block of the project. It is made as for a session that
// starts, so that clients without hooks get the same.
func (t *tools) recent(ctx context.Context) (string, error) {
	var block recall.Block
	err := t.store.use(ctx, func(src Source) (err error) {
		block, err = recall.Context(ctx, src, t.newest)
		return err
	})
	if errors.Is(err, store.ErrNoStore) {
		block, err = recall.Context(ctx, recall.NoMemories{}, t.newest)
	}
	if err != nil {
		return "", errors.New(explained(fmt.Errorf("read the newest memories: %w", err)))
	}
	return block.Text, nil
}

// readObservation reads a memory by the id in its address.
func (t *tools) readObservation(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	r, err := parseRef(strings.TrimPrefix(uri, observationURI))
	if err != nil {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	var said answer
	missing := false
	err = t.store.use(ctx, func(src Source) error {
		rows, _, err := readRows(ctx, src, []ref{r})
		if err != nil {
			return err
		}
		missing = len(rows) == 0
		said, err = fetch{limit: 1, tokens: wholeTokens}.tell(ctx, src, rows, nil)
		return err
	})
	switch {
	case missing, errors.Is(err, store.ErrNoStore):
		return nil, sdk.ResourceNotFoundError(uri)
	case err != nil:
		return nil, errors.New(explained(err))
	}
	return contents(uri, "text/plain", said.text), nil
}

func contents(uri, mimeType, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: mimeType, Text: text}}}
}
