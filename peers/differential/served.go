package main

// The kinds of the real kube-apiserver, as its discovery names them. Their objects are recorded ones with random changes.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// leftOut are the kinds whose objects change how the servers answer to everything else: other servers, other kinds, and
// ranges of addresses, which upstream's controllers prepare a moment later. Runs with the small peer compare definitions.
var leftOut = []string{"apiservices", "customresourcedefinitions", "servicecidrs"}

// notServed are the kinds of the real kube-apiserver that our server does not serve. Any other that is missing is an error.
var notServed = []string{
	"/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies", "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings",
}

// namesOf are the names of the objects of kinds for which a, b and c are no names.
var namesOf = map[string][]string{"ipaddresses": {"10.96.7.1", "10.96.7.2", "fd00::7"}}

// recordedOnce are valid objects of the kinds of which there are no recordings.
var recordedOnce = map[string]object{
	"v1 ConfigMap": {"data": object{"k": "v"}, "binaryData": object{"b": "dg=="}},
	"v1 Event":     {"involvedObject": object{"kind": "Pod", "namespace": "<<ns:>>", "name": "p"}, "reason": "Tested", "type": "Normal"},
}

// compareServed compares all kinds that both servers serve.
func compareServed(runner *Runner, report *Report) error {
	runner.real.begin("default")
	runner.ours.begin("default")
	schemas, err := readSchemas(runner.real)
	if err != nil {
		return err
	}
	recordings, err := readRecordings()
	if err != nil {
		return err
	}
	report.addAll(runner.run(kubeOpenings()))
	for s := *seed; s < *seed+*seeds; s++ {
		runner.seed = s
		generator := newGenerator(s, nil)
		generator.calm = true
		both, missing := servedKinds(&mutator{generator, schemas, recordings}, runner.real, runner.ours)
		if !slices.Equal(missing, notServed) {
			return fmt.Errorf("these kinds cannot be compared: %s; expected are: %s", strings.Join(missing, ", "), strings.Join(notServed, ", "))
		}
		runner.kinds = both
		runner.real.noteStart(both)
		runner.ours.noteStart(both)
		if generator.kinds, err = chosenKinds(both, *only); err != nil {
			return err
		}
		runner.sequencesOf(generator, report)
	}
	return nil
}

// servedKinds returns the kinds that both servers serve and that can be created, and the names of those that only the real
// one serves.
func servedKinds(m *mutator, real, ours *Side) (both []kind, missing []string) {
	served := discover(ours)
	for path, resources := range discover(real) {
		for name, resource := range resources {
			verbs, _ := resource["verbs"].([]any)
			if strings.Contains(name, "/") || !slices.Contains(verbs, any("create")) || !slices.Contains(verbs, any("list")) || slices.Contains(leftOut, name) {
				continue
			}
			if served[path][name] == nil {
				missing = append(missing, path+"/"+name)
				continue
			}
			if made, ok := m.servedKind(path, resource, resources); ok {
				both = append(both, made)
			} else {
				missing = append(missing, path+"/"+name+" (no recorded object)")
			}
		}
	}
	slices.SortFunc(both, func(a, b kind) int { return strings.Compare(a.apiVersion+a.plural, b.apiVersion+b.plural) })
	slices.Sort(missing)
	return both, missing
}

// discover returns the resources of each group and version of a server, by name.
func discover(side *Side) map[string]map[string]object {
	paths := []string{"/api/v1"}
	groups, _ := asObject(side.document("/apis"))["groups"].([]any)
	for _, group := range groups {
		versions, _ := asObject(group)["versions"].([]any)
		for _, version := range versions {
			paths = append(paths, fmt.Sprint("/apis/", asObject(version)["groupVersion"]))
		}
	}
	made := map[string]map[string]object{}
	for _, path := range paths {
		made[path] = map[string]object{}
		resources, _ := asObject(side.document(path))["resources"].([]any)
		for _, resource := range resources {
			resource := asObject(resource)
			made[path][fmt.Sprint(resource["name"])] = resource
		}
	}
	return made
}

// servedKind returns the kind of a resource. It has no kind if no valid object of it is recorded.
func (m *mutator) servedKind(path string, resource object, all map[string]object) (kind, bool) {
	plural := fmt.Sprint(resource["name"])
	made := kind{plural: plural, name: fmt.Sprint(resource["kind"]), apiVersion: strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/"), cluster: resource["namespaced"] != true,
		status: all[plural+"/status"] != nil, scale: all[plural+"/scale"] != nil, custom: true, names: namesOf[plural]}
	for _, subresource := range []string{"approval", "ephemeralcontainers", "finalize", "resize"} {
		if all[plural+"/"+subresource] != nil {
			made.parts = append(made.parts, subresource)
		}
	}
	gvk := made.apiVersion + " " + made.name
	schema := m.schemas.of(gvk)
	valid := m.recordings.valid[gvk]
	if one := recordedOnce[gvk]; one != nil {
		valid = append(slices.Clone(valid), one)
	}
	if len(valid) == 0 || schema == nil {
		return kind{}, false
	}
	// Each name has one object for a while, so that an update differs from the stored object in a few fields.
	ofName := map[string]object{}
	made.body = func(name string) object {
		if ofName[name] == nil || m.sometimes(8) {
			ofName[name] = pick(m.generator, valid)
		}
		return tamed(made, m.similar(ofName[name], schema))
	}
	made.change = func() object {
		of := pick(m.generator, valid)
		if same := ofName[pick(m.generator, made.objects())]; same != nil && !m.sometimes(4) {
			of = same
		}
		return tamed(made, m.part(m.similar(of, schema)))
	}
	status := asObject(asObject(schema["properties"])["status"])
	made.statusChange = func() object {
		changed := object{}
		for range 1 + m.IntN(2) {
			maps.Copy(changed, m.object(m.schemas.resolved(status), 4))
		}
		return changed
	}
	made.operation = func() object { return m.operation(made.body(made.first()), schema) }
	return made, true
}

// similar returns a copy of a valid object with none to two changes, and without what belongs to the recording.
func (m *mutator) similar(to, schema object) object {
	made := asObject(copied(to))
	metadata := asObject(made["metadata"])
	delete(made, "metadata")
	kept := object{}
	for _, name := range []string{"annotations", "labels"} {
		if metadata[name] != nil {
			kept[name] = metadata[name]
		}
	}
	if len(kept) > 0 {
		made["metadata"] = kept
	}
	for range pick(m.generator, []int{0, 0, 0, 0, 1, 1}) {
		m.mutate(made, schema)
	}
	delete(made, "apiVersion")
	delete(made, "kind")
	return made
}

// part returns a merge patch that sets one part of the object.
func (m *mutator) part(of object) object {
	delete(of, "status")
	if len(of) == 0 {
		return object{}
	}
	name := pick(m.generator, sortedKeys(of))
	inner := asObject(of[name])
	if len(inner) == 0 || m.sometimes(3) {
		return object{name: of[name]}
	}
	if m.sometimes(8) {
		return object{name: object{pick(m.generator, sortedKeys(inner)): nil}}
	}
	return object{name: m.part(inner)}
}

// operation returns an operation of a JSON patch on one field of the object.
func (m *mutator) operation(of object, schema object) object {
	path := ""
	for {
		delete(of, "status")
		if len(of) == 0 {
			return object{"op": "test", "path": path + "/a", "value": nil}
		}
		name := pick(m.generator, sortedKeys(of))
		path += "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
		if inner := asObject(of[name]); len(inner) > 0 && !m.sometimes(3) {
			of = inner
			continue
		}
		return object{"op": pick(m.generator, []string{"add", "add", "replace", "replace", "remove", "test"}), "path": path, "value": of[name]}
	}
}
