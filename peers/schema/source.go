package main

// Reads from the Go files of API types what reflection does not know: the tags in comments, and constants.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// source is what the Go files of a package say about its types.
type source struct {
	// tags are those above a type (`Pod`), and above a field (`PodSpec.Containers`), without the plus.
	tags map[string][]string
	// constants are the values of a type's constants.
	constants map[string][]string
	values    map[string]string
}

var sources = map[string]*source{}

func sourceOf(t reflect.Type) *source {
	return read(t.PkgPath())
}

// read parses the files of a package that declare its types.
func read(path string) *source {
	if s, ok := sources[path]; ok {
		return s
	}
	s := &source{map[string][]string{}, map[string][]string{}, map[string]string{}}
	sources[path] = s
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		log.Fatalf("%s: %v", path, err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "types*.go"))
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			log.Fatal(err)
		}
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok {
				s.add(file, decl)
			}
		}
	}
	return s
}

func (s *source) add(file *ast.File, decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			doc := spec.Doc
			if doc == nil {
				doc = decl.Doc
			}
			s.tags[spec.Name.Name] = tagsIn(doc)
			if of, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range of.Fields.List {
					s.tags[spec.Name.Name+"."+fieldName(field)] = tagsIn(field.Doc)
				}
			}
		case *ast.ValueSpec:
			if decl.Tok == token.CONST && len(spec.Names) == 1 && len(spec.Values) == 1 {
				of, value := constant(file, spec)
				s.values[spec.Names[0].Name] = value
				s.constants[of] = append(s.constants[of], value)
			}
		}
	}
}

// fieldName returns the name of a field; that of an embedded one is the name of its type.
func fieldName(field *ast.Field) string {
	if len(field.Names) > 0 {
		return field.Names[0].Name
	}
	switch of := field.Type.(type) {
	case *ast.SelectorExpr:
		return of.Sel.Name
	case *ast.Ident:
		return of.Name
	}
	return ""
}

// constant returns the type and the value of a constant: a literal, or a conversion of one or of another package's
// constant.
func constant(file *ast.File, spec *ast.ValueSpec) (of, value string) {
	if of := fmt.Sprint(spec.Type); spec.Type != nil {
		return of, literal(file, spec.Values[0])
	}
	if call, ok := spec.Values[0].(*ast.CallExpr); ok && len(call.Args) == 1 {
		return fmt.Sprint(call.Fun), literal(file, call.Args[0])
	}
	return "", literal(file, spec.Values[0])
}

func literal(file *ast.File, value ast.Expr) string {
	switch value := value.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(value.Value)
		return text
	case *ast.SelectorExpr:
		for _, one := range file.Imports {
			path, _ := strconv.Unquote(one.Path.Value)
			if one.Name != nil && one.Name.Name == fmt.Sprint(value.X) {
				return read(path).values[value.Sel.Name]
			}
		}
	}
	return ""
}

// tagsIn returns the tags in a comment that matter here.
func tagsIn(doc *ast.CommentGroup) []string {
	var tags []string
	if doc == nil {
		return nil
	}
	for _, line := range doc.List {
		tag, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(line.Text, "//")), "+")
		tag, _, _ = strings.Cut(tag, " # ")
		if ok && (strings.HasPrefix(tag, "k8s:") || strings.HasPrefix(tag, "default=")) {
			tags = append(tags, tag)
		}
	}
	return tags
}
