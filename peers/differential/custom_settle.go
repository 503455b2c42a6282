package main

// Waits for upstream's controllers of CustomResourceDefinitions, which change a definition after the answer to its
// write, so that both servers are compared in their final states.

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// passingNames are the names of the definitions that sequences create and delete.
var passingNames = []string{"as." + passingGroup, "bs." + passingGroup, "cs." + passingGroup}

const (
	definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	// controllersPatience is the longest wait for upstream's controllers to finish with a definition.
	controllersPatience = 3 * time.Second
)

// backdateConditions is a JSON patch that moves the conditions of a definition into the past, because upstream delays
// the first objects of a definition that was established less than two seconds ago.
const backdateConditions = `[{"op":"replace","path":"/status/conditions/0/lastTransitionTime","value":"2001-02-03T04:05:06Z"},
	{"op":"replace","path":"/status/conditions/1/lastTransitionTime","value":"2001-02-03T04:05:06Z"}]`

// install creates the definitions that stay while a seed runs. It returns the kinds that they define and the
// differences that it saw. It waits for upstream's controllers, so that later answers do not depend on their speed.
func (r *Runner) install(g *generator) (made []kind, found []Finding) {
	group := fmt.Sprintf(standingGroup, r.seed)
	for _, plural := range []string{"boats", "doors", "engines", "lamps", "shops", "widgets"} {
		definition := g.definition(group, plural, strings.ToUpper(plural[:1])+plural[1:len(plural)-1])
		path := definitionsPath + "/" + plural + "." + group
		body := merged(definition, object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": plural + "." + group}})
		sequence := []Request{
			{Method: "POST", Path: definitionsPath, Body: asText(body), Header: map[string]string{"Content-Type": "application/json"}},
			{Method: "GET", Path: path, eventually: true},
			{Method: "PATCH", Path: path + "/status", Header: map[string]string{"Content-Type": jsonPatch}, Body: backdateConditions},
			{Method: "GET", Path: "/apis/" + group, eventually: true},
		}
		kinds := customKinds(g, definition)
		for _, kind := range kinds {
			sequence = append(sequence, Request{Method: "GET", Path: kind.version(), eventually: true},
				Request{Method: "GET", Path: kind.everywhere(), Header: map[string]string{"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}, eventually: true})
		}
		for i := range sequence {
			sequence[i].Plural = "customresourcedefinitions"
		}
		found = append(found, r.run(sequence)...)
		if r.real.serves(path) && r.ours.serves(path) {
			r.fillCaches(kinds)
			made = append(made, kinds...)
		}
	}
	return made, found
}

// fillCaches waits until upstream's watch caches of these kinds are initialized.
func (r *Runner) fillCaches(of []kind) {
	for _, kind := range of {
		for deadline := time.Now().Add(controllersPatience); !r.real.serves(kind.everywhere()+"?resourceVersion=0") && time.Now().Before(deadline); {
			time.Sleep(2 * time.Millisecond)
		}
	}
}

// serves returns true if a GET of the path succeeds.
func (s *Side) serves(path string) bool {
	return s.ask(Request{Method: "GET", Path: path}).Status == 200
}

// uninstall deletes the definitions that install created for the seed.
func (r *Runner) uninstall(made []kind) []Finding {
	var sequence []Request
	for i, kind := range made {
		path := definitionsPath + "/" + kind.plural + "." + fmt.Sprintf(standingGroup, r.seed)
		if i > 0 && made[i-1].plural == kind.plural {
			continue // another version of the same definition
		}
		sequence = append(sequence, Request{Method: "DELETE", Path: path, Plural: "customresourcedefinitions"}, Request{Method: "GET", Path: path, Plural: "customresourcedefinitions", eventually: true})
	}
	return r.run(sequence)
}

// eventually repeats a request until both servers answer alike, or until controllersPatience is over. The normalisers
// keep only what the last answers showed.
func (r *Runner) eventually(request Request) (real, ours Outcome) {
	for deadline := time.Now().Add(controllersPatience); ; time.Sleep(2 * time.Millisecond) {
		realNormal, oursNormal := r.real.normal.clone(), r.ours.normal.clone()
		real, ours = r.ask(request)
		if len(r.peer.unexplained(request, real, ours, map[string]int{})) == 0 || time.Now().After(deadline) {
			return real, ours
		}
		r.real.normal, r.ours.normal = realNormal, oursNormal
	}
}

// awaitControllers waits, after a write to a definition, until the definitions on both servers are equal. It returns
// the differences that remain.
func (r *Runner) awaitControllers(sequence []Request) []Finding {
	last := sequence[len(sequence)-1]
	if last.Plural != "customresourcedefinitions" || last.Method == "GET" || last.eventually {
		return nil
	}
	var found []Finding
	for _, name := range passingNames {
		request := Request{Method: "GET", Path: definitionsPath + "/" + name, Plural: last.Plural, eventually: true}
		real, ours := r.eventually(request)
		if left := r.peer.unexplained(request, real, ours, r.used); len(left) > 0 {
			found = append(found, Finding{append(slices.Clone(sequence), request), left})
		}
	}
	return found
}

// startNamespaces are the namespaces that every cluster has from its start. clear keeps them.
var startNamespaces = []string{"default", "kube-system", "kube-public", "kube-node-lease"}

// madeBySequences returns true if sequences make objects with this name. They make neither the namespaces of every
// cluster nor the definitions that install creates for the seed.
func (k kind) madeBySequences(name string) bool {
	switch k.plural {
	case "namespaces":
		return !slices.Contains(startNamespaces, name)
	case "customresourcedefinitions":
		return !strings.HasSuffix(name, ".example.org") || strings.HasSuffix(name, passingGroup)
	}
	return true
}
