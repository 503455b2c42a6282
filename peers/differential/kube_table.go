package main

// The intended differences between our server's answers and those of the real kube-apiserver, each with the reason.

import (
	"regexp"
	"strings"
)

var kubeTable = []row{
	{
		name:   "the hash of a stored version",
		reason: "our server computes another hash, without SHA-256; clients only compare it",
		mend:   dropping(regexp.MustCompile(`^/resources/\d+/storageVersionHash$`)),
	},
	{
		name:   "names in Go",
		reason: "the peer is built from modules, so that its messages name a scheme by another line of its source",
		mend:   renaming(strings.NewReplacer(), regexp.MustCompile(`in scheme \\\?"[^"\\]*\\?"`), "in scheme"),
	},
	{
		name:   "the peer's own writes",
		reason: "kube-apiserver renews leases and repairs its own objects at any time, which raises the revision that lists and watches tell",
		mend:   renaming(strings.NewReplacer(), regexp.MustCompile(`^"<rv(\d+)\+?>"$|^"\\u003crv(\d+)\+?\\u003e"$`), "<rv$1$2>"),
	},
	table[rowNamed("the object of a patch")],
	table[rowNamed("the words of a YAML parser")],
	table[rowNamed("levels of an object")],
	table[rowNamed("the order of a Go map")],
}

// rowNamed returns the index of a row of table.
func rowNamed(name string) int {
	for i, row := range table {
		if row.name == name {
			return i
		}
	}
	panic("no row " + name)
}
