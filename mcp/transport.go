package mcp

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastAnswers is how long a client that hung up is still answered.
const lastAnswers = 10 * time.Second

// patient is a transport that tells the end of the input only when every call
// has been answered: the SDK drops the answers under way at that moment, and
// whoever pipes a few calls into cmem mcp would get some of them.
type patient struct{ sdk.Transport }

func (t patient) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConn{Connection: c, idle: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

type patientConn struct {
	sdk.Connection
	mu     sync.Mutex
	open   map[any]bool  // ids of the calls that are not answered
	idle   chan struct{} // gets a value when the last one is
	closed chan struct{}
	once   sync.Once
}

// Read gives the next message.
func (c *patientConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.IsCall() {
		c.count(r.ID, true)
	}
	if errors.Is(err, io.EOF) && !c.answered() {
		end := time.NewTimer(lastAnswers)
		defer end.Stop()
		select {
		case <-c.idle:
		case <-c.closed:
		case <-ctx.Done():
		case <-end.C:
		}
	}
	return m, err
}

// Write sends a message.
func (c *patientConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.count(r.ID, false)
	}
	return err
}

// Close ends the connection and any wait for answers.
func (c *patientConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

func (c *patientConn) count(id jsonrpc.ID, open bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if open {
		if c.open == nil {
			c.open = make(map[any]bool)
		}
		c.open[id.Raw()] = true
		return
	}
	delete(c.open, id.Raw())
	if len(c.open) == 0 {
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
}

// answered reports whether no call is open, and forgets an older idle moment.
func (c *patientConn) answered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.idle:
	default:
	}
	return len(c.open) == 0
}
