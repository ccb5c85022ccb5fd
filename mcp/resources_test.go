package mcp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"cmem/store"
)

func (c *client) read(uri string) (text, mimeType string, failed *reply) {
	c.t.Helper()
	r := c.request("resources/read", `{"uri":"`+uri+`"}`)
	if r.Error != nil {
		return "", "", &r
	}
	var res struct {
		Contents []struct{ URI, MIMEType, Text string }
	}
	if err := json.Unmarshal(r.Result, &res); err != nil || len(res.Contents) != 1 || res.Contents[0].URI != uri {
		c.t.Fatalf("%s: not one text: %s", uri, r.Result)
	}
	return res.Contents[0].Text, res.Contents[0].MIMEType, nil
}

func (c *client) prompt(name, arguments string) (string, *reply) {
	c.t.Helper()
	r := c.request("prompts/get", `{"name":"`+name+`","arguments":`+arguments+`}`)
	if r.Error != nil {
		return "", &r
	}
	var res struct {
		Messages []struct {
			Role    string
			Content struct{ Type, Text string }
		}
	}
	if err := json.Unmarshal(r.Result, &res); err != nil || len(res.Messages) != 1 || res.Messages[0].Role != "user" {
		c.t.Fatalf("%s: not one message of the user: %s", name, r.Result)
	}
	return res.Messages[0].Content.Text, nil
}

func TestTheNewestMemoriesAreAResourceAndAPrompt(t *testing.T) {
	c := connect(t, filled(), webshop)
	c.initialize()
	text, mimeType, failed := c.read("memory://project/recent")
	if failed != nil || mimeType != "text/markdown" || !strings.HasPrefix(text, `<cmem-context project="webshop" observations="3"`) || !strings.Contains(text, "订单服务改用乐观锁") {
		t.Errorf("%s %+v:\n%s", mimeType, failed, text)
	}
	said, failed := c.prompt("recent", `{}`)
	if failed != nil || !strings.HasSuffix(said, text) {
		t.Errorf("the prompt says %+v:\n%s", failed, said)
	}
	c = connect(t, &fake{fail: store.ErrNoStore}, webshop)
	c.initialize()
	if text, _, failed = c.read("memory://project/recent"); failed != nil || !strings.Contains(text, "nothing is stored yet") {
		t.Errorf("before the first memory: %+v %s", failed, text)
	}
}

func TestAMemoryIsAResourceByItsID(t *testing.T) {
	c := connect(t, filled(), webshop)
	c.initialize()
	for uri, want := range map[string]string{
		"memory://observation/12": "fetchPage tries again on 5xx.",
		"memory://observation/S4": "request: Make the import robust",
		"memory://observation/P2": "订单并发有问题",
	} {
		if text, _, failed := c.read(uri); failed != nil || !strings.HasPrefix(text, frameOpen) || !strings.Contains(text, want) {
			t.Errorf("%s: %+v %s", uri, failed, text)
		}
	}
	for _, uri := range []string{"memory://observation/99", "memory://observation/twelve", "memory://project/old"} {
		if text, _, failed := c.read(uri); failed == nil || !strings.Contains(failed.Error.Message, "not found") {
			t.Errorf("%s: %+v %s", uri, failed, text)
		}
	}
	c = connect(t, &fake{fail: errors.New("disk I/O error")}, webshop)
	c.initialize()
	for _, uri := range []string{"memory://project/recent", "memory://observation/12"} {
		if text, _, failed := c.read(uri); failed == nil || !strings.Contains(failed.Error.Message, "disk I/O error") {
			t.Errorf("%s hides the failure: %+v %s", uri, failed, text)
		}
	}
}

func TestThePromptRecallSearchesForAllTheWordsThatWereTyped(t *testing.T) {
	c := connect(t, filled(), webshop)
	c.initialize()
	for _, arguments := range []string{`{"about":" gives up "}`, `{"about":"gives","word2":"up"}`} {
		text, failed := c.prompt("recall", arguments)
		if failed != nil || !strings.HasPrefix(text, "What do we know about «gives up»?") || !strings.Contains(text, "#11 2026-11-30") {
			t.Errorf("recall(%s): %+v %s", arguments, failed, text)
		}
	}
	for _, arguments := range []string{`{}`, `{"about":" "}`} {
		if text, failed := c.prompt("recall", arguments); failed == nil || !strings.Contains(failed.Error.Message, "say what to look for") {
			t.Errorf("recall(%s): %+v %s", arguments, failed, text)
		}
	}
}
