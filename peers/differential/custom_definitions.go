package main

// Makes random CustomResourceDefinitions: versions, subresources, printer columns and selectable fields.

import "strings"

// The API groups of CustomResourceDefinitions. The standing group, named after the seed, is installed for the whole
// run of a seed. Sequences create and delete the definitions of the passing group.
const (
	standingGroup = "s%d.example.org"
	passingGroup  = "passing.example.org"
	// customDomain is in the apiVersion of every custom resource of either group.
	customDomain = ".example.org/"
)

// definition returns a random CustomResourceDefinition, valid for the most part, without kind, apiVersion and
// metadata.
func (g *generator) definition(group, plural, kindName string) object {
	names := object{"plural": plural, "kind": kindName}
	g.some(names, 2, "singular", strings.ToLower(kindName))
	g.some(names, 3, "listKind", pick(g, []any{kindName + "List", "Many" + kindName}))
	g.some(names, 3, "shortNames", pick(g, [][]any{{plural[:1] + "x"}, {plural[:1] + "x", "short"}, {}}))
	g.some(names, 3, "categories", pick(g, [][]any{{"all"}, {"all", "tested"}, {}}))
	spec := object{"group": group, "scope": pick(g, []any{"Namespaced", "Namespaced", "Namespaced", "Cluster"}), "names": names, "versions": g.versions()}
	g.some(spec, 4, "conversion", object{"strategy": "None"})
	g.some(spec, 6, "preserveUnknownFields", false)
	return object{"spec": spec}
}

func (g *generator) versions() []any {
	names := pick(g, [][]string{{"v1"}, {"v1"}, {"v1", "v2"}, {"v1beta1", "v1"}, {"v1", "v1alpha1", "v2beta3"}})
	stored := g.IntN(len(names))
	schema, subresources := g.wholeSchema(), g.subresources()
	var versions []any
	for i, name := range names {
		version := object{"name": name, "served": i == stored || !g.sometimes(5), "storage": i == stored, "schema": object{"openAPIV3Schema": schema}}
		if g.sometimes(3) {
			version["schema"] = object{"openAPIV3Schema": g.wholeSchema()}
		}
		if len(subresources) > 0 {
			version["subresources"] = subresources
		}
		g.some(version, 3, "additionalPrinterColumns", g.columns())
		if fields := g.selectable(version["schema"].(object)["openAPIV3Schema"].(object)); len(fields) > 0 && g.sometimes(2) {
			version["selectableFields"] = fields
		}
		if g.sometimes(8) {
			version["deprecated"] = true
			g.some(version, 2, "deprecationWarning", "use something else")
		}
		versions = append(versions, copied(version))
	}
	return versions
}

func (g *generator) subresources() object {
	made := object{}
	g.some(made, 2, "status", object{})
	if g.sometimes(2) {
		scale := object{"specReplicasPath": pick(g, []any{".spec.replicas", ".spec.replicas", ".spec.size"}), "statusReplicasPath": ".status.replicas"}
		g.some(scale, 2, "labelSelectorPath", pick(g, []any{".status.selector", ".spec.a"}))
		made["scale"] = scale
	}
	return made
}

func (g *generator) columns() []any {
	all := []object{
		{"name": "Size", "type": "integer", "jsonPath": ".spec.replicas"}, {"name": "A", "type": "string", "jsonPath": ".spec.a", "description": "The a."},
		{"name": "Phase", "type": "string", "jsonPath": ".status.phase", "priority": 1}, {"name": "Born", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
		{"name": "When", "type": "date", "jsonPath": ".spec.b"}, {"name": "Number", "type": "number", "jsonPath": ".spec.size", "format": "float"},
		{"name": "Is", "type": "boolean", "jsonPath": ".spec.c"}, {"name": "First", "type": "string", "jsonPath": ".spec.list[0].a"},
		{"name": "Whole", "type": "string", "jsonPath": ".spec"}, {"name": "Ready", "type": "string", "jsonPath": `.status.conditions[?(@.type=="Ready")].status`},
		{"name": "Size", "type": "integer", "jsonPath": ".spec.size", "format": "int32"}, {"name": "Label", "type": "string", "jsonPath": ".metadata.labels.app"},
		{"name": "All", "type": "string", "jsonPath": ".spec.list[*]"}, {"name": "Dash", "type": "string", "jsonPath": ".spec.x-y"},
	}
	var columns []any
	for range 1 + g.IntN(4) {
		columns = append(columns, pick(g, all))
	}
	return columns
}

// selectable returns some fields of a schema that selectableFields may list: scalars in spec and status.
func (g *generator) selectable(schema object) []any {
	var found []any
	parts := schema["properties"].(object)
	for _, part := range []string{"spec", "status"} {
		fields, _ := asObject(parts[part])["properties"].(object)
		for _, name := range sortedKeys(fields) {
			switch fields[name].(object)["type"] {
			case "string", "integer", "boolean":
				if g.sometimes(2) && len(found) < 8 && !strings.Contains(name, "-") {
					found = append(found, object{"jsonPath": "." + part + "." + name})
				}
			}
		}
	}
	return found
}

// copied returns a deep copy of a JSON value.
func copied(value any) any {
	switch value := value.(type) {
	case object:
		made := object{}
		for key, field := range value {
			made[key] = copied(field)
		}
		return made
	case []any:
		made := make([]any, len(value))
		for i, item := range value {
			made[i] = copied(item)
		}
		return made
	}
	return value
}
