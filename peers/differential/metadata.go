package main

// Changes the metadata of a request's object: valid changes (good) and odd ones, a function for each part of
// ObjectMeta.

import (
	"encoding/json"
	"fmt"
	"strings"
)

// odd makes one odd change to a request.
type odd func(g *generator, kind kind, made *draft)

// good sets a valid field in metadata.
func good(g *generator, metadata object) {
	field := pick(g, []object{
		{"labels": object{"app": "x"}}, {"labels": object{"app": "y", "tier": "z"}}, {"annotations": object{"note": "some text"}},
		{"finalizers": []any{"example.org/a"}}, {"finalizers": []any{"example.org/a", "example.org/b"}}, {"finalizers": []any{}},
		{"ownerReferences": []any{owner("o1", nil)}}, {"labels": object{}},
	})
	for key, value := range field {
		metadata[key] = value
	}
}

const someUID = "00000000-0000-4000-8000-000000000001"

func owner(name string, more object) any {
	made := object{"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": someUID}
	for key, value := range more {
		made[key] = value
	}
	return made
}

func oddMetadata(g *generator, kind kind, made *draft) {
	field := pick(g, []odd{oddName, oddLabels, oddLabels, oddAnnotations, oddFinalizers, oddFinalizers, oddOwners, oddOwners, oddSystem, oddSystem, oddShape})
	field(g, kind, made)
}

func oddName(g *generator, kind kind, made *draft) {
	metadata := made.metadata()
	if made.method == "POST" && g.sometimes(2) {
		metadata["generateName"] = pick(g, []any{"g-", "g-", "G_", strings.Repeat("l", 57) + "-x", strings.Repeat("m", 70), "", "-", "a.", 5})
		if !g.sometimes(4) {
			delete(metadata, "name")
		}
		return
	}
	metadata["name"] = pick(g, []any{"A", "a_b", "", "a..b", "-a", "a-", "a/b", "a%b", ".", "..", "ä", "a b", strings.Repeat("n", 253), strings.Repeat("n", 254),
		strings.Repeat("n", 64), "other", 5, nil, "1", "a.b", object{}})
}

func oddLabels(g *generator, _ kind, made *draft) {
	long := strings.Repeat("l", 64)
	made.metadata()["labels"] = pick(g, []any{
		object{"bad key": "v"}, object{"a": "bad value"}, object{"x/y/z": "v"}, object{"/a": "v"}, object{"a/": "v"}, object{"": ""}, object{long: "v"},
		object{"a": long}, object{"X.example/a": "v"}, object{strings.Repeat("p", 254) + "/a": "v"}, object{"a": "-"}, object{"a_": "v"}, object{"a": nil},
		object{"a": 5}, object{"a": true}, []any{}, []any{"a"}, "text", nil, object{"bad key": "bad value", "b!": "c!"}, object{"a": object{}}, object{"ok": ""},
		object{"example.org/ok": "v"},
	})
}

func oddAnnotations(g *generator, _ kind, made *draft) {
	made.metadata()["annotations"] = pick(g, []any{
		object{"Example.org/X": "v"}, object{"bad key": "v"}, object{"UPPER": "any Text\nof any kind"}, object{"a/b/c": "v"}, object{"": "v"}, object{"a": nil},
		object{"a": 5}, object{"a": strings.Repeat("x", 262144)}, object{"a": strings.Repeat("x", 262143)}, object{"a": strings.Repeat("x", 300000)},
		object{strings.Repeat("k", 64): "v"}, []any{}, "text", nil, object{"bad key": strings.Repeat("x", 270000)}, object{"ä": "v"},
	})
}

func oddFinalizers(g *generator, _ kind, made *draft) {
	made.metadata()["finalizers"] = pick(g, []any{
		[]any{"example.org/a"}, []any{"example.org/new"}, []any{"bad name!"}, []any{"noslash"}, []any{"orphan"}, []any{"foregroundDeletion"},
		[]any{"orphan", "foregroundDeletion"}, []any{"kubernetes"}, []any{"example.org/a", "example.org/a"}, []any{""}, []any{nil}, []any{5}, "example.org/a", nil,
		[]any{}, []any{"a/b/c"}, []any{"/a"}, []any{strings.Repeat("f", 64)}, []any{"bad one", "x y", "orphan", "foregroundDeletion"}, object{},
		[]any{"X.org/a"}, []any{"example.org/b", "example.org/a"},
	})
}

func oddOwners(g *generator, _ kind, made *draft) {
	made.metadata()["ownerReferences"] = pick(g, []any{
		[]any{owner("o", object{"controller": true}), owner("p", object{"controller": true})}, []any{owner("o", object{"uid": ""})},
		[]any{owner("", nil)}, []any{owner("o", object{"kind": ""})}, []any{owner("o", object{"apiVersion": ""})}, []any{object{}},
		[]any{owner("o", object{"apiVersion": "a/b/c"})}, []any{owner("o", object{"kind": "Event"})}, []any{owner("o", nil), owner("o", nil)},
		[]any{owner("o", object{"kind": "Event", "apiVersion": "events.k8s.io/v1"})}, []any{owner("o", object{"controller": "yes"})},
		[]any{owner("o", object{"blockOwnerDeletion": true})}, []any{owner("o", nil), owner("p", nil)}, []any{owner("o", object{"more": 1})}, "o", nil, []any{nil},
		[]any{owner("o", object{"controller": true}), owner("p", object{"controller": true, "uid": someUID[:35] + "2"})},
		[]any{owner("o", object{"controller": true}), owner("p", object{"controller": true, "name": ""}), object{}}, []any{owner("o", object{"apiVersion": "/"})},
		[]any{owner("o", object{"apiVersion": "x/"})}, []any{owner("o", object{"uid": 5})},
		[]any{owner("o", object{"controller": true}), owner("o", object{"controller": true})},
	})
}

// oddSystem sets fields that the server owns, such as uid, resourceVersion and the timestamps.
func oddSystem(g *generator, kind kind, made *draft) {
	name := g.name(kind)
	key := kind.plural + "/" + name
	field := pick(g, []object{
		{"uid": someUID}, {"uid": "<<uid:" + key + ">>"}, {"uid": "x"}, {"uid": 5}, {"uid": ""},
		{"resourceVersion": "1"}, {"resourceVersion": "0"}, {"resourceVersion": "abc"}, {"resourceVersion": "-1"}, {"resourceVersion": ""},
		{"resourceVersion": 5}, {"resourceVersion": "<<rv:" + key + ">>"}, {"resourceVersion": "<<oldrv:" + key + ">>"}, {"resourceVersion": "999999999999"},
		{"resourceVersion": "01"}, {"resourceVersion": "99999999999999999999"},
		{"namespace": "other"}, {"namespace": "<<ns:>>"}, {"namespace": ""}, {"namespace": 5}, {"namespace": "A_"},
		{"creationTimestamp": "2001-02-03T04:05:06Z"}, {"creationTimestamp": "yesterday"}, {"creationTimestamp": nil}, {"creationTimestamp": 5},
		{"deletionTimestamp": "2001-02-03T04:05:06Z"}, {"deletionTimestamp": "soon"}, {"deletionGracePeriodSeconds": 5}, {"deletionGracePeriodSeconds": -5},
		{"deletionGracePeriodSeconds": "5"}, {"generation": 7}, {"generation": -7}, {"generation": "7"}, {"generation": 1.5}, {"generation": 1e30}, {"generation": json.Number("2.0")}, {"generation": json.Number("9223372036854775808")},
		{"deletionGracePeriodSeconds": json.Number("3.0")},
		{"selfLink": "/x"}, {"managedFields": []any{}}, {"managedFields": []any{object{}}}, {"managedFields": "x"},
		{"managedFields": []any{object{"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": object{}}}},
		{"creationTimestamp": "2001-02-03T04:05:06.789+02:00"}, {"creationTimestamp": ""},
		{"deletionTimestamp": "2001-02-03T04:05:06Z", "deletionGracePeriodSeconds": 0},
	})
	for key, value := range field {
		made.metadata()[key] = value
	}
	if field["managedFields"] != nil && made.method != "POST" {
		// For an update that changes nothing but managedFields, only one of the servers makes a new resourceVersion.
		// So something else changes, too.
		made.metadata()["annotations"] = object{"changed": fmt.Sprint(g.IntN(1_000_000))}
	}
}

// oddShape replaces or misspells metadata or parts of it.
func oddShape(g *generator, _ kind, made *draft) {
	body, ok := made.body.(object)
	if !ok {
		return
	}
	metadata := made.metadata()
	switch g.IntN(8) {
	case 0:
		body["metadata"] = pick(g, []any{nil, []any{}, "text", 5, object{}, true})
	case 1:
		delete(body, "metadata")
	case 2:
		metadata["unknown"] = object{"a": 1}
	case 3:
		metadata["Name"] = "a" // the wrong case
	case 4:
		for i := range 3 {
			metadata[fmt.Sprintf("unknown%d", i)] = i
		}
	case 5:
		metadata["annotations"], metadata["Labels"] = object{"a": "b"}, object{"a": "b"}
	case 6:
		body["metaData"] = object{"name": "b"}
	case 7:
		metadata["clusterName"] = "x"
	}
}
