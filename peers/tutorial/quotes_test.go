package tutorial

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quote begins a quotation in a chapter. It names the module, and the file in it: the block below it is Go from that file,
// with comments of our own. A comment `// …` stands for lines that are left out.
var quote = regexp.MustCompile(`^<!-- quote: (k8s\.io/[a-z-]+)/(\S+\.go) -->$`)

var (
	comment = regexp.MustCompile(`(^|\s+)//.*$`)
	missing = regexp.MustCompile(`^\s*// …$`)
	begins  = regexp.MustCompile(`^(type|func|var|const) `)
)

func TestTheChaptersQuoteTheSourceThatTheyName(t *testing.T) {
	chapters, err := filepath.Glob("../../lessons/[0-9]*.md")
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string][]string{}
	quotes := map[string]int{}
	for _, chapter := range chapters {
		lines := linesOf(t, chapter)
		for number, line := range lines {
			found := quote.FindStringSubmatch(line)
			if found == nil {
				continue
			}
			path := filepath.Join(folderOf(t, found[1]), found[2])
			if sources[path] == nil {
				sources[path] = code(linesOf(t, path))
			}
			for _, part := range parts(block(t, chapter, lines[number+1:])) {
				if !contains(sources[path], part) {
					t.Errorf("%s: %s does not have these lines:\n%s", chapter, found[2], strings.Join(part, "\n"))
				}
			}
			quotes[strings.Split(filepath.Base(chapter), ".")[1]]++
		}
	}
	if quotes["en"] < 6 || quotes["en"] != quotes["zh"] {
		t.Errorf("the chapters have these numbers of quotations: %v", quotes)
	}
}

// block returns the lines of the code block that the lines begin with.
func block(t *testing.T, chapter string, lines []string) []string {
	t.Helper()
	if len(lines) == 0 || lines[0] != "```go" {
		t.Fatalf("%s: a quotation has no block of Go", chapter)
	}
	for end, line := range lines {
		if line == "```" {
			return lines[1:end]
		}
	}
	t.Fatalf("%s: a quotation does not end", chapter)
	return nil
}

// parts splits a quotation into the parts that are consecutive in the source: at lines that are left out, and at the
// beginnings of declarations.
func parts(lines []string) [][]string {
	all := [][]string{nil}
	for _, line := range lines {
		if missing.MatchString(line) || begins.MatchString(line) {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], code([]string{line})...)
	}
	return all
}

// code returns the lines without comments, indentation and empty lines.
func code(lines []string) []string {
	var all []string
	for _, line := range lines {
		if text := strings.Join(strings.Fields(comment.ReplaceAllString(line, "")), " "); text != "" {
			all = append(all, text)
		}
	}
	return all
}

func contains(source, part []string) bool {
	return strings.Contains("\n"+strings.Join(source, "\n")+"\n", "\n"+strings.Join(part, "\n")+"\n") || len(part) == 0
}

func folderOf(t *testing.T, module string) string {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	return strings.TrimSpace(string(folder))
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var lines []string
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}
