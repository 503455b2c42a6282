package main

// The resources that the in-memory API server serves.

import "strings"

// served maps the path of each group version to its resources, and each resource to its subresources.
var served = map[string]map[string]string{
	"/api/v1/": {
		"componentstatuses":      "",
		"configmaps":             "",
		"endpoints":              "",
		"events":                 "",
		"limitranges":            "",
		"namespaces":             "finalize status",
		"nodes":                  "status",
		"persistentvolumeclaims": "status",
		"persistentvolumes":      "status",
		"pods":                   "attach binding ephemeralcontainers eviction exec log portforward resize status",
		"podtemplates":           "",
		"replicationcontrollers": "scale status",
		"resourcequotas":         "status",
		"secrets":                "",
		"serviceaccounts":        "token",
		"services":               "status",
	},
	"/apis/admissionregistration.k8s.io/v1/": {
		"mutatingwebhookconfigurations":     "",
		"validatingadmissionpolicies":       "status",
		"validatingadmissionpolicybindings": "",
		"validatingwebhookconfigurations":   "",
	},
	"/apis/apiextensions.k8s.io/v1/":   {"customresourcedefinitions": "status"},
	"/apis/apiregistration.k8s.io/v1/": {"apiservices": "status"},
	"/apis/apps/v1/": {
		"controllerrevisions": "",
		"daemonsets":          "status",
		"deployments":         "scale status",
		"replicasets":         "scale status",
		"statefulsets":        "scale status",
	},
	"/apis/authentication.k8s.io/v1/": {"selfsubjectreviews": "", "tokenreviews": ""},
	"/apis/authorization.k8s.io/v1/": {
		"localsubjectaccessreviews": "",
		"selfsubjectaccessreviews":  "",
		"selfsubjectrulesreviews":   "",
		"subjectaccessreviews":      "",
	},
	"/apis/autoscaling/v1/": {"horizontalpodautoscalers": "status"},
	"/apis/autoscaling/v2/": {"horizontalpodautoscalers": "status"},
	"/apis/batch/v1/":       {"cronjobs": "status", "jobs": "status"},
	"/apis/certificates.k8s.io/v1/": {
		"certificatesigningrequests": "approval status",
		"clustertrustbundles":        "",
		"podcertificaterequests":     "status",
	},
	"/apis/coordination.k8s.io/v1/":          {"leases": ""},
	"/apis/discovery.k8s.io/v1/":             {"endpointslices": ""},
	"/apis/events.k8s.io/v1/":                {"events": ""},
	"/apis/flowcontrol.apiserver.k8s.io/v1/": {"flowschemas": "status", "prioritylevelconfigurations": "status"},
	"/apis/networking.k8s.io/v1/": {
		"ingressclasses":  "",
		"ingresses":       "status",
		"ipaddresses":     "",
		"networkpolicies": "",
		"servicecidrs":    "status",
	},
	"/apis/node.k8s.io/v1/":               {"runtimeclasses": ""},
	"/apis/policy/v1/":                    {"poddisruptionbudgets": "status"},
	"/apis/rbac.authorization.k8s.io/v1/": {"clusterrolebindings": "", "clusterroles": "", "rolebindings": "", "roles": ""},
	"/apis/resource.k8s.io/v1/": {
		"deviceclasses":          "",
		"devicetaintrules":       "status",
		"resourceclaims":         "status",
		"resourceclaimtemplates": "",
		"resourceslices":         "",
	},
	"/apis/scheduling.k8s.io/v1/": {"priorityclasses": ""},
	"/apis/storage.k8s.io/v1/": {
		"csidrivers":              "",
		"csinodes":                "status",
		"csistoragecapacities":    "",
		"storageclasses":          "",
		"volumeattachments":       "status",
		"volumeattributesclasses": "",
	},
	"/apis/storagemigration.k8s.io/v1/": {"storageversionmigrations": "status"},
}

// isServedMediaType returns false for CBOR, which the server neither reads nor writes.
func isServedMediaType(name string) bool {
	return !strings.Contains(name, "cbor")
}

func isServedPath(path string) bool {
	if path == "/api/" || path == "/apis/" || path == "/version/" {
		return true
	}
	for prefix, resources := range served {
		if strings.HasPrefix(prefix, path) && strings.Count(path, "/") > 2 {
			return true // the path of the group or of the group version
		}
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			return isServedResource(resources, rest)
		}
	}
	return false
}

func isServedResource(resources map[string]string, path string) bool {
	path = strings.TrimPrefix(path, "watch/")
	path = strings.TrimPrefix(path, "namespaces/{namespace}/")
	parts := strings.Split(path, "/")
	subresources, ok := resources[parts[0]]
	if !ok || len(parts) < 3 {
		return ok
	}
	for _, name := range strings.Fields(subresources) {
		if len(parts) == 3 && parts[2] == name {
			return true
		}
	}
	return false
}
