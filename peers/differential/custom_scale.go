package main

// Makes requests to the scale subresource of custom resources.

// scale makes a request that reads or writes the scale of an object.
func scale(g *generator, kind kind) *draft {
	// peers/apiserver serves no scale of built-in kinds. A custom resource without a scale is rarely asked for one.
	if !kind.custom || !kind.scale && !g.sometimes(10) {
		return update(g, kind)
	}
	name := g.name(kind)
	made := newDraft(pick(g, []string{"GET", "PUT", "PUT", "PATCH", "PATCH"}), kind.path()+"/"+name+"/scale")
	body := object{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": object{"name": name, "namespace": "<<ns:>>"}, "spec": object{"replicas": pick(g, []any{0, 1, 2, 13, 200})}}
	if kind.cluster {
		delete(body["metadata"].(object), "namespace")
	}
	strange := pick(g, []object{
		{"spec": object{"replicas": -1}}, {"spec": object{"replicas": "1"}}, {"spec": object{"replicas": nil}}, {"spec": object{}}, {"spec": nil}, {"status": object{"replicas": 5}}, {"unknown": 1}, {"spec": object{"replicas": 1.5}},
		{"apiVersion": "autoscaling/v2"}, {"kind": "Other"}, {"kind": nil, "apiVersion": nil}, {"spec": object{"replicas": 3000000000}}, {"spec": object{"replicas": 1, "unknown": 1}}, {"metadata": object{"labels": object{"a": "b"}}},
		{"metadata": object{"resourceVersion": "<<oldrv:" + kind.plural + "/" + name + ">>"}}, {"metadata": object{"resourceVersion": "<<rv:" + kind.plural + "/" + name + ">>"}}, {"metadata": object{"uid": someUID}}, {"metadata": object{"name": "other"}},
	})
	if g.sometimes(2) {
		body = merged(body, strange)
	}
	made.body = body
	switch made.method {
	case "GET":
		made.body = nil
		if g.sometimes(3) {
			oddAccept(g, kind, made)
		}
	case "PUT":
		made.header["Content-Type"] = "application/json"
		if g.sometimes(4) {
			pick(g, []odd{oddWriteOptions, oddHeaders, oddMetadata})(g, kind, made)
		}
	case "PATCH":
		patchScale(g, kind, made)
	}
	return made
}

func patchScale(g *generator, kind kind, made *draft) {
	made.header["Content-Type"] = pick(g, []string{mergePatch, mergePatch, jsonPatch, applyPatch, strategicPatch})
	switch made.header["Content-Type"] {
	case jsonPatch:
		made.body = []any{pick(g, []object{
			{"op": "replace", "path": "/spec/replicas", "value": 3}, {"op": "add", "path": "/spec/replicas", "value": 4}, {"op": "remove", "path": "/spec/replicas"}, {"op": "test", "path": "/spec/replicas", "value": 1},
			{"op": "replace", "path": "/spec/replicas", "value": -1}, {"op": "add", "path": "/metadata/labels", "value": object{"a": "b"}}, {"op": "replace", "path": "/status/replicas", "value": 3},
		})}
	case applyPatch:
		made.query.Set("fieldManager", pick(g, []string{"one", "two", "three"}))
		g.setForce(made)
	case mergePatch, strategicPatch:
		if body := asObject(made.body); g.sometimes(2) && body != nil {
			delete(body, "metadata")
			delete(body, "kind")
			delete(body, "apiVersion")
		}
	}
	if g.sometimes(4) {
		oddWriteOptions(g, kind, made)
	}
}

// setForce sets force=true in one of three requests, which takes over fields that other managers own.
func (g *generator) setForce(made *draft) {
	if g.sometimes(3) {
		made.query.Set("force", "true")
	}
}
