package main

// The suite for JavaScript's client: javascript/client.test.mjs.

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed javascript
var javascriptSources embed.FS

func javascript(at place) ([]outcome, error) {
	folder := filepath.Join(at.scratch, "javascript")
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.CopyFS(folder, javascriptSources); err != nil {
		return nil, err
	}
	folder = filepath.Join(folder, "javascript")
	install := exec.Command("npm", "ci", "--silent", "--no-audit", "--no-fund")
	install.Dir = folder
	if output, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm ci: %w: %s", err, output)
	}
	return at.tests(folder, tap, "node", "--test-reporter=tap", "--test", "client.test.mjs")
}

var (
	tapLine  = regexp.MustCompile(`(?m)^ *(ok|not ok) \d+ - (.*)$`)
	tapError = regexp.MustCompile(`(?s)error: (.*?)\n +code:`)
)

// tap parses the Test Anything Protocol.
func tap(output string) (outcomes []outcome) {
	for _, found := range tapLine.FindAllStringSubmatchIndex(output, -1) {
		name := output[found[4]:found[5]]
		if strings.HasSuffix(name, ".mjs") {
			continue // the whole file
		}
		message := ""
		if failure := tapError.FindStringSubmatch(output[found[1]:]); failure != nil {
			message = first(failure[1])
		}
		outcomes = append(outcomes, outcome{name, output[found[2]:found[3]] == "ok", message})
	}
	return outcomes
}
