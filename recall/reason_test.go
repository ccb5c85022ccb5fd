package recall

import (
	"testing"
	"time"
)

func TestAReasonReadsAsAShortPhrase(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*3600)
	for want, r := range map[string]Reason{
		"pinned":                                  {Kind: ReasonPinned},
		"among the newest 50":                     {Kind: ReasonNewest, N: 3, Of: 50},
		"of the resumed session":                  {Kind: ReasonOwn, N: 3, Of: 50},
		"cut: the block holds 6,000 characters":   {Kind: ReasonBudget, N: 40, Of: 6000},
		"older than the last 10 sessions":         {Kind: ReasonSessions, N: 40, Of: 10},
		"older than the last session":             {Kind: ReasonSessions, N: 40, Of: 1},
		"238,832nd newest; 50 are taken":          {Kind: ReasonOlder, N: 238832, Of: 50},
		"not of the resumed session":              {Kind: ReasonNotOwn},
		"expired 3 Nov 2026":                      {Kind: ReasonExpired, At: time.Date(2026, 11, 3, 20, 0, 0, 0, time.UTC)},
		"expired 4 Nov 2026":                      {Kind: ReasonExpired, At: time.Date(2026, 11, 3, 20, 0, 0, 0, time.UTC).In(tokyo)},
		"archived":                                {Kind: ReasonArchived},
		"archived: 已经过时 🗄":                        {Kind: ReasonArchived, Note: "已经过时 🗄"},
		"superseded":                              {Kind: ReasonSuperseded, By: "u"},
		"superseded by #12":                       {Kind: ReasonSuperseded, By: "u", ByID: 12},
		"marked wrong: cents, not euros":          {Kind: ReasonInvalid, Note: "cents, not euros"},
		"in another project: webshop":             {Kind: ReasonOtherProject, Project: webshop},
		"in another project: 商店":                  {Kind: ReasonOtherProject, Project: `C:\dev\商店\`},
		"filtered out by type: bugfix":            {Kind: ReasonFilter, Filter: "type", Words: []string{"bugfix"}},
		"filtered out by tag: a, b, c +2":         {Kind: ReasonFilter, Filter: "tag", Words: []string{"a", "b", "c", "d", "e"}},
		"filtered out by pinned":                  {Kind: ReasonFilter, Filter: "pinned"},
		"ranked 137th":                            {Kind: ReasonRanked, N: 137, Of: 50},
		"ranked below the first 500":              {Kind: ReasonRanked, Of: 500},
		"lacks “foo”":                             {Kind: ReasonLacks, Words: []string{"foo"}},
		"lacks “数据库”, “connection reset”":         {Kind: ReasonLacks, Words: []string{"数据库", `"connection reset"`}},
		"a kind of a newer version, as it stands": {Kind: "a kind of a newer version, as it stands"},
	} {
		if got := r.String(); got != want {
			t.Errorf("%+v reads %q, want %q", r, got, want)
		}
	}
}

func TestOrdinals(t *testing.T) {
	for n, want := range map[int]string{
		1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 101: "101st", 111: "111th", 1002: "1,002nd", 1013: "1,013th",
	} {
		if got := ordinal(n); got != want {
			t.Errorf("ordinal(%d) = %q, want %q", n, got, want)
		}
	}
}
