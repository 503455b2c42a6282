// Records what structured-merge-diff's own tests call, and what they get: the cases of fixtures/managed-fields.
//
// The functions that are recorded are renamed in a copy of upstream's module, and recorders/ has functions of their names
// that call them and write the call down. Upstream's tests are unchanged.
//
//	cd peers && go run ./managedfields ../fixtures/managed-fields
package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

const module = "sigs.k8s.io/structured-merge-diff/v6"

// The packages whose tests run, and how often: the order of Go's maps decides which conversions an update asks for.
var packages = []struct{ name, runs string }{
	{"value", "-count=1"}, {"fieldpath", "-count=1"}, {"typed", "-count=1"}, {"merge", "-count=20"},
}

//go:embed recorders
var recorders embed.FS

// The functions that are recorded, by their file: how each begins.
var recorded = map[string][]string{
	"value/value.go": {"func Less("},
	"fieldpath/set.go": {
		"func (s *Set) Union(", "func (s *Set) Intersection(", "func (s *Set) Difference(", "func (s *Set) RecursiveDifference(",
		"func (s *Set) Leaves(", "func (s *Set) EnsureNamedFieldsAreMembers(", "func (s *Set) FilterIncludeMatches(",
		"func (s *Set) Has(",
	},
	"fieldpath/path.go":         {"func (fp Path) String("},
	"fieldpath/serialize.go":    {"func (s *Set) ToJSON(", "func (s *Set) FromJSON("},
	"fieldpath/serialize-pe.go": {"func SerializePathElement(", "func DeserializePathElement("},
	"typed/typed.go": {
		"func AsTyped(", "func (tv TypedValue) ToFieldSet(", "func (tv TypedValue) Merge(", "func (tv TypedValue) Compare(",
		"func (tv TypedValue) RemoveItems(", "func (tv TypedValue) ExtractItems(",
	},
	"typed/reconcile_schema.go": {"func ReconcileFieldSetWithSchema("},
	"merge/update.go":           {"func (s *Updater) Update(", "func (s *Updater) Apply("},
}

// Calls inside upstream of what is recorded, which are no calls of a test.
var inner = [][2]string{
	{".set.Union(", ".set.plainUnion("},
	{".set.Intersection(", ".set.plainIntersection("},
	{".set.Difference(", ".set.plainDifference("},
	{".set.RecursiveDifference(", ".set.plainRecursiveDifference("},
	{".set.Leaves(", ".set.plainLeaves("},
	{".set.EnsureNamedFieldsAreMembers(", ".set.plainEnsureNamedFieldsAreMembers("},
	{".set.FilterIncludeMatches(", ".set.plainFilterIncludeMatches("},
	{":= DeserializePathElement(", ":= plainDeserializePathElement("},
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: managedfields DIR")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(into string) error {
	source, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "managedfields")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	root := filepath.Join(work, "upstream")
	if err := os.CopyFS(root, os.DirFS(strings.TrimSpace(string(source)))); err != nil {
		return err
	}
	if err := change(root); err != nil {
		return err
	}
	for _, of := range packages {
		calls := filepath.Join(work, of.name+".jsonl")
		test := exec.Command("go", "test", of.runs, "./"+of.name)
		test.Dir = root
		test.Env = append(os.Environ(), "RECORD="+of.name, "RECORD_TO="+calls)
		if output, err := test.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, output)
		}
		if err := keep(calls, filepath.Join(into, of.name+".jsonl.gz")); err != nil {
			return err
		}
	}
	return nil
}

// change renames what is recorded, and adds what records it.
func change(root string) error {
	for path, functions := range recorded {
		file := filepath.Join(root, path)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, function := range functions {
			at := strings.LastIndex(function, " ") + 1
			renamed := function[:at] + "plain" + function[at:]
			if !bytes.Contains(text, []byte(function)) {
				return fmt.Errorf("%s has no %s", path, function)
			}
			text = bytes.Replace(text, []byte(function), []byte(renamed), 1)
		}
		for _, call := range inner {
			text = bytes.ReplaceAll(text, []byte(call[0]), []byte(call[1]))
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	for _, of := range packages {
		text, err := recorders.ReadFile("recorders/" + of.name + ".go.txt")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, of.name, "recorded.go"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A call of more bytes is of a random set. One of so many is kept.
const long, seldom = 4_000, 25

// keep writes each different call once, with the conversions of all runs, in an order that does not depend on the run. The first
// line has the schemas; calls name them by their place.
func keep(calls, into string) error {
	text, err := os.ReadFile(calls)
	if err != nil {
		return err
	}
	known := map[string]map[string]any{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		call := map[string]any{}
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			return err
		}
		conversions, _ := call["conversions"].([]any)
		delete(call, "conversions")
		key, err := json.Marshal(call)
		if err != nil {
			return err
		}
		if _, ok := known[string(key)]; !ok {
			known[string(key)] = call
			if conversions != nil {
				call["conversions"] = []any{}
			}
		}
		for _, conversion := range conversions {
			if !has(known[string(key)]["conversions"].([]any), conversion) {
				known[string(key)]["conversions"] = append(known[string(key)]["conversions"].([]any), conversion)
			}
		}
	}
	keys := []string{}
	for key := range known {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	schemas := &table{places: map[string]int{}}
	lines, skipped := []any{}, 0
	for _, key := range keys {
		call := known[key]
		conversions, _ := call["conversions"].([]any)
		if conversions != nil {
			sort.Slice(conversions, func(i, j int) bool { return textOf(conversions[i]) < textOf(conversions[j]) })
		}
		line := schemas.name(call)
		if len(textOf(line)) > long {
			skipped++
			if skipped%seldom != 0 && conversions == nil {
				continue
			}
		}
		lines = append(lines, line)
	}
	return write(into, append([]any{map[string]any{"schemas": schemas.list}}, lines...))
}

func textOf(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func has(list []any, item any) bool {
	text := textOf(item)
	return slices.ContainsFunc(list, func(other any) bool { return textOf(other) == text })
}

// A table of schemas.
type table struct {
	list   []any
	places map[string]int
}

// name replaces each schema by its place.
func (t *table) name(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if schema, ok := v["schema"].(map[string]any); ok {
			if _, typed := v["type"]; typed {
				v["schema"] = t.place(schema)
			}
		}
		for field := range v {
			v[field] = t.name(v[field])
		}
		return v
	case []any:
		for i := range v {
			v[i] = t.name(v[i])
		}
		return v
	default:
		return v
	}
}

func (t *table) place(schema any) int {
	text := textOf(schema)
	if _, ok := t.places[text]; !ok {
		t.places[text] = len(t.list)
		t.list = append(t.list, schema)
	}
	return t.places[text]
}

func write(into string, lines []any) error {
	var text bytes.Buffer
	packed, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, line := range lines {
		line, err := json.Marshal(line)
		if err != nil {
			return err
		}
		if _, err := packed.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return os.WriteFile(into, text.Bytes(), 0o644)
}
