package core

import (
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The internal types. Each embeds its wire type and nothing else, so that both have the same memory layout. They have
// the methods of the wire type, except for DeepCopyObject, which must return the internal type.
type (
	ConfigMap      struct{ corev1.ConfigMap }
	Event          struct{ corev1.Event }
	Namespace      struct{ corev1.Namespace }
	Node           struct{ corev1.Node }
	Pod            struct{ corev1.Pod }
	Secret         struct{ corev1.Secret }
	Service        struct{ corev1.Service }
	ServiceAccount struct{ corev1.ServiceAccount }
	ReplicaSet     struct{ appsv1.ReplicaSet }
	Lease          struct{ coordinationv1.Lease }
)

// The lists of the internal types, named as in error messages.
type (
	ConfigMapList      struct{ List[ConfigMap] }
	EventList          struct{ List[Event] }
	NamespaceList      struct{ List[Namespace] }
	NodeList           struct{ List[Node] }
	PodList            struct{ List[Pod] }
	SecretList         struct{ List[Secret] }
	ServiceList        struct{ List[Service] }
	ServiceAccountList struct{ List[ServiceAccount] }
	ReplicaSetList     struct{ List[ReplicaSet] }
	LeaseList          struct{ List[Lease] }
)

// List has the memory layout of the wire type's list.
type List[Hub any] struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []Hub
}

func (in *List[Hub]) deepCopy() List[Hub] {
	out := List[Hub]{TypeMeta: in.TypeMeta, ListMeta: *in.ListMeta.DeepCopy()}
	if in.Items != nil {
		out.Items = make([]Hub, 0, len(in.Items))
	}
	for i := range in.Items {
		item := any(&in.Items[i]).(runtime.Object).DeepCopyObject()
		out.Items = append(out.Items, *any(item).(*Hub))
	}
	return out
}

// DeepCopyObject implements runtime.Object.
func (in *ConfigMap) DeepCopyObject() runtime.Object { return &ConfigMap{*in.ConfigMap.DeepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *ConfigMapList) DeepCopyObject() runtime.Object { return &ConfigMapList{in.deepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *Event) DeepCopyObject() runtime.Object { return &Event{*in.Event.DeepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *EventList) DeepCopyObject() runtime.Object { return &EventList{in.deepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *Namespace) DeepCopyObject() runtime.Object { return &Namespace{*in.Namespace.DeepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *NamespaceList) DeepCopyObject() runtime.Object { return &NamespaceList{in.deepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *Node) DeepCopyObject() runtime.Object { return &Node{*in.Node.DeepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *NodeList) DeepCopyObject() runtime.Object { return &NodeList{in.deepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *Pod) DeepCopyObject() runtime.Object { return &Pod{*in.Pod.DeepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *PodList) DeepCopyObject() runtime.Object { return &PodList{in.deepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *Secret) DeepCopyObject() runtime.Object { return &Secret{*in.Secret.DeepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *SecretList) DeepCopyObject() runtime.Object { return &SecretList{in.deepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *Service) DeepCopyObject() runtime.Object { return &Service{*in.Service.DeepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *ServiceList) DeepCopyObject() runtime.Object { return &ServiceList{in.deepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *ServiceAccount) DeepCopyObject() runtime.Object {
	return &ServiceAccount{*in.ServiceAccount.DeepCopy()}
}

// DeepCopyObject implements runtime.Object.
func (in *ReplicaSet) DeepCopyObject() runtime.Object { return &ReplicaSet{*in.ReplicaSet.DeepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *ReplicaSetList) DeepCopyObject() runtime.Object { return &ReplicaSetList{in.deepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *Lease) DeepCopyObject() runtime.Object { return &Lease{*in.Lease.DeepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *LeaseList) DeepCopyObject() runtime.Object { return &LeaseList{in.deepCopy()} }

// DeepCopyObject implements runtime.Object.
func (in *ServiceAccountList) DeepCopyObject() runtime.Object {
	return &ServiceAccountList{in.deepCopy()}
}
