package e2e

// kubectl apply --server-side and kubectl diff --server-side.

import (
	"fmt"
	"testing"

	"informer-lab/peers/e2e/harness"
)

// conf returns the manifest of a config map with this data.
func conf(data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata:\n" + data
}

// serverSide returns the arguments of a server-side apply by a field manager.
func serverSide(manager string, more ...string) []string {
	return append([]string{"apply", "--server-side", "--field-manager=" + manager, "-f", "-"}, more...)
}

func TestServerSideApplyCreatesChangesAndRemovesFields(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	equals(t, kubectl.Feed(t, conf("  a: one\n  b: one\n"), serverSide("one")...), "configmap/conf serverside-applied\n")
	equals(t, field(t, kubectl, "cm/conf", ".data"), `{"a":"one","b":"one"}`)
	kubectl.Feed(t, conf("  a: two\n"), serverSide("one")...)
	equals(t, field(t, kubectl, "cm/conf", ".data"), `{"a":"two"}`)
	shown := kubectl.Run(t, "get", "cm/conf", "--show-managed-fields", "-o", "jsonpath={.metadata.managedFields[*].manager}")
	equals(t, shown, "one")
}

func TestServerSideApplyReportsConflictsAndCanForceThem(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Feed(t, conf("  a: one\n  b: one\n"), serverSide("one")...)
	alone := kubectl.Try(t, conf("  a: two\n"), serverSide("two")...)
	equals(t, fmt.Sprint(alone.Code), "1")
	contains(t, alone.Err, "error: Apply failed with 1 conflict: conflict with \"one\": .data.a\nPlease review the fields above--they currently have other managers.")
	both := kubectl.Try(t, conf("  a: two\n  b: two\n"), serverSide("two")...)
	contains(t, both.Err, "error: Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.a\n- .data.b\n")
	equals(t, kubectl.Feed(t, conf("  a: two\n"), serverSide("two", "--force-conflicts")...), "configmap/conf serverside-applied\n")
	equals(t, field(t, kubectl, "cm/conf", ".data"), `{"a":"two","b":"one"}`)
	// The manager one no longer applies the field a, but two owns it now, so it stays.
	kubectl.Feed(t, conf("  b: one\n"), serverSide("one")...)
	equals(t, field(t, kubectl, "cm/conf", ".data"), `{"a":"two","b":"one"}`)
}

func TestADryRunOfAnApplyChangesNothing(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	tried := kubectl.Feed(t, conf("  a: one\n"), serverSide("one", "--dry-run=server")...)
	equals(t, tried, "configmap/conf serverside-applied (server dry run)\n")
	contains(t, kubectl.Fail(t, "get", "cm", "conf"), "NotFound")
	kubectl.Feed(t, conf("  a: one\n"), serverSide("one")...)
	kubectl.Feed(t, conf("  a: two\n"), serverSide("one", "--dry-run=server")...)
	equals(t, field(t, kubectl, "cm/conf", ".data.a"), "one")
}

func TestServerSideDiffShowsWhatAnApplyWouldChange(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Feed(t, conf("  a: one\n  b: one\n"), serverSide("kubectl")...)
	same := kubectl.Try(t, conf("  a: one\n  b: one\n"), "diff", "--server-side", "-f", "-")
	equals(t, same.Out+same.Err, "")
	other := kubectl.Try(t, conf("  a: two\n"), "diff", "--server-side", "-f", "-")
	equals(t, fmt.Sprint(other.Code), "1")
	contains(t, other.Out, "-  a: one\n-  b: one\n+  a: two\n")
	equals(t, field(t, kubectl, "cm/conf", ".data"), `{"a":"one","b":"one"}`)
}

// kubectl migrates its client-side apply to server-side apply, for every value of --managed-fields that tracks
// owners.
func TestServerSideApplyMigratesClientSideApply(t *testing.T) {
	t.Parallel()
	for _, managed := range []string{"applied", "all"} {
		kubectl := harness.LabCluster(t, "--managed-fields", managed).Kubectl()
		kubectl.Feed(t, conf("  a: one\n  b: one\n"), "apply", "-f", "-")
		equals(t, kubectl.Feed(t, conf("  a: two\n"), serverSide("kubectl")...), "configmap/conf serverside-applied\n")
		equals(t, field(t, kubectl, "cm/conf", ".data.a"), "two")
		owners := kubectl.Run(t, "get", "cm/conf", "--show-managed-fields", "-o", "jsonpath={.metadata.managedFields[*].manager}")
		if managed == "all" {
			equals(t, owners, "kubectl-last-applied kubectl")               // kubectl gives the last-applied annotation a manager of its own
			equals(t, field(t, kubectl, "cm/conf", ".data"), `{"a":"two"}`) // the fields of the client-side apply are removed, too
		}
		// And back again: each kind of apply knows what the other has applied.
		equals(t, kubectl.Feed(t, conf("  a: three\n"), "apply", "-f", "-"), "configmap/conf configured\n")
		equals(t, field(t, kubectl, "cm/conf", ".data.a"), "three")
	}
}

// Fields that other managers have written are not migrated, though kubectl has applied the other fields client-side.
func TestServerSideApplyDoesNotMigrateFieldsOfOtherManagers(t *testing.T) {
	t.Parallel()
	for _, managed := range []string{"applied", "all"} {
		kubectl := harness.LabCluster(t, "--managed-fields", managed).Kubectl()
		kubectl.Feed(t, conf("  a: one\n  b: one\n"), "apply", "-f", "-")
		kubectl.Run(t, "label", "cm/conf", "team=x")
		kubectl.Run(t, "patch", "cm/conf", "--type=merge", "-p", `{"metadata":{"finalizers":["x.io/f"]},"data":{"b":"two","c":"two"}}`)
		equals(t, kubectl.Feed(t, conf("  a: three\n"), serverSide("kubectl")...), "configmap/conf serverside-applied\n")
		equals(t, field(t, kubectl, "cm/conf", ".data"), `{"a":"three","b":"two","c":"two"}`)
		equals(t, field(t, kubectl, "cm/conf", ".metadata.finalizers[*]")+" "+field(t, kubectl, "cm/conf", ".metadata.labels.team"), "x.io/f x")
		kubectl.Run(t, "patch", "cm/conf", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	}
}

func TestAWorkloadAppliedByOneManagerIsScaledByAnother(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	deployment := func(replicas string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n" + replicas +
			"  selector: {matchLabels: {app: web}}\n  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: nginx}]}}\n"
	}
	kubectl.Feed(t, deployment("  replicas: 1\n"), serverSide("one")...)
	kubectl.Run(t, "rollout", "status", "deployment/web", "--timeout=20s")
	kubectl.Run(t, "scale", "deployment/web", "--replicas=2")
	refused := kubectl.Try(t, deployment("  replicas: 1\n"), serverSide("one")...)
	contains(t, refused.Err, `conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas`)
	kubectl.Feed(t, deployment(""), serverSide("one")...)
	equals(t, field(t, kubectl, "deployment/web", ".spec.replicas"), "2")
	kubectl.Run(t, "rollout", "status", "deployment/web", "--timeout=20s")
}

func TestACustomResourceIsApplied(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Feed(t, everydayFiles["crd.yaml"], serverSide("one")...)
	foo := "apiVersion: x.io/v1\nkind: Foo\nmetadata: {name: a, labels: {app: one}}\n"
	equals(t, kubectl.Feed(t, foo, serverSide("one")...), "foo.x.io/a serverside-applied\n")
	refused := kubectl.Try(t, "apiVersion: x.io/v1\nkind: Foo\nmetadata: {name: a, labels: {app: two}}\n", serverSide("two")...)
	contains(t, refused.Err, `conflict with "one": .metadata.labels.app`)
}

func TestDebiansKubectlAppliesServerSide(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).OldKubectl(t)
	equals(t, kubectl.Feed(t, conf("  a: one\n"), serverSide("one")...), "configmap/conf serverside-applied\n")
	refused := kubectl.Try(t, conf("  a: two\n"), serverSide("two")...)
	contains(t, refused.Err, "Apply failed with 1 conflict: conflict with \"one\": .data.a")
	other := kubectl.Try(t, conf("  a: two\n"), "diff", "--server-side", "--field-manager=one", "-f", "-")
	contains(t, other.Out, "-  a: one\n+  a: two\n")
}

func TestServerSideApplyCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t, "--managed-fields", "off").Kubectl()
	refused := kubectl.Try(t, conf("  a: one\n"), serverSide("one")...)
	contains(t, refused.Err, "error: Server-side apply not available on the server: (415: Unsupported Media Type)\n")
}
