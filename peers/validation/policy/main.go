// Command policy writes the cluster roles, roles and bindings that kube-apiserver creates when it starts: one object
// on each line, in the order of `PolicyData.EnsureRBACPolicy` in pkg/registry/rbac/rest.
package main

import (
	"encoding/json"
	"log"
	"maps"
	"os"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	write := func(object any) {
		if err := out.Encode(object); err != nil {
			log.Fatal(err)
		}
	}
	for _, role := range append(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()...) {
		role.Kind = "ClusterRole"
		write(role)
	}
	for _, binding := range append(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()...) {
		binding.Kind = "ClusterRoleBinding"
		write(binding)
	}
	each(bootstrappolicy.NamespaceRoles(), func(role rbacv1.Role) {
		role.Kind = "Role"
		write(role)
	})
	each(bootstrappolicy.NamespaceRoleBindings(), func(binding rbacv1.RoleBinding) {
		binding.Kind = "RoleBinding"
		write(binding)
	})
}

// each calls do for the objects of all namespaces, in the order of the namespaces' names.
func each[T any](of map[string][]T, do func(T)) {
	for _, namespace := range slices.Sorted(maps.Keys(of)) {
		for _, object := range of[namespace] {
			do(object)
		}
	}
}
