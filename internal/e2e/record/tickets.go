package main

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tickets is the content of the issue tracker that the scenes ask through MCP.
var tickets = map[string]string{
	"SHOP-482": `SHOP-482 Cart total is negative with coupon WELCOME20 (reported by support, priority high)
Steps: put one pen (1.00) and one mug (12.50) into the cart, apply WELCOME20, open the checkout.
Expected: total 0.00. Actual: total -6.50, and the payment provider answers error code amount_too_small.
Seen 14 times since Monday.`,
}

type ticketQuery struct {
	ID string `json:"id" jsonschema:"the ticket's key, for example SHOP-1"`
}

// serveTickets is an MCP server on standard input and output.
func serveTickets(ctx context.Context) error {
	srv := mcp.NewServer(&mcp.Implementation{Name: "tickets", Version: "1.0.0"}, nil)
	mcp.AddTool(srv, &mcp.Tool{Name: "get_ticket", Description: "Read a ticket of the issue tracker"},
		func(_ context.Context, _ *mcp.CallToolRequest, q ticketQuery) (*mcp.CallToolResult, any, error) {
			text, ok := tickets[q.ID]
			if !ok {
				return nil, nil, fmt.Errorf("no ticket %s", q.ID)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	return srv.Run(ctx, &mcp.StdioTransport{})
}
