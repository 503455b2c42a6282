package main

// Makes random objects that fit the schema of a custom resource.

import "encoding/json"

// patterns are the patterns of string schemas, each with a text that matches.
var patterns = map[string]string{`^a+$`: "aa", `\d`: "1", `^[a-z]([-a-z0-9]*[a-z0-9])?$`: "abc-d", `^\w{2,3}$`: "ab", `^[^\d]*$`: "ä", `(?i)A`: "a"}

// formats are the formats of string schemas, each with a valid text.
var formats = map[string]string{
	"date": "2020-02-29", "date-time": "2020-01-01T10:00:00Z", "duration": "1h", "email": "a@b.c", "hostname": "example.com", "ipv4": "1.2.3.4", "ipv6": "::1",
	"cidr": "1.2.3.0/24", "mac": "01:23:45:67:89:ab", "uuid": "550e8400-e29b-41d4-a716-446655440000", "uri": "http://a.b/c?d", "byte": "aGVsbG8=", "password": "secret",
	"k8s-short-name": "abc", "hexcolor": "#fff", "isbn": "0321751043", "unknown-format": "x",
}

// texts are values for string fields. Some of them match a pattern or a format.
var texts = []string{"", "a", "b", "c", "aa", "ä", "a b", "A", "1", "12", "abc-d", "bad", "a<b>&c", "2020-02-29", "2020-01-01T10:00:00Z", "1h", "1.2.3.4", "::1", "10%"}

// fitting returns a value that the schema allows. Of its parts, one in `strange` is random and may not fit.
func (g *generator) fitting(s object, depth, strange int) any {
	if g.sometimes(strange) || depth == 0 {
		return pick(g, []any{g.leaf(), object{}, []any{}, []any{g.leaf()}, object{"a": g.leaf()}})
	}
	if allowed, ok := s["enum"].([]any); ok {
		return pick(g, allowed)
	}
	switch s["type"] {
	case "object":
		return g.fittingObject(s, depth, strange)
	case "array":
		value := []any{}
		for range g.IntN(4) {
			value = append(value, g.fitting(s["items"].(object), depth-1, strange))
		}
		return value
	case "string":
		return g.fittingText(s)
	case "integer":
		return pick(g, []any{0, 1, 2, 3, 4, 5, 7, 13, 100})
	case "number":
		return pick(g, []any{0, 1, 1.5, 2.25, 100, -0.5, json.Number("1.0"), json.Number("1e3")})
	case "boolean":
		return g.sometimes(2)
	}
	return pick(g, []any{1, "10%", "a", 5})
}

func (g *generator) fittingObject(s object, depth, strange int) object {
	value := object{}
	if s["x-kubernetes-embedded-resource"] == true {
		value = object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "inner", "labels": object{"a": "b"}}}
		g.some(value, strange, pick(g, []string{"apiVersion", "kind", "metadata"}), pick(g, []any{"", 5, nil, object{"name": 5}, object{"unknown": 1}, object{"labels": object{"bad key": "v"}}}))
	}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(object)
	for _, name := range sortedKeys(properties) {
		isRequired := false
		for _, other := range required {
			isRequired = isRequired || other == name
		}
		if isRequired || !g.sometimes(3) {
			value[name] = g.fitting(properties[name].(object), depth-1, strange)
		}
	}
	additional, ok := s["additionalProperties"].(object)
	if !ok && s["x-kubernetes-preserve-unknown-fields"] == true {
		additional, ok = object{}, true
	}
	if ok {
		for range g.IntN(3) {
			value[pick(g, fieldNames)] = g.fitting(additional, depth-1, strange)
		}
	}
	if g.sometimes(2 * strange) {
		value[pick(g, fieldNames)] = g.leaf()
	}
	return value
}

func (g *generator) fittingText(s object) string {
	if pattern, ok := s["pattern"].(string); ok && !g.sometimes(8) {
		return patterns[pattern]
	}
	if format, ok := s["format"].(string); ok && !g.sometimes(8) {
		return formats[format]
	}
	return pick(g, texts)
}

func (g *generator) leaf() any {
	return pick(g, []any{nil, nil, true, false, 1.5, -0.5, json.Number("1e21"), 0, 1, -1, 100, 2147483648, json.Number("9007199254740993"), json.Number("18446744073709551615"),
		json.Number("1.0"), "", "a", "text", "a<b>", "10%"})
}
