package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/memory"
	"cmem/project"
	"cmem/recall"
	"cmem/store"
)

func (a *App) searchCommand() *cobra.Command {
	var flags filterFlags
	var limit int
	var asJSON, explain bool
	var sort string
	var kinds []string
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find memories by words and meaning",
		Long: `Finds observations by their words and by what they mean, English and Chinese, and
summaries and prompts by their words, best first. In a project, what counts in every
one is found, too. "Quoted words" must stand together, -this must not stand, and begin* is the
beginning of a word. Names such as orderService are found by their parts too. Fields
narrow a search: type: file: concept: tag: project: session: before: after:`,
		Example: `  cmem search retry backoff
  cmem search 'how do we store passwords' --explain
  cmem search type:bugfix file:store -windows locked
  cmem search '"connection reset"' --type bugfix --after 30d
  cmem search 数据库 迁移 --project .
  cmem search 'what did I ask about refunds' --kind prompt`,
		Args: minArgs(1, "words to look for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLimit(limit); err != nil {
				return err
			}
			if s := recall.Sort(sort); s != recall.ByRelevance && s != recall.ByTime {
				return fmt.Errorf("--sort is %s or %s, not %q", recall.ByRelevance, recall.ByTime, sort)
			}
			ctx := cmd.Context()
			return a.withStore(ctx, func(cfg *config.Config, s *store.Store) error {
				f, err := flags.filter(ctx, a, s)
				if err != nil {
					return err
				}
				if f.Kinds, err = readKinds(kinds); err != nil {
					return err
				}
				f.Global = true
				text := strings.Join(args, " ")
				words, f, err := a.fields(ctx, s, text, f)
				if err != nil {
					return err
				}
				q := searchQuery(cfg, f.Project, searchModels(cfg))
				q.Text, q.Filter, q.Limit, q.Sort = words, f, limit, recall.Sort(sort)
				var found recall.Answer
				if strings.TrimSpace(q.Text) == "" && strings.TrimSpace(text) != "" { // there were fields only
					found, err = newest(ctx, s, q)
				} else {
					found, err = recall.Search(ctx, s, q)
				}
				if err != nil {
					return err
				}
				for _, note := range found.Notes {
					a.say("%s", harmless(note))
				}
				if asJSON {
					return a.printJSON(orEmpty(found.Results))
				}
				if len(found.Results) == 0 {
					a.say("Nothing is remembered about %q.", text)
				}
				for _, r := range found.Results {
					if err := a.printResult(r, len(q.Filter.Keys()) != 1); err != nil {
						return err
					}
					if explain {
						if err := a.print("        %s\n", explanation(r, found.Weights)); err != nil {
							return err
						}
					}
				}
				return nil
			})
		},
	}
	flags.addSeveral(cmd)
	cmd.Flags().StringSliceVar(&kinds, "kind", nil, "only these kinds: observation, summary, prompt")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(kindNames, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().IntVarP(&limit, "limit", "n", recall.DefaultLimit, "hits at most")
	cmd.Flags().StringVar(&sort, "sort", string(recall.ByRelevance), "relevance, or time: what is relevant, newest first")
	cmd.Flags().BoolVar(&explain, "explain", false, "say what each result's score is made of")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// fields takes the fields out of a search text and gives what is left of it.
func (a *App) fields(ctx context.Context, s *store.Store, text string, f memory.Filter) (string, memory.Filter, error) {
	rest, narrowed := recall.Fields(text, f, time.Now())
	if narrowed.Project != f.Project {
		var err error
		if narrowed.Project, err = a.findProject(ctx, s, narrowed.Project); err != nil {
			return "", f, err
		}
		narrowed.Projects = nil // the text says which
	}
	return rest, narrowed, nil
}

// kindNames are the kinds of memories as --kind takes them.
var kindNames = []string{string(memory.KindObservation), string(memory.KindSummary), string(memory.KindPrompt)}

func readKinds(names []string) ([]memory.ItemKind, error) {
	var kinds []memory.ItemKind
	for _, name := range names {
		if !slices.Contains(kindNames, name) {
			return nil, usageError{fmt.Errorf("--kind is one of %s, not %q", strings.Join(kindNames, ", "), name)}
		}
		kinds = append(kinds, memory.ItemKind(name))
	}
	return kinds, nil
}

// newest gives what a search without words takes, newest first.
func newest(ctx context.Context, s *store.Store, q recall.Query) (recall.Answer, error) {
	var a recall.Answer
	if k := q.Filter.Kinds; len(k) > 0 && !slices.Equal(k, []memory.ItemKind{memory.KindObservation}) {
		items, err := s.Timeline(ctx, q.Filter, memory.Cursor{}, q.Limit)
		for _, i := range items {
			a.Results = append(a.Results, recall.Result{Item: i})
		}
		return a, err
	}
	list, err := s.ListObservations(ctx, q.Filter, memory.Cursor{}, q.Limit)
	for _, o := range list {
		a.Results = append(a.Results, recall.ResultOf(memory.Hit{Observation: o}))
	}
	return a, err
}

// explanation says of what a result's score is made.
func explanation(r recall.Result, w recall.Weights) string {
	parts := []string{fmt.Sprintf("score %.2f", r.Score.Total)}
	for _, p := range []struct {
		name         string
		part, weight float64
	}{{"words", r.Score.Keyword, w.Keyword}, {"meaning", r.Score.Semantic, w.Semantic}, {"recency", r.Score.Recency, w.Recency}, {"tags", r.Score.Tags, w.Tags}} {
		if p.part > 0 && p.weight > 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f × %.2f", p.name, p.part, p.weight))
		}
	}
	if r.Score.Exact {
		parts = append(parts, "holds the identifier")
	}
	if n := len(r.Folded); n > 0 {
		parts = append(parts, count(n, "other")+" nearly the same")
	}
	return strings.Join(parts, " · ")
}

// printResult writes a result on one line, and below it where its words stand.
func (a *App) printResult(o recall.Result, withProject bool) error {
	where := ""
	if withProject {
		where = oneLine(project.Name(o.Project), 24) + "  "
	}
	if err := a.print("%s  %s  %s  %s%s%s\n", pad(itemID(o.Item), 6), localTime(o.CreatedAt), pad(oneLine(itemType(o.Item), 9), 9), where,
		oneLine(o.Title, 100), scopeMark(o.Scope)); err != nil {
		return err
	}
	s := strings.NewReplacer(string(memory.MatchStart), "", string(memory.MatchEnd), "").Replace(o.Snippet)
	if s = oneLine(s, 110); s == "" || strings.HasPrefix(o.Title, strings.Trim(s, "…")) {
		return nil
	}
	return a.print("        %s\n", s)
}

// orEmpty gives a list that JSON shows as [] and not as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
