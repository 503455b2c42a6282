package main

// Makes PATCH requests: merge patches, strategic merge patches and JSON patches, most with one odd change.

const (
	mergePatch     = "application/merge-patch+json"
	strategicPatch = "application/strategic-merge-patch+json"
	jsonPatch      = "application/json-patch+json"
	applyPatch     = "application/apply-patch+yaml"
)

func patch(g *generator, kind kind) *draft {
	made := newDraft("PATCH", kind.path()+"/"+g.name(kind))
	if kind.status && g.sometimes(4) {
		made.path += "/status"
		made.body = object{"status": kind.statusChange()}
	} else {
		made.body = kind.patch()
	}
	made.header["Content-Type"] = pick(g, []string{mergePatch, mergePatch, strategicPatch, jsonPatch})
	if made.header["Content-Type"] == jsonPatch {
		operations(g, kind, made)
	} else if g.sometimes(3) {
		good(g, made.metadata())
	}
	if g.oddly() {
		pick(g, []odd{oddPatchMetadata, oddPatchMetadata, oddPatchMetadata, oddWriteOptions, oddWriteOptions, oddPatchBody, oddPatchHeaders})(g, kind, made)
	}
	return made
}

// oddPatchMetadata changes the metadata in an odd way, by a merge patch or by operations of a JSON patch.
func oddPatchMetadata(g *generator, kind kind, made *draft) {
	if made.header["Content-Type"] != jsonPatch {
		oddMetadata(g, kind, made)
		return
	}
	merge := &draft{method: "PATCH", body: object{}}
	oddMetadata(g, kind, merge)
	body, _ := merge.body.(object)
	metadata, _ := body["metadata"].(object)
	list := []any{}
	for _, field := range sortedKeys(metadata) {
		list = append(list, object{"op": "add", "path": "/metadata/" + field, "value": metadata[field]})
	}
	made.body = list
}

// operations sets one to three random operations of a JSON patch as the body.
func operations(g *generator, kind kind, made *draft) {
	one := func() any {
		if kind.operation != nil && g.sometimes(2) {
			return kind.operation()
		}
		return pick(g, []any{
			object{"op": "add", "path": "/metadata/labels", "value": object{"app": "x"}}, object{"op": "add", "path": "/metadata/labels/app", "value": "y"},
			object{"op": "replace", "path": "/metadata/labels", "value": object{"app": "z"}}, object{"op": "remove", "path": "/metadata/labels"}, object{"op": "remove", "path": "/metadata/labels/app"},
			object{"op": "test", "path": "/metadata/name", "value": "a"}, object{"op": "test", "path": "/metadata/name", "value": "x"}, object{"op": "test", "path": "/metadata/nosuch", "value": nil},
			object{"op": "copy", "from": "/metadata/name", "path": "/metadata/annotations"}, object{"op": "copy", "from": "/metadata/labels", "path": "/metadata/annotations"},
			object{"op": "move", "from": "/metadata/labels", "path": "/metadata/annotations"}, object{"op": "move", "from": "/nosuch", "path": "/metadata/annotations"},
			object{"op": "add", "path": "/metadata/finalizers", "value": []any{"example.org/a"}}, object{"op": "add", "path": "/metadata/finalizers/-", "value": "example.org/b"},
			object{"op": "add", "path": "/metadata/finalizers/0", "value": "example.org/c"}, object{"op": "add", "path": "/metadata/finalizers/9", "value": "example.org/d"},
			object{"op": "remove", "path": "/metadata/finalizers/0"}, object{"op": "remove", "path": "/metadata/finalizers/-1"}, object{"op": "replace", "path": "/metadata/finalizers/0", "value": "example.org/e"},
			object{"op": "nosuch", "path": "/metadata/labels"}, object{"path": "/metadata/labels"}, object{"op": "add"}, object{"op": "add", "path": "metadata"}, object{"op": "add", "path": "", "value": object{}},
			object{"op": "add", "path": 5, "value": 5}, object{"op": 5, "path": "/a"}, object{"op": "add", "path": "/a~1b", "value": 1}, object{"op": "add", "path": "/unknown", "value": 1},
			object{"op": "add", "path": "/a/b/c", "value": 1}, object{"op": "remove", "path": "/nosuch"}, object{"op": "replace", "path": "/nosuch", "value": 1}, object{"op": "add", "path": "/metadata/labels"},
			object{"op": "remove", "path": ""}, object{"op": "replace", "path": "", "value": nil}, object{"op": "test", "path": "", "value": object{}}, object{"op": "add", "path": "/", "value": 1},
			object{"op": "copy", "path": "/metadata/labels"}, object{"op": "add", "path": "/metadata/annotations", "value": object{"a": "b"}, "more": 1}, object{"op": "remove", "path": "/metadata/name"},
			object{"op": "remove", "path": "/metadata"}, object{"op": "replace", "path": "/kind", "value": "Pod"}, object{"op": "remove", "path": "/metadata/resourceVersion"},
		})
	}
	list := []any{one()}
	for range g.IntN(3) {
		list = append(list, one())
	}
	made.body = list
}

func oddPatchBody(g *generator, kind kind, made *draft) {
	if g.sometimes(2) {
		oddBody(g, kind, made)
		return
	}
	body, isObject := made.body.(object)
	// Strategic merge patches merge a Service's ports by number. That can add a second port with the same name, which
	// only kube-apiserver's validation refuses; peers/apiserver has no validation of Services.
	if isObject && g.sometimes(2) && (kind.plural != "services" || made.header["Content-Type"] != strategicPatch) {
		made.body = kind.body(kind.objects()[0])
		misfit(g, kind, made)
		return
	}
	if !isObject {
		made.setText(pick(g, []string{"{}", "[[]]", "[null]", "[5]", "null", "[{}]", "[", "5", "[{\"op\":\"test\",\"path\":\"/metadata/name\",\"value\":\"a\"}]x"}))
		return
	}
	directives := []object{
		{"$patch": "delete"}, {"$patch": "replace"}, {"$patch": "nosuch"}, {"$retainKeys": []any{"metadata"}}, {"$setElementOrder/finalizers": []any{"example.org/a"}},
		{"metadata": object{"$deleteFromPrimitiveList/finalizers": []any{"example.org/a"}}}, {"metadata": object{"finalizers": []any{object{"$patch": "replace"}}}},
		{"metadata": object{"$setElementOrder/finalizers": []any{"example.org/b", "example.org/a"}, "finalizers": []any{"example.org/b"}}}, {"metadata": object{"labels": object{"$patch": "replace", "app": "q"}}},
		{"metadata": object{"labels": object{"$patch": "delete"}}}, {"metadata": object{"labels": nil, "annotations": nil}}, {"metadata": nil}, {"unknown": 1}, {"unknown": nil}, {"apiVersion": nil}, {"kind": "Pod"},
		{"metadata": object{"ownerReferences": []any{object{"$patch": "delete", "uid": someUID}}}}, {"metadata": object{"ownerReferences": []any{object{"uid": someUID, "name": "renamed"}}}},
		{"metadata": object{"ownerReferences": []any{object{"name": "without"}}}}, {"metadata": object{"$retainKeys": []any{"name"}, "name": "a"}}, {"metadata": object{"$nosuch": 1}},
	}
	for key, value := range pick(g, directives) {
		body[key] = value
	}
}

func oddPatchHeaders(g *generator, kind kind, made *draft) {
	if g.sometimes(2) {
		oddAccept(g, kind, made)
		return
	}
	delete(made.header, "Content-Type")
	if value := pick(g, []string{"", "text/plain", "application/json", "application/yaml", mergePatch + "; charset=utf-8", "application/merge-patch+JSON", mergePatch + ";", "garbage", applyPatch, strategicPatch, jsonPatch,
		"application/apply-patch+cbor"}); value != "" {
		made.header["Content-Type"] = value
	}
}
