package main

// Removes the objects that a sequence of requests has left, so that the lists of later sequences stay short.

import (
	"fmt"
	"slices"
)

// clear deletes all objects of a kind that sequences have made, and returns how many it found. It removes their
// finalizers first, because no controller does.
func (s *Side) clear(kind kind) (left int) {
	for _, metadata := range s.all(kind) {
		name, _ := metadata["name"].(string)
		if kind.madeBySequences(name) && !s.atStart[kind.plural+"/"+name] {
			left++
			s.remove(kind, metadata, name)
		}
	}
	return left
}

// noteStart remembers the objects with which a server begins, so that clear keeps them.
func (s *Side) noteStart(kinds []kind) {
	if s.atStart != nil {
		return
	}
	s.atStart = map[string]bool{}
	for _, kind := range kinds {
		for _, metadata := range s.all(kind) {
			s.atStart[fmt.Sprint(kind.plural, "/", metadata["name"])] = true
		}
	}
}

// all returns the metadata of all objects of a kind.
func (s *Side) all(kind kind) (found []object) {
	answer := s.ask(Request{Method: "GET", Path: kind.everywhere()})
	list, _ := decode(answer.Header.Get("Content-Type"), answer.Body).(object)
	items, _ := list["items"].([]any)
	for _, item := range items {
		found = append(found, asObject(asObject(item)["metadata"]))
	}
	return found
}

func (s *Side) remove(kind kind, metadata object, name string) {
	path := kind.everywhere() + "/" + name
	if namespace, _ := metadata["namespace"].(string); namespace != "" {
		path = kind.in(namespace) + "/" + name
	}
	if metadata["finalizers"] != nil {
		s.ask(Request{Method: "PATCH", Path: path, Body: `{"metadata":{"finalizers":null}}`,
			Header: map[string]string{"Content-Type": "application/merge-patch+json"}})
	}
	s.ask(Request{Method: "DELETE", Path: path, Body: `{"gracePeriodSeconds":0,"propagationPolicy":"Background"}`,
		Header: map[string]string{"Content-Type": "application/json"}})
	if kind.plural == "namespaces" && slices.Contains(kind.parts, "finalize") { // a controller does so in a cluster
		s.ask(Request{Method: "PUT", Path: path + "/finalize", Body: `{"metadata":{"name":"` + name + `"},"spec":{"finalizers":[]}}`,
			Header: map[string]string{"Content-Type": "application/json"}})
	}
}
