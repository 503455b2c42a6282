// Command kubectl builds kubectl from its library, so that the tests use the version in go.mod and need no installed
// kubectl.
//
// The linker sets the version, without which `kubectl version` fails:
//
//	go build -ldflags "-X k8s.io/component-base/version.gitVersion=VERSION" ./kubectl
package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
