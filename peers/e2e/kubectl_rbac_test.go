package e2e

// kubectl on a cluster with RBAC authorization.

import (
	"strings"
	"testing"

	"informer-lab/peers/e2e/harness"
)

// guarded returns the administrator's kubectl for a cluster with RBAC authorization.
func guarded(t *testing.T) harness.Kubectl {
	return harness.LabCluster(t, "--authorization", "rbac").Kubectl()
}

func TestRBACRefusesInUpstreamsWords(t *testing.T) {
	t.Parallel()
	kubectl := guarded(t)
	equals(t, kubectl.Fail(t, "get", "pods", "--as", "ada"),
		`Error from server (Forbidden): pods is forbidden: User "ada" cannot list resource "pods" in API group "" in the namespace "default"`+"\n")
	kubectl.Run(t, "create", "clusterrolebinding", "viewers", "--clusterrole=view", "--group=team")
	contains(t, kubectl.Run(t, "get", "configmaps", "--as", "ada", "--as-group", "team"), "kube-root-ca.crt")
	contains(t, kubectl.Fail(t, "get", "secrets", "--as", "ada", "--as-group", "team"), `cannot list resource "secrets"`)
}

func TestRBACAnswersAccessReviews(t *testing.T) {
	t.Parallel()
	kubectl := guarded(t)
	kubectl.Run(t, "create", "role", "reader", "--verb=get,list", "--resource=pods", "--resource-name=web")
	kubectl.Run(t, "create", "rolebinding", "readers", "--role=reader", "--serviceaccount=default:robot")
	robot := []string{"--as", "system:serviceaccount:default:robot"}
	may := func(arguments ...string) string {
		return strings.TrimSpace(kubectl.Try(t, "", append(append([]string{"auth", "can-i"}, arguments...), robot...)...).Out)
	}
	equals(t, may("get", "pods/web"), "yes")
	equals(t, may("get", "pods/other"), "no")
	equals(t, may("delete", "pods/web"), "no")
	equals(t, may("get", "/healthz"), "yes")
	list := kubectl.Run(t, append([]string{"auth", "can-i", "--list", "--no-headers"}, robot...)...)
	matches(t, list, `(?s).*\npods +\[\] +\[web\] +\[get list\]\n.*`)
	contains(t, list, "selfsubjectaccessreviews.authorization.k8s.io", "[/api/*]")
	me := kubectl.Run(t, append([]string{"auth", "whoami"}, robot...)...)
	matches(t, me, `(?s).*Username +system:serviceaccount:default:robot\n.*\[system:serviceaccounts system:serviceaccounts:default system:authenticated\].*`)
	contains(t, kubectl.Run(t, "auth", "whoami"), "kubernetes-admin", "system:masters")
}

func TestRBACKnowsTheTokenOfAServiceAccount(t *testing.T) {
	t.Parallel()
	cluster := harness.LabCluster(t, "--authorization", "rbac", "--tls")
	kubectl := cluster.Kubectl()
	kubectl.Run(t, "create", "serviceaccount", "robot")
	token := strings.TrimSpace(kubectl.Run(t, "create", "token", "robot"))
	// The robot does not use the administrator's kubeconfig, whose client certificate takes precedence over a token.
	asRobot := []string{"--kubeconfig", "/dev/null", "--server", cluster.URL, "--insecure-skip-tls-verify", "-n", "default", "--token", token}
	refused := kubectl.Fail(t, append([]string{"get", "pods"}, asRobot...)...)
	contains(t, refused, `User "system:serviceaccount:default:robot" cannot list resource "pods"`)
	kubectl.Run(t, "create", "rolebinding", "robots", "--clusterrole=edit", "--serviceaccount=default:robot")
	contains(t, kubectl.Run(t, append([]string{"run", "web", "--image=nginx"}, asRobot...)...), "pod/web created")
}

func TestRBACRefusesToGrantPermissionsThatTheUserLacks(t *testing.T) {
	t.Parallel()
	kubectl := guarded(t)
	kubectl.Run(t, "create", "clusterrole", "grants", "--verb=get,list,create,update,patch", "--resource=roles,rolebindings")
	kubectl.Run(t, "create", "clusterrolebinding", "grants", "--clusterrole=grants", "--user=ada")
	ada := []string{"--as", "ada"}
	refused := kubectl.Fail(t, append([]string{"create", "role", "reader", "--verb=get,list", "--resource=pods"}, ada...)...)
	contains(t, refused, `roles.rbac.authorization.k8s.io "reader" is forbidden: user "ada" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:`+
		"\n"+`{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`)
	kubectl.Run(t, "create", "rolebinding", "pods", "--clusterrole=edit", "--user=ada")
	contains(t, kubectl.Run(t, append([]string{"create", "role", "reader", "--verb=get,list", "--resource=pods"}, ada...)...), "created")
}

func TestAuthReconcileAddsWhatIsMissing(t *testing.T) {
	t.Parallel()
	kubectl := guarded(t)
	kubectl.Run(t, "create", "role", "reader", "--verb=get", "--resource=pods")
	const wanted = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules:
- {apiGroups: [""], resources: [pods], verbs: [list]}
`
	contains(t, kubectl.Feed(t, wanted, "auth", "reconcile", "-f", "-"), "role.rbac.authorization.k8s.io/reader reconciled")
	rules := kubectl.Run(t, "get", "role", "reader", "-o", "jsonpath={.rules[*].verbs[*]}")
	contains(t, rules, "get", "list")
}
