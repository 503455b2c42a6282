// Command managedfields runs the tests of structured-merge-diff and of apimachinery's managedfields, and records the
// calls that they make, with arguments and results. The records in fixtures/managed-fields are the test cases of our
// implementation.
//
// It copies upstream's module and renames each recorded function. The files in recorders/ add functions with the old
// names, which call the renamed ones and write the call down. Upstream's tests stay unchanged, except for one, which
// gets a fixed time.
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

// upstream is a module of upstream whose tests are run.
type upstream struct {
	module string
	// folder is the path of the module's copy in the temporary folder. Some tests read files beside their module.
	folder string
	// beside maps the path of such a file to the module that contains it.
	beside map[string]string
	// functions maps each changed source file to the beginnings of the declarations of its recorded functions.
	functions map[string][]string
	// inner are replacements in these files. Upstream's own calls of recorded functions become calls of the renamed
	// ones, because only the calls of tests are recorded. Code that differs from run to run becomes code that does not.
	inner [][2]string
	// recorders maps each folder of the module to the recorder file that is added to it.
	recorders map[string]string
	runs      []run
}

// run is a set of packages whose calls go into one file. times says how often the tests run: which conversions an
// update asks for depends on the order of the managers, which differs from time to time.
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
		module: "k8s.io/apimachinery", folder: "staging/src/k8s.io/apimachinery", functions: ofManaging, inner: innerOfManaging,
		beside:    map[string]string{"api/openapi-spec/swagger.json": "k8s.io/kubernetes"},
		recorders: map[string]string{managers: "managers", managers + "/internal": "internal", managers + "/internal/testing": "testing"},
		runs:      []run{{"managers", "-count=1", []string{"./" + managers, "./" + managers + "/internal"}}},
	},
}

const managers = "pkg/util/managedfields"

// ofManaging are the recorded functions of apimachinery.
var ofManaging = map[string][]string{
	managers + "/scalehandler.go":                  {"func (h *ScaleHandler) ToSubresource(", "func (h *ScaleHandler) ToParent("},
	managers + "/internal/conflict.go":             {"func NewConflictError("},
	managers + "/internal/managedfieldsupdater.go": nil, // reads the clock
	managers + "/fieldmanager_test.go":             nil, // reads the clock
	managers + "/internal/managedfields.go":        {"func DecodeManagedFields(", "func BuildManagerIdentifier("},
	managers + "/internal/testing/testfieldmanager.go": {
		"func NewTestFieldManagerImpl(", "func (f *TestFieldManagerImpl) Apply(", "func (f *TestFieldManagerImpl) Update(",
		"func (f *TestFieldManagerImpl) UpdateNoErrors(",
	},
}

// innerOfManaging replaces the clock: upstream reads the recorder's, and one test makes an object at a fixed time.
var innerOfManaging = [][2]string{
	{"metav1.NewTime(time.Now())", "metav1.NewTime(time.Unix(1767225600, 0))"}, // 2026-01-01
	{"time.Now()", "time.Unix(Seconds(), 0)"},
}

//go:embed recorders
var recorders embed.FS

// ofMerging are the recorded functions of structured-merge-diff.
var ofMerging = map[string][]string{
	"value/value.go":           {"func Less("},
	"value/mapunstructured.go": nil, // has loops over maps
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

// inner are the replacements in structured-merge-diff: its calls of recorded functions become calls of the renamed ones,
// and its loops over maps get an order that is the same in each run.
var inner = [][2]string{
	{" range m {", " range inOrder(m) {"},
	{" range managers {", " range shuffled(managers) {"},
	{" range managedFields {", " range shuffled(managedFields) {"},
	{" range managedAtVersion {", " range shuffled(managedAtVersion) {"},
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
		// randautoseed=0 makes math/rand begin with the same seed in each run, so the random sets stay the same.
		test.Env = append(os.Environ(), "GODEBUG=randautoseed=0", "RECORD="+of.name, "RECORD_TO="+calls)
		if output, err := test.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, output)
		}
		if err := keep(calls, filepath.Join(into, of.name+".jsonl.gz")); err != nil {
			return err
		}
	}
	return nil
}

// copyBeside copies a file of another module to the place where a test reads it. ./validation/go.mod has the version of
// that module, because no other module here requires k8s.io/kubernetes.
func copyBeside(work, file, module string) error {
	found := struct{ Dir string }{}
	download := exec.Command("go", "mod", "download", "-json", module)
	download.Dir = "validation"
	text, err := download.Output()
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

// change renames the recorded functions in the copy, and adds the recorders.
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

// Calls longer than `long` bytes come from tests with random sets. Those without conversions are dropped, except for one
// of `seldom` long calls.
const long, seldom = 4_000, 25

// keep writes each different call once, with the conversions of all runs, sorted so that the order does not depend on
// the run. The first line holds the schemas; calls refer to them by their index.
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

// table is a list of schemas without duplicates.
type table struct {
	list   []any
	places map[string]int
}

// name replaces each schema in a value by its index in the table.
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
