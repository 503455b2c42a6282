package main

// Removes from OpenAPI documents what the server does not serve: paths, media types, and definitions that nothing refers to.

import (
	"slices"
	"strings"
)

// trimPath removes unsupported media types from the operations of a path.
func trimPath(path object) {
	for _, operation := range path {
		operation, ok := operation.(object)
		if !ok {
			continue
		}
		for _, list := range []string{"consumes", "produces"} {
			if types, ok := operation[list].([]any); ok {
				operation[list] = slices.DeleteFunc(types, func(name any) bool { return !isServedMediaType(name.(string)) })
			}
		}
		if body, ok := operation["requestBody"].(object); ok {
			trimContent(body)
		}
		responses, _ := operation["responses"].(object)
		for _, response := range responses {
			trimContent(response.(object))
		}
	}
}

func trimContent(body object) {
	content, _ := body["content"].(object)
	for name := range content {
		if !isServedMediaType(name) {
			delete(content, name)
		}
	}
}

// referred returns the definitions that the values refer to, directly or through other definitions.
func referred(prefix string, things object, from ...any) object {
	found := object{}
	for _, value := range from {
		follow(prefix, things, value, found)
	}
	return found
}

func follow(prefix string, things object, value any, found object) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			follow(prefix, things, item, found)
		}
	case object:
		for key, item := range value {
			reference, _ := item.(string)
			name, ok := strings.CutPrefix(reference, prefix)
			if _, known := found[name]; key == "$ref" && ok && !known {
				found[name] = things[name]
				follow(prefix, things, things[name], found)
			} else {
				follow(prefix, things, item, found)
			}
		}
	}
}

func servedPaths(document object) object {
	paths := object{}
	for name, path := range document["paths"].(object) {
		if isServedPath(name) {
			trimPath(path.(object))
			paths[name] = path
		}
	}
	return paths
}
