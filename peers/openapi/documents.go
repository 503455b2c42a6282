package main

// Cuts Kubernetes' OpenAPI documents down to the served paths and types, and splits them into parts.

import (
	"maps"
	"slices"
	"strings"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
)

// document is an OpenAPI document in JSON or in protobuf, split into parts.
type document struct {
	name  string
	etag  string
	parts []part
}

// part is a piece of a document. The keys sort the parts of all documents: similar parts need neighbouring keys,
// because the compression looks back only 32 kB.
type part struct {
	key   string
	bytes []byte
}

// v3Prefix begins the names of the documents below /openapi/v3/.
const v3Prefix = "v3/"

func info() object {
	return object{"title": "Kubernetes", "version": version}
}

// v2 returns the document at /openapi/v2, in JSON and in protobuf.
func v2(published object) []*document {
	paths := servedPaths(published)
	parameters := referred("#/parameters/", published["parameters"].(object), paths)
	definitions := referred("#/definitions/", published["definitions"].(object), paths, parameters)
	head := object{"swagger": "2.0", "info": info(), "parameters": parameters}
	text := &document{name: "v2"}
	text.json(head, "1 v2 ", `,"paths":{`, paths, `},"definitions":{`, definitions, "}}")
	text.etag = etag(text.bytes())

	parsed, err := openapi_v2.ParseDocument(text.bytes())
	check(err)
	binary := &document{name: "v2.pb", etag: text.etag}
	for _, path := range parsed.Paths.Path {
		some := &openapi_v2.Paths{Path: []*openapi_v2.NamedPathItem{path}}
		binary.protobuf("1 v2.pb "+path.Name, &openapi_v2.Document{Paths: some})
	}
	for _, schema := range parsed.Definitions.AdditionalProperties {
		some := &openapi_v2.Definitions{AdditionalProperties: []*openapi_v2.NamedSchema{schema}}
		binary.protobuf(schemaKey+schema.Name, &openapi_v2.Document{Definitions: some})
	}
	parsed.Paths, parsed.Definitions = nil, nil
	binary.protobuf("", parsed)
	return []*document{text, binary}
}

// v3 returns the document of a group version or of a group, or nothing if the server serves none of its paths.
func v3(name string, published object) []*document {
	paths := servedPaths(published)
	if len(paths) == 0 {
		return nil
	}
	components, _ := published["components"].(object)
	all, _ := components["schemas"].(object)
	schemas := referred("#/components/schemas/", all, paths)
	text := &document{name: v3Prefix + name}
	head := object{"openapi": "3.0.0", "info": info()}
	text.json(head, "1 v3 ", `,"paths":{`, paths, `},"components":{"schemas":{`, schemas, "}}}")
	text.etag = etag(text.bytes())
	return []*document{text}
}

// index returns the document at /openapi/v3, which lists the URLs of the other documents.
func index(documents []*document) *document {
	paths := object{}
	for _, other := range documents {
		if name, ok := strings.CutPrefix(other.name, v3Prefix); ok {
			paths[name] = object{"serverRelativeURL": "/openapi/v3/" + name + "?hash=" + other.etag}
		}
	}
	text := encode(object{"paths": paths})
	return &document{name: "v3", etag: etag(text), parts: []part{{"", text}}}
}

// schemaKey begins the keys of schemas. Schemas of the same name are similar in all documents, so they sort together;
// paths are similar to the other paths of their document.
const schemaKey = "2 "

// json appends the parts of an object: its first members, then a part for each path and for each schema. A key that ends
// with ~ sorts after those with names.
func (d *document) json(head object, pathKey, beforePaths string, paths object, beforeSchemas string, schemas object, end string) {
	first := encode(head)
	d.add("", string(first[:len(first)-1])+beforePaths)
	d.members(pathKey, paths)
	d.add(pathKey+"~", beforeSchemas)
	d.members(schemaKey, schemas)
	d.add(schemaKey+"~", end)
}

func (d *document) members(key string, members object) {
	for i, name := range slices.Sorted(maps.Keys(members)) {
		comma := ","
		if i == 0 {
			comma = ""
		}
		d.add(key+name, comma+string(encode(name))+":"+string(encode(members[name])))
	}
}

func (d *document) add(key, text string) {
	d.parts = append(d.parts, part{key, []byte(text)})
}

// protobuf appends a part of a message. Protobuf readers merge concatenated messages into one.
func (d *document) protobuf(key string, message proto.Message) {
	bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	check(err)
	d.parts = append(d.parts, part{key, bytes})
}

func (d *document) bytes() []byte {
	var all []byte
	for _, part := range d.parts {
		all = append(all, part.bytes...)
	}
	return all
}
