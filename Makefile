# Tools that the targets use are run by `go run` at a fixed version, so nothing
# has to be installed beside Go (and, for release targets, goreleaser and syft).

GOLANGCI := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 30

export CGO_ENABLED = 0

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build ./cmem
	go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o cmem .

.PHONY: test
test: ## run the tests that need nothing but Go
	go test ./...

.PHONY: e2e
e2e: ## run the tests with the real Claude Code client too (npm)
	CMEM_E2E=1 CMEM_E2E_REQUIRED=1 go test ./...

.PHONY: race
race: ## run the tests of the rooms with concurrency under the race detector
	CGO_ENABLED=1 go test -race -short ./worker ./hooks/... ./tui ./store ./mcp

.PHONY: lint
lint: ## check format, vet for every system, golangci-lint
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'run gofmt -w on these'; exit 1; }
	go vet ./...
	GOOS=windows go vet ./...
	GOOS=darwin go vet ./...
	$(GOLANGCI) run ./...

.PHONY: golden
golden: ## rewrite the golden files; look at the diff before committing
	go test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update
	git status --short -- '*testdata*'

.PHONY: fuzz
fuzz: ## fuzz each fuzz target for FUZZTIME seconds (30)
	.ci/fuzz $(FUZZTIME)

.PHONY: bench
bench: ## measure everything that bench/README.md promises (ten minutes; the first time half an hour and 2.6 GB)
	go run ./bench

.PHONY: demo
demo: ## see it work on a recorded session
	go run . demo

.PHONY: pictures
pictures: ## draw the README's pictures anew, from the demo
	go run ./internal/pictures

.PHONY: docs
docs: ## write completions/ and man/
	go run ./internal/gendocs -version '$(VERSION)'

.PHONY: release-check
release-check: ## build all release files into dist/ without publishing
	GITHUB_REPOSITORY_OWNER=$${GITHUB_REPOSITORY_OWNER:-example} goreleaser check
	GITHUB_REPOSITORY_OWNER=$${GITHUB_REPOSITORY_OWNER:-example} goreleaser release --snapshot --clean

.PHONY: ci
ci: ## all that must hold before a change is merged
	.ci/run

.PHONY: clean
clean: ## remove what the other targets make
	rm -rf cmem cmem.exe dist completions man
