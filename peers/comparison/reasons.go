package main

// Reads benches/reasons.txt, which explains why benchmark goals are missed, and the profiles that show it.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// reason is the explanation for one or more missed goals.
type reason struct {
	// goals matches the names of goals. An asterisk in the file stands for any text, so that one line covers every
	// size.
	goals *regexp.Regexp
	text  string
	// profile is the name of the profile that shows the reason, and shown is its text. Both are empty if there is
	// none.
	profile, shown string
}

// reasons are all reasons in the order of the file. The first match counts.
type reasons []reason

// apart separates the columns of a line, which have single spaces inside.
var apart = regexp.MustCompile(` {2,}`)

// readReasons reads reasons.txt in this folder, and the profiles that it names.
func readReasons(folder string) (reasons, error) {
	path := filepath.Join(folder, "reasons.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all reasons
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		reason, err := parseReason(line)
		if err == nil && reason.profile != "" {
			reason.shown, err = readProfile(folder, reason.profile)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, reason)
	}
	return all, nil
}

// parseReason parses a line: "goals  reason" or "goals  reason  profile".
func parseReason(line string) (reason, error) {
	parts := apart.Split(line, -1)
	if len(parts) < 2 || len(parts) > 3 {
		return reason{}, fmt.Errorf("expected goals, reason and perhaps a profile, with two spaces between them: %q", line)
	}
	parts = append(parts, "")
	return reason{goals: pattern(parts[0]), text: parts[1], profile: parts[2]}, nil
}

func readProfile(folder, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "profiles", name+".txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no profile %s: make it with peers/profile %s WORK", name, name)
	}
	return strings.TrimSpace(string(text)), err
}

func pattern(goals string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(goals), `\*`, ".*") + "$")
}

// of returns the reason for a missed goal, or nil if there is none.
func (all reasons) of(name string) *reason {
	for n := range all {
		if all[n].goals.MatchString(name) {
			return &all[n]
		}
	}
	return nil
}
