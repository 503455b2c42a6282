package main

// The intended differences between our server's answers and those of the real kube-apiserver, each with the reason.

import (
	"regexp"
	"strings"
)

var kubeTable = []row{
	{
		name:   "names in Go",
		reason: "the peer is built from modules, so that its messages name a scheme by another line of its source",
		mend:   renaming(strings.NewReplacer(), regexp.MustCompile(`in scheme \\?"[^"\\]*\\?"`), "in scheme"),
	},
	{
		name:   "the peer's own writes",
		reason: "kube-apiserver renews leases and repairs its own objects at any time, which raises the revision that lists and watches tell",
		mend:   renaming(strings.NewReplacer(), regexp.MustCompile(`^"<rv(\d+)\+?>"$|^"\\u003crv(\d+)\+?\\u003e"$`), "<rv$1$2>"),
	},
	{
		name:   "the difference that Go prints",
		reason: "the refusal of an update of a pod ends with the difference between two Go structs",
		mend:   renaming(strings.NewReplacer(), regexp.MustCompile(`(pod updates may not change fields other than[^\\]*)\\n.*?(\]?")$`), "$1$2"),
	},
	{
		name:   "the condition Dangling",
		reason: "kube-apiserver writes it into the status of a FlowSchema a moment after each write",
		mend:   of("/flowschemas", dropping(regexp.MustCompile(`/status(/|$)|/managedFields/|/resourceVersion$`))),
	},
	{
		name:   "annotations that upstream computes",
		reason: "upstream answers metadata alone from its internal object, which has no annotation for the generation of a template",
		mend:   of("/daemonsets", dropping(regexp.MustCompile(`/metadata/annotations(/deprecated.daemonset.template.generation)?$`))),
	},
	{
		name:   "the requestor",
		reason: "the same, in the cells of a Table",
		mend:   of("/certificatesigningrequests", dropping(regexp.MustCompile(`/rows/\d+/cells/3$`))),
	},
	{
		name:   "the user",
		reason: "a client of our server without TLS has no token, so that a CertificateSigningRequest is from another user",
		mend:   of("/certificatesigningrequests", dropping(regexp.MustCompile(`/spec/(groups|uid|username|extra)(/|$)`))),
	},
	{
		name:   "deletions of unreadable objects",
		reason: "the registries of a few kinds cannot delete an object that storage cannot decode; on our server there is no such object",
		mend: accepting(func(request Request, real, ours Outcome) bool {
			return strings.Contains(real["/message"], "no unsafe deleter provided") && strings.HasPrefix(ours["status"], "4")
		}),
	},
	{
		name:   "an internal Go type in a cause",
		reason: "upstream prints the whole internal type of a changed part (a template of pods, claims of a StatefulSet, policies of a Job), and a comparison of two of them line by line; our server prints the fields of the API",
		mend:   renaming(strings.NewReplacer(), internalType, "Invalid value: <a Go type>: $1"),
	},
	{
		name:   "the comparison of two Go types",
		reason: "upstream appends a comparison of the old and the new part, as its internal types in Go",
		mend:   renaming(strings.NewReplacer(), comparison, "$1"),
	},
	{
		name:   "an empty value in a cause",
		reason: "a Go server tells an empty list or map in a request from an absent one, and prints it in a cause, although both are stored alike",
		mend:   renaming(strings.NewReplacer(), regexp.MustCompile(`Invalid value: (null|\[\]|\{\}):`), "Invalid value: <empty>:"),
	},
	{
		name:   "the words of a JSON path parser",
		reason: "upstream's parser of JSON paths has its own messages",
		mend:   renaming(strings.NewReplacer(), regexp.MustCompile(`invalid JSONPath: [^"\\,]*`), "invalid JSONPath"),
	},
	{
		name:   "the protection of a VolumeAttributesClass",
		reason: "our server has no controller that would remove the finalizer again, so that it adds none (docs/server.md)",
		mend: func(request Request, real, ours Outcome) (Outcome, Outcome) {
			if !strings.Contains(request.Path, "/volumeattributesclasses") {
				return real, ours
			}
			return dropping(regexp.MustCompile(`/metadata/finalizers(/\d+)?$`))(request, real, ours)
		},
	},
	table[rowNamed("the object of a patch")],
	table[rowNamed("the words of a YAML parser")],
	table[rowNamed("levels of an object")],
	table[rowNamed("the order of a Go map")],
}

// internalType matches what upstream prints of an internal type, and what our server prints in its place: an object or a
// list of objects before the words of the cause.
var internalType = regexp.MustCompile(`Invalid value: \[?\{.*\}\]?: (field is immutable|requires indexed completion mode)`)

// comparison matches a comparison of two Go types, which follows the words of a cause, and what follows the comparison.
var comparison = regexp.MustCompile(`\\n@@ .*?\\n("$|\]"$|, )`)

// rowNamed returns the index of a row of table.
func rowNamed(name string) int {
	for i, row := range table {
		if row.name == name {
			return i
		}
	}
	panic("no row " + name)
}

// of returns a mend for the requests to one kind.
func of(plural string, mend func(Request, Outcome, Outcome) (Outcome, Outcome)) func(Request, Outcome, Outcome) (Outcome, Outcome) {
	return func(request Request, real, ours Outcome) (Outcome, Outcome) {
		if !strings.Contains(request.Path, plural) {
			return real, ours
		}
		return mend(request, real, ours)
	}
}
