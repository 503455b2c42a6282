package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// reasons say why a goal is missed, by the result's name.
type reasons map[string]string

var apart = regexp.MustCompile(` {2,}`)

func readReasons(path string) (reasons, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	reasons := reasons{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := apart.Split(line, 2)
		if len(parts) != 2 {
			return nil, fmt.Errorf("%s: no reason in %q", path, line)
		}
		reasons[parts[0]] = parts[1]
	}
	return reasons, nil
}
