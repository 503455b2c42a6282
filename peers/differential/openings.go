package main

// The first requests of a run: for each row of table.go, a request that shows the intended difference.

import (
	"fmt"
	"strings"
)

// kubeOpenings returns requests that use the rows that both tables have.
func kubeOpenings() []Request {
	maps := kinds[0]
	return []Request{
		{Method: "POST", Path: maps.path(), Body: `{"metadata":{"name":"a"}}`, Plural: maps.plural},
		sent("PATCH", maps.path()+"/a", mergePatch, `{"metadata":{"labels":5}}`),
		sent("POST", maps.path(), "application/yaml", "a: ["),
		sent("POST", maps.path(), "application/json", `{"apiVersion":"v9","deep":`+strings.Repeat("[", 150)+strings.Repeat("]", 150)+"}"),
		sent("POST", maps.path(), "application/json", asText(map[string]any{"metadata": map[string]any{"name": "b", "labels": badLabels(40)}})),
		sent("POST", maps.path(), "application/json", `{"kind":"Nosuch"}`),
	}
}

// openings returns requests that use every row of the table, whatever the seeds are.
func openings() []Request {
	maps := kinds[0]
	object := maps.path() + "/a"
	return append(kubeOpenings(),
		Request{Method: "GET", Path: "/api/v1/namespaces/default", Plural: "namespaces"},
		Request{Method: "GET", Path: object, Header: map[string]string{"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}, Plural: maps.plural},
		sent("PATCH", object+"?dryRun=All&fieldManager=me", applyPatch, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`),
		sent("POST", "/api/v1/namespaces", "application/json", `{"metadata":{"name":"a","finalizers":["example.org/a"]}}`),
		sent("DELETE", "/api/v1/namespaces/a", "application/json", `{}`),
		Request{Method: "POST", Path: definitionsPath, Header: map[string]string{"Content-Type": "application/json"}, Body: smallest, Plural: "customresourcedefinitions"},
		Request{Method: "GET", Path: "/apis/" + passingGroup + "/v1", Plural: "customresourcedefinitions", eventually: true},
		Request{Method: "PATCH", Path: definitionsPath + "/" + passingNames[0] + "/status", Header: map[string]string{"Content-Type": jsonPatch}, Body: backdateConditions, Plural: "customresourcedefinitions"},
		Request{Method: "POST", Path: "/apis/" + passingGroup + "/v1/namespaces/<<ns:>>/as", Header: map[string]string{"Content-Type": protobufType}, Body: `{"apiVersion":"passing.example.org/v1","kind":"A","metadata":{"name":"a"}}`, Plural: "customresourcedefinitions"},
		refusedDefinition(`"x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, x == y))"}]`),
		sent("PUT", "/api/v1/namespaces/<<ns:>>/services/b/status", "application/json", `{"metadata":{"name":"b"}}`)) // the last, because only the peer creates it
}

// smallest is a definition with only the required fields.
const smallest = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.` + passingGroup + `"},"spec":{"group":"` + passingGroup + `","scope":"Namespaced",
	"names":{"plural":"as","kind":"A"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

// refusedDefinition returns a request to create a definition with this field in its schema, which one of the servers
// refuses. It is a dry run, because the other server accepts the definition.
func refusedDefinition(field string) Request {
	body := strings.Replace(smallest, `{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},`+field+`}}}`, 1)
	return Request{Method: "POST", Path: definitionsPath + "?dryRun=All", Header: map[string]string{"Content-Type": "application/json"}, Body: body, Plural: "customresourcedefinitions"}
}

func sent(method, path, contentType, body string) Request {
	return Request{Method: method, Path: path, Header: map[string]string{"Content-Type": contentType}, Body: body, Plural: kinds[0].plural}
}

// badLabels returns so many invalid labels that two walks through a Go map hardly ever have the same order.
func badLabels(count int) object {
	labels := object{}
	for i := range count {
		labels[fmt.Sprintf("bad key %d", i)] = "v"
	}
	return labels
}
