package main

// The strategies of the built-in kinds other than pods. They follow each kind's strategy.go in kube-apiserver
// (pkg/registry), but leave out the kind's own validation and defaults, which are not in k8s.io/apiserver.

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"informer-lab/peers/apiserver/core"
)

// validatedTwice is the strategy of a kind of which an update is validated as a change and as a new object.
func validatedTwice(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.covered = changeAndWhole
	return s
}

func configMapStrategy(scheme *runtime.Scheme) strategy { return validatedTwice(scheme) }

func secretStrategy(scheme *runtime.Scheme) strategy { return validatedTwice(scheme) }

func serviceAccountStrategy(scheme *runtime.Scheme) strategy { return validatedTwice(scheme) }

func eventStrategy(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.createOnUpdate = true
	s.garbage = rest.Unsupported
	s.validName = nil // legacyValidateEvent does not check metadata
	return s
}

func leaseStrategy(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.createOnUpdate, s.conditional, s.anyFinalizer = true, true, true
	return s
}

func serviceStrategy(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.resetFields = []fieldpath.Path{fieldpath.MakePathOrDie("status")}
	s.createOnUpdate = true
	s.validName = apivalidation.NameIsDNSLabel // relaxed, as in 1.37
	s.prepareCreate = func(object runtime.Object) { object.(*core.Service).Status = corev1.ServiceStatus{} }
	s.prepareUpdate = func(object, old runtime.Object) { object.(*core.Service).Status = old.(*core.Service).Status }
	return s
}

func serviceStatusStrategy(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.createOnUpdate = true
	s.resetFields = []fieldpath.Path{fieldpath.MakePathOrDie("spec")}
	s.validName = apivalidation.NameIsDNSLabel // relaxed, as in 1.37
	s.prepareUpdate = func(object, old runtime.Object) { object.(*core.Service).Spec = old.(*core.Service).Spec }
	return s
}

func nodeStrategy(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.resetFields = []fieldpath.Path{fieldpath.MakePathOrDie("status")}
	s.namespaced, s.covered = false, whole
	s.prepareUpdate = func(object, old runtime.Object) { object.(*core.Node).Status = old.(*core.Node).Status }
	return s
}

func nodeStatusStrategy(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.resetFields = []fieldpath.Path{fieldpath.MakePathOrDie("spec")}
	s.namespaced = false
	s.prepareUpdate = func(object, old runtime.Object) { object.(*core.Node).Spec = old.(*core.Node).Spec }
	return s
}

func namespaceStrategy(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.resetFields = []fieldpath.Path{fieldpath.MakePathOrDie("status")}
	s.namespaced, s.covered, s.validName = false, whole, apivalidation.ValidateNamespaceName
	s.prepareCreate = func(object runtime.Object) {
		object.(*core.Namespace).Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
	}
	s.prepareUpdate = func(object, old runtime.Object) {
		object.(*core.Namespace).Status = old.(*core.Namespace).Status
	}
	s.canonicalize = func(object runtime.Object) {
		namespace := object.(*core.Namespace)
		if namespace.Labels == nil {
			namespace.Labels = map[string]string{}
		}
		namespace.Labels[corev1.LabelMetadataName] = namespace.Name // the name may have been generated after the defaults were set
	}
	return s
}

func replicaSetStrategy(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.resetFields = []fieldpath.Path{fieldpath.MakePathOrDie("status")}
	s.prepareCreate = func(object runtime.Object) {
		set := object.(*core.ReplicaSet)
		set.Status = appsv1.ReplicaSetStatus{}
		set.Generation = 1
	}
	s.prepareUpdate = func(object, old runtime.Object) {
		set, before := object.(*core.ReplicaSet), old.(*core.ReplicaSet)
		set.Status = before.Status
		if !equality.Semantic.DeepEqual(set.Spec, before.Spec) {
			set.Generation = before.Generation + 1
		}
	}
	return s
}

func replicaSetStatusStrategy(scheme *runtime.Scheme) strategy {
	s := newStrategy(scheme)
	s.resetFields = []fieldpath.Path{fieldpath.MakePathOrDie("spec")}
	s.prepareUpdate = func(object, old runtime.Object) { object.(*core.ReplicaSet).Spec = old.(*core.ReplicaSet).Spec }
	return s
}
