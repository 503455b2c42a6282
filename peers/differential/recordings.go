package main

// Reads the objects of fixtures/validation: valid and invalid ones of every kind, with which random requests begin.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// recordings are the objects of the recorded cases.
type recordings struct {
	// valid has the objects that kube-apiserver takes, by apiVersion and kind.
	valid map[string][]object
	// values has the values of each field's name, in valid and in invalid objects. Most random values come from here,
	// because they have the form that the field's validation reads.
	values map[string][]any
}

func readRecordings() (*recordings, error) {
	files, err := filepath.Glob(inProject("fixtures", "validation", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	made := &recordings{map[string][]object{}, map[string][]any{}}
	for _, name := range files {
		if err := made.read(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return made, nil
}

func (r *recordings) read(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var made struct {
			New    object
			Causes []any
		}
		if err := json.Unmarshal(lines.Bytes(), &made); err != nil {
			return err
		}
		if len(lines.Bytes()) > 1<<14 {
			continue // a large object tells about limits and makes every request slow
		}
		if gvk := gvkOf(made.New); len(made.Causes) == 0 {
			r.valid[gvk] = append(r.valid[gvk], made.New)
		}
		r.learn(made.New)
	}
	return lines.Err()
}

// learn keeps the values of all fields below value.
func (r *recordings) learn(value any) {
	switch value := value.(type) {
	case object:
		for _, name := range sortedKeys(value) {
			r.values[name] = append(r.values[name], value[name])
			r.learn(value[name])
		}
	case []any:
		for _, item := range value {
			r.learn(item)
		}
	}
}

func gvkOf(value object) string { return fmt.Sprint(value["apiVersion"], " ", value["kind"]) }
