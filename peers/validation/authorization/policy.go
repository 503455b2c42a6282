package main

// A set of RBAC roles and bindings, and the lookups that the authorizer makes in it.

import (
	"context"
	"errors"
	"sort"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

// policy is a set of roles and bindings. everywhere are the ClusterRoleBindings.
type policy struct {
	roles        []rbacv1.Role
	clusterRoles []rbacv1.ClusterRole
	bindings     []rbacv1.RoleBinding
	everywhere   []rbacv1.ClusterRoleBinding
}

func (p policy) objects() []any {
	var objects []any
	for _, object := range p.clusterRoles {
		object.Kind = "ClusterRole"
		objects = append(objects, object)
	}
	for _, object := range p.roles {
		object.Kind = "Role"
		objects = append(objects, object)
	}
	for _, object := range p.everywhere {
		object.Kind = "ClusterRoleBinding"
		objects = append(objects, object)
	}
	for _, object := range p.bindings {
		object.Kind = "RoleBinding"
		objects = append(objects, object)
	}
	return objects
}

// withBootstrap adds the roles and bindings that kube-apiserver creates when it starts.
func (p policy) withBootstrap() policy {
	p.clusterRoles = append(append(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()...), p.clusterRoles...)
	p.everywhere = append(append(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()...), p.everywhere...)
	for _, roles := range bootstrappolicy.NamespaceRoles() {
		p.roles = append(p.roles, roles...)
	}
	for _, bindings := range bootstrappolicy.NamespaceRoleBindings() {
		p.bindings = append(p.bindings, bindings...)
	}
	sort.Slice(p.everywhere, func(i, j int) bool { return p.everywhere[i].Name < p.everywhere[j].Name })
	sort.Slice(p.bindings, func(i, j int) bool { return p.bindings[i].Name < p.bindings[j].Name })
	return p
}

// resolver finds the roles and bindings of a policy. It stands for informers' listers and for the registry, whose
// errors name a missing object differently.
type resolver struct {
	policy
	name func(ctx context.Context, kind string) string
}

func (r resolver) missing(ctx context.Context, kind, name string) error {
	return apierrors.NewNotFound(rbacv1.Resource(r.name(ctx, kind)), name)
}

func (r resolver) GetRole(ctx context.Context, namespace, name string) (*rbacv1.Role, error) {
	if namespace == "" {
		return nil, errors.New("Namespace parameter required.")
	}
	for i := range r.roles {
		if r.roles[i].Namespace == namespace && r.roles[i].Name == name {
			return &r.roles[i], nil
		}
	}
	return nil, r.missing(ctx, "Role", name)
}

func (r resolver) GetClusterRole(ctx context.Context, name string) (*rbacv1.ClusterRole, error) {
	for i := range r.clusterRoles {
		if r.clusterRoles[i].Name == name {
			return &r.clusterRoles[i], nil
		}
	}
	return nil, r.missing(ctx, "ClusterRole", name)
}

func (r resolver) ListRoleBindings(_ context.Context, namespace string) ([]*rbacv1.RoleBinding, error) {
	var found []*rbacv1.RoleBinding
	for i := range r.bindings {
		if r.bindings[i].Namespace == namespace {
			found = append(found, &r.bindings[i])
		}
	}
	return found, nil
}

func (r resolver) ListClusterRoleBindings(context.Context) ([]*rbacv1.ClusterRoleBinding, error) {
	var found []*rbacv1.ClusterRoleBinding
	for i := range r.everywhere {
		found = append(found, &r.everywhere[i])
	}
	return found, nil
}
