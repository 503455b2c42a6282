package e2e

// Debian's kubectl 1.20 against the built-in cluster.

import (
	"testing"

	"informer-lab/peers/e2e/harness"
)

func TestDebiansKubectlIsOfVersion120(t *testing.T) {
	t.Parallel()
	matches(t, harness.LabCluster(t).OldKubectl(t).Run(t, "version", "--short"), `Client Version: v1\.20\.\d+\nServer Version: v1\.37\.\d+\n`)
}

func TestDebiansKubectlRunsLabelsGetsAndDeletes(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).OldKubectl(t)
	equals(t, kubectl.Run(t, "run", "nettool", image), "pod/nettool created\n")
	equals(t, kubectl.Run(t, "wait", "--for=condition=Ready", "pod/nettool"), "pod/nettool condition met\n")
	matches(t, kubectl.Run(t, "get", "pods"),
		`NAME      READY   STATUS    RESTARTS   AGE\nnettool   1/1     Running   0          \d+s\n`)
	contains(t, kubectl.Run(t, "get", "pods", "-o", "wide"), "node-1")
	equals(t, kubectl.Run(t, "get", "pods", "-o", "name"), "pod/nettool\n")
	equals(t, field(t, kubectl, "pod/nettool", ".status.phase"), "Running")

	equals(t, kubectl.Run(t, "label", "pod", "nettool", "app=net"), "pod/nettool labeled\n")
	equals(t, kubectl.Run(t, "get", "pods", "-l", "app=net", "-o", "name"), "pod/nettool\n")
	contains(t, squeeze(kubectl.Run(t, "describe", "pod", "nettool")), "Name: nettool\n", "app=net\n", "Status: Running\n", " Image: cr7258/nettool:v1\n")

	watch := kubectl.Start(t, "get", "pods", "-w")
	watch.Out.AwaitLine(t, "Running")
	equals(t, kubectl.Run(t, "delete", "pod", "nettool"), "pod \"nettool\" deleted\n")
	watch.Out.AwaitLine(t, "Terminating")
	equals(t, kubectl.Try(t, "", "get", "pods").Err, "No resources found in default namespace.\n")
}

func TestDebiansKubectlWaitsForADeletion(t *testing.T) {
	t.Parallel()
	cluster := harness.LabCluster(t)
	kubectl := cluster.OldKubectl(t)
	kubectl.Run(t, "run", "nettool", image)
	proxy := harness.NewProxy(t, cluster) // to see when kubectl has opened its watch
	waits := cluster.Behind(t, proxy).OldKubectl(t).Start(t, "wait", "--for=delete", "pod/nettool")
	proxy.AwaitWatches(t, 1)
	kubectl.Run(t, "delete", "pods", "--all")
	if code := waits.Wait(t); code != 0 {
		t.Errorf("wait --for=delete ended with %d", code)
	}
}
