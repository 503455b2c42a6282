package main

import (
	"context"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"informer-lab/peers/apiserver/core"
)

// newRegistries makes what is served below /api/v1, by its path.
func newRegistries(scheme *runtime.Scheme, storage storageOptions) (map[string]rest.Storage, error) {
	pods := &genericregistry.Store{
		NewFunc:                   func() runtime.Object { return &core.Pod{} },
		NewListFunc:               func() runtime.Object { return &core.PodList{} },
		DefaultQualifiedResource:  schema.GroupResource{Resource: "pods"},
		SingularQualifiedResource: schema.GroupResource{Resource: "pod"},
		ReturnDeletedObject:       true,
	}
	main := podStrategy(scheme)
	if err := complete(pods, main, &generic.StoreOptions{RESTOptions: storage, AttrFunc: podAttributes}); err != nil {
		return nil, err
	}
	status := *pods
	status.UpdateStrategy = podStatusStrategy(scheme)
	status.ResetFieldsStrategy = podStatusStrategy(scheme)

	namespaces := &genericregistry.Store{
		NewFunc:                   func() runtime.Object { return &core.Namespace{} },
		NewListFunc:               func() runtime.Object { return &core.NamespaceList{} },
		DefaultQualifiedResource:  schema.GroupResource{Resource: "namespaces"},
		SingularQualifiedResource: schema.GroupResource{Resource: "namespace"},
	}
	if err := complete(namespaces, namespaceStrategy(scheme), &generic.StoreOptions{RESTOptions: storage}); err != nil {
		return nil, err
	}
	return map[string]rest.Storage{
		"pods":         named{pods, []string{"po"}},
		"pods/status":  statusStore{&status},
		"pods/binding": bindingStore{pods},
		"namespaces":   named{namespaces, []string{"ns"}},
	}, nil
}

// kindStrategy is all that a store asks of a kind's strategy.
type kindStrategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
	rest.ResetFieldsStrategy
}

func complete(store *genericregistry.Store, strategy kindStrategy, options *generic.StoreOptions) error {
	store.CreateStrategy, store.UpdateStrategy, store.DeleteStrategy = strategy, strategy, strategy
	store.ResetFieldsStrategy = strategy
	store.TableConvertor = rest.NewDefaultTableConvertor(store.DefaultQualifiedResource)
	return store.CompleteWithOptions(options)
}

// named adds short names to a generic store.
type named struct {
	*genericregistry.Store
	short []string
}

func (r named) ShortNames() []string { return r.short }

// statusStore serves get, update and patch of a status subresource.
type statusStore struct{ store *genericregistry.Store }

func (r statusStore) New() runtime.Object { return r.store.New() }
func (r statusStore) Destroy()            {}

func (r statusStore) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return r.store.Get(ctx, name, options)
}

func (r statusStore) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc,
	update rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return r.store.Update(ctx, name, info, create, update, false, options)
}

func (r statusStore) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return r.store.GetResetFields()
}

func (r statusStore) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return r.store.ConvertToTable(ctx, object, options)
}

func namespaceStrategy(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.namespaced, s.validName = false, apivalidation.ValidateNamespaceName
	s.prepareUpdate = func(object, old runtime.Object) {
		object.(*core.Namespace).Status = old.(*core.Namespace).Status
	}
	return s
}
