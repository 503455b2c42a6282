package main

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// oddBody makes the body something else, or writes it in an odd way.
func oddBody(g *generator, kind kind, made *draft) {
	body, isObject := made.body.(object)
	text := asText(made.body)
	if !isObject || g.sometimes(3) {
		made.setText(pick(g, []string{"", "{}", "[]", "null", "5", `"text"`, "true", " ", "{", text[:len(text)/2], text + "}", text + text, text + "\n\n", "\ufeff" + text,
			"[" + text + "]", "{\"a\":}", "{'a':1}", "{\"metadata\":{\"name\":\"a\"}}", "{\"metadata\":{\"name\":\"a\"},\"kind\":\"\",\"apiVersion\":\"\"}", "nul", "\x00", "{\"a\":\"\xff\"}",
			strings.Replace(text, "{", "{\"a\":"+strings.Repeat("[", 80)+strings.Repeat("]", 80)+",", 1), strings.Replace(text, "{", `{"a":1,}`, 1), "{\"metadata\":{\"name\":\"\\ud800\"}}"}))
		return
	}
	switch g.IntN(9) {
	case 0:
		body["kind"] = pick(g, []any{"Nosuch", "Pod", "configmap", "", 5, nil, "Status", kind.name + "List"})
	case 1:
		body["apiVersion"] = pick(g, []any{"v9", "nosuch/v1", "", "v1", "apps/v1", 5, nil, "a/b/c", "/", "v1/"})
	case 2:
		delete(body, "kind")
		if g.sometimes(2) {
			delete(body, "apiVersion")
		}
	case 3:
		made.setText(duplicated(g, text))
	case 4:
		for i := range pick(g, []int{1, 2, 5, 30, 120}) {
			body[fmt.Sprintf("unknown%d", i)] = pick(g, []any{1, nil, object{"a": 1}})
		}
	case 5:
		asYAML(g, made, text)
	case 6:
		wrongTypes(g, body)
	case 7:
		body[pick(g, []string{"Kind", "APIVersion", "Data", "SPEC", "Metadata"})] = pick(g, []any{"x", object{"a": "b"}, nil})
	case 8:
		body["status"] = pick(g, []any{object{}, nil, "text", object{"phase": "Failed"}, object{"phase": 5}, object{"unknown": 1}})
	}
}

// duplicated writes a field twice.
func duplicated(g *generator, text string) string {
	switch g.IntN(5) {
	case 0:
		return strings.Replace(text, `"metadata":{`, `"metadata":{"name":"a",`, 1)
	case 1:
		return strings.Replace(text, "{", `{"kind":"ConfigMap",`, 1)
	case 2:
		return strings.Replace(text, "{", `{"unknown":1,"unknown":2,"unknown":3,`, 1)
	case 3:
		return strings.Replace(text, `"metadata":{`, `"metadata":{"labels":{"a":"b","a":"c"},"labels":{"d":"e"},`, 1)
	default:
		return strings.Replace(text, "{", `{"metadata":{"name":"b"},`, 1)
	}
}

func asYAML(g *generator, made *draft, text string) {
	made.header["Content-Type"] = "application/yaml"
	converted, err := yaml.JSONToYAML([]byte(text))
	if err != nil {
		panic(err) // it was written as JSON
	}
	made.setText(pick(g, []string{string(converted), text, string(converted) + "unknown: 1\n", "---\n" + string(converted), "a: [", "- a\n", "text", "",
		"# nothing\n", "a: &x 1\nb: *x\n" + string(converted)}))
}

// wrongTypes gives some fields values of other types.
func wrongTypes(g *generator, body object) {
	field := pick(g, sortedKeys(body))
	if slices.Contains([]string{"involvedObject", "spec", "type"}, field) {
		return // these are checked by their kinds, which the peer's do not
	}
	value := pick(g, []any{nil, 5, 1.5, "text", true, []any{}, []any{1}, object{}, object{"a": 5}, object{"a": nil}, object{"a": object{}}, -1, []any{object{}}, []any{"x"}, []any{nil}})
	if inner, ok := body[field].(object); ok && len(inner) > 0 && g.sometimes(2) {
		inner[pick(g, sortedKeys(inner))] = value
		return
	}
	body[field] = value
}

func oddHeaders(g *generator, kind kind, made *draft) {
	if made.method == "GET" || g.sometimes(2) {
		oddAccept(g, kind, made)
		return
	}
	delete(made.header, "Content-Type")
	if value := pick(g, []string{"", "text/plain", "application/json; charset=utf-8", "application/JSON", "garbage", "application/xml", "application/json;", "application/json,text/plain",
		"application/merge-patch+json", "application/vnd.kubernetes.protobuf", "application/yaml", "*/*", "application/x-www-form-urlencoded", "; charset=x", "application/json; stream=watch"}); value != "" {
		made.header["Content-Type"] = value
	}
}

func oddAccept(g *generator, _ kind, made *draft) {
	made.header["Accept"] = pick(g, []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "text/html", "*/*", "application/*", "garbage", "", "text/plain, */*",
		"application/json;as=Table;v=v1;g=meta.k8s.io", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "application/json;as=Table;v=v9;g=meta.k8s.io",
		"application/json;as=Table;v=v1beta1;g=meta.k8s.io", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
		"application/json;as=Nosuch;v=v1;g=meta.k8s.io,application/json", "application/yaml;as=Table;v=v1;g=meta.k8s.io", "application/json;q=0.5, application/yaml", "application/json;stream=watch",
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/vnd.kubernetes.protobuf, application/json", "application/json;q=0", "application/cbor",
		"application/json;as=PartialObjectMetadata;v=v1;g=other"})
	if made.method != "GET" && strings.HasPrefix(made.header["Accept"], "application/vnd.kubernetes.protobuf;as=") {
		delete(made.header, "Accept") // it is refused by one side: nothing may come of it on the other
	}
	if g.sometimes(5) && strings.Contains(made.header["Accept"], "Table") {
		addQuery(g, made, "includeObject=Object", "includeObject=None", "includeObject=Metadata", "includeObject=x", "includeObject=")
	}
}
