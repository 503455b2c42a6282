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

// The lists of the internal types. Each is a Go type of its own, because error messages show the type's name.
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

// List has the same memory layout as the list of the wire type.
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

func (in *ConfigMap) DeepCopyObject() runtime.Object { return &ConfigMap{*in.ConfigMap.DeepCopy()} }

func (in *ConfigMapList) DeepCopyObject() runtime.Object { return &ConfigMapList{in.deepCopy()} }

func (in *Event) DeepCopyObject() runtime.Object { return &Event{*in.Event.DeepCopy()} }

func (in *EventList) DeepCopyObject() runtime.Object { return &EventList{in.deepCopy()} }

func (in *Namespace) DeepCopyObject() runtime.Object { return &Namespace{*in.Namespace.DeepCopy()} }

func (in *NamespaceList) DeepCopyObject() runtime.Object { return &NamespaceList{in.deepCopy()} }

func (in *Node) DeepCopyObject() runtime.Object { return &Node{*in.Node.DeepCopy()} }

func (in *NodeList) DeepCopyObject() runtime.Object { return &NodeList{in.deepCopy()} }

func (in *Pod) DeepCopyObject() runtime.Object { return &Pod{*in.Pod.DeepCopy()} }

func (in *PodList) DeepCopyObject() runtime.Object { return &PodList{in.deepCopy()} }

func (in *Secret) DeepCopyObject() runtime.Object { return &Secret{*in.Secret.DeepCopy()} }

func (in *SecretList) DeepCopyObject() runtime.Object { return &SecretList{in.deepCopy()} }

func (in *Service) DeepCopyObject() runtime.Object { return &Service{*in.Service.DeepCopy()} }

func (in *ServiceList) DeepCopyObject() runtime.Object { return &ServiceList{in.deepCopy()} }

func (in *ServiceAccount) DeepCopyObject() runtime.Object {
	return &ServiceAccount{*in.ServiceAccount.DeepCopy()}
}

func (in *ReplicaSet) DeepCopyObject() runtime.Object { return &ReplicaSet{*in.ReplicaSet.DeepCopy()} }

func (in *ReplicaSetList) DeepCopyObject() runtime.Object { return &ReplicaSetList{in.deepCopy()} }

func (in *Lease) DeepCopyObject() runtime.Object { return &Lease{*in.Lease.DeepCopy()} }

func (in *LeaseList) DeepCopyObject() runtime.Object { return &LeaseList{in.deepCopy()} }

func (in *ServiceAccountList) DeepCopyObject() runtime.Object {
	return &ServiceAccountList{in.deepCopy()}
}
