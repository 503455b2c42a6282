// Command validation validates objects with kube-apiserver's own strategies. It reads cases from standard input, one
// JSON object on each line: a new object and sometimes an old one. It writes them with upstream's causes, as the
// expected results in fixtures/validation.
//
// It is in a module of its own, because importing k8s.io/kubernetes needs a replace directive for each of its staging
// modules.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	stderrors "errors"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
	"k8s.io/kubernetes/pkg/capabilities"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/resolver"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/certificates/clustertrustbundle"
	"k8s.io/kubernetes/pkg/registry/certificates/podcertificaterequest"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/flowschema"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/prioritylevelconfiguration"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/ipaddress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/networking/servicecidr"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
	"k8s.io/kubernetes/pkg/registry/storagemigration/storagemigration"
	"k8s.io/utils/clock"
)

// both is the strategy for creating and for updating the objects of a kind.
type both interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// policies is the strategy of ValidatingAdmissionPolicy. It has no authorizer, so that it does not check the right to
// read parameters.
var policies = validatingadmissionpolicy.NewStrategy(nil, nil)

// claims and requests are strategies whose updates of the status ask an authorizer, which allows everything here.
var (
	claims   = resourceclaim.NewStrategy(nil, authorizerfactory.NewAlwaysAllowAuthorizer())
	requests = podcertificaterequest.NewStrategy()
)

var strategies = map[string]both{
	"Pod": pod.Strategy, "Node": node.Strategy, "Service": service.Strategy, "Namespace": namespace.Strategy,
	"ServiceAccount": serviceaccount.Strategy, "ConfigMap": configmap.Strategy, "Secret": secret.Strategy,
	"Event": event.Strategy, "ReplicaSet": replicaset.Strategy, "Lease": lease.Strategy,
	"ControllerRevision": controllerrevision.Strategy, "DaemonSet": daemonset.Strategy, "Deployment": deployment.Strategy,
	"StatefulSet": statefulset.Strategy, "CronJob": cronjob.Strategy, "Job": job.Strategy,
	"Endpoints": endpoint.Strategy, "LimitRange": limitrange.Strategy, "PersistentVolume": persistentvolume.Strategy,
	"PersistentVolumeClaim": persistentvolumeclaim.Strategy, "PodTemplate": podtemplate.Strategy,
	"ReplicationController": replicationcontroller.Strategy, "ResourceQuota": resourcequota.Strategy,
	"MutatingWebhookConfiguration":     mutatingwebhookconfiguration.Strategy,
	"ValidatingWebhookConfiguration":   validatingwebhookconfiguration.Strategy,
	"ValidatingAdmissionPolicy":        policies,
	"ValidatingAdmissionPolicyBinding": validatingadmissionpolicybinding.NewStrategy(nil, nil, resolver.ResourceResolverFunc(nil)),
	"HorizontalPodAutoscaler":          horizontalpodautoscaler.Strategy,
	"CertificateSigningRequest":        certificates.Strategy,
	"EndpointSlice":                    endpointslice.Strategy,
	"Ingress":                          ingress.Strategy, "IngressClass": ingressclass.Strategy, "NetworkPolicy": networkpolicy.Strategy,
	"FlowSchema": flowschema.Strategy, "PriorityLevelConfiguration": prioritylevelconfiguration.Strategy,
	"IPAddress": ipaddress.Strategy, "ServiceCIDR": servicecidr.Strategy,
	"RuntimeClass": runtimeclass.Strategy, "PodDisruptionBudget": poddisruptionbudget.Strategy,
	"Role": role.Strategy, "RoleBinding": rolebinding.Strategy, "ClusterRole": clusterrole.Strategy,
	"ClusterRoleBinding": clusterrolebinding.Strategy, "PriorityClass": priorityclass.Strategy, "StorageClass": storageclass.Strategy,
	"CSIDriver": csidriver.Strategy, "CSINode": csinode.Strategy, "CSIStorageCapacity": csistoragecapacity.Strategy,
	"VolumeAttachment": volumeattachment.Strategy, "VolumeAttributesClass": volumeattributesclass.Strategy,
	"CustomResourceDefinition": customresourcedefinition.NewStrategy(legacyscheme.Scheme),
	"DeviceClass":              deviceclass.Strategy, "DeviceTaintRule": devicetaintrule.Strategy, "ResourceSlice": resourceslice.Strategy,
	"ResourceClaim": claims, "ResourceClaimTemplate": resourceclaimtemplate.NewStrategy(nil),
	"StorageVersionMigration": storagemigration.Strategy, "ClusterTrustBundle": clustertrustbundle.Strategy, "PodCertificateRequest": requests,
}

// statuses are the strategies for updates of the status subresource.
var statuses = map[string]rest.RESTUpdateStrategy{
	"Pod": pod.StatusStrategy, "Node": node.StatusStrategy, "Namespace": namespace.StatusStrategy,
	"Service": service.StatusStrategy, "ReplicaSet": replicaset.StatusStrategy,
	"DaemonSet": daemonset.StatusStrategy, "Deployment": deployment.StatusStrategy, "StatefulSet": statefulset.StatusStrategy,
	"CronJob": cronjob.StatusStrategy, "Job": job.StatusStrategy,
	"PersistentVolume": persistentvolume.StatusStrategy, "PersistentVolumeClaim": persistentvolumeclaim.StatusStrategy,
	"ReplicationController": replicationcontroller.StatusStrategy, "ResourceQuota": resourcequota.StatusStrategy,
	"HorizontalPodAutoscaler": horizontalpodautoscaler.StatusStrategy, "CertificateSigningRequest": certificates.StatusStrategy,
	"FlowSchema": flowschema.StatusStrategy, "PriorityLevelConfiguration": prioritylevelconfiguration.StatusStrategy,
	"CSINode": csinode.StatusStrategy, "VolumeAttachment": volumeattachment.StatusStrategy,
	"Ingress": ingress.StatusStrategy, "ServiceCIDR": servicecidr.StatusStrategy, "PodDisruptionBudget": poddisruptionbudget.StatusStrategy,
	"CustomResourceDefinition":  customresourcedefinition.NewStatusStrategy(legacyscheme.Scheme),
	"ValidatingAdmissionPolicy": validatingadmissionpolicy.NewStatusStrategy(policies),
	"DeviceTaintRule":           devicetaintrule.StatusStrategy, "ResourceClaim": resourceclaim.NewStatusStrategy(claims),
	"StorageVersionMigration": storagemigration.StatusStrategy,
	"PodCertificateRequest":   podcertificaterequest.NewStatusStrategy(requests, authorizerfactory.NewAlwaysAllowAuthorizer(), clock.RealClock{}),
}

// kase is a case: the objects that are sent, and upstream's causes.
type kase struct {
	Old json.RawMessage `json:"old,omitempty"`
	// Status is written to the old object before the update, as a controller would do.
	Status      json.RawMessage `json:"status,omitempty"`
	New         json.RawMessage `json:"new"`
	Subresource string          `json:"subresource,omitempty"`
	// Unordered means that the order of upstream's causes depends on a Go map; the causes are then sorted.
	Unordered bool `json:"unordered,omitempty"`
	// Ask lists the additional answers for a valid object: "object", "cells", "columns", "warnings".
	Ask      []string                       `json:"ask,omitempty"`
	Causes   []metav1.StatusCause           `json:"causes"`
	Object   map[string]any                 `json:"object,omitempty"`
	Cells    []any                          `json:"cells,omitempty"`
	Columns  []metav1.TableColumnDefinition `json:"columns,omitempty"`
	Warnings []string                       `json:"warnings,omitempty"`
}

// AddWarning keeps a warning, as the handler of a request does.
func (c *kase) AddWarning(_, text string) {
	if slices.Contains(c.Ask, "warnings") && !slices.Contains(c.Warnings, text) {
		c.Warnings = append(c.Warnings, text)
	}
}

func decode(data []byte) (runtime.Object, *schema.GroupVersionKind, error) {
	return legacyscheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
}

// answer handles the case like a request in the registry, up to the validation.
func answer(c *kase) error {
	obj, gvk, err := decode(c.New)
	if err != nil {
		return err
	}
	strategy := strategies[gvk.Kind]
	namespace := metav1.NamespaceNone
	if strategy.NamespaceScoped() {
		namespace = metav1.NamespaceDefault
	}
	ctx := genericapirequest.WithNamespace(context.Background(), namespace)
	ctx = genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: "system:anonymous", Groups: []string{"system:unauthenticated"}})
	info := &genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "create", APIGroup: gvk.Group, APIVersion: gvk.Version, Subresource: c.Subresource}
	ctx = genericapirequest.WithRequestInfo(ctx, info)
	c.Warnings = nil
	if c.Old == nil {
		ctx = warning.WithWarningRecorder(ctx, c)
		rest.FillObjectMetaSystemFields(obj.(metav1.Object))
		return c.note(obj, rest.BeforeCreate(strategy, ctx, obj))
	}
	old, _, err := decode(c.Old)
	if err != nil {
		return err
	}
	rest.FillObjectMetaSystemFields(old.(metav1.Object))
	if err := rest.BeforeCreate(strategy, ctx, old); err != nil {
		return fmt.Errorf("the old object: %w", err)
	}
	old.(metav1.Object).SetResourceVersion("1")
	if c.Status != nil {
		if old, err = c.withStatus(ctx, old, gvk.Kind); err != nil {
			return fmt.Errorf("the status of the old object: %w", err)
		}
	}
	follow(old, obj)
	ctx = warning.WithWarningRecorder(ctx, c)
	switch c.Subresource {
	case "status":
		return c.note(obj, rest.BeforeUpdate(statuses[gvk.Kind], ctx, obj, old))
	case "approval":
		return c.note(obj, rest.BeforeUpdate(certificates.ApprovalStrategy, ctx, obj, old))
	case "ephemeralcontainers":
		return c.note(obj, rest.BeforeUpdate(pod.EphemeralContainersStrategy, ctx, obj, old))
	case "resize":
		return c.note(obj, rest.BeforeUpdate(pod.ResizeStrategy, ctx, obj, old))
	}
	return c.note(obj, rest.BeforeUpdate(strategy, ctx, obj, old))
}

// withStatus returns the old object with the case's status.
func (c *kase) withStatus(ctx context.Context, old runtime.Object, kind string) (runtime.Object, error) {
	var object map[string]any
	if err := json.Unmarshal(c.Old, &object); err != nil {
		return nil, err
	}
	object["status"] = c.Status
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	reported, _, err := decode(data)
	if err != nil {
		return nil, err
	}
	follow(old, reported)
	return reported, rest.BeforeUpdate(statuses[kind], ctx, reported, old)
}

// follow copies the metadata that the server sets, so that an object is the next state of another one.
func follow(old, next runtime.Object) {
	before, after := old.(metav1.Object), next.(metav1.Object)
	after.SetResourceVersion(before.GetResourceVersion())
	after.SetUID(before.GetUID())
	after.SetCreationTimestamp(before.GetCreationTimestamp())
}

// note keeps the causes if the object is invalid, and the additional answers if it is valid. Any other error is a
// mistake in the case.
func (c *kase) note(obj runtime.Object, err error) error {
	c.Causes, c.Object, c.Cells, c.Columns = []metav1.StatusCause{}, nil, nil, nil
	if err == nil {
		return c.show(obj)
	}
	var status errors.APIStatus
	if !stderrors.As(err, &status) {
		return err
	}
	if status.Status().Reason != metav1.StatusReasonInvalid {
		return err
	}
	c.Causes = status.Status().Details.Causes
	if c.Unordered {
		slices.SortFunc(c.Causes, func(a, b metav1.StatusCause) int { return strings.Compare(a.Field+a.Message, b.Field+b.Message) })
	}
	return nil
}

func main() {
	install.Install(legacyscheme.Scheme)                                      // kube-apiserver has a separate scheme for custom resource definitions
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true}) // kubeadm starts kube-apiserver with this option
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 8<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var c kase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			log.Fatal(err)
		}
		if err := answer(&c); err != nil {
			log.Fatalf("%s: %v", in.Text(), err)
		}
		if err := out.Encode(c); err != nil {
			log.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}
