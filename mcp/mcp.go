// Package mcp is the server through which a model looks things up in memory:
// four tools in three layers, over the Model Context Protocol on standard
// input and output.
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

	"cmem/memory"
)

// Source is what the tools need of the store. A source that is opened when it
// is first asked may answer store.ErrNoStore: nothing is remembered yet.
type Source interface {
	Search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error)
	ListObservations(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Observation, error)
	Observations(ctx context.Context, ids []int64) ([]memory.Observation, error)
	Summary(ctx context.Context, id int64) (memory.Summary, error)
	Prompt(ctx context.Context, id int64) (memory.Prompt, error)
	Timeline(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Item, error)
	TimelineNewer(ctx context.Context, f memory.Filter, than memory.Cursor, limit int) ([]memory.Item, error)
	RawEvents(ctx context.Context, sessionID string, promptNumber int, afterEventID string, limit int) ([]memory.RawEvent, error)
	Projects(ctx context.Context) ([]memory.Project, error)
}

// Options say what a server serves.
type Options struct {
	Source  Source
	Project string // key of the project that is meant when a call names none; empty for all
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
	err := newServer(o).Run(ctx, patient{&sdk.IOTransport{Reader: in, Writer: keepOpen{o.Out}}})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve MCP: %w", err)
	}
	return nil
}

// keepOpen leaves the closing of standard output to the process's end.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }

func newServer(o Options) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "cmem", Title: "cmem", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	t := &tools{src: o.Source, project: o.Project}
	for _, d := range definitions() {
		s.AddTool(d.tool, t.handler(d))
	}
	return s
}
