// validation answers what kube-apiserver's own strategies say to objects: what is wrong with a new object, or with a new state of
// an old one. It reads cases, one a line, and writes them with their causes: fixtures/validation is made so.
//
// It stands alone, as k8s.io/kubernetes can only be imported with a replacement for each of its parts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	stderrors "errors"
	"fmt"
	"log"
	"os"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/capabilities"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
)

type both interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

var strategies = map[string]both{
	"Pod": pod.Strategy, "Node": node.Strategy, "Service": service.Strategy, "Namespace": namespace.Strategy,
	"ServiceAccount": serviceaccount.Strategy, "ConfigMap": configmap.Strategy, "Secret": secret.Strategy,
	"Event": event.Strategy, "ReplicaSet": replicaset.Strategy, "Lease": lease.Strategy,
	"ControllerRevision": controllerrevision.Strategy, "DaemonSet": daemonset.Strategy, "Deployment": deployment.Strategy,
	"StatefulSet": statefulset.Strategy, "CronJob": cronjob.Strategy, "Job": job.Strategy,
}
var statuses = map[string]rest.RESTUpdateStrategy{
	"Pod": pod.StatusStrategy, "Node": node.StatusStrategy, "Namespace": namespace.StatusStrategy,
	"Service": service.StatusStrategy, "ReplicaSet": replicaset.StatusStrategy,
	"DaemonSet": daemonset.StatusStrategy, "Deployment": deployment.StatusStrategy, "StatefulSet": statefulset.StatusStrategy,
	"CronJob": cronjob.StatusStrategy, "Job": job.StatusStrategy,
}

// kase is a line: what is sent, and what upstream has against it.
type kase struct {
	Old         json.RawMessage      `json:"old,omitempty"`
	New         json.RawMessage      `json:"new"`
	Subresource string               `json:"subresource,omitempty"`
	Causes      []metav1.StatusCause `json:"causes"`
}

func decode(data []byte) (runtime.Object, *schema.GroupVersionKind, error) {
	return legacyscheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
}

// answer does what the registry does with a request of this kind, up to its validation.
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
	info := &genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "create", APIGroup: gvk.Group, APIVersion: gvk.Version, Subresource: c.Subresource}
	ctx = genericapirequest.WithRequestInfo(ctx, info)
	if c.Old == nil {
		rest.FillObjectMetaSystemFields(obj.(metav1.Object))
		return c.note(rest.BeforeCreate(strategy, ctx, obj))
	}
	old, _, err := decode(c.Old)
	if err != nil {
		return err
	}
	before, after := old.(metav1.Object), obj.(metav1.Object)
	rest.FillObjectMetaSystemFields(before)
	if err := rest.BeforeCreate(strategy, ctx, old); err != nil {
		return fmt.Errorf("the old object: %w", err)
	}
	before.SetResourceVersion("1")
	after.SetResourceVersion("1")
	after.SetUID(before.GetUID())
	after.SetCreationTimestamp(before.GetCreationTimestamp())
	if c.Subresource == "status" {
		return c.note(rest.BeforeUpdate(statuses[gvk.Kind], ctx, obj, old))
	}
	return c.note(rest.BeforeUpdate(strategy, ctx, obj, old))
}

// note keeps the causes of a refusal. Any other error is a mistake in the case.
func (c *kase) note(err error) error {
	c.Causes = []metav1.StatusCause{}
	var status errors.APIStatus
	if !stderrors.As(err, &status) {
		return err
	}
	if status.Status().Reason != metav1.StatusReasonInvalid {
		return err
	}
	c.Causes = status.Status().Details.Causes
	return nil
}

func main() {
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true}) // as kubeadm starts kube-apiserver
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
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
