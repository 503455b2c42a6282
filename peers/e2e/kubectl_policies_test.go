package e2e

// kubectl with validating admission policies.

import (
	"testing"

	"informer-lab/peers/e2e/harness"
)

// policy is the example of https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy,
// applied to config maps.
const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: demo}
spec:
  failurePolicy: Fail
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]
    objectSelector: {matchLabels: {checked: "yes"}}
  variables: [{name: size, expression: "has(object.data) ? size(object.data) : 0"}]
  validations:
  - expression: variables.size <= int(params.data.most)
    messageExpression: "'at most ' + params.data.most + ' entries, not ' + string(variables.size)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: demo-binding}
spec:
  policyName: demo
  validationActions: [Deny]
  paramRef: {name: limit, parameterNotFoundAction: Deny}
`

func TestPoliciesRefuseAndWarnKubectl(t *testing.T) {
	t.Parallel()
	kubectl := harness.LabCluster(t).Kubectl()
	kubectl.Run(t, "create", "configmap", "limit", "--from-literal=most=1")
	equals(t, kubectl.Feed(t, policy, "apply", "-f", "-"),
		"validatingadmissionpolicy.admissionregistration.k8s.io/demo created\nvalidatingadmissionpolicybinding.admissionregistration.k8s.io/demo-binding created\n")
	matches(t, kubectl.Run(t, "get", "validatingadmissionpolicies"), `NAME +VALIDATIONS +PARAMKIND +AGE\ndemo +1 +v1/ConfigMap +\S+\n`)
	matches(t, kubectl.Run(t, "get", "validatingadmissionpolicybindings"), `NAME +POLICYNAME +PARAMREF +AGE\ndemo-binding +demo +\*/limit +\S+\n`)
	contains(t, kubectl.Run(t, "explain", "validatingadmissionpolicy.spec.validations"), "messageExpression")
	checked := func(entries string) string {
		return "{apiVersion: v1, kind: ConfigMap, metadata: {name: m, labels: {checked: 'yes'}}, data: {" + entries + "}}"
	}
	equals(t, kubectl.Feed(t, checked("a: b"), "apply", "-f", "-"), "configmap/m created\n")
	contains(t, kubectl.Try(t, checked("a: b, c: d"), "apply", "-f", "-").Err,
		`The configmaps "m" is invalid: : ValidatingAdmissionPolicy 'demo' with binding 'demo-binding' denied request: at most 1 entries, not 2`)
	kubectl.Run(t, "patch", "validatingadmissionpolicybinding", "demo-binding", "--type=merge", "-p", `{"spec": {"validationActions": ["Warn"]}}`)
	warned := kubectl.Try(t, checked("a: b, c: d"), "apply", "-f", "-")
	contains(t, warned.Err, "Warning: Validation failed for ValidatingAdmissionPolicy 'demo' with binding 'demo-binding': at most 1 entries, not 2")
	equals(t, warned.Out, "configmap/m configured\n")
}
