// Package mcp is the server through which a model looks things up in memory:
// four tools in three layers, and the newest memories as a resource and a prompt,
// over the Model Context Protocol on standard input and output.
//
// It only reads. Every answer is data in a marked frame, bounded in size, and
// never an instruction; SQL, ranking and an assistant's JSON stand elsewhere.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"cmem/recall"
)

// Options say what a server serves.
type Options struct {
	// Open opens the store for reading. It is called when the store is first needed,
	// and again after another file has taken its place. It may give store.ErrNoStore:
	// nothing is remembered yet.
	Open    func(ctx context.Context) (Store, error)
	Project string         // key of the project that is meant when a call names none; empty for all
	Recent  recall.Request // for the newest memories of the project
	// Query gives what searches in a project, or with "" in all, are made with besides what
	// a call says; nil means what recall does by itself.
	Query   func(project string) recall.Query
	Version string // of cmem
	In      io.Reader
	Out     io.Writer
}

// instructions reach the model once, when it connects.
const instructions = "cmem remembers earlier sessions of this and other projects: what was changed, found out, decided and why. " +
	"Before you redo work, search again for a cause, or guess why something is as it is, call search, then get_observations for the ids that matter."

// Run serves one client until it hangs up or ctx ends; neither is an error.
func Run(ctx context.Context, o Options) error {
	in, ok := o.In.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(o.In)
	}
	held := &holder{open: o.Open, ctx: ctx}
	defer held.close()
	if o.Query == nil {
		o.Query = func(string) recall.Query { return recall.Query{} }
	}
	t := &tools{store: held, project: o.Project, newest: o.Recent, query: o.Query}
	err := newServer(t, o.Version).Run(ctx, patient{&sdk.IOTransport{Reader: in, Writer: keepOpen{o.Out}}})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve MCP: %w", err)
	}
	return nil
}

// keepOpen leaves the closing of standard output to the process's end.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

func newServer(t *tools, version string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "cmem", Title: "cmem", Version: version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}, Prompts: &sdk.PromptCapabilities{},
		},
	})
	for _, d := range definitions() {
		s.AddTool(d.tool, t.handler(d))
	}
	t.addResources(s)
	t.addPrompts(s)
	return s
}
