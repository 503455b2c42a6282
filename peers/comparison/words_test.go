package main

// Tests for the format of numbers, units and names.

import "testing"

func TestFiguresHaveThreeDigits(t *testing.T) {
	for want, got := range map[string]string{
		"0.50 ns": amount(0.5, "ns"), "9,999 ns": amount(9999, "ns"), "10.0 µs": amount(10_000, "ns"), "15.2 s": amount(15_200, "ms"), "16.5 ms": amount(16.5, "ms"),
		"1,234,567 /s": amount(1_234_567, "/s"), "100 B": amount(99.96, "B"), "10.0 MB": amount(9.999, "MB"), "3.00 µs": amount(3, "us"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNumbersInNames(t *testing.T) {
	for want, got := range map[string]string{
		"10k": brief(10_000), "1M": brief(1_000_000), "100": brief(100), "1500": brief(1500), "160k": brief(160_000),
		"no readers": several(0, "reader"), "1 reader": several(1, "reader"), "10 readers": several(10, "reader"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSizesLimitTheNumberOfObjects(t *testing.T) {
	for _, test := range []struct {
		size size
		want int
	}{{whole, 3}, {short, 1}, {smallest, 1}} {
		if got := test.size.each(10_000, 100_000, 1_000_000); len(got) != test.want {
			t.Errorf("%s: %v", test.size.name, got)
		}
	}
	if got := smallest.each(10_000)[0]; got != 100 {
		t.Error(got)
	}
}
