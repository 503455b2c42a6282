package main

import (
	"regexp"
	"slices"
	"strings"
)

// row is a difference that is meant. Mend takes it out of both outcomes; a row is used when that makes something equal that was not.
type row struct {
	name, reason string
	mend         func(request Request, real, ours Outcome) (Outcome, Outcome)
}

// table is all that is meant to differ. Each run asks for each row at its start (openings.go), so that a row that nothing needs any more
// is found.
var table = []row{
	{
		name:   "the object of a patch",
		reason: "a patch that gives something that is no object is refused with the whole of it, whose fields stand in the order of Go's structs there",
		mend: func(_ Request, real, ours Outcome) (Outcome, Outcome) {
			return real.withoutPatched(), ours.withoutPatched()
		},
	},
	{
		name:   "the words of a YAML parser",
		reason: "what is wrong with a YAML text is told by the parser, each in its own words",
		mend: func(_ Request, real, ours Outcome) (Outcome, Outcome) {
			if real["status"] == "400" && strings.Contains(real["/message"], "yaml: ") && strings.Contains(ours["/message"], "yaml: ") {
				message := func(path string) bool { return path == "/message" }
				return real.without(message), ours.without(message)
			}
			return real, ours
		},
	},
	{
		name:   "the owner of the first namespaces",
		reason: "kube-apiserver makes them, as here; those of the peer were made by a client of its own",
		mend: func(request Request, real, ours Outcome) (Outcome, Outcome) {
			if !namespaces.MatchString(request.Path) {
				return real, ours
			}
			return real.withoutEntriesOf(`"apiserver"`), ours.withoutEntriesOf(`"kube-apiserver"`)
		},
	},
	{
		name:   "levels of an object",
		reason: "an object has at most a hundred levels here, so that each reader in Rust can read it (docs/server.md)",
		mend: func(_ Request, real, ours Outcome) (Outcome, Outcome) {
			if strings.Contains(ours["/message"], "exceeded max depth") || strings.Contains(ours["/message"], "budget breached: Depth") {
				return ours, ours
			}
			return real, ours
		},
	},
	{
		name:   "columns of tables",
		reason: "the columns of a kind are its printer's, which is no part of k8s.io/apiserver: the recordings of kubectl prove ours",
		mend: func(request Request, real, ours Outcome) (Outcome, Outcome) {
			if isCustom(request) {
				return real, ours
			}
			return real.without(ofColumns.MatchString), ours.without(ofColumns.MatchString)
		},
	},
	{
		name:   "the hash of a stored version",
		reason: "clients compare it and read nothing from it: of custom resources it is another one here, which takes no SHA-256",
		mend:   dropping(regexp.MustCompile(`^/resources/\d+/storageVersionHash$`)),
	},
	{
		name:   "rules in CEL of a definition",
		reason: "what a rule may cost is not estimated here, and types are checked only where the schema says them (docs/server.md); fixtures/validation has what is compared",
		mend: accepting(func(request Request, real, ours Outcome) bool {
			return isCustom(request) && real["status"] == "422" && strings.Contains(real["/message"], "x-kubernetes-validations[")
		}),
	},
	{
		name:   "panics of upstream",
		reason: "the real server ends the connection, as its handler panics: of a custom resource in protobuf, and of some schemas that it refuses; here they are refused",
		mend: accepting(func(request Request, real, ours Outcome) bool {
			return isCustom(request) && real["failed"] == "EOF" && strings.HasPrefix(ours["status"], "4")
		}),
	},
	{
		name:   "the deletion of a namespace",
		reason: "kube-apiserver's registry of namespaces has a deletion of its own, which sets the phase and no grace period; the peer has the generic one",
		mend: func(request Request, real, ours Outcome) (Outcome, Outcome) {
			if !namespaces.MatchString(request.Path) {
				return real, ours
			}
			if real["status"] == "422" && strings.Contains(real["/message"]+ours["/message"], "deletionGracePeriodSeconds") {
				return ours, ours // the period of one is not that of the other
			}
			return real.without(deletion.MatchString), ours.without(deletion.MatchString)
		},
	},
	{
		name:   "names in Go",
		reason: "the peer's hub types and its scheme have names of their own",
		mend: renaming(
			strings.NewReplacer("informer-lab/peers/apiserver/core.", "core.", "core.ReplicaSet", "apps.ReplicaSet", "core.Lease", "coordination.Lease"),
			regexp.MustCompile(`in scheme \\?"[^"\\]*\\?"`), "in scheme"),
	},
	{
		name:   "the order of a Go map",
		reason: "several faults in labels or annotations, several conflicts, one of several unknown fields, and the warnings of a definition, are told in the order in which Go walks a map, which is by chance",
		mend: func(_ Request, real, ours Outcome) (Outcome, Outcome) {
			real, ours = real.sortedWarnings(), ours.sortedWarnings()
			if mendedReal, mendedOurs := real.unordered(), ours.unordered(); len(differences(mendedReal, mendedOurs)) == 0 {
				return mendedReal, mendedOurs
			}
			return real, ours
		},
	},
}

var (
	ofColumns  = regexp.MustCompile(`(^|/object|^/\d+)(/columnDefinitions|/rows/\d+/cells|/rows$)(/|$)`)
	namespaces = regexp.MustCompile(`^/api/v1/(watch/)?namespaces(/[^/?]*)?(/status)?/*(\?|$)`)
	deletion   = regexp.MustCompile(`(/metadata/deletionGracePeriodSeconds|/status/phase)$`)
)

// accepting takes our outcome for both where this holds.
func accepting(holds func(request Request, real, ours Outcome) bool) func(Request, Outcome, Outcome) (Outcome, Outcome) {
	return func(request Request, real, ours Outcome) (Outcome, Outcome) {
		if holds(request, real, ours) {
			return ours, ours
		}
		return real, ours
	}
}

// dropping takes paths out of both outcomes.
func dropping(paths *regexp.Regexp) func(Request, Outcome, Outcome) (Outcome, Outcome) {
	return func(_ Request, real, ours Outcome) (Outcome, Outcome) {
		return real.without(paths.MatchString), ours.without(paths.MatchString)
	}
}

// isCustom says whether a request is about a definition or what one makes.
func isCustom(request Request) bool {
	return strings.Contains(request.Path, standingDomain) || strings.Contains(request.Path, definitionsPath)
}

// renaming rewrites the texts of both outcomes.
func renaming(names *strings.Replacer, pattern *regexp.Regexp, by string) func(Request, Outcome, Outcome) (Outcome, Outcome) {
	rewrite := func(of Outcome) Outcome {
		made := Outcome{}
		for path, value := range of {
			made[path] = pattern.ReplaceAllString(names.Replace(value), by)
		}
		return made
	}
	return func(_ Request, real, ours Outcome) (Outcome, Outcome) { return rewrite(real), rewrite(ours) }
}

// unnamed are the differences that no row of the table takes away. It marks the rows that were used.
func unnamed(request Request, real, ours Outcome, used map[string]int) []difference {
	left := differences(real, ours)
	for _, row := range table {
		if len(left) == 0 {
			return nil
		}
		mendedReal, mendedOurs := row.mend(request, real, ours)
		if still := differences(mendedReal, mendedOurs); !slices.Equal(still, left) {
			used[row.name]++
			real, ours, left = mendedReal, mendedOurs, still
		}
	}
	return left
}
