package main

// The kinds for CustomResourceDefinitions and for the custom resources that they define, in the form in which the
// generator makes requests to them.

import (
	"fmt"
	"strings"
)

// definitionKind returns the kind CustomResourceDefinition. Its objects have one of three names in the passing group,
// so that requests meet the same definitions.
func definitionKind(g *generator) kind {
	made := kind{plural: "customresourcedefinitions", name: "CustomResourceDefinition", apiVersion: "apiextensions.k8s.io/v1", cluster: true, status: true, custom: true, names: passingNames}
	made.body = func(name string) object {
		plural, _, _ := strings.Cut(name, ".")
		kindName := strings.ToUpper(plural[:1]) + plural[1:]
		definition := g.definition(passingGroup, plural, kindName)
		if g.sometimes(3) {
			return g.faulty(definition)
		}
		return definition
	}
	made.change = func() object {
		spec := pick(g, []object{
			{"names": object{"shortNames": []any{"taken"}}}, {"names": object{"singular": "taken"}}, {"names": object{"kind": "Passing"}}, {"names": object{"categories": []any{"all"}}}, {"names": object{"listKind": "PassingList"}},
			{"versions": g.versions()}, {"versions": g.versions()}, {"versions": g.versions()}, {"scope": "Cluster"}, {"scope": "Namespaced"}, {"conversion": object{"strategy": "None"}}, {"conversion": nil}, {"preserveUnknownFields": true},
			{"group": "other.example.org"}, {"names": object{"plural": "others"}}, {"names": nil}, {"versions": nil}, {"names": object{"shortNames": nil, "singular": nil}},
		})
		return pick(g, []object{{"spec": spec}, {"spec": spec}, {"spec": spec}, {"metadata": object{"labels": object{"x": "y"}}}})
	}
	made.statusChange = func() object {
		return pick(g, []object{
			{"storedVersions": []any{"v1"}}, {"storedVersions": []any{"v1", "v9"}}, {"storedVersions": []any{}}, {"conditions": []any{object{"type": "Known", "status": "True", "reason": "Told", "message": "", "lastTransitionTime": "2001-02-03T04:05:06Z"}}},
			{"acceptedNames": object{"plural": "A b", "kind": "K"}}, {"unknown": 1},
		})
	}
	made.operation = func() object {
		return pick(g, []object{
			{"op": "add", "path": "/spec/names/shortNames", "value": []any{"taken"}}, {"op": "replace", "path": "/spec/versions/0/served", "value": false}, {"op": "add", "path": "/spec/versions/0/deprecated", "value": true},
			{"op": "add", "path": "/spec/versions/-", "value": object{"name": "v9", "served": true, "storage": false, "schema": object{"openAPIV3Schema": object{"type": "object"}}}}, {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
			{"op": "remove", "path": "/spec/versions/0/schema"}, {"op": "remove", "path": "/spec/versions/0"}, {"op": "replace", "path": "/spec/group", "value": "x.org"}, {"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": g.wholeSchema()},
		})
	}
	return made
}

// customKinds returns the kinds that a definition serves: one for each served version.
func customKinds(g *generator, definition object) []kind {
	spec := definition["spec"].(object)
	names := spec["names"].(object)
	var made []kind
	for _, version := range spec["versions"].([]any) {
		version := version.(object)
		if version["served"] != true {
			continue
		}
		schema := version["schema"].(object)["openAPIV3Schema"].(object)
		subresources := asObject(version["subresources"])
		made = append(made, customKind(g, schema, kind{
			plural: names["plural"].(string), name: names["kind"].(string), apiVersion: fmt.Sprint(spec["group"], "/", version["name"]), cluster: spec["scope"] == "Cluster", custom: true,
			status: subresources["status"] != nil, scale: subresources["scale"] != nil, selectable: fieldsOf(version),
		}))
	}
	return made
}

func fieldsOf(version object) (selectable []string) {
	fields, _ := version["selectableFields"].([]any)
	for _, field := range fields {
		selectable = append(selectable, strings.TrimPrefix(field.(object)["jsonPath"].(string), "."))
	}
	return selectable
}

// customKind adds to a kind the functions that make random objects and patches for the schema. About one value in 24 is
// random and may not fit the schema.
func customKind(g *generator, schema object, made kind) kind {
	const strange = 24
	parts := schema["properties"].(object)
	made.body = func(string) object {
		body := g.fittingObject(schema, 5, strange)
		delete(body, "metadata")
		return body
	}
	part := func(name string) object {
		value := asObject(g.fitting(asObject(parts[name]), 4, strange))
		if value == nil {
			return object{}
		}
		return value
	}
	made.statusChange = func() object { return part("status") }
	made.change = func() object {
		spec := part("spec")
		for _, name := range sortedKeys(spec) {
			switch g.IntN(4) {
			case 0:
				spec[name] = nil
			case 1:
				delete(spec, name)
			}
		}
		return object{"spec": spec}
	}
	made.operation = func() object {
		fields, _ := asObject(parts["spec"])["properties"].(object)
		name := pick(g, sortedKeys(fields))
		value := g.fitting(fields[name].(object), 3, strange)
		return pick(g, []object{
			{"op": "add", "path": "/spec/" + name, "value": value}, {"op": "replace", "path": "/spec/" + name, "value": value}, {"op": "remove", "path": "/spec/" + name}, {"op": "test", "path": "/spec/" + name, "value": value},
			{"op": "copy", "from": "/spec/" + name, "path": "/spec/a"}, {"op": "replace", "path": "/spec", "value": asObject(value)}, {"op": "add", "path": "/status", "value": object{"phase": "Running"}},
		})
	}
	return made
}
