package main

// Generates random RBAC policies, requests and access reviews.

import (
	"fmt"
	"math/rand/v2"

	rbacv1 "k8s.io/api/rbac/v1"
)

// generator makes random policies and requests. It chooses from few names, so that requests match rules.
type generator struct{ *rand.Rand }

func (g generator) one(of ...string) string { return of[g.IntN(len(of))] }

func (g generator) chance(percent int) bool { return g.IntN(100) < percent }

// some returns one to `most` of the words, without repetition.
func (g generator) some(most int, of ...string) []string {
	g.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	return of[:1+g.IntN(min(most, len(of)))]
}

func (g generator) namespace() string { return g.one("a", "b", "c") }

// rule returns a random rule. With paths, it may be a rule for paths such as /metrics, as only a ClusterRole has them.
func (g generator) rule(paths bool) rbacv1.PolicyRule {
	verbs := func() []string {
		if g.chance(10) {
			return []string{"*"}
		}
		return g.some(4, "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "escalate", "bind", "impersonate")
	}
	if paths && g.chance(20) {
		return rbacv1.PolicyRule{Verbs: verbs(), NonResourceURLs: g.some(2, "/metrics", "/metrics/*", "/logs/*", "/x*", "*", "/")}
	}
	rule := rbacv1.PolicyRule{Verbs: verbs()}
	rule.APIGroups = g.some(2, "", "apps", "rbac.authorization.k8s.io", "*", "authentication.k8s.io")
	rule.Resources = g.some(3, "pods", "pods/log", "pods/*", "*/status", "*/scale", "secrets", "deployments", "*", "roles", "clusterroles", "users", "groups", "serviceaccounts", "uids", "userextras/scopes")
	if g.chance(25) {
		rule.ResourceNames = g.some(2, "a", "b", "role-0", "ada", "system:masters", "dev")
	}
	return rule
}

func (g generator) ruleList(paths bool) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for range 1 + g.IntN(3) {
		rules = append(rules, g.rule(paths))
	}
	return rules
}

// subjects returns random subjects of a binding. A RoleBinding, for which everywhere is false, may name a service
// account without a namespace.
func (g generator) subjects(everywhere bool) []rbacv1.Subject {
	var subjects []rbacv1.Subject
	for range 1 + g.IntN(3) {
		switch g.IntN(4) {
		case 0:
			subject := rbacv1.Subject{Kind: "ServiceAccount", Name: g.one("robot", "other"), Namespace: g.namespace()}
			if !everywhere && g.chance(30) {
				subject.Namespace = ""
			}
			subjects = append(subjects, subject)
		case 1:
			group := g.one("dev", "ops", "system:authenticated", "system:unauthenticated", "system:serviceaccounts", "system:serviceaccounts:a")
			subjects = append(subjects, rbacv1.Subject{Kind: "Group", APIGroup: rbacv1.GroupName, Name: group})
		default:
			name := g.one("ada", "bob", "eve", "system:anonymous", "system:serviceaccount:a:robot")
			subjects = append(subjects, rbacv1.Subject{Kind: "User", APIGroup: rbacv1.GroupName, Name: name})
		}
	}
	return subjects
}

func (g generator) policy() policy {
	var p policy
	for n := range 5 {
		role := rbacv1.ClusterRole{Rules: g.ruleList(true)}
		named(&role.ObjectMeta, "", fmt.Sprintf("role-%d", n))
		p.clusterRoles = append(p.clusterRoles, role)
	}
	granter := rbacv1.ClusterRole{Rules: []rbacv1.PolicyRule{{
		Verbs: []string{"create", "update"}, APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles", "clusterroles", "rolebindings", "clusterrolebindings"},
	}, {
		Verbs: []string{"create"}, APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"selfsubjectreviews"},
	}}}
	named(&granter.ObjectMeta, "", "granter")
	p.clusterRoles = append(p.clusterRoles, granter)
	for n := range 3 {
		role := rbacv1.Role{Rules: g.ruleList(false)}
		named(&role.ObjectMeta, g.namespace(), fmt.Sprintf("role-%d", n))
		p.roles = append(p.roles, role)
	}
	for n := range 3 {
		binding := rbacv1.ClusterRoleBinding{Subjects: g.subjects(true), RoleRef: isOf("ClusterRole")}
		binding.RoleRef.Name = g.clusterRole()
		named(&binding.ObjectMeta, "", fmt.Sprintf("binding-%d", n))
		p.everywhere = append(p.everywhere, binding)
	}
	granters := rbacv1.ClusterRoleBinding{RoleRef: isOf("ClusterRole"), Subjects: []rbacv1.Subject{
		{Kind: "User", APIGroup: rbacv1.GroupName, Name: "ada"}, {Kind: "Group", APIGroup: rbacv1.GroupName, Name: "ops"},
	}}
	granters.RoleRef.Name = "granter"
	named(&granters.ObjectMeta, "", "granters")
	p.everywhere = append(p.everywhere, granters)
	for n := range 4 {
		binding := rbacv1.RoleBinding{Subjects: g.subjects(false), RoleRef: g.roleRef()}
		named(&binding.ObjectMeta, g.namespace(), fmt.Sprintf("binding-%d", n))
		p.bindings = append(p.bindings, binding)
	}
	return p
}

func (g generator) clusterRole() string {
	return g.one("role-0", "role-1", "role-2", "role-3", "role-4", "missing", "system:public-info-viewer")
}

func (g generator) roleRef() rbacv1.RoleRef {
	if g.chance(50) {
		ref := isOf("Role")
		ref.Name = g.one("role-0", "role-1", "role-2", "missing")
		return ref
	}
	ref := isOf("ClusterRole")
	ref.Name = g.clusterRole()
	return ref
}

func (g generator) identity() identity {
	switch g.IntN(8) {
	case 0:
		return identity{Name: "system:anonymous", Groups: []string{"system:unauthenticated"}}
	case 1:
		namespace := g.namespace()
		groups := []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"}
		robot := identity{Name: "system:serviceaccount:" + namespace + ":" + g.one("robot", "other"), Groups: groups}
		if g.chance(50) {
			robot.Extra = map[string][]string{"authentication.kubernetes.io/node-name": {"node-1"}}
		}
		return robot
	case 2:
		return identity{Name: "root", Groups: []string{"system:masters", "system:authenticated"}}
	default:
		groups := append(g.some(2, "dev", "ops", "<none>"), "system:authenticated")
		return identity{Name: g.one("ada", "bob", "eve", "a \"quoted\" näme"), Groups: groups}
	}
}

func (g generator) question() question {
	q := question{As: g.identity(), Method: g.one("GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE")}
	names := []string{"", "/a", "/b", "/a/log", "/a/status", "/a/scale", "?watch=true", "?fieldSelector=metadata.name%3Da", "?watch=1&fieldSelector=metadata.name%3Db"}
	switch g.IntN(6) {
	case 0:
		q.Method = "GET"
		q.URL = g.one("/", "/api", "/apis/apps/v1", "/healthz", "/livez/ping", "/metrics", "/metrics/slis", "/logs/a", "/xyz", "/%3Cscript%3E", "/version", "/openapi/v3")
	case 1:
		q.URL = g.one("/api/v1/secrets", "/api/v1/pods", "/apis/apps/v1/deployments", "/api/v1/nodes", "/api/v1/watch/pods") + g.one("", "?watch=true")
		q.Method = "GET"
	default:
		q.URL = g.one("/api/v1/namespaces/", "/apis/apps/v1/namespaces/") + g.namespace() + "/" + g.one("pods", "secrets", "deployments", "nosuch") + g.one(names...)
	}
	if g.chance(45) {
		q.Headers = g.headers()
		if g.chance(50) {
			q.Method, q.URL = "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews"
		}
	}
	return q
}

func (g generator) headers() map[string][]string {
	headers := map[string][]string{}
	if g.chance(92) {
		headers["Impersonate-User"] = []string{g.one("ada", "bob", "system:anonymous", "system:serviceaccount:a:robot", "system:serviceaccount:A:x", "system:node:node-1", "system:node:UP", "a b")}
	}
	if g.chance(35) {
		headers["Impersonate-Group"] = g.some(5, "dev", "ops", "system:masters", "system:unauthenticated", "", "x")
	}
	if g.chance(15) {
		headers["Impersonate-Uid"] = []string{"1-2"}
	}
	if g.chance(25) {
		key := g.one("Impersonate-Extra-Scopes", "Impersonate-Extra-Acme.com%2fproject", "Impersonate-Extra-Bad%zz")
		headers[key] = g.some(2, "view", "edit")
	}
	return headers
}

func (g generator) review() review {
	r := review{Of: g.identity()}
	if g.chance(20) {
		r.Spec = map[string]any{"nonResourceAttributes": map[string]any{"verb": g.one("get", "post"), "path": g.one("/metrics", "/metrics/a", "/logs/a/b", "/", "/x", "/healthz")}}
		return r
	}
	of := map[string]any{"verb": g.one("get", "list", "create", "bind", "*"), "group": g.one("", "apps", "extensions"), "resource": g.one("pods", "secrets", "deployments", "roles", "*")}
	if g.chance(70) {
		of["namespace"] = g.namespace()
	}
	if g.chance(30) {
		of["subresource"] = g.one("log", "status", "scale")
	}
	if g.chance(40) {
		of["name"] = g.one("a", "b", "role-0")
	}
	r.Spec = map[string]any{"resourceAttributes": of}
	return r
}
