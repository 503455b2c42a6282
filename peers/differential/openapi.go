package main

// Reads the schemas of the real kube-apiserver's kinds from its OpenAPI documents.

import (
	"fmt"
	"strings"
)

// schemas are the components of all OpenAPI documents, by name.
type schemas struct {
	components map[string]object
	// kinds has the component's name of each apiVersion and kind.
	kinds map[string]string
}

const componentsPath = "#/components/schemas/"

// readSchemas reads the documents of all groups and versions.
func readSchemas(from *Side) (*schemas, error) {
	made := &schemas{map[string]object{}, map[string]string{}}
	index := asObject(asObject(from.document("/openapi/v3"))["paths"])
	for _, path := range sortedKeys(index) {
		if !strings.HasPrefix(path, "api") {
			continue
		}
		document := asObject(from.document(fmt.Sprint(asObject(index[path])["serverRelativeURL"])))
		components := asObject(asObject(document["components"])["schemas"])
		for name, component := range components {
			made.add(name, asObject(component))
		}
	}
	if len(made.kinds) == 0 {
		return nil, fmt.Errorf("%s has no schemas at /openapi/v3", from.url)
	}
	return made, nil
}

func (s *schemas) add(name string, component object) {
	s.components[name] = component
	kinds, _ := component["x-kubernetes-group-version-kind"].([]any)
	if len(kinds) != 1 {
		return // such as DeleteOptions, which is of every group
	}
	kind := asObject(kinds[0])
	version := fmt.Sprint(kind["version"])
	if group, _ := kind["group"].(string); group != "" {
		version = group + "/" + version
	}
	s.kinds[version+" "+fmt.Sprint(kind["kind"])] = name
}

// of returns the schema of a kind, or nil.
func (s *schemas) of(gvk string) object { return s.components[s.kinds[gvk]] }

// resolved returns the schema that a reference stands for. References are wrapped in allOf where they have a default.
func (s *schemas) resolved(schema object) object {
	for {
		if all, isAll := schema["allOf"].([]any); isAll && len(all) == 1 {
			schema = asObject(all[0])
			continue
		}
		reference, isReference := schema["$ref"].(string)
		if !isReference {
			return schema
		}
		schema = s.components[strings.TrimPrefix(reference, componentsPath)]
	}
}

// document returns the JSON document at a path, or nil.
func (s *Side) document(path string) any {
	return fromJSON(s.ask(Request{Method: "GET", Path: path}).Body) // upstream sends the index as text/plain
}
