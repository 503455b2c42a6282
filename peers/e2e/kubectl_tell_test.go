package e2e

// The commands of kubectl that report: describe, wait, explain, api-resources, version, auth and logs.

import (
	"strings"
	"testing"

	"informer-lab/peers"
	"informer-lab/peers/e2e/harness"
)

func TestDescribeShowsAPodAndItsEvents(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	described := squeeze(kubectl.Run(t, "describe", "pod", "nettool"))
	contains(t, described, "Name: nettool\n", "Namespace: default\n", "Node: node-1/192.0.2.1\n", "Labels: run=nettool\n", "Status: Running\n",
		" Image: cr7258/nettool:v1\n", " State: Running\n", " Ready: True\n", "QoS Class: BestEffort\n", "Events:\n", " Scheduled ", " Started ")
	contains(t, squeeze(kubectl.Run(t, "describe", "node", "node-1")), "Name: node-1\n", " default nettool ")
	contains(t, squeeze(kubectl.Run(t, "describe", "namespace", "default")), "Name: default\n", "Status: Active\n")
}

func TestWaitReturnsWhenItsConditionHolds(t *testing.T) {
	t.Parallel()
	cluster := harness.LabCluster(t)
	kubectl := cluster.Kubectl()
	kubectl.Run(t, "run", "nettool", image)
	equals(t, kubectl.Run(t, "wait", "--for=condition=Ready", "pod/nettool"), "pod/nettool condition met\n")
	equals(t, kubectl.Run(t, "wait", "--for=jsonpath={.status.phase}=Running", "pod", "--all"), "pod/nettool condition met\n")
	contains(t, kubectl.Fail(t, "wait", "--for=condition=Nosuch", "--timeout=100ms", "pod/nettool"), "timed out waiting for the condition on pods/nettool")
	proxy := harness.NewProxy(t, cluster) // to see when kubectl has opened its watch
	waits := cluster.Behind(t, proxy).Kubectl().Start(t, "wait", "--for=delete", "pod/nettool")
	proxy.AwaitWatches(t, 1)
	kubectl.Run(t, "delete", "pod", "nettool")
	if code := waits.Wait(t); code != 0 {
		t.Errorf("wait --for=delete ended with %d", code)
	}
}

func TestExplainDescribesFields(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	contains(t, kubectl.Run(t, "explain", "pod.spec.containers"), "KIND:       Pod\n", "VERSION:    v1\n",
		"FIELD: containers <[]Container>\n", "  imagePullPolicy\t<string>\n", "  name\t<string> -required-\n")
	contains(t, kubectl.Run(t, "explain", "replicaset.spec.replicas"), "GROUP:      apps\n", "FIELD: replicas <integer>\n")
	contains(t, kubectl.Run(t, "explain", "lease", "--recursive"), "holderIdentity\t<string>\n")
	contains(t, kubectl.Fail(t, "explain", "pod.spec.nosuch"), `field "nosuch" does not exist`)
}

func TestAPIResourcesNamesTheServedKinds(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	served := strings.Fields(kubectl.Run(t, "api-resources", "-o", "name"))
	for _, kind := range []string{"pods", "namespaces", "nodes", "events", "configmaps", "secrets", "services", "serviceaccounts",
		"replicasets.apps", "leases.coordination.k8s.io"} {
		contains(t, strings.Join(served, "\n"), kind)
	}
	matches(t, kubectl.Run(t, "api-resources", "--api-group=apps", "--no-headers"), `(?s).*replicasets +rs +apps/v1 +true +ReplicaSet\n.*`)
	contains(t, kubectl.Run(t, "api-versions"), "apps/v1\n", "coordination.k8s.io/v1\n", "v1\n")
}

func TestVersionNamesClientAndServer(t *testing.T) {
	t.Parallel()
	version := harness.LabCluster(t).Kubectl().Run(t, "version")
	contains(t, version, "Client Version: "+peers.Kubernetes()+"\n", "Server Version: "+peers.Kubernetes()+"\n")
}

func TestAuthSaysThatEveryoneMayDoEverything(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	equals(t, kubectl.Run(t, "auth", "can-i", "create", "pods"), "yes\n")
	equals(t, kubectl.Run(t, "auth", "can-i", "delete", "namespaces", "-A"), "yes\n")
	contains(t, kubectl.Run(t, "auth", "can-i", "--list"), "*.*", "[*]")
}

func TestLogsShowsTheLogOfAFakeContainer(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	follow := kubectl.Start(t, "logs", "-f", "nettool")
	first := follow.Out.AwaitCount(t, 1, "line of the log")[0]
	log := kubectl.Run(t, "logs", "nettool")
	if !strings.HasPrefix(log, first+"\n") {
		t.Errorf("the log begins with %q when it is followed, and is %q", first, log)
	}
	equals(t, kubectl.Run(t, "logs", "nettool", "-c", "nettool", "--limit-bytes=4"), first[:4])
	contains(t, kubectl.Run(t, "logs", "nettool", "--timestamps"), "Z "+first)
	contains(t, kubectl.Fail(t, "logs", "nosuch"), `pods "nosuch" not found`)
	contains(t, kubectl.Fail(t, "logs", "nettool", "-c", "nosuch"), "container nosuch is not valid for pod nettool")
	kubectl.Run(t, "delete", "pod", "nettool")
	if code := follow.Wait(t); code != 0 {
		t.Errorf("logs -f ended with %d when its pod was deleted", code)
	}
}

func TestCommandsThatNeedARealContainerFailAtOnceWithOneSentence(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	runNettool(t, kubectl)
	for command, sentence := range map[string]string{
		"exec nettool -- ls":            "the containers of this cluster are not real: there is nothing to run a command in",
		"attach nettool --quiet":        "the containers of this cluster are not real: there is nothing to attach to",
		"port-forward pod/nettool 0:80": "the containers of this cluster are not real: there is nothing to forward a port to",
	} {
		said := kubectl.Fail(t, strings.Fields(command)...)
		contains(t, said, sentence)
		if strings.Count(said, "\n") != 1 {
			t.Errorf("kubectl %s says more than one line:\n%s", command, said)
		}
	}
}
