package e2e

import (
	"testing"

	"informer-lab/peers/e2e/harness"
)

func TestDeleteWaitsUntilAPodHasEndedGracefully(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	watch := kubectl.Start(t, "get", "pod", "nettool", "-w", "--no-headers")
	watch.Out.AwaitLine(t, "Running")
	equals(t, kubectl.Run(t, "delete", "pod", "nettool"), "pod \"nettool\" deleted from default namespace\n")
	contains(t, kubectl.Fail(t, "get", "pod", "nettool"), "not found")
	watch.Out.AwaitLine(t, "Terminating")
	equals(t, kubectl.Fail(t, "delete", "pod", "nettool"), "Error from server (NotFound): pods \"nettool\" not found\n")
	equals(t, kubectl.Run(t, "delete", "pod", "nettool", "--ignore-not-found"), "")
}

func TestDeleteWithoutWaitingReturnsWhileThePodTerminates(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	// A finalizer holds the pod, so that it still exists however slow the test is.
	kubectl.Run(t, "patch", "pod", "nettool", "--type=merge", "-p", `{"metadata":{"finalizers":["example.com/hold"]}}`)
	kubectl.Run(t, "delete", "pod", "nettool", "--wait=false")
	contains(t, kubectl.Run(t, "get", "pod", "nettool"), "Terminating")
	kubectl.Run(t, "patch", "pod", "nettool", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	kubectl.Run(t, "wait", "--for=delete", "pod/nettool")
	contains(t, kubectl.Fail(t, "get", "pod", "nettool"), "not found")
}

func TestForcedDeleteRemovesAPodAtOnce(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t, "--stages", harness.DefaultStages()).Kubectl()
	runNettool(t, kubectl)
	result := kubectl.Try(t, "", "delete", "pod", "nettool", "--force")
	equals(t, result.Out, "pod \"nettool\" force deleted from default namespace\n")
	contains(t, result.Err, "Immediate deletion does not wait for confirmation")
	contains(t, kubectl.Fail(t, "get", "pod", "nettool"), "not found")
}

func TestDeleteByLabelLeavesOtherPods(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	for name, app := range map[string]string{"alpha": "web", "beta": "web", "gamma": "db"} {
		kubectl.Feed(t, manifest(name, map[string]string{"app": app}), "create", "-f", "-")
	}
	deleted := kubectl.Run(t, "delete", "pods", "-l", "app=web")
	equals(t, deleted, "pod \"alpha\" deleted from default namespace\npod \"beta\" deleted from default namespace\n")
	equals(t, kubectl.Run(t, "get", "pods", "-o", "name"), "pod/gamma\n")
	kubectl.Run(t, "delete", "pods", "--all")
	equals(t, kubectl.Run(t, "get", "pods", "-o", "name"), "")
}

func TestDeletingANamespaceDeletesItsObjects(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Run(t, "create", "namespace", "other")
	kubectl.Run(t, "run", "nettool", image, "-n", "other")
	kubectl.Run(t, "create", "configmap", "settings", "-n", "other")
	equals(t, kubectl.Run(t, "delete", "namespace", "other"), "namespace \"other\" deleted\n")
	contains(t, kubectl.Fail(t, "get", "namespace", "other"), "not found")
	equals(t, kubectl.Run(t, "get", "pods,configmaps", "-n", "other", "-o", "name"), "")
}

func TestDeletingAReplicaSetDeletesItsPodsUnlessTheyAreOrphaned(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Feed(t, replicaSet(2), "apply", "-f", "-")
	kubectl.Run(t, "wait", "--for=jsonpath={.status.readyReplicas}=2", "replicaset/web")
	kubectl.Run(t, "delete", "replicaset", "web")
	kubectl.Run(t, "wait", "--for=delete", "pod", "-l", "app=web")
	equals(t, kubectl.Run(t, "get", "pods", "-l", "app=web", "-o", "name"), "")

	kubectl.Feed(t, replicaSet(2), "apply", "-f", "-")
	kubectl.Run(t, "wait", "--for=jsonpath={.status.readyReplicas}=2", "replicaset/web")
	orphans := kubectl.Run(t, "get", "pods", "-l", "app=web", "-o", "name")
	kubectl.Run(t, "delete", "replicaset", "web", "--cascade=orphan")
	equals(t, kubectl.Run(t, "get", "pods", "-l", "app=web", "-o", "name"), orphans)
	equals(t, kubectl.Run(t, "get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].metadata.ownerReferences}"), "")
}
