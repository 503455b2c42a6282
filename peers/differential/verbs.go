package main

// Makes requests of each verb: create, update, delete, get, list, watch, bind, and requests that no client would
// send. A <<reference>> in a request is a value of an earlier answer; memory.go lists the references.

import (
	"maps"
	"net/url"
	"strings"
)

func newDraft(method, path string) *draft {
	return &draft{method: method, path: path, query: url.Values{}, header: map[string]string{}}
}

// named returns a valid object of the kind.
func named(kind kind, name string) object {
	body := kind.body(name)
	body["apiVersion"], body["kind"] = kind.apiVersion, kind.name
	body["metadata"] = merged(asObject(body["metadata"]), object{"name": name})
	return body
}

func create(g *generator, kind kind) *draft {
	made := newDraft("POST", kind.path())
	made.header["Content-Type"] = "application/json"
	made.body = named(kind, g.name(kind))
	if g.sometimes(5) {
		good(g, made.metadata())
	}
	if body, ok := made.body.(object); ok && kind.plural == "pods" && body["spec"] != nil && g.sometimes(3) {
		asObject(body["spec"])["nodeName"] = "n" // a pod on a node stays for its grace period when it is deleted
	}
	if g.oddly() {
		pick(g, []odd{oddMetadata, oddMetadata, oddMetadata, oddWriteOptions, oddBody, oddHeaders})(g, kind, made)
	}
	return made
}

// bind makes a request that assigns a pod to a node.
func bind(g *generator, kind kind) *draft {
	if kind.plural != "pods" {
		return create(g, kind)
	}
	name := g.name(kind)
	made := newDraft("POST", kind.path()+"/"+name+"/binding")
	made.header["Content-Type"] = "application/json"
	made.body = object{"apiVersion": "v1", "kind": "Binding", "metadata": object{"name": name}, "target": object{"kind": "Node", "name": "n"}}
	if g.sometimes(4) {
		addQuery(g, made, "dryRun=All", "dryRun=x", "fieldValidation=Strict", "fieldManager=me")
	}
	return made
}

func update(g *generator, kind kind) *draft {
	name := g.name(kind)
	made := newDraft("PUT", kind.path()+"/"+name)
	made.header["Content-Type"] = "application/json"
	body := named(kind, name)
	if g.sometimes(3) == g.calm {
		body = merged(body, kind.change()) // a calm generator's body differs from the stored object anyway
	}
	made.body = body
	if g.sometimes(2) {
		made.metadata()["resourceVersion"] = "<<rv:" + kind.plural + "/" + name + ">>"
	}
	if kind.status && g.sometimes(4) {
		made.path += "/status"
		body["status"] = kind.statusChange()
	}
	if g.sometimes(5) {
		good(g, made.metadata())
	}
	if g.oddly() {
		pick(g, []odd{oddMetadata, oddMetadata, oddMetadata, oddWriteOptions, oddBody, oddHeaders})(g, kind, made)
	}
	return made
}

// merged returns an object with the fields of another merged into it; null removes a field.
func merged(into, from object) object {
	made := object{}
	maps.Copy(made, into)
	for key, value := range from {
		switch value := value.(type) {
		case nil:
			delete(made, key)
		case object:
			inner, _ := made[key].(object)
			made[key] = merged(inner, value)
		default:
			made[key] = value
		}
	}
	return made
}

func remove(g *generator, kind kind) *draft {
	made := newDraft("DELETE", kind.path()+"/"+g.name(kind))
	if !g.sometimes(3) {
		oddDeletion(g, kind, made)
	}
	if g.sometimes(10) {
		oddHeaders(g, kind, made)
	}
	return made
}

func removeAll(g *generator, kind kind) *draft {
	if kind.plural == "namespaces" {
		// One at a time: kube-apiserver refuses a DELETE of all namespaces, and each sequence of requests runs in a
		// namespace of its own.
		return remove(g, kind)
	}
	made := newDraft("DELETE", kind.path())
	if g.sometimes(2) {
		oddDeletion(g, kind, made)
	}
	if g.sometimes(2) {
		oddSelectors(g, kind, made)
	}
	if g.sometimes(6) {
		addQuery(g, made, "limit=1", "limit=x", "resourceVersion=0", "resourceVersion=abc", "resourceVersionMatch=Exact", "timeoutSeconds=5", "continue=x", "sendInitialEvents=true", "resourceVersion=1&resourceVersionMatch=NotOlderThan",
			"watch=1", "watch=true&limit=1", "watch=1&resourceVersion=0", "watch=1&resourceVersion=<<listrv:>>", "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "watch=1&continue=x", "watch=1&resourceVersionMatch=Exact",
			"watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&limit=1", "watch=0", "timeoutSeconds=-1", "timeout=1s", "timeout=x")
	}
	return made
}

func list(g *generator, kind kind) *draft {
	made := newDraft("GET", kind.path())
	if g.sometimes(5) {
		made.path = kind.everywhere()
	}
	for range g.IntN(3) {
		pick(g, []odd{oddSelectors, oddPages, oddVersions, oddAccept})(g, kind, made)
	}
	ownObjects(kind, made)
	return made
}

// ownObjects restricts a list to the objects of sequences, if each server begins with objects of its own, or creates them
// in another order.
func ownObjects(kind kind, made *draft) {
	switch kind.plural {
	case "endpoints", "endpointslices", "leases":
		made.path = strings.Replace(made.path, kind.everywhere(), kind.path(), 1)
	case "ipaddresses", "namespaces", "servicecidrs":
		if !made.query.Has("fieldSelector") {
			made.query.Set("fieldSelector", "metadata.name="+kind.objects()[0])
		}
	}
}

func get(g *generator, kind kind) *draft {
	made := newDraft("GET", kind.path()+"/"+g.name(kind))
	if kind.status && g.sometimes(5) {
		made.path += "/status"
	}
	if g.sometimes(2) {
		pick(g, []odd{oddVersions, oddAccept, oddUnknown})(g, kind, made)
	}
	return made
}

func watch(g *generator, kind kind) *draft {
	made := newDraft("GET", kind.path())
	if g.sometimes(5) {
		made.path = kind.everywhere()
	}
	made.watch = true
	if made.path == kind.everywhere() && g.sometimes(3) {
		made.path = kind.version() + "/watch/" + kind.plural + pick(g, []string{"", "/"}) // the deprecated path of a watch
	} else {
		made.query.Set("watch", pick(g, []string{"1", "true", "1"}))
	}
	made.query.Set("timeoutSeconds", "30")
	if !g.sometimes(3) {
		made.query.Set("resourceVersion", pick(g, []string{"0", "<<listrv:>>", "<<rv:" + kind.first() + ">>", "<<oldrv:" + kind.first() + ">>"}))
	}
	for range g.IntN(3) {
		pick(g, []odd{oddSelectors, oddAccept, oddStreaming})(g, kind, made)
	}
	ownObjects(kind, made)
	return made
}

// strange makes requests that no client sends on purpose.
func strange(g *generator, kind kind) *draft {
	object := kind.path() + "/" + g.name(kind)
	everywhere := kind.everywhere()
	if kind.cluster {
		everywhere = "/api/v1/pods" // a DELETE of all namespaces would end the run
	}
	made := pick(g, []*draft{
		newDraft("POST", object), newDraft("PUT", kind.path()), newDraft("PATCH", kind.path()), newDraft("DELETE", object+"/status"),
		newDraft("GET", object+"/nosuch"), newDraft("GET", kind.path()+"x"), newDraft("POST", kind.everywhere()), newDraft("GET", kind.path()+"/"),
		newDraft("GET", kind.version()+"/namespaces/nosuch/"+kind.plural), newDraft("PUT", object+"/status"), newDraft("GET", object+"/"),
		newDraft("HEAD", object), newDraft("OPTIONS", object), newDraft("GET", "/apis/nosuch.example/v1/"+kind.plural),
		newDraft("PATCH", object+"/status"), newDraft("PROPFIND", kind.path()), newDraft("HEAD", kind.path()), newDraft("OPTIONS", kind.path()), newDraft("POST", "/api"), newDraft("PUT", "/apis/apps/v1"),
		newDraft("GET", object+"//"), newDraft("GET", strings.Replace(object, "/api", "//api", 1)), newDraft("GET", kind.path()+"/%61"), newDraft("GET", kind.path()+"/a%2Fb"), newDraft("GET", kind.path()+"/%zz"), newDraft("GET", kind.path()+"/.."),
		newDraft("GET", kind.path()+"?&&labelSelector=app%3Dx&"), newDraft("GET", kind.path()+"?labelSelector=app%3Dx;limit=1"), newDraft("GET", kind.path()+"?limit=%zz"), newDraft("GET", kind.path()+"?=x&limit"), newDraft("GET", kind.path()+"?fieldSelector=metadata.name%3d+a"),
		newDraft("GET", "/nosuch"), newDraft("GET", "/api/v1/nosuch"), newDraft("GET", "/apis/apps/v9/replicasets"), newDraft("DELETE", "/api/v1"), newDraft("PUT", object+"/nosuch"), newDraft("TRACE", object), newDraft("DELETE", everywhere), newDraft("GET", "/api/v2/"+kind.plural),
	})
	if !kind.status && !kind.custom && strings.HasSuffix(made.path, "/status") {
		made.path = object // kube-apiserver and our server serve the status of namespaces, peers/apiserver does not
	}
	if g.sometimes(4) {
		oddAccept(g, kind, made)
	}
	if made.method != "GET" && g.sometimes(2) {
		made.header["Content-Type"] = "application/json"
		made.body = named(kind, g.name(kind))
	}
	return made
}
