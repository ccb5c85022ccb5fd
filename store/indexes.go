package store

import (
	"fmt"
	"strings"

	"cmem/memory"
)

// wordIndex is an index of the words in a table's rows: what a search has to know
// about it.
type wordIndex struct {
	kind    memory.ItemKind
	table   string // whose rows it has
	name    string // of the index
	columns string // of the table that it has, in its order
	// texts are the same columns as they are read to be held against a search, with
	// empty ones up to the number that a matcher reads.
	texts   string
	weights [indexedTextColumns]float64 // what a word counts in each; those that the index is set to
	titles  int                         // how many of the first columns are titles
}

// indexedTextColumns is how many columns an index of words has at most.
const indexedTextColumns = 7

// maxIndexedPrompt is how many characters of a prompt are looked at: people paste whole
// logs into one.
const maxIndexedPrompt = 20_000

var (
	observationWords = &wordIndex{
		kind: memory.KindObservation, table: "observations", name: "observations_fts",
		columns: indexedColumns, texts: indexedColumns, weights: columnWeights, titles: titleColumns,
	}
	summaryWords = &wordIndex{
		kind: memory.KindSummary, table: "session_summaries", name: "session_summaries_fts",
		columns: summaryTexts, texts: summaryTexts,
		weights: [indexedTextColumns]float64{2, 1, 1.5, 1.5, 1, 1, 1}, titles: 1,
	}
	promptWords = &wordIndex{
		kind: memory.KindPrompt, table: "user_prompts", name: "user_prompts_fts",
		columns: "prompt_text, tokens", texts: promptTexts,
		weights: [indexedTextColumns]float64{1, 1},
	}
)

const summaryTexts = "request, investigated, learned, completed, next_steps, notes, tokens"

var promptTexts = fmt.Sprintf("substr(prompt_text, 1, %d), tokens, '', '', '', '', ''", maxIndexedPrompt)

// wordIndexes are all of them, in the order in which they are made and looked after.
var wordIndexes = []*wordIndex{observationWords, summaryWords, promptWords}

// virtualOf gives the index of words that a table is a part of, one of those that FTS5
// makes for it (shadow tables); "" for others.
func virtualOf(table string) string {
	for _, x := range wordIndexes {
		if strings.HasPrefix(table, x.name+"_") {
			return x.name
		}
	}
	return ""
}

// query writes a query to the index, which stands in it as $fts, its table as $table.
func (x *wordIndex) query(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "$fts", x.name), "$table", x.table)
}
