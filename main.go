// Command cmem is the memory of an AI coding assistant: hook handler, memory
// browser, MCP server and command line in one binary.
package main

import (
	"os"

	"cmem/cli"
	"cmem/hooks/early"
)

// version is set by the release build.
var version = "dev"

func main() {
	app := cli.NewApp(version)
	if in := early.Declined(); in != nil {
		app.Hook(*in, len(os.Args) == 1)
		os.Exit(0) // whatever happened: the host must not notice
	}
	os.Exit(app.Main(os.Args[1:]))
}
