// Records what the tests of structured-merge-diff and of apimachinery's managedfields call, and what they get: the cases of
// fixtures/managed-fields.
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

// upstream is a module whose tests run.
type upstream struct {
	module string
	// folder is where its copy is, below a folder of its own: some tests read files beside their module.
	folder string
	// beside are the files that they read, and the modules that have them.
	beside map[string]string
	// functions that are recorded, by their file: how each begins.
	functions map[string][]string
	// inner are calls of what is recorded that are no calls of a test.
	inner [][2]string
	// recorders are the folders that get a file of ours.
	recorders map[string]string
	runs      []run
}

// run is tests whose calls are written into one file. How often they run: the order of Go's maps decides which conversions an update
// asks for.
type run struct {
	name, times string
	packages    []string
}

var upstreams = []upstream{
	{
		module: "sigs.k8s.io/structured-merge-diff/v6", folder: "upstream", functions: ofMerging, inner: inner,
		recorders: map[string]string{"value": "value", "fieldpath": "fieldpath", "typed": "typed", "merge": "merge"},
		runs: []run{
			{"value", "-count=1", []string{"./value"}}, {"fieldpath", "-count=1", []string{"./fieldpath"}},
			{"typed", "-count=1", []string{"./typed"}}, {"merge", "-count=20", []string{"./merge"}},
		},
	},
	{
		module: "k8s.io/apimachinery", folder: "staging/src/k8s.io/apimachinery", functions: ofManaging,
		beside:    map[string]string{"api/openapi-spec/swagger.json": "k8s.io/kubernetes@v1.37.2"},
		recorders: map[string]string{managers: "managers", managers + "/internal": "internal", managers + "/internal/testing": "testing"},
		runs:      []run{{"managers", "-count=1", []string{"./" + managers, "./" + managers + "/internal"}}},
	},
}

const managers = "pkg/util/managedfields"

// ofManaging are those of apimachinery.
var ofManaging = map[string][]string{
	managers + "/scalehandler.go":           {"func (h *ScaleHandler) ToSubresource(", "func (h *ScaleHandler) ToParent("},
	managers + "/internal/conflict.go":      {"func NewConflictError("},
	managers + "/internal/managedfields.go": {"func DecodeManagedFields(", "func BuildManagerIdentifier("},
	managers + "/internal/testing/testfieldmanager.go": {
		"func NewTestFieldManagerImpl(", "func (f *TestFieldManagerImpl) Apply(", "func (f *TestFieldManagerImpl) Update(",
		"func (f *TestFieldManagerImpl) UpdateNoErrors(",
	},
}

//go:embed recorders
var recorders embed.FS

// ofMerging are those of structured-merge-diff.
var ofMerging = map[string][]string{
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
	if err := record(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func record(into string) error {
	work, err := os.MkdirTemp("", "managedfields")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, of := range upstreams {
		if err := of.record(work, into); err != nil {
			return fmt.Errorf("%s: %w", of.module, err)
		}
	}
	return nil
}

func (u upstream) record(work, into string) error {
	source, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", u.module).Output()
	if err != nil {
		return err
	}
	root := filepath.Join(work, u.folder)
	if err := os.CopyFS(root, os.DirFS(strings.TrimSpace(string(source)))); err != nil {
		return err
	}
	for file, module := range u.beside {
		if err := copyBeside(work, file, module); err != nil {
			return err
		}
	}
	if err := u.change(root); err != nil {
		return err
	}
	for _, of := range u.runs {
		calls := filepath.Join(work, of.name+".jsonl")
		test := exec.Command("go", append([]string{"test", of.times}, of.packages...)...)
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

// copyBeside puts a file of another module where a test looks for it.
func copyBeside(work, file, module string) error {
	found := struct{ Dir string }{}
	text, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return err
	}
	if text, err = os.ReadFile(filepath.Join(found.Dir, file)); err != nil {
		return err
	}
	to := filepath.Join(work, file)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// change renames what is recorded, and adds what records it.
func (u upstream) change(root string) error {
	for path, functions := range u.functions {
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
		for _, call := range u.inner {
			text = bytes.ReplaceAll(text, []byte(call[0]), []byte(call[1]))
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	for folder, recorder := range u.recorders {
		text, err := recorders.ReadFile("recorders/" + recorder + ".go.txt")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, folder, "recorded.go"), text, 0o644); err != nil {
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
