package main

// Tests for reading the output of Go's benchmarks.

import (
	"slices"
	"testing"
)

func TestALineOfGosBenchmarksIsRead(t *testing.T) {
	out := "goos: linux\nBenchmarkSharedIndexInformer/podCount=10000/readers=1-2 \t 1000\t 50123.5 ns/op\t 1234 reads/s\t 24500 writes/s\t 12 B/op\t 3 allocs/op\nPASS\n"
	got, err := upstream{did: fixed(10_000)}.parse([]byte(out))
	want := []figure{{"", 50123.5, "ns", 10_000}, {"reads", 1234, "/s", 10_000}, {"writes", 24500, "/s", 10_000}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := (upstream{did: operations}).parse([]byte("BenchmarkX-2 1000 2 ns/op\n")); err != nil || got[0].Did != 1000 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := (upstream{did: operations}).parse([]byte("BenchmarkX-2 1000 4 ns/op\nBenchmarkX-2 1000 2 ns/op\n")); err != nil || got[0].Value != 2 {
		t.Errorf("%v, %v: only the last run counts, the one before is the warm-up", got, err)
	}
	if _, err := (upstream{name: "X"}).parse([]byte("PASS\n")); err == nil {
		t.Error("no line was read as a figure")
	}
}
