package tui

import (
	"reflect"
	"testing"
	"time"
)

func TestParsesTags(t *testing.T) {
	for _, tc := range []struct {
		text      string
		add, drop []string
		wrong     bool
	}{
		{"", nil, nil, false},
		{"a b", []string{"a", "b"}, nil, false},
		{"+a, -b #c", []string{"a", "c"}, []string{"b"}, false},
		{"支付，价格、促销 -#旧", []string{"支付", "价格", "促销"}, []string{"旧"}, false},
		{"a a +a", []string{"a"}, nil, false},
		{"+", nil, nil, true},
		{"a -a", nil, nil, true},
	} {
		add, drop, err := parseTags(tc.text)
		if (err != nil) != tc.wrong || !reflect.DeepEqual(add, tc.add) || !reflect.DeepEqual(drop, tc.drop) {
			t.Errorf("%q gives +%q -%q %v", tc.text, add, drop, err)
		}
	}
}

func TestParsesHowLongSomethingIsValid(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"7d", "2026-12-07"}, {"2w", "2026-12-14"}, {"3M", "2027-03-02"}, {"1y", "2027-11-30"}, {" 2026-12-31 ", "2026-12-31"},
		{"today", "2026-11-30"}, {"tomorrow", "2026-12-01"}, {"never", ""}, {"2026-11-30", "2026-11-30"},
	} {
		got, err := parseExpiry(tc.text, testNow())
		if err != nil || !got.IsZero() && got.Format(time.DateOnly) != tc.want || got.IsZero() != (tc.want == "") {
			t.Errorf("%q is %v %v, not %s", tc.text, got, err, tc.want)
		}
	}
	for _, text := range []string{"", "soon", "0d", "-3d", "d", "2026-13-01", "2026-11-29", "99999999999999999999d", "5000y", "七天"} {
		if got, err := parseExpiry(text, testNow()); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
}
