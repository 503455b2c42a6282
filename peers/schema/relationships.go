package main

// Reads from the apply configurations which lists are sets or maps, which values are atomic, and which defaults
// fields have.

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

// describing are the modules with apply configurations, and the files that contain their schemas.
var describing = [][2]string{
	{"k8s.io/client-go", "applyconfigurations/internal/internal.go"},
	{"k8s.io/apiextensions-apiserver", "pkg/client/applyconfiguration/internal/internal.go"},
}

// schema returns the merged schema of all apply configurations.
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
		return nil, fmt.Errorf("%s has no schema in the expected place", module)
	}
	parser, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		return nil, err
	}
	return &parser.Schema, nil
}

// embeddedIn maps an embedded struct to the struct that embeds it, because the schema has the fields of both under
// the outer name.
var embeddedIn = map[reflect.Type]reflect.Type{}

// described returns the type in the schema, or nil if no apply configuration has it.
func described(s *smd.Schema, t reflect.Type) *smd.Map {
	path := strings.Split(t.PkgPath(), "/")
	path[0] = "io.k8s"
	of, ok := s.FindNamedType(strings.Join(path, ".") + "." + t.Name())
	if outer, embedded := embeddedIn[t]; !ok && embedded {
		return described(s, outer)
	}
	return of.Map
}

// marks returns the marks of a struct: @kind if its objects have kind and apiVersion, @atomic if its fields have one
// owner together.
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

// relationship returns the marks of a field: @set or @map:KEY,KEY for a list that is not atomic, @atomic for an
// atomic map, @separable for a struct that is atomic elsewhere, and @default:VALUE for a default that Go's zero value
// does not give. A list that no apply configuration describes has the merge key of strategic merge patches, if it has
// one.
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

// isZero returns true if Go has this value in a field that was not set.
func isZero(value any) bool {
	return value == "" || value == 0 || value == false
}
