package main

// Makes server-side apply requests: PATCH with an apply configuration, of a few field managers that conflict with
// each other.

// apply makes a server-side apply by one of a few field managers, so that managers own the same fields, agree and
// conflict.
func apply(g *generator, kind kind) *draft {
	name := g.name(kind)
	made := newDraft("PATCH", kind.path()+"/"+name)
	made.header["Content-Type"] = applyPatch
	made.query.Set("fieldManager", pick(g, []string{"one", "one", "two", "two", "three", "kubectl"}))
	if g.sometimes(3) {
		made.query.Set("force", "true")
	}
	made.body = configuration(g, kind, name)
	if kind.status && g.sometimes(5) {
		made.path += "/status"
		made.body = object{"apiVersion": kind.apiVersion, "kind": kind.name, "metadata": object{"name": name}, "status": kind.statusChange()}
	}
	if g.sometimes(3) {
		good(g, made.metadata())
	}
	if g.sometimes(3) {
		pick(g, []odd{oddMetadata, oddMetadata, oddWriteOptions, oddConfiguration})(g, kind, made)
	}
	return made
}

// configuration returns a whole object, or sometimes only a few fields of it if the API server accepts an incomplete
// new object of the kind.
func configuration(g *generator, kind kind, name string) object {
	body := named(kind, name)
	switch {
	case g.sometimes(3):
		return merged(body, kind.change())
	case !kind.needsFields && kind.plural != "pods" && g.sometimes(2):
		return merged(object{"apiVersion": kind.apiVersion, "kind": kind.name, "metadata": object{"name": name}}, kind.change())
	}
	return body
}

// oddConfiguration changes the configuration in one way, which may break it: another kind, apiVersion or
// resourceVersion, an unknown field, managed fields, no field manager, or another text.
func oddConfiguration(g *generator, kind kind, made *draft) {
	body, ok := made.body.(object)
	if !ok {
		return
	}
	text := asText(body)
	switch g.IntN(8) {
	case 0:
		body["kind"] = pick(g, []any{"Nosuch", "", 5, nil})
	case 1:
		body["apiVersion"] = pick(g, []any{"v9", "apps/v1", "", 5, nil})
	case 2:
		body["unknown"] = pick(g, []any{1, nil, object{"a": 1}, "text"})
	case 3:
		made.metadata()["managedFields"] = pick(g, []any{[]any{}, nil, []any{object{}}, []any{object{"manager": "x", "operation": "Update", "apiVersion": "v1"}}})
	case 4:
		made.metadata()["unknown"] = 1
	case 5:
		made.query.Del("fieldManager")
	case 6:
		made.setText(pick(g, []string{"", "[]", "5", "null", "{}", text + text, text + "\n", "a: b\n", "{", "- a\n"}))
	case 7:
		made.metadata()["resourceVersion"] = pick(g, []any{"<<rv:" + kind.first() + ">>", "<<oldrv:" + kind.first() + ">>", "1", "x", ""})
	}
}
