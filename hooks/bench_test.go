package hooks

import "testing"

// BenchmarkDecode reads what a session sends, as the worker does.
func BenchmarkDecode(b *testing.B) {
	all, err := RecordedSessions()
	if err != nil {
		b.Fatal(err)
	}
	size := 0
	for _, r := range all {
		size += len(r.Payload)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range all {
			if _, err := Decode("x", r.Payload); err != nil {
				b.Fatal(err)
			}
		}
	}
}
