package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// The modules whose apply configurations describe types, and where.
var describing = [][2]string{
	{"k8s.io/client-go", "applyconfigurations/internal/internal.go"},
	{"k8s.io/apiextensions-apiserver", "pkg/client/applyconfiguration/internal/internal.go"},
}

// schema is what apply configurations know of all types: which lists are sets or have keys, and what is atomic.
func schema() (*smd.Schema, error) {
	var all smd.Schema
	for _, of := range describing {
		one, err := schemaOf(of[0], of[1])
		if err != nil {
			return nil, err
		}
		known := smd.Schema{Types: all.Types}
		for _, described := range one.Types {
			if _, ok := known.FindNamedType(described.Name); !ok {
				all.Types = append(all.Types, described)
			}
		}
	}
	return &all, nil
}

func schemaOf(module, file string) (*smd.Schema, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), file))
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(source), "typed.YAMLObject(`")
	text, _, found := strings.Cut(rest, "`")
	if !found {
		return nil, fmt.Errorf("%s has no schema where it was", module)
	}
	parser, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		return nil, err
	}
	return &parser.Schema, nil
}

// The struct that a struct is embedded in. The schema has their fields together.
var embeddedIn = map[reflect.Type]reflect.Type{}

// described is the type in the schema; nil if there is no apply configuration with it.
func described(s *smd.Schema, t reflect.Type) *smd.Map {
	path := strings.Split(t.PkgPath(), "/")
	path[0] = "io.k8s"
	of, ok := s.FindNamedType(strings.Join(path, ".") + "." + t.Name())
	if outer, embedded := embeddedIn[t]; !ok && embedded {
		return described(s, outer)
	}
	return of.Map
}

// marks is what is said of a struct: kind, if objects of it have a kind; atomic.
func marks(s *smd.Schema, t reflect.Type) string {
	marks := ""
	if f, ok := t.FieldByName("TypeMeta"); ok && f.Type == reflect.TypeOf(metav1.TypeMeta{}) {
		marks += " @kind"
	}
	if of := described(s, t); of != nil && of.ElementRelationship == smd.Atomic {
		marks += " @atomic"
	}
	return marks
}

// relationship is what is said of a field: @set or @map:KEY,KEY of a list that is not atomic, @atomic of a map that is, @separable of
// a struct that is atomic elsewhere, and @default:VALUE where that is
// not Go's zero value in a field that is always written. What no apply configuration describes has keys if a patch merges it by one.
func relationship(s *smd.Schema, t reflect.Type, field, omit, merged string) string {
	of := described(s, t)
	if of == nil {
		if merged != "" {
			return " @map:" + merged
		}
		return ""
	}
	f, ok := of.FindField(field)
	if !ok {
		return ""
	}
	atom, _ := s.Resolve(f.Type)
	switch {
	case atom.Scalar != nil && f.Default != nil && (omit != "" || !isZero(f.Default)):
		return fmt.Sprintf(" @default:%v", f.Default)
	case f.Type.NamedType != nil && f.Type.ElementRelationship != nil:
		return " @" + string(*f.Type.ElementRelationship)
	case f.Type.NamedType != nil:
		return ""
	case atom.Map != nil && atom.Map.ElementRelationship == smd.Atomic:
		return " @atomic"
	case atom.List == nil || atom.List.ElementRelationship != smd.Associative:
		return ""
	case len(atom.List.Keys) == 0:
		return " @set"
	}
	return " @map:" + strings.Join(atom.List.Keys, ",")
}

// isZero is whether Go has the value in a field that nobody has set.
func isZero(value any) bool {
	return value == "" || value == 0 || value == false
}
