package main

// The intended differences between our server's answers and the real API server's, each with the reason.

import (
	"regexp"
	"slices"
	"strings"
)

// row is an intended difference. mend changes both outcomes so that the difference is gone. A row is used if its mend
// removes a difference. In the reasons, "the peer" and "the real server" are peers/apiserver, which has upstream's
// libraries but not kube-apiserver's own code.
type row struct {
	name, reason string
	mend         func(request Request, real, ours Outcome) (Outcome, Outcome)
}

// table lists the intended differences. Each run begins with a request for every row (openings.go), so that a row
// that is no longer needed is found.
var table = []row{
	{
		name:   "the object of a patch",
		reason: "the error for a patch whose result is no valid object quotes the object, on the real server with its fields in the order of Go's structs",
		mend: func(_ Request, real, ours Outcome) (Outcome, Outcome) {
			return real.withoutPatched(), ours.withoutPatched()
		},
	},
	{
		name:   "the words of a YAML parser",
		reason: "each server's YAML parser has its own messages",
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
		reason: "kube-apiserver creates them itself, as our server does; on the peer, a client creates them",
		mend: func(request Request, real, ours Outcome) (Outcome, Outcome) {
			if !namespaces.MatchString(request.Path) {
				return real, ours
			}
			return real.withoutEntriesOf(`"apiserver"`), ours.withoutEntriesOf(`"kube-apiserver"`)
		},
	},
	{
		name:   "levels of an object",
		reason: "our server limits objects to a hundred levels, so that every parser in Rust can read them (docs/server.md)",
		mend: func(_ Request, real, ours Outcome) (Outcome, Outcome) {
			if strings.Contains(ours["/message"], "exceeded max depth") || strings.Contains(ours["/message"], "budget breached: Depth") {
				return ours, ours
			}
			return real, ours
		},
	},
	{
		name:   "columns of tables",
		reason: "a kind's columns come from kube-apiserver's printers, which are not in k8s.io/apiserver; recordings of kubectl test ours",
		mend: func(request Request, real, ours Outcome) (Outcome, Outcome) {
			if isCustom(request) {
				return real, ours
			}
			return real.without(ofColumns.MatchString), ours.without(ofColumns.MatchString)
		},
	},
	{
		name:   "the hash of a stored version",
		reason: "our server computes another hash for custom resources, without SHA-256; clients only compare it",
		mend:   dropping(regexp.MustCompile(`^/resources/\d+/storageVersionHash$`)),
	},
	{
		name:   "panics of upstream",
		reason: "the real server closes the connection because its handler panics: for a custom resource in protobuf, and for some invalid schemas; our server refuses both",
		mend: accepting(func(request Request, real, ours Outcome) bool {
			return isCustom(request) && real["failed"] == "EOF" && strings.HasPrefix(ours["status"], "4")
		}),
	},
	{
		name:   "the deletion of a namespace",
		reason: "kube-apiserver deletes namespaces in its own way, with a phase and without a grace period; the peer uses the generic deletion",
		mend: func(request Request, real, ours Outcome) (Outcome, Outcome) {
			if !namespaces.MatchString(request.Path) {
				return real, ours
			}
			if real["status"] == "422" && strings.Contains(real["/message"]+ours["/message"], "deletionGracePeriodSeconds") {
				return ours, ours // the two periods differ, and so do the refusals
			}
			return real.without(deletion.MatchString), ours.without(deletion.MatchString)
		},
	},
	{
		name:   "a Service that its status creates",
		reason: "an update of the status of a missing Service creates it, and the peer does not validate Services",
		mend: accepting(func(request Request, real, ours Outcome) bool {
			return serviceStatus.MatchString(request.Path) && (real["status"] == "201" || real["status"] == "406") && ours["status"] == "422"
		}),
	},
	{
		name:   "names in Go",
		reason: "the peer's internal types and its scheme have other names than kube-apiserver's, and the real server names the type of self in CEL by the nanosecond in which it compiles the rule",
		mend: both(
			renaming(
				strings.NewReplacer("informer-lab/peers/apiserver/core.", "core.", "core.ReplicaSet", "apps.ReplicaSet", "core.Lease", "coordination.Lease"),
				regexp.MustCompile(`in scheme \\?"[^"\\]*\\?"`), "in scheme"),
			renaming(strings.NewReplacer(), regexp.MustCompile(`selfType\d+[\w.@]*`), "object")),
	},
	{
		name:   "the order of a Go map",
		reason: "the real server reports several invalid labels or annotations, several conflicts, one of several unknown fields, and a definition's warnings in the random order of a Go map",
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
	serviceStatus = regexp.MustCompile(`/services/[^/?]+/status(\?|$)`)
	ofColumns     = regexp.MustCompile(`(^|/object|^/\d+)(/columnDefinitions|/rows/\d+/cells|/rows$)(/|$)`)
	namespaces    = regexp.MustCompile(`^/api/v1/(watch/)?namespaces(/[^/?]*)?(/status)?/*(\?|$)`)
	deletion      = regexp.MustCompile(`(/metadata/deletionGracePeriodSeconds|/f:metadata/f:deletionGracePeriodSeconds|/status/phase)$`)
)

// accepting returns a mend that takes our outcome for both servers if the condition holds.
func accepting(holds func(request Request, real, ours Outcome) bool) func(Request, Outcome, Outcome) (Outcome, Outcome) {
	return func(request Request, real, ours Outcome) (Outcome, Outcome) {
		if holds(request, real, ours) {
			return ours, ours
		}
		return real, ours
	}
}

// dropping returns a mend that removes these paths from both outcomes.
func dropping(paths *regexp.Regexp) func(Request, Outcome, Outcome) (Outcome, Outcome) {
	return func(_ Request, real, ours Outcome) (Outcome, Outcome) {
		return real.without(paths.MatchString), ours.without(paths.MatchString)
	}
}

func isCustom(request Request) bool {
	return strings.Contains(request.Path, customDomain) || strings.Contains(request.Path, definitionsPath)
}

// both returns a mend that applies two mends.
func both(first, second func(Request, Outcome, Outcome) (Outcome, Outcome)) func(Request, Outcome, Outcome) (Outcome, Outcome) {
	return func(request Request, real, ours Outcome) (Outcome, Outcome) {
		real, ours = first(request, real, ours)
		return second(request, real, ours)
	}
}

// renaming returns a mend that rewrites the texts of both outcomes.
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

// unexplained returns the differences that no row of the table explains, and counts the rows that were used.
func (p peerKind) unexplained(request Request, real, ours Outcome, used map[string]int) []difference {
	left := differences(real, ours)
	for _, row := range p.table {
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
