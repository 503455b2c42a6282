package main

// Removes the objects that a sequence of requests has left, so that the lists of later sequences stay short.

// clear deletes all objects of a kind that sequences have made, and returns how many it found. It removes their
// finalizers first, because no controller does.
func (s *Side) clear(kind kind) (left int) {
	answer := s.ask(Request{Method: "GET", Path: kind.everywhere()})
	list, _ := decode(answer.Header.Get("Content-Type"), answer.Body).(object)
	items, _ := list["items"].([]any)
	for _, item := range items {
		metadata, _ := item.(object)["metadata"].(object)
		name, _ := metadata["name"].(string)
		if kind.madeBySequences(name) {
			left++
			s.remove(kind, metadata, name)
		}
	}
	return left
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
}
