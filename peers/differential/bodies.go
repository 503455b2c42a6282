package main

// Breaks the bodies and the headers of random requests: malformed JSON and YAML, unknown and duplicate fields, wrong types,
// odd Content-Type and Accept headers.

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// oddBody replaces the body, breaks a field of it, or writes it in an odd encoding.
func oddBody(g *generator, kind kind, made *draft) {
	body, isObject := made.body.(object)
	text := asText(made.body)
	if !isObject || g.sometimes(3) {
		texts := []string{"", "[]", "5", `"text"`, "true", " ", "{", text[:len(text)/2], text + "}", text + text, text + "\n\n", "\ufeff" + text,
			"[" + text + "]", "{\"a\":}", "{'a':1}", "nul", "\x00",
			strings.Replace(text, "{", "{\"a\":"+strings.Repeat("[", 80)+strings.Repeat("]", 80)+",", 1), strings.Replace(text, "{", `{"a":1,}`, 1)}
		if !kind.needsFields || made.method == "PATCH" || made.method == "DELETE" {
			texts = append(texts, "{}", "null", "{\"a\":\"\xff\"}", `{"metadata":{"name":"a"}}`, `{"metadata":{"name":"a"},"kind":"","apiVersion":""}`, `{"metadata":{"name":"\ud800"}}`)
		}
		made.setText(pick(g, texts))
		return
	}
	switch g.IntN(13) {
	case 11, 12:
		asProtobuf(g, made)
	case 0:
		body["kind"] = pick(g, []any{"Nosuch", "Pod", "configmap", "", 5, nil, "Status", kind.name + "List", "EventList", "ListOptions", "WatchEvent", "APIGroup", "Endpoints", "List",
			"DeleteOptions", "CreateOptions", "Binding"})
		if g.sometimes(4) {
			body["apiVersion"] = pick(g, []any{"v9", "apps/v1", "meta.k8s.io/v1"})
		}
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
		asYAML(g, kind, made, text)
	case 6:
		wrongTypes(g, kind, body)
	case 7:
		body[pick(g, []string{"Kind", "APIVersion", "Data", "SPEC", "Metadata"})] = pick(g, []any{"x", object{"a": "b"}, nil})
	case 9:
		misfit(g, kind, made)
	case 10:
		deep(g, made)
	case 8:
		body["status"] = pick(g, []any{object{}, nil, "text", object{"phase": "Failed"}, object{"phase": 5}, object{"unknown": 1}})
	}
}

// deep nests an unknown field. Our server refuses more than 100 levels and the API server does not, so the deeper
// bodies have an unknown version, which both servers refuse.
func deep(g *generator, made *draft) {
	levels := pick(g, []int{20, 80, 150, 2000})
	if body, ok := made.body.(object); ok && levels > 80 {
		if made.method != "POST" && made.method != "PUT" {
			return
		}
		body["apiVersion"] = "v9"
	}
	made.setText(strings.Replace(asText(made.body), "{", `{"deep":`+strings.Repeat(`{"a":[`, levels/2)+strings.Repeat("]}", levels/2)+",", 1))
}

// duplicated writes a field of the object twice.
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

func asYAML(g *generator, kind kind, made *draft, text string) {
	made.header["Content-Type"] = "application/yaml"
	converted, err := yaml.JSONToYAML([]byte(text))
	if err != nil {
		panic(err) // asText has just written this JSON
	}
	whole := string(converted)
	texts := []string{whole, text, whole + "unknown: 1\n", "---\n" + whole, "a: [", "- a\n", "text", "a: &x 1\nb: *x\n" + whole,
		whole + "---\n" + whole, "# first\n---\n" + whole + "...\na: b\n", whole + "kind: ConfigMap\n", "zz: 1\nunknown: 2\nunknown: 3\n" + whole,
		strings.Replace(whole, "metadata:\n", "metadata:\n  labels:\n    a: b\n    a: c\n  labels: {d: e}\n", 1), "5: a\nyes: 1\n" + whole,
		strings.Replace(whole, "metadata:\n", "metadata:\n  annotations: {a: yes, b: 5, c: 1.5, d: null}\n", 1), whole + "---\n{", whole + "metadata: {name: a}\n",
		strings.Replace(whole, "metadata:\n", "metadata: &m\n", 1) + "x: {<<: *m, y: 1}\n", "\t" + whole, whole + "a: !!binary aGk=\n",
		whole + "x: {5: a, 5: b}\n", whole + "x:\n  5: a\n  5: b\n  yes: 1\n  true: 2\n", whole + "x:\n\ty: 1\n", whole + "x:\n  y: 1\n\tz: 1\n", whole + "x:\ty\n", whole + "\t\n", whole + "x: 1\t\n", whole + "x: 0x1F\ny: 1_000\nz: 0o17\nw: .inf\nv: ~\nu: 017\n",
		whole + "x: 2001-01-01\ny: 1e3\nz: 12:30\n", whole + "x: |\n  text\ny: >-\n  more\n  text\n"}
	if !kind.needsFields || made.method == "DELETE" {
		texts = append(texts, "", "# nothing\n", "---\n---\n"+whole)
	}
	made.setText(pick(g, texts))
}

// wrongTypes gives a field of the object, or a field one level below, a value of another type.
func wrongTypes(g *generator, kind kind, body object) {
	field := pick(g, sortedKeys(body))
	if !kind.custom && slices.Contains([]string{"involvedObject", "spec", "type"}, field) {
		return // kube-apiserver's validation of these kinds checks the fields; peers/apiserver has no such validation
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
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io", "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf;stream=watch",
		"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io, application/json;as=Table;v=v1;g=meta.k8s.io", "application/vnd.kubernetes.protobuf, application/json", "application/json;q=0", "application/cbor",
		"application/json;as=PartialObjectMetadata;v=v1;g=other", "application/yaml;q=0.9,application/json;q=0.1", "text/html;q=0.9, application/json;q=0.2", "application/json;q=2, application/yaml",
		"application/json;q=abc, application/yaml;q=0.9", "application/json; as=Table; v=v1; g=meta.k8s.io, application/json", "application/json;as=Table;g=meta.k8s.io", "application/json;as=Table;v=v1",
		"application/json;v=v1;g=meta.k8s.io", "APPLICATION/JSON", "application/json;pretty=1", "application/json;stream=other", ", application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io;q=0.1, application/yaml",
		"application/json;profile=nosuch", "*/*;q=0.1, application/yaml;q=0.01", "application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io"})
	if g.sometimes(5) && strings.Contains(made.header["Accept"], "Table") {
		addQuery(g, made, "includeObject=Object", "includeObject=None", "includeObject=Metadata", "includeObject=x", "includeObject=")
	}
}
