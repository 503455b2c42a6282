package e2e

// The commands of kubectl that create objects: run, create, apply and diff.

import (
	"strings"
	"testing"

	"informer-lab/peers/e2e/harness"
)

func TestRunCreatesAPodThatRuns(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	equals(t, kubectl.Run(t, "run", "nettool", image, "--labels=app=net,tier=tools", "--env=A=b", "--port=80"), "pod/nettool created\n")
	kubectl.Run(t, "wait", "--for=condition=Ready", "pod/nettool")
	equals(t, field(t, kubectl, "pod/nettool", ".status.phase"), "Running")
	equals(t, field(t, kubectl, "pod/nettool", ".metadata.labels"), `{"app":"net","tier":"tools"}`)
	equals(t, field(t, kubectl, "pod/nettool", ".spec.containers[0].env"), `[{"name":"A","value":"b"}]`)
	equals(t, field(t, kubectl, "pod/nettool", ".spec.containers[0].ports"), `[{"containerPort":80,"protocol":"TCP"}]`)
	equals(t, kubectl.Fail(t, "run", "nettool", image), "Error from server (AlreadyExists): pods \"nettool\" already exists\n")
	contains(t, kubectl.Fail(t, "run", "Wrong_Name", image), `"Wrong_Name" is invalid`, "RFC 1123")
	equals(t, kubectl.Run(t, "run", "ghost", image, "--dry-run=server"), "pod/ghost created (server dry run)\n")
	contains(t, kubectl.Fail(t, "get", "pod", "ghost"), "not found")
}

func TestCreateCreatesTheObjectsOfAFile(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	both := manifest("alpha", nil) + "---\n" + replicaSet(0)
	equals(t, kubectl.Feed(t, both, "create", "-f", "-"), "pod/alpha created\nreplicaset.apps/web created\n")
	equals(t, kubectl.Run(t, "get", "pods,replicasets", "-o", "name"), "pod/alpha\nreplicaset.apps/web\n")

	misspelt := strings.Replace(manifest("beta", nil), `"image"`, `"imgae"`, 1)
	contains(t, kubectl.Try(t, misspelt, "create", "-f", "-").Err, `unknown field "spec.containers[0].imgae"`)
	contains(t, kubectl.Fail(t, "get", "pod", "beta"), "not found")
	contains(t, kubectl.Try(t, manifest("alpha", nil), "create", "-f", "-", "-n", "nosuch").Err, `namespaces "nosuch" not found`)
}

func TestCreateSendsProtobufForANamespaceAConfigMapAndASecret(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	equals(t, kubectl.Run(t, "create", "namespace", "other"), "namespace/other created\n")
	equals(t, field(t, kubectl, "namespace/other", ".status.phase"), "Active")
	equals(t, kubectl.Run(t, "create", "configmap", "settings", "--from-literal=colour=green", "-n", "other"), "configmap/settings created\n")
	equals(t, kubectl.Run(t, "get", "configmap", "settings", "-n", "other", "-o", "jsonpath={.data}"), `{"colour":"green"}`)
	equals(t, kubectl.Run(t, "create", "secret", "generic", "password", "--from-literal=password=sesame"), "secret/password created\n")
	equals(t, field(t, kubectl, "secret/password", ".data.password"), "c2VzYW1l")
	equals(t, kubectl.Run(t, "create", "serviceaccount", "robot"), "serviceaccount/robot created\n")
	equals(t, kubectl.Run(t, "create", "service", "clusterip", "web", "--tcp=80:8080"), "service/web created\n")
	equals(t, field(t, kubectl, "service/web", ".spec.ports[0].targetPort"), "8080")
}

func TestApplyCreatesChangesAndRemovesFields(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	labelled := manifest("alpha", map[string]string{"app": "web", "tier": "front"})
	equals(t, kubectl.Feed(t, labelled, "apply", "-f", "-"), "pod/alpha created\n")
	equals(t, kubectl.Feed(t, labelled, "apply", "-f", "-"), "pod/alpha unchanged\n")

	kubectl.Run(t, "label", "pod", "alpha", "someone=else")
	relabelled := manifest("alpha", map[string]string{"app": "db"})
	equals(t, kubectl.Feed(t, relabelled, "apply", "-f", "-"), "pod/alpha configured\n")
	equals(t, field(t, kubectl, "pod/alpha", ".metadata.labels"), `{"app":"db","someone":"else"}`)

	misspelt := strings.Replace(relabelled, `"image"`, `"imgae"`, 1)
	contains(t, kubectl.Try(t, misspelt, "apply", "-f", "-").Err, `unknown field "spec.containers[0].imgae"`)
	renamed := strings.Replace(relabelled, `"main"`, `"other"`, 1)
	contains(t, kubectl.Try(t, renamed, "apply", "-f", "-").Err, "pod updates may not change fields other than")
}

func TestDiffShowsWhatApplyWouldChange(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Feed(t, manifest("alpha", map[string]string{"app": "web"}), "apply", "-f", "-")
	kubectl.Run(t, "wait", "--for=condition=Ready", "pod/alpha")
	equals(t, kubectl.Feed(t, manifest("alpha", map[string]string{"app": "web"}), "diff", "-f", "-"), "")

	differs := kubectl.Try(t, manifest("alpha", map[string]string{"app": "db"}), "diff", "-f", "-")
	if differs.Code != 1 {
		t.Errorf("diff ended with %d, not 1: %s", differs.Code, differs.Err)
	}
	contains(t, differs.Out, "\n-    app: web\n", "\n+    app: db\n")
	equals(t, field(t, kubectl, "pod/alpha", ".metadata.labels.app"), "web")
}
