package main

// Generates random schemas, with values that are valid or almost valid.

import (
	"encoding/json"
	"log"
	"maps"
	"math/rand/v2"
	"slices"
)

// generator makes random schemas, and values that almost fit them.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) *generator {
	return &generator{rand.New(rand.NewPCG(seed, 0))}
}

type object = map[string]any

// kase returns a schema of an object with a value. Every second case also has an old value, which differs a little.
func (g *generator) kase() kase {
	schema := g.properties(3)
	value := g.fitting(schema, 4)
	c := kase{Schema: encode(schema), New: encode(value)}
	if g.IntN(2) == 0 {
		c.Old, c.New = c.New, encode(g.changed(value, schema))
	}
	return c
}

func encode(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	return data
}

func pick[T any](g *generator, from ...T) T {
	return from[g.IntN(len(from))]
}

var names = []string{"a", "b", "c", "apiVersion", "kind", "spec"}

// schema returns a random schema, nested at most depth levels.
func (g *generator) schema(depth int) object {
	var s object
	switch kind := g.IntN(10); {
	case depth > 0 && kind < 3:
		s = g.properties(depth - 1)
	case depth > 0 && kind < 5:
		s = g.list(depth - 1)
	default:
		s = g.plain()
	}
	if g.IntN(4) == 0 {
		s["nullable"] = true
	}
	if depth > 0 && g.IntN(4) == 0 {
		s[pick(g, "allOf", "anyOf", "oneOf")] = []any{g.constraints(depth-1, s), g.constraints(depth-1, s)}
	}
	if depth > 0 && g.IntN(12) == 0 {
		s["not"] = g.constraints(depth-1, s)
	}
	return s
}

func (g *generator) properties(depth int) object {
	s := object{"type": "object"}
	if g.IntN(4) == 0 {
		s["additionalProperties"] = g.schema(depth)
	} else {
		properties := object{}
		for range 1 + g.IntN(3) {
			properties[pick(g, names...)] = g.schema(depth)
		}
		s["properties"] = properties
	}
	g.some(s, "required", []string{pick(g, names...)})
	g.some(s, "minProperties", g.IntN(3))
	g.some(s, "maxProperties", g.IntN(4))
	return s
}

func (g *generator) list(depth int) object {
	s := object{"type": "array"}
	switch g.IntN(4) {
	case 0:
		s["x-kubernetes-list-type"] = "map"
		s["x-kubernetes-list-map-keys"] = pick(g, []string{"a"}, []string{"a", "b"})
		s["items"] = object{"type": "object", "properties": object{"a": g.plain(), "b": g.plain(), "c": g.schema(depth)}}
	case 1:
		s["x-kubernetes-list-type"] = "set"
		s["items"] = g.plain()
	default:
		s["items"] = g.schema(depth)
	}
	g.some(s, "minItems", g.IntN(3))
	g.some(s, "maxItems", g.IntN(4))
	return s
}

// some sets a field in one of five cases.
func (g *generator) some(s object, name string, value any) {
	if g.IntN(5) == 0 {
		s[name] = value
	}
}

func (g *generator) plain() object {
	kind := pick(g, "string", "string", "integer", "number", "boolean", "int-or-string")
	s := object{"type": kind}
	if kind == "int-or-string" {
		s = object{"x-kubernetes-int-or-string": true}
	}
	maps.Copy(s, g.conditions())
	return s
}

// constraints returns a schema for allOf, anyOf, oneOf or not: constraints only.
func (g *generator) constraints(depth int, of object) object {
	s := g.conditions()
	g.some(s, "type", pick(g, "string", "integer", "number", "boolean"))
	if properties, ok := of["properties"].(object); ok && depth > 0 {
		inner := object{}
		for _, name := range inOrder(properties) {
			g.some(inner, name, g.constraints(depth-1, object{}))
		}
		s["properties"] = inner
		g.some(s, "required", []string{pick(g, names...)})
	}
	return s
}

var formats = []string{
	"date", "date-time", "datetime", "duration", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4",
	"uuid5", "uri", "byte", "password", "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "bsonobjectid",
	"k8s-short-name", "k8s-long-name", "int32", "int64", "float", "double", "unknown", "date_time",
}

var patterns = []string{`^a+$`, `\d`, `^[a-z]([-a-z0-9]*[a-z0-9])?$`, `ä`, `^\w{2,3}$`, `\s`, `^$`, `(?i)A`, `^[^\d]*$`, `a\b`}

func (g *generator) conditions() object {
	s := object{}
	g.some(s, "format", pick(g, formats...))
	g.some(s, "format", pick(g, formats...)) // again, because there are many formats
	g.some(s, "pattern", pick(g, patterns...))
	g.some(s, "minLength", g.IntN(4))
	g.some(s, "maxLength", g.IntN(5))
	g.some(s, "minimum", g.bound())
	g.some(s, "maximum", g.bound())
	g.some(s, "exclusiveMinimum", true)
	g.some(s, "exclusiveMaximum", true)
	g.some(s, "multipleOf", pick(g, 0.1, 0.5, 1, 2, 3, 1.5, 1e10))
	if g.IntN(8) == 0 {
		s["enum"] = []any{g.leaf(), g.leaf(), g.leaf()}
	}
	return s
}

func (g *generator) bound() float64 {
	return pick(g, 0, 1, -1, 2.5, 100, 1e6, 2147483647, 2147483648, 9007199254740993, 1e19, -1e19, 1e-7, 3.5e38)
}

var texts = []string{
	"", "a", "aa", "ä", "äöü", "a b", "A", "1", "12", "abc-d", "a<b>&c", "\n", "2020-02-29", "2021-02-29", "2020-01-01T10:00:00Z",
	"2020-01-01t10:00:00.5+01:00", "1h", "1.5h", "3 days", "-1s", "a@b.c", "Name <a@b.c>", "example.com", "a-b", "1.2.3.4",
	"01.2.3.4", "::1", "fe80::1", "1.2.3.0/24", "::/0", "01:23:45:67:89:ab", "0123.4567.89ab", "550e8400-e29b-41d4-a716-446655440000",
	"http://a.b/c?d", "/path", "path", "aGVsbG8=", "0321751043", "978-0321751041", "4111 1111 1111 1111", "123-45-6789", "#fff", "rgb(1,2,3)",
	"507f1f77bcf86cd799439011", "10%", "\u2028",
}

func (g *generator) leaf() any {
	switch g.IntN(8) {
	case 0:
		return nil
	case 1:
		return g.IntN(2) == 0
	case 2:
		return pick(g, 1.5, -0.5, 1e21, 1e-7, 1e6, 4e38, 2147483648.0, 0.3)
	case 3, 4:
		return pick[any](g, 0, 1, -1, 2, 3, 5, 65, 100, 2147483647, 2147483648, int64(9007199254740993), int64(9223372036854775807), json.RawMessage("1.0"), json.RawMessage("1e3"), json.RawMessage("18446744073709551615"))
	default:
		return pick(g, texts...)
	}
}

// fitting returns a value that the schema allows in most cases.
func (g *generator) fitting(s object, depth int) any {
	if g.IntN(12) == 0 || depth == 0 {
		return pick[any](g, g.leaf(), object{}, []any{}, []any{g.leaf()}, object{"a": g.leaf()})
	}
	switch s["type"] {
	case "object":
		value := object{}
		properties, _ := s["properties"].(object)
		for _, name := range inOrder(properties) {
			if g.IntN(4) > 0 {
				value[name] = g.fitting(properties[name].(object), depth-1)
			}
		}
		if additional, ok := s["additionalProperties"].(object); ok {
			for range g.IntN(3) {
				value[pick(g, names...)] = g.fitting(additional, depth-1)
			}
		}
		if g.IntN(8) == 0 {
			value[pick(g, names...)] = g.leaf()
		}
		return value
	case "array":
		value := []any{}
		for range g.IntN(5) {
			value = append(value, g.fitting(s["items"].(object), depth-1))
		}
		return value
	case "string":
		return pick(g, texts...)
	case "boolean":
		return g.IntN(2) == 0
	default:
		return g.leaf()
	}
}

// changed returns a variant of a value: some parts differ, and some lists have another order.
func (g *generator) changed(value any, s object) any {
	if g.IntN(8) == 0 {
		return g.fitting(s, 3)
	}
	switch value := value.(type) {
	case object:
		properties, _ := s["properties"].(object)
		next := object{}
		for _, name := range inOrder(value) {
			schema, ok := properties[name].(object)
			if additional, is := s["additionalProperties"].(object); !ok && is {
				schema, ok = additional, true
			}
			if !ok {
				schema = object{}
			}
			next[name] = g.changed(value[name], schema)
		}
		return next
	case []any:
		next := append([]any{}, value...)
		if items, ok := s["items"].(object); ok && len(next) > 0 && g.IntN(3) == 0 {
			at := g.IntN(len(next))
			next[at] = g.changed(next[at], items)
		}
		if g.IntN(3) == 0 {
			g.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
		}
		return next
	}
	return value
}

// inOrder returns the names of an object in their order, because the same seed must make the same cases.
func inOrder(of object) []string {
	return slices.Sorted(maps.Keys(of))
}
