package main

// Writes the table of results into its page.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	page  = "docs/suites.md"
	begin = "<!-- suites: written by peers/suites -->"
	end   = "<!-- /suites -->"
)

func markdown(results []result) string {
	var table strings.Builder
	table.WriteString("| suite | version | passed | do not apply | seconds |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range results {
		left := fmt.Sprint(r.notApplicable)
		if len(r.reasons) > 0 {
			left += ": " + strings.Join(r.reasons, "; ")
		}
		fmt.Fprintf(&table, "| %s | %s | %d of %d | %s | %.0f |\n", r.suite.name, r.suite.version, r.passed, r.attempted, left, r.seconds)
	}
	return table.String()
}

// writeTable replaces the table between the markers on the page.
func writeTable(root, table string) error {
	path := filepath.Join(root, page)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s lacks the markers around the table", page)
	}
	return os.WriteFile(path, []byte(before+begin+"\n\n"+table+"\n"+end+after), 0o644)
}
