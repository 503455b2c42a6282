package main

// Random writes of roles and bindings, which RBAC's escalation checks allow or refuse.

import (
	"context"
	"errors"
	"log"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/rbac"
	clusterrole "k8s.io/kubernetes/pkg/registry/rbac/clusterrole/policybased"
	clusterrolebinding "k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding/policybased"
	role "k8s.io/kubernetes/pkg/registry/rbac/role/policybased"
	rolebinding "k8s.io/kubernetes/pkg/registry/rbac/rolebinding/policybased"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
)

// grant makes a request that creates a role or binding, or updates an existing one. In most cases, the user may write
// such objects.
func (g generator) grant(p policy) question {
	q := question{As: g.identity(), Method: "POST"}
	if g.chance(70) {
		q.As = identity{Name: "ada", Groups: []string{g.one("dev", "ops"), "system:authenticated"}}
	}
	const group, dry = "/apis/rbac.authorization.k8s.io/v1/", "?dryRun=All"
	// put sets the method and the URL: a POST to a collection, or a PUT of the object with the name.
	put := func(path, name string) {
		q.URL = group + path + dry
		if name != "" {
			q.Method, q.URL = "PUT", group+path+"/"+name+dry
		}
	}
	aggregation := func() *rbacv1.AggregationRule {
		if !g.chance(20) {
			return nil
		}
		return &rbacv1.AggregationRule{ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: map[string]string{"a": "b"}}}}
	}
	switch exists := g.chance(40); g.IntN(4) {
	case 0:
		made := rbacv1.ClusterRole{Rules: g.ruleList(true), AggregationRule: aggregation()}
		named(&made.ObjectMeta, "", "new")
		if exists {
			made.Name = p.clusterRoles[g.IntN(len(p.clusterRoles))].Name
			put("clusterroles", made.Name)
		} else {
			put("clusterroles", "")
		}
		q.Body = made
	case 1:
		made := rbacv1.Role{Rules: g.ruleList(false)}
		named(&made.ObjectMeta, g.namespace(), "new")
		name := ""
		if exists {
			old := p.roles[g.IntN(len(p.roles))]
			made.Namespace, made.Name, name = old.Namespace, old.Name, old.Name
		}
		put("namespaces/"+made.Namespace+"/roles", name)
		q.Body = made
	case 2:
		made := rbacv1.ClusterRoleBinding{Subjects: g.subjects(true), RoleRef: isOf("ClusterRole")}
		made.RoleRef.Name = g.clusterRole()
		named(&made.ObjectMeta, "", "new")
		name := ""
		if exists {
			old := p.everywhere[g.IntN(len(p.everywhere))]
			made.Name, made.RoleRef, name = old.Name, old.RoleRef, old.Name
		}
		put("clusterrolebindings", name)
		q.Body = made
	default:
		made := rbacv1.RoleBinding{Subjects: g.subjects(false), RoleRef: g.roleRef()}
		named(&made.ObjectMeta, g.namespace(), "new")
		name := ""
		if exists {
			old := p.bindings[g.IntN(len(p.bindings))]
			made.Namespace, made.Name, made.RoleRef, name = old.Namespace, old.Name, old.RoleRef, old.Name
		}
		put("namespaces/"+made.Namespace+"/rolebindings", name)
		q.Body = made
	}
	return q
}

// grant sends the request through the filters, and then to the storage of the kind, which checks for escalation.
func (q *question) grant(decide authorizer.Authorizer, registry resolver, all policy) {
	resolver := validation.NewDefaultRuleResolver(registry, registry, registry, registry)
	q.through(decide, func(ctx context.Context) *metav1.Status {
		object, old := internal(q.Body, all)
		var storage rest.StandardStorage = stored{old: old}
		switch object.(type) {
		case *rbac.Role:
			storage = role.NewStorage(storage, decide, resolver)
		case *rbac.ClusterRole:
			storage = clusterrole.NewStorage(storage, decide, resolver)
		case *rbac.RoleBinding:
			storage = rolebinding.NewStorage(storage, decide, resolver)
		case *rbac.ClusterRoleBinding:
			storage = clusterrolebinding.NewStorage(storage, decide, resolver)
		}
		var err error
		if q.Method == "POST" {
			_, err = storage.Create(ctx, object, nil, nil)
		} else {
			_, _, err = storage.Update(ctx, "", rest.DefaultUpdatedObjectInfo(object), nil, nil, false, nil)
		}
		if err == nil {
			return nil
		}
		status := apierrors.APIStatus(nil)
		if errors.As(err, &status) {
			refusal := status.Status()
			return &refusal
		}
		return &metav1.Status{Status: "Failure", Code: 500, Message: err.Error()}
	})
}

// internal returns the object in the internal version, and the existing object of the same name, if there is one.
func internal(object any, all policy) (runtime.Object, runtime.Object) {
	converted := func(from any, to runtime.Object) runtime.Object {
		if err := legacyscheme.Scheme.Convert(from, to, nil); err != nil {
			log.Fatal(err)
		}
		return to
	}
	switch made := object.(type) {
	case rbacv1.Role:
		for _, old := range all.roles {
			if old.Namespace == made.Namespace && old.Name == made.Name {
				return converted(&made, &rbac.Role{}), converted(&old, &rbac.Role{})
			}
		}
		return converted(&made, &rbac.Role{}), nil
	case rbacv1.ClusterRole:
		for _, old := range all.clusterRoles {
			if old.Name == made.Name {
				return converted(&made, &rbac.ClusterRole{}), converted(&old, &rbac.ClusterRole{})
			}
		}
		return converted(&made, &rbac.ClusterRole{}), nil
	case rbacv1.RoleBinding:
		for _, old := range all.bindings {
			if old.Namespace == made.Namespace && old.Name == made.Name {
				return converted(&made, &rbac.RoleBinding{}), converted(&old, &rbac.RoleBinding{})
			}
		}
		return converted(&made, &rbac.RoleBinding{}), nil
	case rbacv1.ClusterRoleBinding:
		for _, old := range all.everywhere {
			if old.Name == made.Name {
				return converted(&made, &rbac.ClusterRoleBinding{}), converted(&old, &rbac.ClusterRoleBinding{})
			}
		}
		return converted(&made, &rbac.ClusterRoleBinding{}), nil
	}
	log.Fatalf("%T", object)
	return nil, nil
}

// stored is a storage that accepts every write. The existing object has another UID than the written one, as on a
// server.
type stored struct {
	rest.StandardStorage
	old runtime.Object
}

func (stored) Create(_ context.Context, object runtime.Object, _ rest.ValidateObjectFunc, _ *metav1.CreateOptions) (runtime.Object, error) {
	return object, nil
}

func (s stored) Update(ctx context.Context, _ string, info rest.UpdatedObjectInfo, _ rest.ValidateObjectFunc, _ rest.ValidateObjectUpdateFunc, _ bool, _ *metav1.UpdateOptions) (runtime.Object, bool, error) {
	old := s.old.DeepCopyObject()
	old.(metav1.Object).SetUID("stored")
	object, err := info.UpdatedObject(ctx, old)
	return object, false, err
}
