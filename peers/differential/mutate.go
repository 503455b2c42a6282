package main

// Makes random changes to valid objects, by the schema of their kind.

import (
	"slices"
)

// mutator changes objects with the values of the recordings where their schemas allow it.
type mutator struct {
	*generator
	schemas    *schemas
	recordings *recordings
}

// spot is a field of an object that can be changed.
type spot struct {
	within object
	name   string
	schema object
}

// mutate changes one field of the object, at any depth.
func (m *mutator) mutate(value object, schema object) {
	fields := m.spots(value, schema, nil)
	if len(fields) == 0 {
		return
	}
	at := pick(m.generator, fields)
	if _, set := at.within[at.name]; set && m.sometimes(5) {
		delete(at.within, at.name)
		return
	}
	at.within[at.name] = m.changed(at)
}

// spots returns the fields of the object and of all objects in it: all that are set, and as many that are not.
func (m *mutator) spots(value any, schema object, found []spot) []spot {
	schema = m.schemas.resolved(schema)
	switch value := value.(type) {
	case object:
		fields := asObject(schema["properties"])
		for _, name := range sortedKeys(value) {
			field := asObject(fields[name])
			if field == nil {
				field = asObject(schema["additionalProperties"])
			}
			if slices.Contains(ofEveryObject, name) || field == nil {
				continue
			}
			found = append(found, spot{value, name, field})
			found = m.spots(value[name], field, found)
		}
		if names := sortedKeys(fields); len(names) > 0 {
			for range len(value) {
				if name := pick(m.generator, names); value[name] == nil && !slices.Contains(ofEveryObject, name) {
					found = append(found, spot{value, name, asObject(fields[name])})
				}
			}
		}
	case []any:
		for _, item := range value {
			found = m.spots(item, asObject(schema["items"]), found)
		}
	}
	return found
}

// ofEveryObject are the fields that odd requests change (metadata.go, bodies.go).
var ofEveryObject = []string{"apiVersion", "kind", "metadata", "status"}

// changed returns another value for a field: with an item less or twice, as a recorded object has it, or by the schema.
func (m *mutator) changed(at spot) any {
	if items, isList := at.within[at.name].([]any); isList && len(items) > 0 && m.sometimes(3) {
		item := m.IntN(len(items))
		if m.sometimes(2) {
			return append(slices.Clone(items), copied(items[item]))
		}
		return slices.Delete(slices.Clone(items), item, item+1)
	}
	return m.value(at.name, at.schema, 3)
}

// value returns a random value for a field, which nests at most so many levels.
func (m *mutator) value(name string, schema object, levels int) any {
	schema = m.schemas.resolved(schema)
	if recorded := m.recordings.values[name]; len(recorded) > 0 && !m.sometimes(3) {
		if value := pick(m.generator, recorded); fits(value, schema) {
			return copied(value)
		}
	}
	switch schema["type"] {
	case "object":
		return m.object(schema, levels)
	case "array":
		items := []any{}
		for range m.IntN(3) {
			items = append(items, m.value(name, asObject(schema["items"]), levels-1))
		}
		return items
	case "boolean":
		return m.sometimes(2)
	case "integer", "number":
		return pick(m.generator, []any{0, 1, 1, 2, 3, 5, 30, 80, 8080, 65535, 65536, -1, 2147483647})
	}
	return m.text(schema)
}

func (m *mutator) object(schema object, levels int) object {
	made := object{}
	if levels <= 0 {
		return made
	}
	if others := asObject(schema["additionalProperties"]); others != nil {
		for range m.IntN(3) {
			made[pick(m.generator, words)] = m.value("", others, levels-1)
		}
		return made
	}
	required, _ := schema["required"].([]any)
	fields := asObject(schema["properties"])
	for _, name := range sortedKeys(fields) {
		if slices.Contains(required, any(name)) || m.sometimes(6) {
			made[name] = m.value(name, asObject(fields[name]), levels-1)
		}
	}
	return made
}

func (m *mutator) text(schema object) any {
	if choices, isEnum := schema["enum"].([]any); isEnum && !m.sometimes(8) {
		return pick(m.generator, choices)
	}
	switch schema["format"] {
	case "date-time":
		return pick(m.generator, []any{"2001-02-03T04:05:06Z", "2001-02-03T04:05:06.000007Z", "x"})
	case "int-or-string":
		return pick(m.generator, []any{1, 80, "http", "25%", "0%", "101%", -1})
	case "byte":
		return pick(m.generator, []any{"dg==", "", "###"})
	}
	return pick(m.generator, words)
}

var words = []string{"a", "b", "http", "example.org/a", "10.0.0.1", "fd00::1", "1", "100m", "5Gi", "", "A_", "a b", "TCP", "x.y.z", "/a/b"}

// fits returns true if the value has the schema's type.
func fits(value any, schema object) bool {
	wanted, typed := schema["type"].(string)
	switch value.(type) {
	case object:
		return wanted == "object"
	case []any:
		return wanted == "array"
	case bool:
		return wanted == "boolean"
	case float64:
		return wanted == "integer" || wanted == "number" || schema["format"] == "int-or-string" || !typed
	case string:
		return wanted == "string" || schema["oneOf"] != nil || !typed
	}
	return false
}
