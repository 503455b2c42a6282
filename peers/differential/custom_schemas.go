package main

// Makes random valid structural schemas for CustomResourceDefinitions. custom_faults.go puts mistakes into them.

// fieldNames are the names of fields in schemas and in objects. They are few, so that random objects have fields of
// their schema.
var fieldNames = []string{"a", "b", "c", "size", "list", "kind", "metadata", "x-y"}

// wholeSchema returns the schema of a whole custom resource: with spec, and in most cases with status.
func (g *generator) wholeSchema() object {
	spec := g.objectSchema(2)
	properties, isNamed := spec["properties"].(object)
	if !isNamed { // the scale subresource needs spec.replicas
		delete(spec, "additionalProperties")
		properties = object{}
		spec["properties"] = properties
	}
	properties["replicas"] = pick(g, []object{{"type": "integer"}, {"type": "integer", "minimum": 0, "maximum": 100}, {"type": "integer", "format": "int32", "default": 1}})
	whole := object{"type": "object", "properties": object{"spec": spec}}
	parts := whole["properties"].(object)
	if !g.sometimes(4) {
		parts["status"] = g.statusSchema()
	}
	if g.sometimes(4) {
		parts[pick(g, []string{"data", "extra", "items"})] = g.schema(2)
	}
	if g.sometimes(8) {
		parts["metadata"] = object{"type": "object", "properties": object{"name": object{"type": "string", "maxLength": 20, "pattern": "^[a-z0-9.-]*$"}}}
	}
	g.some(whole, 6, "required", []any{"spec"})
	g.some(whole, 12, "x-kubernetes-preserve-unknown-fields", true)
	g.some(whole, 8, "description", "Something that is tested.")
	if g.sometimes(8) {
		whole["x-kubernetes-validations"] = []any{object{"rule": "!has(self.spec) || !has(self.spec.replicas) || self.spec.replicas != 13", "message": "unlucky"}}
	}
	return whole
}

func (g *generator) statusSchema() object {
	status := object{"type": "object", "properties": object{
		"replicas": object{"type": "integer"}, "selector": object{"type": "string"}, "phase": object{"type": "string", "enum": []any{"Waiting", "Running"}},
		"conditions": object{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"type"}, "items": object{
			"type": "object", "required": []any{"type"}, "properties": object{"type": object{"type": "string"}, "status": object{"type": "string"}}}},
	}}
	g.some(status, 3, "x-kubernetes-preserve-unknown-fields", true)
	g.some(status, 8, "default", object{"phase": "Waiting"})
	return status
}

// schema returns the schema of a field, nested at most depth levels.
func (g *generator) schema(depth int) object {
	var s object
	switch choice := g.IntN(16); {
	case depth > 0 && choice < 3:
		s = g.objectSchema(depth - 1)
	case depth > 0 && choice < 6:
		s = g.listSchema(depth - 1)
	case depth > 0 && choice == 6:
		s = object{"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}
	case choice == 7:
		s = pick(g, []object{{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, {"x-kubernetes-preserve-unknown-fields": true}})
	default:
		s = g.plainSchema()
	}
	g.some(s, 6, "nullable", true)
	g.some(s, 10, "description", "A field.")
	if depth > 0 && g.sometimes(8) {
		s[pick(g, []string{"allOf", "anyOf", "oneOf"})] = []any{g.conditionsOf(s), g.conditionsOf(s)}
	}
	if depth > 0 && g.sometimes(16) {
		s["not"] = g.conditionsOf(s)
	}
	if rules := g.rules(s); rules != nil && g.sometimes(10) {
		s["x-kubernetes-validations"] = []any{pick(g, rules)}
	}
	if g.sometimes(5) {
		s["default"] = g.fitting(s, 3, 40)
	}
	return s
}

func (g *generator) objectSchema(depth int) object {
	s := object{"type": "object"}
	if g.sometimes(5) {
		s["additionalProperties"] = g.schema(depth)
	} else {
		properties := object{}
		for range 2 + g.IntN(4) {
			properties[pick(g, fieldNames)] = g.schema(depth)
		}
		if metadata, has := properties["metadata"].(object); has {
			delete(metadata, "default")
		}
		s["properties"] = properties
		g.some(s, 5, "required", []any{pick(g, fieldNames)})
	}
	g.some(s, 10, "minProperties", g.IntN(3))
	g.some(s, 8, "maxProperties", 1+g.IntN(4))
	g.some(s, 10, "x-kubernetes-map-type", pick(g, []any{"atomic", "granular"}))
	return s
}

func (g *generator) listSchema(depth int) object {
	s := object{"type": "array"}
	switch g.IntN(5) {
	case 0, 1:
		keys := pick(g, [][]any{{"a"}, {"a", "b"}})
		properties := object{"a": object{"type": "string"}, "b": object{"type": "integer"}, "c": g.schema(depth)}
		items := object{"type": "object", "properties": properties, "required": keys}
		if g.sometimes(3) {
			properties["b"] = object{"type": "integer", "default": 1}
			items["required"] = []any{"a"}
		}
		s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"], s["items"] = "map", keys, items
	case 2:
		s["x-kubernetes-list-type"], s["items"] = "set", g.plainSchema()
	default:
		s["items"] = g.schema(depth)
		g.some(s, 3, "x-kubernetes-list-type", "atomic")
	}
	g.some(s, 8, "minItems", g.IntN(3))
	g.some(s, 8, "maxItems", 1+g.IntN(4))
	return s
}

func (g *generator) plainSchema() object {
	switch g.IntN(9) {
	case 0, 1:
		s := object{"type": "integer"}
		g.some(s, 4, "minimum", g.IntN(3))
		g.some(s, 4, "maximum", 3+g.IntN(100))
		g.some(s, 8, "multipleOf", 2)
		g.some(s, 6, "format", pick(g, []any{"int32", "int64"}))
		return s
	case 2:
		s := object{"type": "number"}
		g.some(s, 4, "minimum", pick(g, []any{0.5, -1, 0}))
		g.some(s, 6, "exclusiveMinimum", true)
		g.some(s, 6, "format", pick(g, []any{"float", "double"}))
		return s
	case 3:
		return object{"type": "boolean"}
	case 4:
		return pick(g, []object{{"x-kubernetes-int-or-string": true}, {"x-kubernetes-int-or-string": true, "anyOf": []any{object{"type": "integer"}, object{"type": "string"}}}})
	}
	s := object{"type": "string"}
	switch g.IntN(6) {
	case 0:
		s["enum"] = []any{"a", "b", "c"}
	case 1:
		s["pattern"] = pick(g, sortedKeys(patterns))
	case 2:
		s["format"] = pick(g, sortedKeys(formats))
	}
	g.some(s, 6, "minLength", g.IntN(3))
	g.some(s, 6, "maxLength", 1+g.IntN(20))
	return s
}

// conditionsOf returns a schema for allOf, anyOf, oneOf or not: constraints that suit the type of s.
func (g *generator) conditionsOf(s object) object {
	switch s["type"] {
	case "string":
		return pick(g, []object{{"minLength": 1}, {"maxLength": 3}, {"pattern": "^a"}, {"enum": []any{"a", "b"}}, {"format": "date"}})
	case "integer", "number":
		return pick(g, []object{{"minimum": 1}, {"maximum": 5}, {"multipleOf": 2}, {"enum": []any{1, 2}}})
	case "object":
		return pick(g, []object{{"required": []any{"a"}}, {"minProperties": 1}, {"required": []any{"b"}}, {"maxProperties": 2}})
	case "array":
		return pick(g, []object{{"minItems": 1}, {"maxItems": 2}})
	}
	return pick(g, []object{{"minimum": 1}, {"pattern": "^a"}, {}})
}

// rules returns validation rules in CEL for a schema of this type, or none. Their cost is small for any value, so that
// definitions are accepted; fixtures/costs has expensive ones.
func (g *generator) rules(s object) []object {
	switch s["type"] {
	case "string":
		return []object{{"rule": "self != 'bad'"}, {"rule": "self == oldSelf", "message": "never changes"}, {"rule": "self != 'a b'", "reason": "FieldValueForbidden"},
			{"rule": "self != ''", "messageExpression": "'not ' + self"}, {"rule": "self != oldSelf.orValue('')", "optionalOldSelf": true}}
	case "integer":
		return []object{{"rule": "self != 7"}, {"rule": "self >= oldSelf", "message": "never shrinks", "reason": "FieldValueInvalid"}, {"rule": "self + 1 > 0"}}
	case "boolean":
		return []object{{"rule": "self"}, {"rule": "!self || !oldSelf"}}
	}
	return nil
}

// some sets a field in one of `in` cases.
func (g *generator) some(s object, in int, name string, value any) {
	if g.sometimes(in) {
		s[name] = value
	}
}
