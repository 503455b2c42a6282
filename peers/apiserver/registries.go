package main

// The table of the API server's built-in kinds, and their registries.

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"

	"informer-lab/peers/apiserver/core"
)

// row is a built-in kind that is served.
type row struct {
	group, plural, singular string
	short                   []string
	categories              []string
	object, list            func() runtime.Object
	strategy                kindStrategy
	// status is the strategy of the status subresource, or nil if the kind has none.
	status kindStrategy
	// returnDeleted makes DELETE answer with the deleted object instead of a Status.
	returnDeleted bool
}

func rows(s *runtime.Scheme) []row {
	return []row{
		{"", "configmaps", "configmap", []string{"cm"}, nil, newObject[core.ConfigMap], newObject[core.ConfigMapList], configMapStrategy(s), nil, false},
		{"", "events", "event", []string{"ev"}, nil, newObject[core.Event], newObject[core.EventList], eventStrategy(s), nil, false},
		{"", "namespaces", "namespace", []string{"ns"}, nil, newObject[core.Namespace], newObject[core.NamespaceList], namespaceStrategy(s), nil, false},
		{"", "nodes", "node", []string{"no"}, nil, newObject[core.Node], newObject[core.NodeList], nodeStrategy(s), nodeStatusStrategy(s), false},
		{"", "pods", "pod", []string{"po"}, []string{"all"}, newObject[core.Pod], newObject[core.PodList], podStrategy(s), podStatusStrategy(s), true},
		{"", "secrets", "secret", nil, nil, newObject[core.Secret], newObject[core.SecretList], secretStrategy(s), nil, false},
		{"", "serviceaccounts", "serviceaccount", []string{"sa"}, nil, newObject[core.ServiceAccount], newObject[core.ServiceAccountList], serviceAccountStrategy(s), nil, true},
		{"", "services", "service", []string{"svc"}, []string{"all"}, newObject[core.Service], newObject[core.ServiceList], serviceStrategy(s), serviceStatusStrategy(s), true},
		{"apps", "replicasets", "replicaset", []string{"rs"}, []string{"all"}, newObject[core.ReplicaSet], newObject[core.ReplicaSetList], replicaSetStrategy(s), replicaSetStatusStrategy(s), false},
		{"coordination.k8s.io", "leases", "lease", nil, nil, newObject[core.Lease], newObject[core.LeaseList], leaseStrategy(s), nil, false},
	}
}

func newObject[T any]() runtime.Object { return any(new(T)).(runtime.Object) }

// newRegistries returns the storage of every resource, by group and by path.
func newRegistries(scheme *runtime.Scheme, storage storageOptions) (map[string]map[string]rest.Storage, error) {
	served := map[string]map[string]rest.Storage{}
	for _, row := range rows(scheme) {
		store, err := row.store(storage)
		if err != nil {
			return nil, err
		}
		if served[row.group] == nil {
			served[row.group] = map[string]rest.Storage{}
		}
		resources := served[row.group]
		resources[row.plural] = named{store, row.short, row.categories}
		if row.status != nil {
			status := *store
			status.UpdateStrategy, status.ResetFieldsStrategy = row.status, row.status
			resources[row.plural+"/status"] = statusStore{&status}
		}
		if row.plural == "pods" {
			resources["pods/binding"] = bindingStore{store}
		}
	}
	return served, nil
}

func (r row) store(storage storageOptions) (*genericregistry.Store, error) {
	store := &genericregistry.Store{
		NewFunc:                   r.object,
		NewListFunc:               r.list,
		DefaultQualifiedResource:  schema.GroupResource{Group: r.group, Resource: r.plural},
		SingularQualifiedResource: schema.GroupResource{Group: r.group, Resource: r.singular},
		ReturnDeletedObject:       r.returnDeleted,
		CreateStrategy:            r.strategy,
		UpdateStrategy:            r.strategy,
		DeleteStrategy:            r.strategy,
		ResetFieldsStrategy:       r.strategy,
	}
	store.TableConvertor = rest.NewDefaultTableConvertor(store.DefaultQualifiedResource)
	if r.plural == "pods" {
		store.TableConvertor = podTable{}
	}
	return store, store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: storage, AttrFunc: attributes})
}

// kindStrategy is the part of a kind's strategy that a store needs.
type kindStrategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
	rest.ResetFieldsStrategy
}

// named adds short names and categories to a generic store.
type named struct {
	*genericregistry.Store
	short, categories []string
}

func (r named) ShortNames() []string { return r.short }
func (r named) Categories() []string { return r.categories }
