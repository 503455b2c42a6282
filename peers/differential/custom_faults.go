package main

// Breaks valid CustomResourceDefinitions, to compare how the two servers validate them.

import "strings"

// faults are the mistakes that a definition can have. Each breaks one thing in the definition's spec; a mistake that
// stands here twice is made twice as often.
var faults = []func(g *generator, spec object){namesFault, namesFault, versionsFault, versionsFault, subresourcesFault, columnsFault, schemaFault, schemaFault, schemaFault, schemaFault, specFault}

// faulty puts one or two mistakes into the definition.
func (g *generator) faulty(definition object) object {
	spec := definition["spec"].(object)
	for range 1 + g.IntN(2) {
		pick(g, faults)(g, spec)
	}
	return definition
}

func namesFault(g *generator, spec object) {
	names := asObject(spec["names"])
	if names == nil {
		return
	}
	long := strings.Repeat("n", 64)
	field := pick(g, []object{
		{"plural": "other"}, {"plural": "UPPER"}, {"plural": ""}, {"plural": "a.b"}, {"singular": "Upper"}, {"singular": "a_b"}, {"kind": ""}, {"kind": "lower"}, {"kind": "a b"},
		{"listKind": "a b"}, {"listKind": long}, {"listKind": names["kind"]}, {"shortNames": []any{"Ab"}}, {"shortNames": []any{"ok", ""}}, {"shortNames": []any{long}}, {"categories": []any{"a b"}}, {"categories": []any{"ALL"}},
		{"singular": names["plural"]}, {"kind": "Passing"}, {"shortNames": []any{"taken"}}, {"singular": "taken"}, {"listKind": "PassingList"},
	})
	for name, value := range field {
		names[name] = value
	}
}

func specFault(g *generator, spec object) {
	field := pick(g, []object{
		{"group": ""}, {"group": "nodot"}, {"group": "UPPER.example.org"}, {"group": "other.example.org"}, {"group": "x.k8s.io"}, {"scope": ""}, {"scope": "Other"}, {"scope": nil},
		{"conversion": object{"strategy": "Other"}}, {"conversion": object{"strategy": ""}}, {"conversion": object{}}, {"conversion": object{"strategy": "Webhook"}},
		{"conversion": object{"strategy": "None", "webhook": object{"conversionReviewVersions": []any{"v1"}}}},
		{"conversion": object{"strategy": "Webhook", "webhook": object{"conversionReviewVersions": []any{"v2", "V"}, "clientConfig": object{"url": "http://x"}}}},
		{"conversion": object{"strategy": "Webhook", "webhook": object{"conversionReviewVersions": []any{"v1"}, "clientConfig": object{"service": object{"name": "", "namespace": "a", "port": 0}}}}},
		{"preserveUnknownFields": true}, {"versions": []any{}}, {"versions": nil}, {"names": nil}, {"names": object{}}, {"unknown": 1},
	})
	for name, value := range field {
		spec[name] = value
	}
}

// versionOf returns a random version of the definition, or an empty one if it has none.
func versionOf(g *generator, spec object) object {
	versions, _ := spec["versions"].([]any)
	if len(versions) == 0 {
		return object{}
	}
	return asObject(pick(g, versions))
}

func versionsFault(g *generator, spec object) {
	version := versionOf(g, spec)
	versions, _ := spec["versions"].([]any) // an earlier fault may have removed them
	switch g.IntN(10) {
	case 0:
		spec["versions"] = append(versions, copied(version))
	case 1:
		version["storage"] = version["storage"] != true
	case 2:
		version["name"] = pick(g, []any{"", "V1", "1", "v1.1", strings.Repeat("v", 64), "ä"})
	case 3:
		version["served"] = false
	case 4:
		version["deprecationWarning"] = pick(g, []any{"", "text", strings.Repeat("w", 257), "bad \a"})
		g.some(version, 2, "deprecated", true)
	case 5:
		version["schema"] = pick(g, []any{nil, object{}, object{"openAPIV3Schema": nil}, object{"openAPIV3Schema": object{}}})
	case 6:
		version["selectableFields"] = pick(g, []any{[]any{object{"jsonPath": ".spec.nosuch"}}, []any{object{"jsonPath": ".metadata.name"}}, []any{object{"jsonPath": ""}}, []any{object{}},
			[]any{object{"jsonPath": ".spec"}}, []any{object{"jsonPath": ".spec.replicas"}, object{"jsonPath": ".spec.replicas"}}, []any{object{"jsonPath": "spec.replicas"}}, []any{object{"jsonPath": ".spec.list[0]"}}})
	case 7:
		delete(version, pick(g, []string{"name", "served", "storage", "schema"}))
	case 8:
		version["unknown"] = 1
	case 9:
		spec["versions"] = []any{version}
	}
}

func subresourcesFault(g *generator, spec object) {
	subresources := object{"status": object{}, "scale": object{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}}
	field := pick(g, []object{
		{"specReplicasPath": ""}, {"specReplicasPath": "spec.replicas"}, {"specReplicasPath": ".status.replicas"}, {"specReplicasPath": ".spec"}, {"specReplicasPath": ".spec.list[0]"},
		{"statusReplicasPath": ""}, {"statusReplicasPath": ".spec.replicas"}, {"statusReplicasPath": ".status.*"}, {"labelSelectorPath": ""}, {"labelSelectorPath": ".metadata.labels"}, {"labelSelectorPath": ".status..a"},
		{"statusReplicasPath": nil}, {"specReplicasPath": nil}, {"unknown": 1}, {"specReplicasPath": ".spec.a-b['c']"}, {"specReplicasPath": 5},
	})
	for name, value := range field {
		subresources["scale"].(object)[name] = value
	}
	versionOf(g, spec)["subresources"] = pick(g, []any{subresources, subresources, subresources, object{"status": nil}, object{"nosuch": object{}}, object{"status": object{"unknown": 1}}, object{"scale": object{}}, object{"scale": nil}})
}

func columnsFault(g *generator, spec object) {
	column := object{"name": "Size", "type": "integer", "jsonPath": ".spec.replicas"}
	field := pick(g, []object{
		{"name": ""}, {"name": nil}, {"type": ""}, {"type": "object"}, {"type": nil}, {"format": "nosuch"}, {"format": "int32"}, {"jsonPath": ""}, {"jsonPath": "spec.replicas"}, {"jsonPath": ".spec["},
		{"jsonPath": nil}, {"priority": "1"}, {"priority": -1}, {"unknown": 1}, {"jsonPath": ".spec.list[?(@.a"}, {"jsonPath": ".spec.*"}, {"jsonPath": "..a"},
	})
	for name, value := range field {
		column[name] = value
	}
	versionOf(g, spec)["additionalPrinterColumns"] = []any{object{"name": "A", "type": "string", "jsonPath": ".spec.a"}, column}
}

// schemaFault breaks a schema of the definition, at a random depth.
func schemaFault(g *generator, spec object) {
	schema := asObject(asObject(versionOf(g, spec)["schema"])["openAPIV3Schema"])
	if schema == nil {
		return
	}
	inner := pick(g, schemasIn(schema, nil))
	field := pick(g, []object{
		{"type": ""}, {"type": "nosuch"}, {"type": "null"}, {"type": nil}, {"type": "string"}, {"type": "array"}, {"type": "object"}, {"type": []any{"string", "null"}}, {"format": "nosuch"}, {"pattern": "("}, {"pattern": "a{,3"},
		{"nullable": true}, {"uniqueItems": true}, {"$ref": "#/definitions/a"}, {"$schema": "x"}, {"id": "x"}, {"additionalProperties": true}, {"additionalProperties": false}, {"additionalProperties": object{"type": "string"}},
		{"properties": object{"a": object{}}}, {"properties": object{"a": object{"type": "string"}}}, {"items": object{"type": "string"}}, {"items": []any{object{"type": "string"}}}, {"items": nil}, {"patternProperties": object{"a": object{"type": "string"}}},
		{"definitions": object{"a": object{"type": "string"}}}, {"dependencies": object{"a": []any{"b"}}}, {"additionalItems": true}, {"default": object{"unknown": 1}}, {"default": "text"}, {"default": 5}, {"default": nil}, {"default": []any{}},
		{"x-kubernetes-list-type": "set"}, {"x-kubernetes-list-type": "map"}, {"x-kubernetes-list-type": "nosuch"}, {"x-kubernetes-list-map-keys": []any{"a"}}, {"x-kubernetes-list-map-keys": []any{"a", "a"}, "x-kubernetes-list-type": "map"},
		{"x-kubernetes-map-type": "nosuch"}, {"x-kubernetes-map-type": "atomic"}, {"x-kubernetes-int-or-string": true}, {"x-kubernetes-int-or-string": true, "type": nil}, {"x-kubernetes-embedded-resource": true}, {"x-kubernetes-preserve-unknown-fields": true},
		{"x-kubernetes-preserve-unknown-fields": false}, {"x-kubernetes-embedded-resource": true, "type": "object", "properties": object{"metadata": object{"type": "string"}}}, {"allOf": []any{object{"type": "string"}}}, {"anyOf": []any{object{"properties": object{"zz": object{"minimum": 1}}}}},
		{"oneOf": []any{object{"default": 1}}}, {"not": object{"nullable": true}}, {"not": object{"x-kubernetes-int-or-string": true}}, {"allOf": []any{object{"description": "x"}}}, {"anyOf": []any{}}, {"required": []any{"nosuch"}}, {"required": []any{"a", "a"}},
		{"minimum": 5, "maximum": 1}, {"minLength": -1}, {"maxItems": -1}, {"multipleOf": 0}, {"enum": []any{}}, {"enum": []any{1, 1}}, {"enum": []any{object{}}}, {"exclusiveMinimum": true}, {"title": "x"}, {"example": object{"a": 1}}, {"externalDocs": object{"url": "x"}},
		{"x-kubernetes-validations": []any{object{"rule": ""}}}, {"x-kubernetes-validations": []any{object{"rule": "self.nosuch"}}}, {"x-kubernetes-validations": []any{object{"rule": "self =="}}}, {"x-kubernetes-validations": []any{object{"rule": "true", "message": " "}}},
		{"x-kubernetes-validations": []any{object{"rule": "true", "reason": "Nosuch"}}}, {"x-kubernetes-validations": []any{object{"rule": "true", "fieldPath": ".nosuch"}}}, {"x-kubernetes-validations": []any{object{"rule": "1 + 1"}}},
		{"properties": object{"metadata": object{"type": "object", "properties": object{"labels": object{"type": "object"}}}}}, {"properties": object{"metadata": object{"type": "string"}}}, {"properties": object{"apiVersion": object{"type": "integer"}, "kind": object{"type": "string"}}},
		{"unknown": 1}, {"minimum": "1"}, {"required": "a"}, {"enum": "a"}, {"maxLength": 1.5},
	})
	for name, value := range field {
		inner[name] = value
	}
}

// schemasIn appends a schema and all schemas inside it to found.
func schemasIn(schema object, found []object) []object {
	found = append(found, schema)
	for _, field := range []string{"items", "additionalProperties", "not"} {
		if inner, ok := schema[field].(object); ok {
			found = schemasIn(inner, found)
		}
	}
	for _, field := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := schema[field].([]any)
		for _, inner := range list {
			found = schemasIn(inner.(object), found)
		}
	}
	properties, _ := schema["properties"].(object)
	for _, name := range sortedKeys(properties) {
		found = schemasIn(properties[name].(object), found)
	}
	return found
}

func asObject(value any) object {
	made, _ := value.(object)
	return made
}
