package main

// The built-in kinds in the differential test, each with a valid object and valid changes.

// kind is a kind that both servers serve, with a valid object of it. The object sets every field that kube-apiserver
// would default, because the real API server of this test, peers/apiserver, sets few defaults.
type kind struct {
	plural, name, apiVersion string
	// cluster is true if the kind has no namespaces, status if it has the status subresource.
	cluster, status bool
	// needsFields is true if kube-apiserver refuses or completes an object without the fields of body. peers/apiserver
	// would store such an object as it is, because it has no validation and few defaults of the kind.
	needsFields bool
	// body returns a valid object of this name, without kind, apiVersion and metadata.
	body func(name string) map[string]any
	// change returns fields for a patch of the object, statusChange for a patch of its status. Each call returns a
	// new map, because the generator puts odd values into it.
	change, statusChange func() map[string]any

	// custom is true for CustomResourceDefinition and for custom resources. peers/apiserver serves them by upstream's
	// apiextensions-apiserver with all its validation and columns, so that all of an answer is compared.
	custom bool
	// scale is true if the kind has the scale subresource. selectable are the fields that a field selector may name.
	scale      bool
	selectable []string
	// names are the names of the kind's objects (default: a, b and c). operation returns an operation of a JSON patch
	// on a field that only this kind has.
	names     []string
	operation func() map[string]any
	// parts are the subresources that are written as the whole object, other than status.
	parts []string
}

type object = map[string]any

var kinds = []kind{
	{plural: "configmaps", name: "ConfigMap", apiVersion: "v1",
		body:   func(string) object { return object{"data": object{"k": "v"}} },
		change: func() object { return object{"data": object{"k": "w", "l": nil}} }},
	{plural: "events", name: "Event", apiVersion: "v1", needsFields: true,
		body: func(string) object {
			return object{"involvedObject": object{"kind": "Pod", "namespace": "<<ns:>>", "name": "p"}, "reason": "Tested", "type": "Normal"}
		},
		change: func() object { return object{"message": "changed"} }},
	{plural: "secrets", name: "Secret", apiVersion: "v1", needsFields: true,
		body:   func(string) object { return object{"type": "Opaque", "data": object{"k": "dg=="}} },
		change: func() object { return object{"data": object{"k": "dw=="}} }},
	{plural: "serviceaccounts", name: "ServiceAccount", apiVersion: "v1",
		body:   func(string) object { return object{"automountServiceAccountToken": true} },
		change: func() object { return object{"automountServiceAccountToken": false} }},
	{plural: "leases", name: "Lease", apiVersion: "coordination.k8s.io/v1",
		body:   func(string) object { return object{"spec": object{"holderIdentity": "me", "leaseDurationSeconds": 15}} },
		change: func() object { return object{"spec": object{"holderIdentity": "you"}} }},
	{plural: "services", name: "Service", apiVersion: "v1", status: true, needsFields: true,
		body: func(string) object {
			return object{"spec": object{"type": "ExternalName", "externalName": "example.org", "sessionAffinity": "None",
				"ports": []any{object{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 8080}}}}
		},
		change: func() object { return object{"spec": object{"externalName": "example.com"}} },
		statusChange: func() object {
			return object{"conditions": []any{object{"type": "Known", "status": "True", "reason": "Told", "message": "", "lastTransitionTime": "2001-02-03T04:05:06Z"}}}
		}},
	{plural: "nodes", name: "Node", apiVersion: "v1", cluster: true, status: true, needsFields: true,
		body: func(string) object {
			return object{"spec": object{"taints": []any{object{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}}}}
		},
		change:       func() object { return object{"spec": object{"unschedulable": true}} },
		statusChange: func() object { return object{"phase": "Running"} }},
	{plural: "namespaces", name: "Namespace", apiVersion: "v1", cluster: true,
		body:   func(string) object { return object{} },
		change: func() object { return object{"metadata": object{"labels": object{"x": "y"}}} }},
	{plural: "pods", name: "Pod", apiVersion: "v1", status: true,
		body:         func(string) object { return object{"spec": podSpec()} },
		change:       func() object { return object{"metadata": object{"labels": object{"x": "y"}}} },
		statusChange: func() object { return object{"phase": "Running", "hostIP": "10.0.0.1"} }},
	{plural: "replicasets", name: "ReplicaSet", apiVersion: "apps/v1", status: true, needsFields: true,
		body: func(string) object {
			template := podSpec()
			for _, field := range []string{"tolerations", "priority", "preemptionPolicy"} {
				delete(template, field) // kube-apiserver's admission sets these fields in pods, not in templates
			}
			return object{"spec": object{"replicas": 0, "selector": object{"matchLabels": object{"app": "x"}},
				"template": object{"metadata": object{"labels": object{"app": "x"}}, "spec": template}}}
		},
		change:       func() object { return object{"spec": object{"replicas": 1}} },
		statusChange: func() object { return object{"replicas": 2} }},
}

func podSpec() object {
	toleration := func(key string) any {
		return object{"key": "node.kubernetes.io/" + key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
	}
	return object{
		"containers": []any{object{"name": "main", "image": "nginx:1.27", "imagePullPolicy": "IfNotPresent", "resources": object{},
			"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}},
		"dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "none", "securityContext": object{},
		"terminationGracePeriodSeconds": 30, "enableServiceLinks": true, "serviceAccountName": "default", "serviceAccount": "default",
		"priority": 0, "preemptionPolicy": "PreemptLowerPriority",
		"tolerations": []any{toleration("not-ready"), toleration("unreachable")},
	}
}

// patch returns a change as the body of a merge patch.
func (k kind) patch() object {
	if k.custom {
		return k.change() // nulls stay: they remove fields
	}
	return merged(object{}, k.change()) // without nulls
}

func (k kind) objects() []string {
	if k.names != nil {
		return k.names
	}
	return []string{"a", "b", "c"}
}

// first returns the name by which references (memory.go) call the kind's first object.
func (k kind) first() string { return k.plural + "/" + k.objects()[0] }

// path returns the path of the kind's objects in the namespace of the sequence.
func (k kind) path() string {
	if k.cluster {
		return k.everywhere()
	}
	return k.in("<<ns:>>")
}

// in returns the path of the kind's objects in a namespace.
func (k kind) in(namespace string) string {
	return k.version() + "/namespaces/" + namespace + "/" + k.plural
}

// everywhere returns the path of the kind's objects in all namespaces.
func (k kind) everywhere() string {
	return k.version() + "/" + k.plural
}

func (k kind) version() string {
	if k.apiVersion == "v1" {
		return "/api/v1"
	}
	return "/apis/" + k.apiVersion
}
