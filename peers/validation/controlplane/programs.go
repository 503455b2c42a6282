//go:build tools

// Package controlplane names the programs of the real control plane, so that go.mod has the modules that they are built
// from: `go build k8s.io/kubernetes/cmd/kube-apiserver` in peers/validation.
package controlplane

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
)
