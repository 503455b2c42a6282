package main

// Generates random schemas, and rules that fit their types.

import (
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// kind is the type of a value: its name in CEL, and what it contains.
type kind struct {
	name   string
	items  *kind
	fields map[string]*kind
}

// value is an expression in scope, with its type.
type value struct {
	text string
	kind *kind
}

type object = map[string]any

// generator makes random schemas and rules. The scope grows with the variables of loops.
type generator struct {
	*rand.Rand
	scope []value
	// loops counts the loops of a rule, for the names of their variables.
	loops int
	// ruled is true if the schemas have rules.
	ruled bool
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
}

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

// kase returns a case with a schema and four rules for it, without costs.
func (g *generator) kase() kase {
	schema, self := g.schema(3)
	g.scope = []value{{"self", self}}
	c := kase{Resource: self.fields != nil && g.IntN(4) == 0}
	for range 4 {
		g.loops = 0
		c.Rules = append(c.Rules, rule{Rule: g.expression("bool", 4)})
	}
	data, err := json.Marshal(schema)
	if err != nil {
		log.Fatal(err)
	}
	c.Schema = data
	return c
}

// definition returns a case with a definition whose schemas have rules.
func (g *generator) definition() kase {
	g.ruled = true
	spec, _ := g.schema(3)
	data, err := json.Marshal(object{"type": "object", "properties": object{"spec": spec}})
	if err != nil {
		log.Fatal(err)
	}
	return kase{Definition: data}
}

// rule adds a rule to a schema, sometimes with an expression for its message.
func (g *generator) rule(s object, self *kind) {
	if !g.ruled || g.IntN(2) == 0 {
		return
	}
	g.scope, g.loops = []value{{"self", self}}, 0
	one := object{"rule": g.expression("bool", 3)}
	if g.IntN(4) == 0 {
		one["messageExpression"] = g.expression("string", 2)
	}
	s["x-kubernetes-validations"] = []any{one}
}

// ofFormat has the types of texts with a format.
var ofFormat = map[string]string{"byte": "bytes", "duration": "duration", "date": "timestamp", "date-time": "timestamp"}

// schema returns a random schema with the type of its values.
func (g *generator) schema(depth int) (object, *kind) {
	s, self := g.plain(depth)
	g.rule(s, self)
	return s, self
}

func (g *generator) plain(depth int) (object, *kind) {
	s := object{}
	some := func(name string, value any) {
		if g.IntN(2) == 0 {
			s[name] = value
		}
	}
	choice := g.IntN(7)
	if depth == 3 { // the whole value is an object, a list or a map
		choice = pick(g, 0, 0, 0, 1, 2)
	}
	if depth == 0 {
		choice = 3 + g.IntN(4)
	}
	switch choice {
	case 0:
		s["type"] = "object"
		properties, fields := object{}, map[string]*kind{}
		for _, name := range []string{"a", "b", "c", "d", "e-f"}[:2+g.IntN(4)] {
			properties[name], fields[strings.ReplaceAll(name, "-", "__dash__")] = g.schema(depth - 1)
		}
		s["properties"] = properties
		some("required", []string{pick(g, "a", "b"), "c"})
		return s, &kind{name: "object", fields: fields}
	case 1:
		items, inner := g.schema(depth - 1)
		s["type"], s["items"] = "array", items
		some("maxItems", pick(g, 0, 1, 10, 100, 5000))
		return s, &kind{name: "list", items: inner}
	case 2:
		values, inner := g.schema(depth - 1)
		s["type"], s["additionalProperties"] = "object", values
		some("maxProperties", pick(g, 0, 3, 50, 4000))
		return s, &kind{name: "map", items: inner}
	case 3, 4:
		s["type"] = "string"
		format := pick(g, "", "", "", "", "", "byte", "duration", "date", "date-time", "uuid")
		if format != "" {
			s["format"] = format
		}
		some("maxLength", pick(g, 0, 5, 64, 253, 100000))
		if g.IntN(4) == 0 {
			s["enum"] = []string{"x", strings.Repeat("y", g.IntN(30))}
		}
		if name, known := ofFormat[format]; known {
			return s, &kind{name: name}
		}
		return s, &kind{name: "string"}
	case 5:
		name := pick(g, "integer", "integer", "number", "boolean")
		s["type"] = name
		if g.IntN(5) == 0 {
			s["default"] = map[string]any{"integer": 1, "number": 1.5, "boolean": true}[name]
		}
		return s, &kind{name: map[string]string{"integer": "int", "number": "double", "boolean": "bool"}[name]}
	default:
		s["x-kubernetes-int-or-string"] = true
		some("maxLength", 20)
		return s, &kind{name: "dyn"}
	}
}

// values returns the expressions of a type that the scope has: variables, and their parts.
func (g *generator) values(name string) []value {
	var found []value
	var visit func(v value, depth int)
	visit = func(v value, depth int) {
		if v.kind.name == name {
			found = append(found, v)
		}
		if depth == 0 {
			return
		}
		for _, field := range slices.Sorted(maps.Keys(v.kind.fields)) {
			visit(value{v.text + "." + field, v.kind.fields[field]}, depth-1)
		}
		switch v.kind.name {
		case "list":
			visit(value{v.text + "[0]", v.kind.items}, depth-1)
		case "map":
			visit(value{v.text + "['k']", v.kind.items}, depth-1)
		}
	}
	for _, v := range g.scope {
		visit(v, 3)
	}
	return found
}

var literals = map[string][]string{
	"bool": {"true", "false"}, "int": {"1", "-7", "250"}, "double": {"1.5", "0.0"}, "string": {"'a'", "''", "'a longer text'", "'äöü'"},
	"bytes": {"b'ab'", "b''"}, "duration": {"duration('90s')"}, "timestamp": {"timestamp('2024-01-01T00:00:00Z')"}, "dyn": {"dyn('a')", "dyn(1)", "dyn([1, 2])"},
}

// forms are templates of expressions by their type. §type stands for an expression of the type. The function filled
// shows what the other marks stand for: §loop, §count, §has, §null and §part.
var forms = map[string][]string{
	"bool": {
		"§int == §int", "§int < §int", "§string == §string", "§string != §string", "§string < §string", "§double >= §double",
		"§bytes == §bytes", "§bytes > §bytes", "§bool && §bool", "§bool || §bool", "!(§bool)", "§bool ? §bool : §bool", "§dyn == §dyn",
		"§dyn < §dyn", "§string.contains(§string)", "§string.startsWith(§string)", "§string.endsWith(§string)", "§string.matches('^[a-z]+$')",
		"matches(§string, 'a+b')", "§string.matches(§string)", "§string in §strings", "§int in [1, 2, 3]", "§string in ['a', 'b']", "'k' in {'k': §int}",
		"§strings == §strings", "§strings.isSorted()", "§duration < §duration", "§timestamp > §timestamp", "type(§dyn) == int", "type(§dyn) == string",
		"isQuantity(§string)", "quantity(§string).isLessThan(quantity(§string))", "quantity(§string) == quantity('1')", "isURL(§string)",
		"url(§string) == url(§string)", "url(§string).getHost() == §string", "isIP(§string)", "ip(§string) == ip('1.2.3.4')", "ip.isCanonical(§string)",
		"ip(§string).isLoopback()", "isCIDR(§string)", "cidr(§string).containsIP(§string)", "cidr(§string).containsIP(ip(§string))",
		"cidr(§string).containsCIDR(§string)", "cidr(§string).containsCIDR(cidr(§string))", "cidr(§string).ip().family() == 4",
		"isSemver(§string)", "semver(§string).isGreaterThan(semver('1.0.0'))", "format.dns1123Label().validate(§string) == optional.none()",
		"!format.dns1123Label().validate(§string).hasValue()", "format.named(§string).hasValue()", "§strings.includes(§string)",
		"sets.contains(§strings, §strings)", "sets.equivalent(§strings, ['a'])", "sets.intersects(§strings, §strings)", "dyn(§string) == §string",
		"§optional.hasValue()", "§optional.orValue('a') == §string", "§optional.optMap(v, v.size()).orValue(0) > §int",
		"§optional.optFlatMap(v, optional.of(v)).hasValue()", "[§string, §string].exists(v, v == §string)", "{'a': §string}.all(k, k == §string)",
		"§loop", "§loop", "§loop", "§loop", "§loop", "§has", "§ints.sum() > §int", "§strings.map(v, v.size()).sum() == §int", "§null",
		"cidr(§string) == cidr(§string)", "format.uuid() == format.uuid()", "semver('1.0.0') == semver(§string)", "§double == dyn(§int)",
	},
	"int": {
		"§int + §int", "§int - §int", "§int * §int", "-(§int)", "size(§string)", "§string.size()", "§strings.size()", "§bytes.size()", "§string.indexOf(§string)",
		"§string.lastIndexOf(§string)", "§strings.indexOf(§string)", "§bool ? §int : §int", "int(§string)", "int(§double)", "§ints[0]", "§duration.getSeconds()",
		"§timestamp.getFullYear()", "§ints.max()", "size({'a': §int})", "§count", "quantity(§string).asInteger()", "semver(§string).major()",
		"lists.range(10).size()", "§optional.optMap(v, size(v)).orValue(§int)",
	},
	"double": {"§double + §double", "§double * §double", "double(§string)", "double(§int)", "quantity(§string).asApproximateFloat()"},
	"string": {
		"§string + §string", "string(§int)", "string(§bytes)", "§bool ? §string : §string", "§string.lowerAscii()", "§string.upperAscii()", "§string.trim()",
		"§string.substring(1)", "§string.substring(0, 2)", "§string.replace(§string, §string)", "§string.replace('a', 'bcd')", "§string.replace(§string, '', 2)",
		"§strings.join()", "§strings.join(',')", "§strings.join(§string)", "§string.charAt(0)", "strings.quote(§string)", "'%s'.format([§string])",
		"§string.find('a+')", "§strings[0]", "§strings.max()", "url(§string).getPort()", "ip(§string).family() == 4 ? §string : 'x'", "string(§duration)",
		"{'a': §string}['a']", "[§string, §string][0]", "§optional.orValue(§string)", "dyn(§string)", "§strings.map(v, v + §string)[0]", "string(§dyn)",
		"§strings.first().orValue(§string)", "§optional.or(optional.of(§string)).value()",
	},
	"bytes":     {"§bytes + §bytes", "bytes(§string)"},
	"duration":  {"duration(§string)", "§duration + §duration", "§timestamp - §timestamp"},
	"timestamp": {"timestamp(§string)", "§timestamp + §duration"},
	"dyn":       {"dyn(§string)", "dyn(§strings)", "[dyn(§int), dyn(§string)][0]", "§bool ? dyn(§int) : dyn(§string)"},
	"strings": {
		"[§string, §string]", "[]", "§string.split(',')", "§string.split(§string, 3)", "§strings + §strings", "§strings.map(v, v + 'x')", "§strings.filter(v, v != §string)",
		"§strings.map(v, v != '', v.trim())", "§bool ? §strings : §strings", "§string.findAll('a')", "§string.findAll('a', 2)", "§strings.sort()", "§strings.distinct()",
		"§strings.reverse()", "§strings.slice(0, 2)", "[§strings, §strings].flatten()", "§strings.sortBy(v, v.size())", "§strings.transformList(i, v, v + string(i))",
		"§strings.transformList(i, v, i > 0, v)", "{'a': §string}.map(k, k)", "[?§optional]", "[§optional].unwrapOpt()", "optional.unwrap([§optional, §optional])",
		"§strings.transformMap(i, v, v).map(i, string(i))", "{'a': §string}.transformMapEntry(k, v, {v: k}).map(k, k)",
	},
	"ints":     {"[§int, §int]", "lists.range(7)", "§strings.map(v, v.size())", "§ints + [§int]"},
	"optional": {"optional.of(§string)", "optional.none()", "§strings[?0]", "{'a': §string}[?'a']", "optional.ofNonZeroValue(§string)", "{'a': §string}.?a", "§part", "§strings.last()"},
}

// expression returns a random expression of a type, nested at most depth levels.
func (g *generator) expression(name string, depth int) string {
	found := g.values(name)
	if name == "strings" || name == "ints" {
		for _, list := range g.values("list") {
			if list.kind.items.name+"s" == name {
				found = append(found, list)
			}
		}
	}
	if len(found) > 0 && (depth == 0 || g.IntN(2) == 0) && depth < 4 {
		return pick(g, found...).text
	}
	if depth == 0 {
		if from, known := literals[name]; known {
			return pick(g, from...)
		}
		return map[string]string{"strings": "['a', 'bc']", "ints": "[1, 2]", "optional": "optional.of('a')"}[name]
	}
	return g.filled(pick(g, forms[name]...), depth-1)
}

// filled replaces the marks in a template.
func (g *generator) filled(form string, depth int) string {
	before, rest, found := strings.Cut(form, "§")
	if !found {
		return form
	}
	end := strings.IndexFunc(rest, func(c rune) bool { return c < 'a' || c > 'z' })
	if end < 0 {
		end = len(rest)
	}
	var text string
	switch mark := rest[:end]; mark {
	case "loop":
		text = g.loop(depth, "bool")
	case "count":
		text = g.loop(depth, "int")
	case "has":
		text = g.has()
	case "null":
		text = "optional.of(" + g.expression("string", depth) + ") == null"
	case "part":
		text = g.part()
	default:
		text = g.expression(mark, depth)
	}
	return before + text + g.filled(rest[end:], depth)
}

// loop returns a loop over a list or a map of the scope.
func (g *generator) loop(depth int, result string) string {
	over := append(g.values("list"), g.values("map")...)
	if len(over) == 0 {
		return literals[result][0]
	}
	source := pick(g, over...)
	g.loops++
	one, two := fmt.Sprintf("x%d", g.loops), fmt.Sprintf("y%d", g.loops)
	known := len(g.scope)
	defer func() { g.scope = g.scope[:known] }()
	key, item := &kind{name: "string"}, source.kind.items
	if source.kind.name == "list" {
		key = &kind{name: "int"}
	}
	names := one
	if g.IntN(4) == 0 {
		names = one + ", " + two
		g.scope = append(g.scope, value{one, key}, value{two, item})
	} else if source.kind.name == "list" {
		g.scope = append(g.scope, value{one, item})
	} else {
		g.scope = append(g.scope, value{one, key})
	}
	if result == "int" {
		if names == one {
			return fmt.Sprintf("size(%s.filter(%s, %s))", source.text, names, g.expression("bool", depth))
		}
		return fmt.Sprintf("size(%s.transformList(%s, %s))", source.text, names, g.expression("string", depth))
	}
	macro := pick(g, "all", "exists", "exists_one")
	return fmt.Sprintf("%s.%s(%s, %s)", source.text, macro, names, g.expression("bool", depth))
}

// has returns a test for a field of an object in the scope.
func (g *generator) has() string {
	objects := g.values("object")
	if len(objects) == 0 {
		return "true"
	}
	chosen := pick(g, objects...)
	field := pick(g, slices.Sorted(maps.Keys(chosen.kind.fields))...)
	return "has(" + chosen.text + "." + field + ")"
}

// part returns an optional field of an object in the scope.
func (g *generator) part() string {
	for _, chosen := range g.values("object") {
		for _, field := range slices.Sorted(maps.Keys(chosen.kind.fields)) {
			if chosen.kind.fields[field].name == "string" {
				return chosen.text + ".?" + field
			}
		}
	}
	return "optional.of('b')"
}
