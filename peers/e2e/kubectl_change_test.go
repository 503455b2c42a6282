package e2e

// The commands of kubectl that change objects: edit, set, label, annotate, patch and scale.

import (
	"testing"

	"informer-lab/peers/e2e/harness"
)

func TestEditSavesWhatTheEditorWrites(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	editor := kubectl.With("KUBE_EDITOR=sed -i s/nettool:v1/nettool:v2/")
	equals(t, editor.Run(t, "edit", "pod", "nettool"), "pod/nettool edited\n")
	equals(t, field(t, kubectl, "pod/nettool", ".spec.containers[0].image"), "cr7258/nettool:v2")
	idle := kubectl.With("KUBE_EDITOR=true")
	equals(t, idle.Try(t, "", "edit", "pod", "nettool").Err, "Edit cancelled, no changes made.\n")
}

func TestSetImageChangesAContainer(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	equals(t, kubectl.Run(t, "set", "image", "pod/nettool", "nettool=nginx:1.27"), "pod/nettool image updated\n")
	equals(t, field(t, kubectl, "pod/nettool", ".spec.containers[0].image"), "nginx:1.27")
	equals(t, field(t, kubectl, "pod/nettool", ".metadata.generation"), "2")
}

func TestLabelAddsChangesAndRemoves(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	equals(t, kubectl.Run(t, "label", "pod", "nettool", "app=net", "tier=tools"), "pod/nettool labeled\n")
	equals(t, field(t, kubectl, "pod/nettool", ".metadata.labels"), `{"app":"net","run":"nettool","tier":"tools"}`)
	contains(t, kubectl.Fail(t, "label", "pod", "nettool", "app=other"), "already has a value (net), and --overwrite is false")
	kubectl.Run(t, "label", "--overwrite", "pod", "nettool", "app=other")
	equals(t, kubectl.Run(t, "label", "pod", "nettool", "tier-"), "pod/nettool unlabeled\n")
	equals(t, field(t, kubectl, "pod/nettool", ".metadata.labels"), `{"app":"other","run":"nettool"}`)
	contains(t, kubectl.Fail(t, "label", "pod", "nettool", "app=not a value"), "a valid label must be an empty string or consist of alphanumeric characters")
}

func TestAnnotateAddsAndRemoves(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	equals(t, kubectl.Run(t, "annotate", "pod", "nettool", "note=some words"), "pod/nettool annotated\n")
	equals(t, field(t, kubectl, "pod/nettool", ".metadata.annotations.note"), "some words")
	kubectl.Run(t, "annotate", "pod", "nettool", "note-")
	equals(t, field(t, kubectl, "pod/nettool", ".metadata.annotations.note"), "")
}

func TestPatchMergesInThreeWays(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	image := `{"spec":{"containers":[{"name":"nettool","image":"nginx:1.27"}]}}`
	equals(t, kubectl.Run(t, "patch", "pod", "nettool", "-p", image), "pod/nettool patched\n")
	equals(t, field(t, kubectl, "pod/nettool", ".spec.containers[*].image"), "nginx:1.27")
	equals(t, kubectl.Run(t, "patch", "pod", "nettool", "-p", image), "pod/nettool patched (no change)\n")

	kubectl.Run(t, "patch", "pod", "nettool", "--type=merge", "-p", `{"metadata":{"labels":{"run":null,"app":"net"}}}`)
	equals(t, field(t, kubectl, "pod/nettool", ".metadata.labels"), `{"app":"net"}`)

	kubectl.Run(t, "patch", "pod", "nettool", "--type=json", "-p",
		`[{"op":"test","path":"/metadata/labels/app","value":"net"},{"op":"replace","path":"/metadata/labels/app","value":"web"}]`)
	equals(t, field(t, kubectl, "pod/nettool", ".metadata.labels"), `{"app":"web"}`)
	contains(t, kubectl.Fail(t, "patch", "pod", "nettool", "--type=json", "-p", `[{"op":"remove","path":"/metadata/labels/nosuch"}]`),
		"the server rejected our request due to an error in our request")
	// A merge patch replaces the whole list of containers, so it removes the container's name.
	contains(t, kubectl.Fail(t, "patch", "pod", "nettool", "--type=merge", "-p", `{"spec":{"containers":[{"image":"nginx"}]}}`),
		"spec.containers[0].name: Required value")
}

func TestScaleCreatesAndDeletesPods(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Feed(t, replicaSet(1), "apply", "-f", "-")
	for _, replicas := range []string{"3", "1", "0"} {
		equals(t, kubectl.Run(t, "scale", "replicaset", "web", "--replicas="+replicas), "replicaset.apps/web scaled\n")
		kubectl.Run(t, "wait", "--for=jsonpath={.spec.replicas}="+replicas, "replicaset/web")
		kubectl.Run(t, "wait", "--for=jsonpath={.status.replicas}="+replicas, "replicaset/web")
	}
	kubectl.Run(t, "wait", "--for=delete", "pod", "-l", "app=web")
	equals(t, kubectl.Run(t, "get", "pods", "-l", "app=web", "-o", "name"), "")
	contains(t, kubectl.Fail(t, "scale", "replicaset", "web", "--replicas=2", "--current-replicas=5"), "Expected replicas to be 5, was 0")
}
