package main

// The generator of the differential test: makes the same random requests for the same seed.

import (
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"strings"
)

// generator makes random requests: first a valid request as clients send it, then in most cases one odd change to it.
type generator struct {
	*rand.Rand
	kinds []kind
	// calm is true if most requests have nothing odd beside their random objects.
	calm bool
}

func newGenerator(seed uint64, of []kind) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 0)), kinds: of}
}

// oddly returns true if the next request gets an odd change.
func (g *generator) oddly() bool {
	if g.calm {
		return g.sometimes(6)
	}
	return !g.sometimes(4)
}

// sequence returns requests that are sent one after the other, to objects of one or two kinds.
func (g *generator) sequence(length int) []Request {
	first := pick(g, g.kinds)
	second := g.beside(first)
	var made []Request
	if g.calm {
		made = g.beginning(first, second)
	}
	for len(made) < length {
		kind := first
		if g.IntN(4) == 0 {
			kind = second
		}
		drafted := g.request(kind)
		if g.sometimes(4) || drafted.watch && g.sometimes(2) {
			inForm(g, drafted)
		}
		if !drafted.watch && g.sometimes(6) {
			drafted.header["Accept-Encoding"] = pick(g, []string{"gzip", "gzip", "gzip, deflate, br", "deflate", "identity", "gzip;q=0", "*", "GZIP"})
		}
		if g.sometimes(20) {
			drafted.query.Set("pretty", pick(g, []string{"true", "1", "", "false", "0", "x"}))
		}
		made = append(made, drafted.render(g, kind))
	}
	return made
}

// beginning creates the objects with the first two names, so that most of the later requests meet an object.
func (g *generator) beginning(kinds ...kind) (made []Request) {
	for _, kind := range kinds {
		for _, name := range kind.objects()[:2] {
			drafted := newDraft("POST", kind.path())
			drafted.header["Content-Type"] = "application/json"
			drafted.body = named(kind, name)
			made = append(made, drafted.render(g, kind))
		}
	}
	return made
}

// beside returns the second kind of a sequence: for a custom resource often another version of it, so that both versions
// write the same objects.
func (g *generator) beside(first kind) kind {
	var versions []kind
	for _, other := range g.kinds {
		if other.plural == first.plural && other.apiVersion != first.apiVersion {
			versions = append(versions, other)
		}
	}
	if len(versions) > 0 && g.sometimes(2) {
		return pick(g, versions)
	}
	return pick(g, g.kinds)
}

// draft is a request in the making, to which odd changes can be made.
type draft struct {
	method, path string
	query        url.Values
	header       map[string]string
	// body is the value to encode as JSON. If text is set, it is sent instead of the body.
	body     any
	text     *string
	protobuf protobufBody
	// watch is true if the answer is a stream of events.
	watch bool
}

func (d *draft) setText(text string) { d.text = &text }

// metadata returns the metadata of the body, and adds it if there is none. If the body is no object, the result is
// not part of it.
func (d *draft) metadata() object {
	body, ok := d.body.(object)
	if !ok {
		return object{}
	}
	metadata, ok := body["metadata"].(object)
	if !ok {
		metadata = object{}
		body["metadata"] = metadata
	}
	return metadata
}

func (d *draft) render(g *generator, kind kind) Request {
	request := Request{Method: d.method, Path: d.path, Header: d.header, Plural: kind.plural, Watch: d.watch, protobuf: d.protobuf}
	if len(d.query) > 0 {
		request.Path += "?" + escaped(d.query)
	}
	switch {
	case d.text != nil:
		request.Body = *d.text
	case d.body != nil:
		request.Body = asText(d.body)
	}
	return request
}

// escaped encodes a query, but leaves <<references>> as they are, so that memory.resolve finds them.
func escaped(query url.Values) string {
	return strings.NewReplacer("%3C%3C", "<<", "%3E%3E", ">>", "%3A", ":", "%2F", "/").Replace(query.Encode())
}

func asText(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // the generator uses only maps, lists and scalars
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

// name returns one of three names, so that requests meet the same objects.
func (g *generator) name(kind kind) string {
	return kind.objects()[pick(g, []int{0, 0, 0, 1, 1, 2})]
}

// weighted is a function that makes requests of one verb, with its frequency.
type weighted struct {
	weight int
	make   func(g *generator, kind kind) *draft
}

func (g *generator) request(kind kind) *draft {
	verbs := []weighted{
		{22, create}, {18, update}, {24, patch}, {14, apply}, {12, remove}, {3, removeAll}, {10, list}, {6, get}, {3, watch}, {2, strange},
		{2, chain}, {2, bind}, {5, scale}, {4 * len(kind.parts), part},
	}
	if g.calm {
		verbs[0].weight, verbs[4].weight, verbs[5].weight = 6, 5, 1 // most objects are there and stay
	}
	sum := 0
	for _, verb := range verbs {
		sum += verb.weight
	}
	at := g.IntN(sum)
	for _, verb := range verbs {
		if at -= verb.weight; at < 0 {
			return verb.make(g, kind)
		}
	}
	panic("unreachable: the number is below the sum of the weights")
}

// sometimes returns true in one of `in` cases.
func (g *generator) sometimes(in int) bool { return g.IntN(in) == 0 }
