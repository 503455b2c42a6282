// Package tutorial has the programs of the tutorials in our own words, on today's client-go: the Go that the chapters
// show beside the Rust. Most programs have the name of the trace that they print.
//
// Programs that need a cluster use that of KUBECONFIG, and ../e2e runs them. All others end by themselves, and this test
// runs them.
package tutorial

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// program is a program that needs no cluster, and what it prints: a trace of the project, or these lines.
type program struct {
	name  string
	trace string
	lines string
	// alike removes from lines the differences that may be between two runs, or between a lesson and client-go's fake.
	alike func(lines []string) []string
}

var programs = []program{
	{name: "deltafifo", trace: "deltafifo"},
	{name: "deltafifo-list", trace: "deltafifo-list"},
	{name: "deltafifo-pop", trace: "deltafifo-pop"},
	{name: "deltafifo-events", trace: "deltafifo-events"},
	{name: "deltafifo-callbacks", trace: "deltafifo-callbacks"},
	{name: "indexer", trace: "indexer"},
	{name: "indexer-namespace", trace: "indexer-namespace"},
	{name: "shared-listener", trace: "shared-listener"},
	{name: "shared-simulate", trace: "shared-simulate", alike: handlerByHandler},
	{name: "controllerloop", trace: "reflector-known-objects"},
	{name: "resync", trace: "resync", alike: countedFromTheFirstVersion},
	{name: "relist", trace: "relist-known-objects", alike: listsInAnyOrder},
	{name: "late", trace: "late", alike: onlyOfClientGosHandlers},
	{name: "synced", trace: "synced", alike: listsInAnyOrder},
	{name: "workqueue", trace: "workqueue", alike: withoutTimes},
	{name: "controller", trace: "controller", alike: onlyTheCounts},
	{name: "indexer-misnamed", trace: "indexer-misnamed"},
	{name: "shared-as-published", trace: "shared-as-published", alike: listsInAnyOrder},
	{name: "list", trace: "list", alike: withoutAnswers},
	{name: "wake", trace: "wake", alike: onlyTheSyncsThatAFakeCauses},
	{name: "typed", lines: `app=wiremock: wiremock <nil>
OnDelete: default/wiremock tombstone: false
OnDelete: default/nettool tombstone: true`},
	{name: "metrics", lines: `measured: my-controller pods
handled: true`},
	{name: "memory", lines: `whole: node node-1, phase "Running", managers 1
transform: node node-1, phase "", managers 0
metadata only: app = wiremock`},
	{name: "forbidden", lines: `forbidden: true
synced within a second: false
synced: true`},
	{name: "definition", lines: `the definition is gone
stopped: true`},
	{name: "stopped", lines: `first:  false 5
second: true 4 true
a new handler is an error: true`},
	{name: "lister", lines: `get: wiremock-84d49c989c-zg4ls
not found: true
selected: robusta-runner-567655bf5b-v4xvj
all: [quickstart-es-default-0 robusta-forwarder-5f65fd6fbb-s2trs robusta-runner-567655bf5b-v4xvj wiremock-84d49c989c-zg4ls]
requests meanwhile: 0`},
	{name: "mutate", lines: `cached:  wiremock
cached:  mine
by app:  mine=[]
by app:  wiremock=[default/wiremock]
cached:  mine`},
	{name: "stale", lines: `cache: 0 of 1, create web-0
cache: 0 of 1, create web-1
server: 2 of 1`},
}

func TestTheTutorialsProgramsPrintTheTracesOfTheLessons(t *testing.T) {
	folder := t.TempDir()
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags", "-w", "-o", folder+"/", "./...")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	for _, program := range programs {
		t.Run(program.name, func(t *testing.T) {
			t.Parallel()
			output, err := exec.Command(filepath.Join(folder, program.name)).Output()
			if err != nil {
				t.Fatal(err)
			}
			printed, expected := lines(string(output)), program.expected(t)
			if program.alike != nil {
				printed, expected = program.alike(printed), program.alike(expected)
			}
			if !slices.Equal(printed, expected) {
				t.Errorf("printed:\n%s\n\nexpected:\n%s", strings.Join(printed, "\n"), strings.Join(expected, "\n"))
			}
		})
	}
}

func (p program) expected(t *testing.T) []string {
	t.Helper()
	if p.trace == "" {
		return lines(p.lines)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "fixtures", "traces", p.trace+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return lines(string(text))
}

func lines(text string) []string {
	return strings.Split(strings.TrimSpace(text), "\n")
}

// handlerByHandler sorts lines by handler, because the order between two handlers is random. It keeps the order of each
// handler's lines.
func handlerByHandler(lines []string) []string {
	slices.SortStableFunc(lines, func(a, b string) int {
		return strings.Compare(strings.Fields(a)[0], strings.Fields(b)[0])
	})
	return lines
}

// listsInAnyOrder sorts runs of lines about listed objects, because client-go's fake lists in random order. It also
// replaces resourceVersions.
func listsInAnyOrder(lines []string) []string {
	listed := func(line string) bool { return strings.HasPrefix(line, "Sync :") || strings.HasPrefix(line, "OnAdd:") }
	for begin := 0; begin < len(lines); begin++ {
		end := begin
		for end < len(lines) && listed(lines[end]) {
			end++
		}
		slices.Sort(lines[begin:end])
		begin = end
	}
	for n, line := range lines {
		lines[n] = regexp.MustCompile(`resourceVersion \d+`).ReplaceAllString(line, "resourceVersion R")
	}
	return lines
}

// onlyOfClientGosHandlers leaves out the handler with a buffer that client-go does not have, and the numbers of pending
// notifications, which client-go does not report.
func onlyOfClientGosHandlers(lines []string) []string {
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "pending:") || strings.HasPrefix(line, "OnAdd:merged")
	})
	slices.Sort(lines)
	return lines
}

// onlyTheCounts leaves out the pods' names and the status: client-go's fake has no kubelet.
func onlyTheCounts(lines []string) []string {
	return slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, " pods, ") })
}

// withoutAnswers leaves out what API servers have answered.
func withoutAnswers(lines []string) []string {
	for n, line := range lines {
		lines[n] = strings.Join(strings.Fields(line)[:5], " ")
	}
	return lines
}

// onlyTheSyncsThatAFakeCauses leaves out the handler's lines, and what depends on an API server: it ignores an equal write,
// and it counts generations.
func onlyTheSyncsThatAFakeCauses(lines []string) []string {
	return slices.DeleteFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "same:") || line == "generation: sync 2, write the status"
	})
}

// withoutTimes leaves out how many milliseconds passed: a lesson's are virtual, client-go's are real.
func withoutTimes(lines []string) []string {
	for n, line := range lines {
		_, lines[n], _ = strings.Cut(line, "ms  ")
	}
	return lines
}

// countedFromTheFirstVersion numbers resourceVersions from the first that is named.
func countedFromTheFirstVersion(lines []string) []string {
	versions := regexp.MustCompile(`(\d+) -> (\d+)`)
	first := -1
	for n, line := range lines {
		found := versions.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		before, _ := strconv.Atoi(found[1])
		after, _ := strconv.Atoi(found[2])
		if first < 0 {
			first = before
		}
		lines[n] = versions.ReplaceAllString(line, fmt.Sprint(before-first, " -> ", after-first))
	}
	return lines
}
