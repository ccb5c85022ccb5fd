package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTheRulesInTheBinaryAreMadeOfTheCopyInTheRepository(t *testing.T) {
	read := func(name string) []byte {
		t.Helper()
		b, err := os.ReadFile(filepath.Join("..", "..", dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want, err := convert(string(read(mark)), read(ruleIn))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(result), want) {
		t.Errorf("%s is not what `go run ./internal/gensecrets` makes of %s", result, ruleIn)
	}
	if !bytes.Contains(read(notice), []byte("MIT License")) {
		t.Error("the licence that the rules come under is not beside them")
	}
}

func TestARuleThatWouldBeTriedEverywhereIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no keyword":          "[[rules]]\nid = 'x'\nregex = 'x+'\n",
		"no expression of Go": "[[rules]]\nid = 'x'\nregex = '(?<=x)y'\nkeywords = ['x']\n",
		"no TOML":             "[[rules",
	} {
		if got, err := convert("v1", []byte(text)); err == nil {
			t.Errorf("%s: converted to %s", name, got)
		}
	}
}
