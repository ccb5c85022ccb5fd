// Command bare is the yardstick of the hook: the least that a Go program has to
// do to take a payload in without ever losing it. It reads standard input and
// writes it to a file as the spool does, tmp/ first and then a rename to new/,
// in the folder that CMEM_DATA_DIR names. It links nothing else.
package main

import (
	"io"
	"os"
	"strconv"
	"time"
)

func main() {
	payload, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(1)
	}
	spool := os.Getenv("CMEM_DATA_DIR") + "/spool"
	name := strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.Itoa(os.Getpid())
	if err := os.WriteFile(spool+"/tmp/"+name, payload, 0o600); err != nil {
		os.Exit(1)
	}
	if err := os.Rename(spool+"/tmp/"+name, spool+"/new/"+name); err != nil {
		os.Exit(1)
	}
}
