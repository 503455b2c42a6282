package e2e

// kubectl with workloads: deployments, daemon sets, stateful sets, jobs and services.

import (
	"testing"

	"informer-lab/peers/e2e/harness"
)

func TestADeploymentIsRolledOutScaledAndUndone(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Run(t, "create", "deployment", "web", "--image=web:1", "--replicas=3")
	contains(t, kubectl.Run(t, "rollout", "status", "deployment/web"), `deployment "web" successfully rolled out`)
	kubectl.Run(t, "set", "image", "deployment/web", "web=web:2")
	contains(t, kubectl.Run(t, "rollout", "status", "deployment/web"), `deployment "web" successfully rolled out`)
	matches(t, kubectl.Run(t, "rollout", "history", "deployment/web"), `deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n`)
	equals(t, kubectl.Run(t, "rollout", "undo", "deployment/web"), "deployment.apps/web rolled back\n")
	contains(t, kubectl.Run(t, "rollout", "status", "deployment/web"), `deployment "web" successfully rolled out`)
	equals(t, field(t, kubectl, "deployment/web", ".spec.template.spec.containers[0].image"), "web:1")
	kubectl.Run(t, "scale", "deployment/web", "--replicas=1")
	contains(t, kubectl.Run(t, "rollout", "status", "deployment/web"), `deployment "web" successfully rolled out`)
	matches(t, kubectl.Run(t, "get", "deployment", "web", "--no-headers"), `web   1/1   1     1     \d+s\n`)
}

func TestADaemonSetIsRolledOutAndUndone(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t, "--nodes", "3").Kubectl()
	kubectl.Feed(t, `{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "log"}, "spec": {
		"selector": {"matchLabels": {"app": "log"}},
		"template": {"metadata": {"labels": {"app": "log"}}, "spec": {"containers": [{"name": "main", "image": "log:1"}]}}}}`,
		"create", "-f", "-")
	contains(t, kubectl.Run(t, "rollout", "status", "ds/log"), `daemon set "log" successfully rolled out`)
	kubectl.Run(t, "set", "image", "ds/log", "main=log:2")
	contains(t, kubectl.Run(t, "rollout", "status", "ds/log"), `daemon set "log" successfully rolled out`)
	matches(t, kubectl.Run(t, "rollout", "history", "ds/log"), `daemonset.apps/log \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n`)
	contains(t, kubectl.Run(t, "rollout", "history", "ds/log", "--revision=1"), "log:1")
	equals(t, kubectl.Run(t, "rollout", "undo", "ds/log"), "daemonset.apps/log rolled back\n")
	contains(t, kubectl.Run(t, "rollout", "status", "ds/log"), `daemon set "log" successfully rolled out`)
	equals(t, field(t, kubectl, "ds/log", ".spec.template.spec.containers[0].image"), "log:1")
	kubectl.Run(t, "rollout", "restart", "ds/log")
	contains(t, kubectl.Run(t, "rollout", "status", "ds/log"), `daemon set "log" successfully rolled out`)
	matches(t, kubectl.Run(t, "get", "ds", "log", "--no-headers"), `log   3     3     3     3     3     <none>   \d+s\n`)
}

func TestAStatefulSetIsRolledOutScaledAndUndone(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Feed(t, `{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {
		"serviceName": "db", "replicas": 2, "selector": {"matchLabels": {"app": "db"}},
		"template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "main", "image": "db:1"}]}}}}`,
		"create", "-f", "-")
	contains(t, kubectl.Run(t, "rollout", "status", "sts/db"), "partitioned roll out complete")
	equals(t, kubectl.Run(t, "get", "pods", "-o", "name"), "pod/db-0\npod/db-1\n")
	kubectl.Run(t, "set", "image", "sts/db", "main=db:2")
	contains(t, kubectl.Run(t, "rollout", "status", "sts/db"), "partitioned roll out complete: 2 new pods have been updated")
	equals(t, field(t, kubectl, "pod/db-0", ".spec.containers[0].image"), "db:2")
	equals(t, kubectl.Run(t, "rollout", "undo", "sts/db"), "statefulset.apps/db rolled back\n")
	contains(t, kubectl.Run(t, "rollout", "status", "sts/db"), "partitioned roll out complete: 2 new pods have been updated")
	equals(t, field(t, kubectl, "pod/db-0", ".spec.containers[0].image"), "db:1")
	kubectl.Run(t, "scale", "sts/db", "--replicas=1")
	kubectl.Run(t, "wait", "--for=delete", "pod/db-1", "--timeout=20s")
	matches(t, kubectl.Run(t, "get", "sts", "db", "--no-headers"), `db    1/1   \d+s\n`)
}

func TestAJobCompletes(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t, "--stages", "completed").Kubectl()
	kubectl.Run(t, "create", "job", "once", "--image=busybox", "--", "true")
	equals(t, kubectl.Run(t, "wait", "--for=condition=complete", "job/once", "--timeout=20s"), "job.batch/once condition met\n")
	matches(t, kubectl.Run(t, "get", "job", "once", "--no-headers"), `once   Complete   1/1 +\d+s +\d+s\n`)
}

func TestAServiceFindsItsPods(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Run(t, "create", "deployment", "web", "--image=web:1", "--replicas=2")
	kubectl.Run(t, "expose", "deployment", "web", "--port=80", "--target-port=8080")
	kubectl.Run(t, "rollout", "status", "deployment/web")
	slices := []string{"endpointslices", "-l", "kubernetes.io/service-name=web"}
	kubectl.Run(t, append([]string{"wait", "--timeout=20s", "--for=jsonpath={.endpoints[1].conditions.ready}=true"}, slices...)...)
	matches(t, kubectl.Run(t, append([]string{"get", "--no-headers"}, slices...)...), `web-\w{5}   IPv4   8080   10\.[\d.]+,10\.[\d.]+   \d+s\n`)
	matches(t, kubectl.Run(t, "describe", "service", "web"), `(?s).*\nEndpoints: +10\.[\d.]+:8080,10\.[\d.]+:8080\n.*`)
}
