package e2e

// kubectl with custom resources.

import (
	"testing"

	"informer-lab/peers/e2e/harness"
)

const crontabs = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "crontabs.stable.example.com"},
	"spec": {"group": "stable.example.com", "scope": "Namespaced",
		"names": {"plural": "crontabs", "singular": "crontab", "kind": "CronTab", "shortNames": ["ct"]},
		"versions": [{"name": "v1", "served": true, "storage": true,
			"subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
			"additionalPrinterColumns": [{"name": "Spec", "type": "string", "jsonPath": ".spec.cronSpec"}, {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"}],
			"schema": {"openAPIV3Schema": {"type": "object", "description": "A table of what runs when.", "properties": {
				"spec": {"type": "object", "required": ["cronSpec"], "properties": {
					"cronSpec": {"type": "string", "description": "When to run.", "maxLength": 20},
					"replicas": {"type": "integer", "default": 1}}}}}}}]}}`

const crontab = `{"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}, "spec": {"cronSpec": "* * * * */5"}}`

func TestKubectlHandlesACustomResourceLikeAnyResource(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	equals(t, kubectl.Feed(t, crontabs, "apply", "-f", "-"), "customresourcedefinition.apiextensions.k8s.io/crontabs.stable.example.com created\n")
	equals(t, kubectl.Feed(t, crontab, "apply", "-f", "-"), "crontab.stable.example.com/a created\n")
	kubectl.Run(t, "wait", "--for=condition=established", "crd/crontabs.stable.example.com")
	matches(t, kubectl.Run(t, "get", "ct"), `NAME   SPEC          REPLICAS\na      \* \* \* \* \*/5   1\n`)
	equals(t, kubectl.Run(t, "scale", "ct/a", "--replicas=3"), "crontab.stable.example.com/a scaled\n")
	equals(t, field(t, kubectl, "ct/a", ".spec.replicas"), "3")
	contains(t, kubectl.Run(t, "explain", "ct"), "A table of what runs when.")
	contains(t, kubectl.Run(t, "explain", "ct.spec.cronSpec"), "When to run.")
	matches(t, kubectl.Run(t, "api-resources", "--api-group=stable.example.com", "--no-headers"), `crontabs +ct +stable.example.com/v1 +true +CronTab\n`)
	equals(t, kubectl.Run(t, "delete", "crd", "crontabs.stable.example.com"), `customresourcedefinition.apiextensions.k8s.io "crontabs.stable.example.com" deleted`+"\n")
}
