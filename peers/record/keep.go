package main

// The parts of a response body that a record can keep instead of the whole.

import (
	"fmt"
	"maps"
	"slices"
)

type object = map[string]any

// keeps maps each value of Record.Keep to the function that returns the part of the body.
var keeps = map[string]func(body any) any{
	// encoding: "gzip" or "plain".
	"encoding": func(body any) any {
		if fields, ok := body.(object); ok && fields["gzip"] == true {
			return "gzip"
		}
		return "plain"
	},
	// start: the first 46 characters of a text.
	"start": func(body any) any {
		if text, ok := body.(string); ok && len(text) > 46 {
			return text[:46] + " ..."
		}
		return body
	},
	"kind":     func(body any) any { return field(body, "kind") },
	"metadata": func(body any) any { return field(body, "metadata") },
	"status":   func(body any) any { return field(body, "status") },
	"rows":     func(body any) any { return field(body, "rows") },
	// names: a list with only the names of its items.
	"names": func(body any) any {
		fields, ok := body.(object)
		items, isList := fields["items"].([]any)
		if !ok || !isList {
			return body
		}
		names := []any{}
		for _, item := range items {
			names = append(names, item.(object)["metadata"].(object)["name"])
		}
		short := only(fields, "kind", "apiVersion", "metadata")
		short["items (names only)"] = names
		return short
	},
	// count: a table with only the number of its rows.
	"count": func(body any) any {
		fields, ok := body.(object)
		if !ok {
			return body
		}
		rows, _ := fields["rows"].([]any)
		short := only(fields, "kind", "apiVersion", "metadata")
		short["rows"] = len(rows)
		return short
	},
	// head: a table without columns and rows.
	"head": func(body any) any { return without(body, "columnDefinitions", "rows") },
	// without columns: a table without its column definitions.
	"without columns": func(body any) any { return without(body, "columnDefinitions") },
	// outline: the paths of an OpenAPI document, and the number of its schemas.
	"outline": outline,
}

// keep returns the part of a body that a record keeps. An error Status is kept whole.
func keep(part string, body any) (any, error) {
	if part == "" {
		return body, nil
	}
	keep, known := keeps[part]
	if !known {
		return nil, fmt.Errorf("%q is not a part of a body that can be kept, keep.go lists them", part)
	}
	if fields, ok := body.(object); ok && fields["kind"] == "Status" && part != "kind" {
		return body, nil
	}
	return keep(body), nil
}

func field(body any, name string) any {
	if fields, ok := body.(object); ok && fields[name] != nil {
		return fields[name]
	}
	return body
}

func only(fields object, names ...string) object {
	short := object{}
	for _, name := range names {
		if value, found := fields[name]; found {
			short[name] = value
		}
	}
	return short
}

func without(body any, names ...string) any {
	fields, ok := body.(object)
	if !ok {
		return body
	}
	short := maps.Clone(fields)
	for _, name := range names {
		delete(short, name)
	}
	return short
}

func outline(body any) any {
	fields, ok := body.(object)
	if !ok {
		return body
	}
	keys := func(of any) []string {
		fields, _ := of.(object)
		return slices.Sorted(maps.Keys(fields))
	}
	short := object{"keys": keys(fields), "paths": keys(fields["paths"])}
	if components, ok := fields["components"].(object); ok {
		short["schemas"] = len(keys(components["schemas"]))
	}
	if definitions, ok := fields["definitions"].(object); ok {
		short["definitions"] = len(keys(definitions))
	}
	return short
}
