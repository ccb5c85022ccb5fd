package secrets

import (
	"strings"
	"testing"
	"time"
)

// beginnings are texts that secrets begin with; repeated, each gives the rules as much
// to look at as there can be.
var beginnings = []string{
	"password=", "password=Xk93jf83hf ", "password=password=Xk93jf83hf", "api_key = '", "secret: ", "KEY=", "TOKEN=Xk93jf83hf-", "token:",
	"redis-cli -passin pass:abcd ", "useradd echo a:b | chpasswd ", "mysql mysql -pabc ", "curl -u a:", "Authorization: Bearer ", "IDENTIFIED BY '",
	"sk-ant-api03-", "eyJhbGciOiJIUzI1NiJ9.", "AKIA", "https://a:b@", Mark, "密码:",
	"github_pat_" + strings.Repeat("aB3x", 400),
}

func TestMaskingATextOfBeginningsTakesNoMoreThanItsShareOfWork(t *testing.T) {
	for _, unit := range beginnings {
		text := strings.Repeat(unit, (32<<10)/len(unit)+1)
		allowed := 2 * len(text) // the last try goes over what is left: by a piece, or a word that is all of the text
		left := effort(len(text))
		for was := ""; was != text; {
			was, text = text, maskOnce(text, &left)
		}
		if left < -allowed {
			t.Errorf("%.30q: %d bytes more than the text's share were looked at", unit, -left)
		}
	}
}

func TestTheEndsOfASecretAreLookedAtOnTheSpot(t *testing.T) {
	cost := func(n int) time.Duration {
		text := strings.Repeat("x", n)
		best := time.Hour
		for range 5 {
			start := time.Now()
			for range 1000 {
				if got := withMarks(text, span{n / 2, n/2 + 20}); got != (span{n / 2, n/2 + 20}) {
					t.Fatal(got)
				}
			}
			best = min(best, time.Since(start))
		}
		return best
	}
	if short, long := cost(1000), cost(1_000_000); long > 200*max(short, time.Microsecond) {
		t.Errorf("%s in a short text, %s in one that is a thousand times as long", short, long)
	}
}

func TestNoMarkIsCutInTwo(t *testing.T) {
	text := "ab" + Mark + "cd" + Mark + "ef" // the marks stand at 2 and 12
	for _, tt := range []struct{ in, want span }{
		{span{0, 2}, span{0, 2}},
		{span{0, 3}, span{0, 10}},
		{span{9, 11}, span{2, 11}},
		{span{5, 15}, span{2, 20}},
		{span{10, 12}, span{10, 12}},
		{span{20, 22}, span{20, 22}},
		{span{19, 22}, span{12, 22}},
	} {
		if got := withMarks(text, tt.in); got != tt.want {
			t.Errorf("withMarks(%v) = %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestATextThatTakesTooMuchWorkLosesLinesAndNoSecretIsLeft(t *testing.T) {
	secret := "Xk93jf83hfQQ"
	hostile := strings.Repeat("redis-cli -passin pass:abcd ", 40<<10/28)
	plain := "数据库迁移完成\n"
	text := plain + hostile + "\n" + plain + "db_password=" + secret + "\npassword:\n  " + secret + "\n" + plain
	got := Mask(text)
	if strings.Contains(got, secret) || strings.Contains(got, "pass:abcd") {
		t.Errorf("a secret is left in %.200q", got)
	}
	if !strings.HasPrefix(got, plain+Mark) {
		t.Errorf("a line without any is gone: %.200q", got)
	}
	if again := Mask(got); again != got {
		t.Errorf("masked again: %.200q", again)
	}
}
