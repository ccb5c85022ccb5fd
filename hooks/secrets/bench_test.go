package secrets

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// megabyte gives a megabyte of the texts, repeated.
func megabyte(texts ...string) string {
	all := strings.Join(texts, "\n")
	return strings.Repeat(all, 1+(1<<20)/len(all))[:1<<20]
}

// sourceText gives the sources of this room and its neighbours.
func sourceText(b testing.TB) string {
	b.Helper()
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) == 0 {
		b.Fatal(len(files), err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// heavy gives texts of a megabyte that cost masking in different ways.
func heavy(b testing.TB) map[string]string {
	source := sourceText(b)
	random := make([]byte, 3<<18)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	return map[string]string{
		"source":   megabyte(source),
		"one line": megabyte(strings.Join(strings.Fields(source), " ")),
		"picture":  base64.StdEncoding.EncodeToString(random),
		"names":    megabyte(`"api_key_name": {"type": "string", "token": "secret"}, "auth": ["key"], `),
		"log":      megabyte("2026-11-30T12:00:00Z INFO request id=7f9c2ba4-e88f-4272-8d1a-1d4a4f1f2a11 user=dev path=/api/v1/keys token refreshed in 12 ms\n"),
		"chinese":  megabyte("数据库迁移完成：订单表新增 refund_status 字段，密码没有改变。"),
	}
}

func BenchmarkMask(b *testing.B) {
	for name, text := range heavy(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Mask(text)
			}
		})
	}
}
