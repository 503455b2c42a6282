package main

// Tests for the reasons why benchmark goals are missed.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written writes the text as reasons.txt into a new folder, and returns the folder.
func written(t *testing.T, text string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "reasons.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestOneReasonCoversEverySize(t *testing.T) {
	reasons, err := readReasons(written(t, `
# Why.
6 shared informer, *, 10 readers: writes   two processors
6 shared informer, 10k pods, *  something else
10 watch, * changes to 1 handler           decoding (JSON)
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"6 shared informer, 10k pods, 10 readers: writes":  "two processors",
		"6 shared informer, 160k pods, 10 readers: writes": "two processors",
		"6 shared informer, 10k pods, 10 readers: reads":   "something else",
		"6 shared informer, 160k pods, 10 readers: reads":  "",
		"10 watch, 3k changes to 1 handler":                "decoding (JSON)",
		"10 watch, 100k changes to 1 handler":              "decoding (JSON)",
		"10 watch, 100k changes to 10 handlers":            "",
	} {
		got := ""
		if reason := reasons.of(name); reason != nil {
			got = reason.text
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestAReasonNamesAProfile(t *testing.T) {
	folder := written(t, "3 listener, *  wake-ups  listener\n")
	if _, err := readReasons(folder); err == nil || !strings.Contains(err.Error(), "peers/profile listener") {
		t.Fatalf("a missing profile was not reported: %v", err)
	}
	if err := os.Mkdir(filepath.Join(folder, "profiles"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "profiles", "listener.txt"), []byte("41 %  wake\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	reasons, err := readReasons(folder)
	if err != nil {
		t.Fatal(err)
	}
	if got := reasons.of("3 listener, one notification"); got == nil || got.profile != "listener" || got.shown != "41 %  wake" {
		t.Errorf("%+v", got)
	}
}

func TestALineWithTooFewOrTooManyColumnsIsRefused(t *testing.T) {
	for _, line := range []string{"3 listener", "3 listener  reason  profile  more"} { // two spaces end a column
		if _, err := readReasons(written(t, line)); err == nil {
			t.Errorf("%q was accepted", line)
		}
	}
}
