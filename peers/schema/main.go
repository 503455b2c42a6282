// Command schema prints the table of API types that the in-memory API server uses to decode, default, merge and validate
// objects. It reads the struct tags of k8s.io/api, the tags in its comments, and the schema of client-go's apply
// configurations.
//
//	cd peers && go run ./schema > ../crates/kube-machinery/src/codec/schema/types.txt
//
// crates/kube-machinery/src/codec/schema/mod.rs describes the format.
package main

import (
	"fmt"
	"log"
	"reflect"
	"sort"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	"informer-lab/peers"
)

// leaf maps the types that the table does not describe field by field to their names in the table.
var leaf = map[reflect.Type]string{
	reflect.TypeOf(metav1.Time{}):          "time",
	reflect.TypeOf(metav1.MicroTime{}):     "microtime",
	reflect.TypeOf(metav1.Duration{}):      "duration",
	reflect.TypeOf(metav1.FieldsV1{}):      "fields",
	reflect.TypeOf(runtime.RawExtension{}): "raw",
	reflect.TypeOf(resource.Quantity{}):    "quantity",
	reflect.TypeOf(intstr.IntOrString{}):   "intorstring",

	reflect.TypeOf(apiextensionsv1.JSON{}):                         "raw",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrBool{}):        "schemaorbool",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrArray{}):       "schemaorarray",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrStringArray{}): "schemaorstringarray",
}

// queue holds the structs that the table does not describe yet, seen all structs that were ever in it.
var queue []reflect.Type
var seen = map[reflect.Type]bool{}

// name returns the name of a type in the table: its name in Go, with the group if types of two groups have the same
// name.
func name(t reflect.Type) string {
	switch {
	case t == reflect.TypeOf(discoveryv1.EndpointPort{}):
		return "discovery." + t.Name()
	case t == reflect.TypeOf(flowcontrolv1.Subject{}):
		return "flowcontrol." + t.Name()
	case t == reflect.TypeOf(storagev1.TokenRequest{}):
		return "storage." + t.Name()
	case t.PkgPath() == "k8s.io/api/autoscaling/v1" && !strings.HasPrefix(t.Name(), "Scale"):
		return "autoscaling." + t.Name()
	case t == reflect.TypeOf(resourcev1.ResourceClaim{}):
		return "resource." + t.Name()
	case t.PkgPath() == "k8s.io/api/events/v1":
		return "events." + t.Name()
	case t == reflect.TypeOf(apiregistrationv1.ServiceReference{}):
		return "apiregistration." + t.Name()
	case t == reflect.TypeOf(apiextensionsv1.ServiceReference{}), t == reflect.TypeOf(apiextensionsv1.WebhookClientConfig{}):
		return "apiextensions." + t.Name()
	}
	return t.Name()
}

// typ returns a type in the notation of the table, and adds a new struct to the queue.
func typ(t reflect.Type) string {
	if l, ok := leaf[t]; ok {
		return l
	}
	switch t.Kind() {
	case reflect.Ptr:
		return "*" + typ(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[" + typ(t.Elem())
	case reflect.Map:
		return "{" + typ(t.Elem())
	case reflect.Struct:
		if !seen[t] {
			seen[t] = true
			queue = append(queue, t)
		}
		return name(t)
	}
	return t.Kind().String()
}

// goName returns the name of a type in the messages of Go's decoder, if it does not follow from the type in the
// table: for types with a name of their own.
func goName(t reflect.Type) string {
	if t.Kind() == reflect.Ptr {
		t = t.Elem()
	}
	if _, own := leaf[t]; own || t.String() == plain(t) {
		return ""
	}
	return t.String()
}

// plain returns the name in Go's messages that follows from a type in the table.
func plain(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Ptr:
		return plain(t.Elem())
	case reflect.Slice:
		return "[]" + plain(t.Elem())
	case reflect.Map:
		return "map[string]" + plain(t.Elem())
	case reflect.Struct:
		return "v1." + t.Name()
	}
	return t.Kind().String()
}

// fields returns the lines of a struct's fields.
func fields(known *smd.Schema, t reflect.Type) []string {
	var out []string
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		j := strings.Split(f.Tag.Get("json"), ",")
		if j[0] == "-" {
			continue
		}
		inline := f.Anonymous && j[0] == ""
		if inline {
			if f.Type == reflect.TypeOf(metav1.TypeMeta{}) {
				continue
			}
			p := strings.Split(f.Tag.Get("protobuf"), ",")
			if len(p) > 1 && f.Type.Kind() == reflect.Struct {
				embeddedIn[f.Type] = t
				out = append(out, strings.Join(append([]string{fmt.Sprintf("+ %s %s", p[1], typ(f.Type))}, rules(t, f)...), " "))
				continue
			}
			if len(rules(t, f)) > 0 {
				refuse("%s embeds %s, which has rules, but is no struct in protobuf", name(t), f.Type)
			}
		}
		omit := ""
		for _, o := range j[1:] {
			if o == "omitempty" {
				omit += "?"
			}
			if o == "omitzero" {
				omit += "!"
			}
		}
		p := strings.Split(f.Tag.Get("protobuf"), ",")
		num := ""
		if len(p) > 1 {
			num = p[1]
		}
		line := fmt.Sprintf("%s%s %s %s", j[0], omit, num, typ(f.Type))
		if m := f.Tag.Get("patchMergeKey"); m != "" || f.Tag.Get("patchStrategy") != "" {
			line += " " + f.Tag.Get("patchStrategy") + ":" + m
		}
		if named := goName(f.Type); named != "" {
			line += " =" + named
		}
		line += relationship(known, t, j[0], omit, f.Tag.Get("patchMergeKey"))
		for _, rule := range rules(t, f) {
			line += " " + rule
		}
		out = append(out, line)
	}
	return out
}

func main() {
	for _, o := range []any{
		corev1.PodList{}, corev1.NamespaceList{}, corev1.ConfigMapList{}, corev1.NodeList{}, corev1.ServiceList{},
		corev1.ServiceAccountList{}, corev1.SecretList{}, corev1.EventList{}, corev1.Binding{}, corev1.List{},
		corev1.EndpointsList{}, corev1.LimitRangeList{}, corev1.PersistentVolumeList{}, corev1.PersistentVolumeClaimList{},
		corev1.PodTemplateList{}, corev1.ReplicationControllerList{}, corev1.ResourceQuotaList{}, corev1.ComponentStatusList{},
		appsv1.ControllerRevisionList{}, appsv1.DaemonSetList{}, appsv1.DeploymentList{}, appsv1.ReplicaSetList{}, appsv1.StatefulSetList{},
		batchv1.CronJobList{}, batchv1.JobList{}, autoscalingv2.HorizontalPodAutoscalerList{}, autoscalingv1.Scale{},
		autoscalingv1.HorizontalPodAutoscalerList{}, autoscalingv1.MetricSpec{}, autoscalingv1.MetricStatus{}, // in annotations
		networkingv1.IngressList{}, networkingv1.IngressClassList{}, networkingv1.NetworkPolicyList{},
		networkingv1.IPAddressList{}, networkingv1.ServiceCIDRList{}, discoveryv1.EndpointSliceList{}, eventsv1.EventList{},
		flowcontrolv1.FlowSchemaList{}, flowcontrolv1.PriorityLevelConfigurationList{},
		rbacv1.RoleList{}, rbacv1.RoleBindingList{}, rbacv1.ClusterRoleList{}, rbacv1.ClusterRoleBindingList{},
		policyv1.PodDisruptionBudgetList{}, policyv1.Eviction{}, schedulingv1.PriorityClassList{}, nodev1.RuntimeClassList{},
		storagev1.CSIDriverList{}, storagev1.CSINodeList{}, storagev1.CSIStorageCapacityList{}, storagev1.StorageClassList{},
		storagev1.VolumeAttachmentList{}, storagev1.VolumeAttributesClassList{}, certificatesv1.CertificateSigningRequestList{},
		certificatesv1.ClusterTrustBundleList{}, certificatesv1.PodCertificateRequestList{}, storagemigrationv1.StorageVersionMigrationList{},
		resourcev1.DeviceClassList{}, resourcev1.DeviceTaintRuleList{}, resourcev1.ResourceClaimList{}, resourcev1.ResourceClaimTemplateList{},
		resourcev1.ResourceSliceList{}, apiregistrationv1.APIServiceList{}, coordinationv1.LeaseList{},
		apiextensionsv1.CustomResourceDefinitionList{},
		admissionregistrationv1.MutatingWebhookConfigurationList{}, admissionregistrationv1.ValidatingWebhookConfigurationList{},
		admissionregistrationv1.ValidatingAdmissionPolicyList{}, admissionregistrationv1.ValidatingAdmissionPolicyBindingList{},
		authorizationv1.SelfSubjectAccessReview{}, authorizationv1.SelfSubjectRulesReview{}, authenticationv1.SelfSubjectReview{},
		authorizationv1.SubjectAccessReview{}, authorizationv1.LocalSubjectAccessReview{},
		authenticationv1.TokenReview{}, authenticationv1.TokenRequest{},
		metav1.ListOptions{}, metav1.GetOptions{}, metav1.CreateOptions{}, metav1.UpdateOptions{}, metav1.PatchOptions{},
		metav1.DeleteOptions{}, metav1.WatchEvent{}, metav1.Status{}, metav1.APIVersions{}, metav1.APIGroupList{},
		metav1.APIResourceList{}, metav1.PartialObjectMetadataList{},
	} {
		t := reflect.TypeOf(o)
		typ(t)
		if items, ok := t.FieldByName("Items"); ok {
			reach(items.Type) // the rules are those of stored objects
		}
	}
	findRules()
	checkDropped()
	known, err := schema()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("# Code generated by peers/schema from k8s.io/api and k8s.io/client-go %s. DO NOT EDIT.\n", peers.Version("k8s.io/api"))
	blocks := map[string]string{}
	for len(queue) > 0 {
		t := queue[0]
		queue = queue[1:]
		b := name(t) + marks(known, t) + "\n"
		for _, f := range fields(known, t) {
			b += "  " + f + "\n"
		}
		if old, ok := blocks[name(t)]; ok && old != b {
			panic("two types are called " + name(t))
		}
		blocks[name(t)] = b
	}
	var names []string
	for n := range blocks {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Print(blocks[n])
	}
}
