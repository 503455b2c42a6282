package main

// Gives a field of an object a value of a type that it cannot have, to compare how the servers decode it.

import (
	"encoding/json"
	"slices"
)

// misfit gives a random field of the body, at any depth, a value of a wrong type. The decoder refuses it, before any
// validation of the kind.
func misfit(g *generator, kind kind, made *draft) {
	body, ok := made.body.(object)
	if !ok {
		return
	}
	places := leaves(body, nil)
	if len(places) == 0 {
		return
	}
	pick(g, places)(func(old any) any {
		others := []any{5, true, "text", []any{"x"}, object{"a": "b"}, []any{object{}}, 1.5, -1, []any{104, 105}, []any{nil}, []any{256}, []any{}}
		others = slices.DeleteFunc(others, func(other any) bool { return sameType(old, other) })
		if typeOf(old) == "number" {
			others = append(others, 1.5, json.Number("5.0")) // most numbers are integers
		}
		if kind.plural == "secrets" && old != "Opaque" { // a Secret's data are base64, which not every text is
			others = append(others, "###", "aGk", "aGl=", "aG=k")
		}
		return pick(g, others)
	})
}

// leaves returns a function for each field and item of a value, which replaces it.
func leaves(value any, found []func(func(any) any)) []func(func(any) any) {
	switch value := value.(type) {
	case object:
		for _, key := range sortedKeys(value) {
			if key == "kind" || key == "apiVersion" {
				continue // oddBody changes them
			}
			found = append(found, func(by func(any) any) { value[key] = by(value[key]) })
			found = leaves(value[key], found)
		}
	case []any:
		for i := range value {
			found = append(found, func(by func(any) any) { value[i] = by(value[i]) })
			found = leaves(value[i], found)
		}
	}
	return found
}

func sameType(a, b any) bool {
	return typeOf(a) == typeOf(b)
}

func typeOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case object:
		return "object"
	case []any:
		return "list"
	}
	return "number"
}
