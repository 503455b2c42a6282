// Package peers returns the versions of the upstream modules that its programs are built with. It reads them from the
// embedded go.mod, so that they are in one place only.
package peers

import (
	_ "embed"
	"strings"
)

//go:embed go.mod
var goMod string

// Version returns the version of a module in go.mod: v0.37.2 of k8s.io/client-go, for instance.
func Version(module string) string {
	for line := range strings.Lines(goMod) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == module {
			return fields[1]
		}
	}
	panic("go.mod has no " + module)
}

// Kubernetes returns the version of Kubernetes that these modules are part of. v1.37.2 has v0.37.2 of each.
func Kubernetes() string {
	return "v1" + strings.TrimPrefix(Version("k8s.io/apimachinery"), "v0")
}

// Minor returns this version without its patch: v1.37.
func Minor() string {
	parts := strings.Split(Kubernetes(), ".")
	return parts[0] + "." + parts[1]
}
