//! Tests ValidatingAdmissionPolicies. Unless a test names another source, its expressions, messages and warnings are
//! from upstream's `test/integration/apiserver/cel/validatingadmissionpolicy_test.go`.

use kube_testcluster::{Admission, Authorization, Cluster, User};
use serde_json::{Value, json};

use crate::support::api::{Answer, Api, PODS, pod, quiet};

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Returns a policy for all operations on a resource, with these additional fields.
fn policy(resource: &str, spec: &Value) -> Value {
    let mut policy = json!({"metadata": {"name": "p"}, "spec": {"matchConstraints": {"resourceRules": [{
        "operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": [resource],
    }]}}});
    let fields = spec.as_object().unwrap().clone();
    policy["spec"].as_object_mut().unwrap().extend(fields);
    policy
}

fn expecting(resource: &str, expression: &str) -> Value {
    policy(resource, &json!({"validations": [{"expression": expression}]}))
}

fn params(mut policy: Value, api_version: &str, kind: &str) -> Value {
    policy["spec"]["paramKind"] = json!({"apiVersion": api_version, "kind": kind});
    policy
}

async fn made(api: &Api, path: &str, object: &Value) {
    let answer = api.post(path, object).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
}

/// Starts a cluster with a policy and a binding. The binding has these additional fields.
async fn with(policy: Value, binding: Value) -> Api {
    let api = Api::new(&quiet().start());
    made(&api, &format!("{GROUP}/validatingadmissionpolicies"), &policy).await;
    bind(&api, "b", binding).await;
    api
}

/// Creates a binding of the policy with these additional fields.
async fn bind(api: &Api, name: &str, spec: Value) {
    let mut binding = json!({"metadata": {"name": name}, "spec": {"policyName": "p", "validationActions": ["Deny"]}});
    binding["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    made(api, &format!("{GROUP}/validatingadmissionpolicybindings"), &binding).await;
}

fn map(name: &str) -> Value {
    json!({"metadata": {"name": name}, "data": {"a": "1"}})
}

async fn namespace(api: &Api, name: &str) -> Answer {
    api.post("/api/v1/namespaces", &json!({"metadata": {"name": name}})).await
}

const DENIED: &str = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request:";

#[tokio::test(start_paused = true)]
async fn a_false_expression_denies_the_request() {
    let api = with(expecting("namespaces", "object.metadata.name.endsWith('k8s')"), json!({})).await;
    assert_eq!(namespace(&api, "test-k8s").await.status, 201);
    let denied = namespace(&api, "test-foobar").await;
    let why = format!("{DENIED} failed expression: object.metadata.name.endsWith('k8s')");
    let expected = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("namespaces \"test-foobar\" is forbidden: {why}"), "reason": "Invalid",
        "details": {"name": "test-foobar", "kind": "namespaces", "causes": [{"message": why}]}, "code": 422,
    });
    assert_eq!((denied.status, denied.body), (422, expected));
    api.delete(&format!("{GROUP}/validatingadmissionpolicybindings/b")).await;
    assert_eq!(namespace(&api, "test-foobar").await.status, 201, "a policy without a binding has no effect");
}

#[tokio::test(start_paused = true)]
async fn a_validation_sets_the_reason_and_the_message_of_a_denial() {
    let validations = json!({"validations": [
        {"expression": "request.name.endsWith('k8s')", "reason": "Forbidden", "message": " a name "},
        {"expression": "request.name != 'large-k8s'", "reason": "RequestEntityTooLarge", "message": "other",
         "messageExpression": "'not ' + object.metadata.name"},
        {"expression": "request.name != 'lines-k8s'", "messageExpression": "'a\\nb'", "message": "instead"},
        {"expression": "request.name != 'wrong-k8s'", "messageExpression": "string(object.x)"},
    ]});
    let api = with(policy("namespaces", &validations), json!({})).await;
    for (name, code, reason, why) in [
        ("a", 403, "Forbidden", "a name"),
        ("large-k8s", 413, "RequestEntityTooLarge", "not large-k8s"),
        ("lines-k8s", 422, "Invalid", "instead"),
        ("wrong-k8s", 422, "Invalid", "failed expression: request.name != 'wrong-k8s'"),
    ] {
        let denied = namespace(&api, name).await;
        assert_eq!((denied.status, &denied.body["reason"]), (code, &json!(reason)), "{name}");
        assert_eq!(denied.message(), format!("namespaces \"{name}\" is forbidden: {DENIED} {why}"));
    }
}

#[tokio::test(start_paused = true)]
async fn the_failure_policy_decides_about_evaluation_errors() {
    let mut policy = expecting("namespaces", "object.nonExistentProperty == 'someval'");
    let api = with(policy.clone(), json!({})).await;
    let why =
        "expression 'object.nonExistentProperty == 'someval'' resulted in error: no such key: nonExistentProperty";
    let denied = namespace(&api, "n").await;
    assert_eq!(denied.message(), format!("namespaces \"n\" is forbidden: {DENIED} {why}"));
    policy["spec"]["failurePolicy"] = json!("Ignore");
    assert_eq!(namespace(&with(policy, json!({})).await, "n").await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn the_validation_actions_may_be_warn_or_audit_instead_of_deny() {
    let policy = expecting("configmaps", "object.metadata.name.endsWith('k8s')");
    let api = with(policy.clone(), json!({"validationActions": ["Warn", "Audit"]})).await;
    let warned = api.post(MAPS, &map("test4-nope")).await;
    let warning = "299 - \"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: \
                object.metadata.name.endsWith('k8s')\"";
    assert_eq!((warned.status, warned.warnings()), (201, vec![warning]));
    let api = with(policy, json!({"validationActions": ["Audit"]})).await;
    let silent = api.post(MAPS, &map("test4-nope")).await;
    assert_eq!((silent.status, silent.warnings()), (201, vec![]));
}

#[tokio::test(start_paused = true)]
async fn an_audit_annotation_that_fails_to_evaluate_denies_the_request() {
    let annotation = |expression: &str| {
        let values = json!({"auditAnnotations": [{"key": "k", "valueExpression": expression}]});
        params(policy("configmaps", &values), "v1", "ConfigMap")
    };
    for expression in ["'object name: ' + object.metadata.name", "null"] {
        let api = with(annotation(expression), json!({"validationActions": ["Audit"]})).await;
        assert_eq!(api.post(MAPS, &map("m")).await.status, 201);
    }
    let mut policy = annotation("string(params.metadata.name)");
    let denied = with(policy.clone(), json!({"validationActions": ["Audit"]})).await.post(MAPS, &map("m")).await;
    let why = "expression 'string(params.metadata.name)' resulted in error: no such key: metadata";
    assert_eq!(denied.message(), format!("configmaps \"m\" is forbidden: {DENIED} {why}"));
    policy["spec"]["failurePolicy"] = json!("Ignore");
    assert_eq!(with(policy, json!({})).await.post(MAPS, &map("m")).await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn without_a_param_ref_the_params_are_null() {
    for (expression, answer) in [
        ("params == null", None),
        (
            "object.metadata.name.startsWith(params.metadata.name)",
            Some(
                "expression 'object.metadata.name.startsWith(params.metadata.name)' resulted in error: no such key: metadata",
            ),
        ),
        (
            "has(params.metadata) && has(params.metadata.name)",
            Some("failed expression: has(params.metadata) && has(params.metadata.name)"),
        ),
        (
            "(params != null && object.metadata.name.startsWith(params.metadata.name)) || object.metadata.name.endsWith('k8s')",
            None,
        ),
    ] {
        let api = with(params(expecting("namespaces", expression), "v1", "ConfigMap"), json!({})).await;
        let answered = namespace(&api, "test-k8s").await;
        match answer {
            None => assert_eq!(answered.status, 201, "{expression}"),
            Some(why) => {
                let expected = format!("namespaces \"test-k8s\" is forbidden: {DENIED} {why}");
                assert_eq!(answered.message(), expected);
            }
        }
    }
}

/// Upstream: `TestParamRef`. Parameters are found by name or selector, in the namespace of the request or in a named
/// one.
#[tokio::test(start_paused = true)]
async fn params_are_found_by_name_or_by_selector() {
    let policy = || params(expecting("pods", "object.metadata.name.startsWith(params.data.a)"), "v1", "ConfigMap");
    let reference = |reference: Value| json!({"paramRef": reference});
    for (at, binding, refused) in [
        ("default", reference(json!({"name": "c", "parameterNotFoundAction": "Deny"})), true),
        ("kube-system", reference(json!({"name": "c", "parameterNotFoundAction": "Allow"})), false),
        (
            "kube-system",
            reference(json!({"name": "c", "namespace": "kube-system", "parameterNotFoundAction": "Deny"})),
            true,
        ),
        ("default", reference(json!({"selector": {}, "parameterNotFoundAction": "Deny"})), true),
        (
            "default",
            reference(json!({"selector": {"matchLabels": {"x": "z"}}, "parameterNotFoundAction": "Allow"})),
            false,
        ),
    ] {
        let api = with(policy(), binding.clone()).await;
        let config = json!({"metadata": {"name": "c", "labels": {"x": "y"}}, "data": {"a": "prefix"}});
        made(&api, &format!("/api/v1/namespaces/{at}/configmaps"), &config).await;
        assert_eq!(api.post(PODS, &pod("prefixed", &json!({}))).await.status, 201, "{binding}");
        let answer = api.post(PODS, &pod("other", &json!({}))).await;
        assert_eq!(answer.status, if refused { 422 } else { 201 }, "{binding}: {}", answer.body);
    }
    let missing = with(policy(), reference(json!({"name": "c", "parameterNotFoundAction": "Deny"}))).await;
    let denied = missing.post(PODS, &pod("a", &json!({}))).await;
    let why = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    assert_eq!(denied.message(), format!("pods \"a\" is forbidden: {DENIED} {why}"));
    let nowhere = params(expecting("nodes", "params.data.a == 'b'"), "v1", "ConfigMap");
    let api = with(nowhere, reference(json!({"name": "c", "parameterNotFoundAction": "Deny"}))).await;
    let denied = api.post("/api/v1/nodes", &json!({"metadata": {"name": "n"}})).await;
    let why = "failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
    assert_eq!(denied.message(), format!("nodes \"n\" is forbidden: {DENIED} {why}"));
}

#[tokio::test(start_paused = true)]
async fn params_may_be_custom_resources() {
    let policy = params(expecting("configmaps", "size(object.data) <= params.spec.most"), "example.com/v1", "Limit");
    let reference = json!({"name": "l", "parameterNotFoundAction": "Deny"});
    let api = with(policy, json!({"paramRef": reference})).await;
    let denied = api.post(MAPS, &map("m")).await;
    let why = "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by \
               paramKind: 'example.com/v1, Kind=Limit'";
    assert_eq!(denied.message(), format!("configmaps \"m\" is forbidden: {why}"));
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"most": {"type": "integer"}}}}});
    let definition = json!({"metadata": {"name": "limits.example.com"}, "spec": {
        "group": "example.com", "scope": "Cluster", "names": {"kind": "Limit", "plural": "limits"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
    }});
    made(&api, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await;
    let limit =
        json!({"apiVersion": "example.com/v1", "kind": "Limit", "metadata": {"name": "l"}, "spec": {"most": 1}});
    made(&api, "/apis/example.com/v1/limits", &limit).await;
    assert_eq!(api.post(MAPS, &map("m")).await.status, 201);
    let more = json!({"metadata": {"name": "n"}, "data": {"a": "1", "b": "2"}});
    let denied = api.post(MAPS, &more).await;
    let why =
        format!("configmaps \"n\" is forbidden: {DENIED} failed expression: size(object.data) <= params.spec.most");
    assert_eq!(denied.message(), why);
}

#[tokio::test(start_paused = true)]
async fn a_policy_applies_to_the_requests_that_its_match_constraints_select() {
    let rule = |resource: &str, names: Value| json!({"operations": ["CREATE", "UPDATE"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": [resource], "resourceNames": names});
    let mut policy = expecting("*", "false");
    policy["spec"]["matchConstraints"] = json!({
        "resourceRules": [rule("configmaps", json!([])), rule("secrets", json!(["named"]))],
        "excludeResourceRules": [rule("configmaps", json!(["free"]))],
        "objectSelector": {"matchExpressions": [{"key": "skip", "operator": "DoesNotExist"}]},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}},
    });
    let api = with(
        policy,
        json!({"matchResources": {"objectSelector": {"matchExpressions": [
            {"key": "unbound", "operator": "DoesNotExist"},
        ]}}}),
    )
    .await;
    let labeled = |label: &str| json!({"metadata": {"name": label, "labels": {label: "x"}}});
    assert_eq!(api.post(MAPS, &map("m")).await.status, 422);
    for free in [map("free"), labeled("skip"), labeled("unbound")] {
        assert_eq!(api.post(MAPS, &free).await.status, 201, "{free}");
    }
    assert_eq!(api.post("/api/v1/namespaces/kube-system/configmaps", &map("m")).await.status, 201);
    let secrets = "/api/v1/namespaces/default/secrets";
    assert_eq!(api.post(secrets, &json!({"metadata": {"name": "named"}})).await.status, 422);
    assert_eq!(api.post(secrets, &json!({"metadata": {"name": "other"}})).await.status, 201);
    let changed = api.merge(&format!("{MAPS}/free"), &json!({"data": {"b": "2"}})).await;
    assert_eq!(changed.status, 200, "an object excluded by its name can also be updated");
    assert_eq!(api.delete(&format!("{MAPS}/skip")).await.status, 200);
}

/// `matchPolicy` decides whether a rule matches the same objects in another group or version.
#[tokio::test(start_paused = true)]
async fn a_policy_also_matches_equivalent_resources_unless_its_match_policy_is_exact() {
    let path = "/apis/events.k8s.io/v1/namespaces/default/events";
    let event = json!({
        "metadata": {"name": "e"}, "eventTime": "2023-05-01T10:00:00.000000Z", "reportingController": "example.com/c",
        "reportingInstance": "i", "action": "a", "reason": "r", "type": "Normal", "regarding": {"kind": "Pod", "namespace": "default"},
    });
    for (match_policy, status) in [("Exact", 201), ("Equivalent", 422)] {
        let seen = "request.kind.group == '' && request.requestKind.group == 'events.k8s.io' && object.involvedObject.kind != 'Pod'";
        let mut policy = expecting("events", seen);
        policy["spec"]["matchConstraints"]["matchPolicy"] = json!(match_policy);
        policy["spec"]["matchConstraints"]["resourceRules"][0]["apiGroups"] = json!([""]);
        let answer = with(policy, json!({})).await.post(path, &event).await;
        assert_eq!(answer.status, status, "{}", answer.body);
    }
}

#[tokio::test(start_paused = true)]
async fn match_conditions_select_the_requests_of_a_policy() {
    let conditions = |conditions: Value| {
        policy(
            "configmaps",
            &json!({"matchConditions": conditions, "validations": [{"expression": "false", "message": "no"}]}),
        )
    };
    let only = json!([{"name": "a", "expression": "request.name == 'looked-at'"}, {"name": "b", "expression": "object.x.y == 1"}]);
    let api = with(conditions(only), json!({})).await;
    assert_eq!(
        api.post(MAPS, &map("m")).await.status,
        201,
        "a false condition skips the policy even if another one fails"
    );
    let denied = api.post(MAPS, &map("looked-at")).await;
    let why = "expression 'object.x.y == 1' resulted in error: no such key: x";
    assert_eq!(denied.message(), format!("configmaps \"looked-at\" is forbidden: {DENIED} {why}"));
    let parameters = json!([{"name": "a", "expression": "params == null && namespaceObject == null"}]);
    let denied = with(params(conditions(parameters), "v1", "ConfigMap"), json!({})).await.post(MAPS, &map("m")).await;
    assert_eq!(denied.message(), format!("configmaps \"m\" is forbidden: {DENIED} no"));
}

#[tokio::test(start_paused = true)]
async fn a_variable_is_evaluated_only_when_an_expression_uses_it() {
    let variables = json!({
        "variables": [
            {"name": "size", "expression": "size(object.data)"},
            {"name": "double", "expression": "variables.size * 2"},
            {"name": "wrong", "expression": "object.nothing.here"},
        ],
        "validations": [
            {"expression": "variables.double < 4 || variables.wrong == 1", "messageExpression": "'has ' + string(variables.double)"},
            {"expression": "variables.size != 1 || variables.double == 2"},
        ],
    });
    let api = with(policy("configmaps", &variables), json!({})).await;
    assert_eq!(api.post(MAPS, &map("m")).await.status, 201, "the wrong variable is not evaluated");
    let denied = api.post(MAPS, &json!({"metadata": {"name": "n"}, "data": {"a": "1", "b": "2"}})).await;
    let why = "expression 'variables.double < 4 || variables.wrong == 1' resulted in error: composited variable \"wrong\" fails to \
               evaluate: no such key: nothing";
    assert_eq!(denied.message(), format!("configmaps \"n\" is forbidden: {DENIED} {why}"));
}

#[tokio::test(start_paused = true)]
async fn an_expression_can_use_the_request_the_objects_and_the_namespace() {
    let expression = "request.operation == 'UPDATE' && oldObject.data.a == '1' && object.data.a == '2' && object.kind == 'ConfigMap' \
                      && namespaceObject.metadata.name == 'default' && request.userInfo.username == 'ada' && request.dryRun == false \
                      && request.resource.resource == 'configmaps' && !has(request.subResource) && has(request.options)";
    let cluster = quiet().start();
    let (api, ada) = (Api::new(&cluster), Api::from_router(cluster.router_as(User::new("ada", ["developers"]))));
    made(&api, MAPS, &map("m")).await;
    made(&api, &format!("{GROUP}/validatingadmissionpolicies"), &expecting("configmaps", expression)).await;
    bind(&api, "b", json!({})).await;
    let change = json!({"data": {"a": "2"}});
    assert_eq!(api.merge(&format!("{MAPS}/m"), &change).await.status, 422, "the user is not ada");
    let changed = ada.merge(&format!("{MAPS}/m"), &change).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let deletion = "object != null || oldObject.data.a == '1'";
    api.merge(
        &format!("{GROUP}/validatingadmissionpolicies/p"),
        &json!({"spec": {"validations": [{"expression": deletion}]}}),
    )
    .await;
    let denied = ada.delete(&format!("{MAPS}/m")).await;
    assert_eq!(denied.message(), format!("configmaps \"m\" is forbidden: {DENIED} failed expression: {deletion}"));
}

/// Upstream: `Test_ValidateSecondaryAuthorization`.
#[tokio::test(start_paused = true)]
async fn an_expression_can_use_the_authorizer() {
    for (expression, allowed) in [
        ("authorizer.group('apps').resource('deployments').check('create').allowed()", false),
        ("authorizer.requestResource.check('create').allowed()", true),
        (
            "authorizer.group('').resource('configmaps').namespace('default').check('create').reason().startsWith('RBAC: allowed by')",
            true,
        ),
        ("authorizer.serviceAccount('default', 'x').group('').resource('configmaps').check('create').allowed()", false),
        (
            "authorizer.path('/healthz').check('get').allowed() && !authorizer.path('/metrics').check('get').allowed()",
            true,
        ),
    ] {
        let cluster = quiet().authorization(Authorization::Rbac).admission(Admission::Kube).start();
        let (api, ada) =
            (Api::new(&cluster), Api::from_router(cluster.router_as(User::new("ada", ["system:authenticated"]))));
        let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}]);
        let roles = "/apis/rbac.authorization.k8s.io/v1";
        made(&api, &format!("{roles}/clusterroles"), &json!({"metadata": {"name": "r"}, "rules": rules})).await;
        let binding = json!({"metadata": {"name": "r"}, "subjects": [{"kind": "User", "name": "ada"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "r"}});
        made(&api, &format!("{roles}/clusterrolebindings"), &binding).await;
        made(&api, &format!("{GROUP}/validatingadmissionpolicies"), &expecting("configmaps", expression)).await;
        bind(&api, "b", json!({})).await;
        let answer = ada.post(MAPS, &map("m")).await;
        assert_eq!(answer.status, if allowed { 201 } else { 422 }, "{expression}: {}", answer.body);
    }
}

/// Upstream: `Test_CreateOrUpdateAuthz`, and `TestAuthorization` of the strategies.
#[tokio::test(start_paused = true)]
async fn writing_a_policy_or_binding_needs_read_access_to_its_params() {
    let cluster = quiet().authorization(Authorization::Rbac).admission(Admission::Kube).start();
    let (api, ada) = (Api::new(&cluster), Api::from_router(cluster.router_as(User::new("ada", ["developers"]))));
    let roles = "/apis/rbac.authorization.k8s.io/v1";
    let role = |rules: Value| json!({"metadata": {"name": "r"}, "rules": rules});
    let writes = json!({"apiGroups": ["admissionregistration.k8s.io"], "resources": ["*"], "verbs": ["*"]});
    made(&api, &format!("{roles}/clusterroles"), &role(json!([writes]))).await;
    let binding = json!({"metadata": {"name": "r"}, "subjects": [{"kind": "User", "name": "ada"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "r"}});
    made(&api, &format!("{roles}/clusterrolebindings"), &binding).await;
    let policy = params(expecting("pods", "params == null"), "v1", "ConfigMap");
    let reference = json!({"metadata": {"name": "b"}, "spec": {"policyName": "p", "validationActions": ["Deny"],
        "paramRef": {"name": "c", "namespace": "n", "parameterNotFoundAction": "Deny"}}});
    let (policies, bindings) =
        (format!("{GROUP}/validatingadmissionpolicies"), format!("{GROUP}/validatingadmissionpolicybindings"));
    let refused = ada.post(&policies, &policy).await;
    let why = "ValidatingAdmissionPolicy.admissionregistration.k8s.io \"p\" is invalid: spec.paramKind: Forbidden: user \
               &{ada  [developers system:authenticated] map[]} must have \"get\" permission on all objects of the referenced \
               paramKind (kind=ConfigMap, apiVersion=v1)";
    assert_eq!(
        (refused.status, refused.message().replace(" system:authenticated", "")),
        (422, why.replace(" system:authenticated", ""))
    );
    assert!(ada.post(&bindings, &reference).await.message().contains("unable to get policy p to determine minimum"));
    made(&api, &policies, &policy).await;
    let refused = ada.post(&bindings, &reference).await;
    assert!(refused.message().contains("does not have \"get\" permission on the object referenced by paramRef"));
    let reads = json!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]});
    assert_eq!(api.put(&format!("{roles}/clusterroles/r"), &role(json!([writes, reads]))).await.status, 200);
    made(&ada, &bindings, &reference).await;
}

#[tokio::test(start_paused = true)]
async fn a_policy_does_not_apply_to_policies() {
    let api = with(expecting("*", "false"), json!({})).await;
    assert_eq!(api.post(MAPS, &map("m")).await.status, 422);
    let path = format!("{GROUP}/validatingadmissionpolicies/p");
    let changed = api.merge(&path, &json!({"spec": {"validations": [{"expression": "true"}]}})).await;
    assert_eq!((changed.status, &changed.body["metadata"]["generation"]), (200, &json!(2)));
    assert_eq!(api.post(MAPS, &map("m")).await.status, 201, "the updated policy takes effect");
}

#[tokio::test(start_paused = true)]
async fn the_cost_of_expressions_is_limited() {
    let loops = "object.data.all(a, object.data.all(b, object.data.all(c, object.data.all(d, a != ''))))";
    let data: Value = (0..100).map(|n| (format!("k{n}"), json!("v"))).collect::<serde_json::Map<_, _>>().into();
    let large = json!({"metadata": {"name": "m"}, "data": data});
    let denied = with(expecting("configmaps", loops), json!({})).await.post(MAPS, &large).await;
    let why = format!("expression '{loops}' resulted in error: operation cancelled: actual cost limit exceeded");
    assert_eq!(denied.message(), format!("configmaps \"m\" is forbidden: {DENIED} {why}"));

    // Each variable is twice as long as the one before.
    let doubled =
        |n: usize| json!({"name": format!("v{n}"), "expression": format!("variables.v{0} + variables.v{0}", n - 1)});
    let mut variables = vec![json!({"name": "v0", "expression": "'0123456789'"})];
    variables.extend((1..200).map(doubled));
    let bomb = json!({"variables": variables, "validations": [{"expression": "variables.v199 == ''"}]});
    let denied = with(policy("configmaps", &bomb), json!({})).await.post(MAPS, &map("m")).await;
    assert_eq!(denied.status, 422);
    assert!(denied.message().contains("actual cost limit exceeded"), "{}", denied.message());
}

#[tokio::test(start_paused = true)]
async fn a_long_chain_of_variables_is_evaluated() {
    let next = |n: usize| json!({"name": format!("v{n}"), "expression": format!("variables.v{} + 1", n - 1)});
    let mut variables = vec![json!({"name": "v0", "expression": "size(object.data)"})];
    variables.extend((1..300).map(next));
    let chain = json!({"variables": variables, "validations": [{"expression": "variables.v299 == 301"}]});
    let api = with(policy("configmaps", &chain), json!({})).await;
    assert_eq!(api.post(MAPS, &map("m")).await.status, 422);
    let two = json!({"metadata": {"name": "n"}, "data": {"a": "1", "b": "2"}});
    assert_eq!(api.post(MAPS, &two).await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_does_not_compile_is_refused() {
    let api = Api::new(&Cluster::builder().bare().start());
    let refused =
        api.post(&format!("{GROUP}/validatingadmissionpolicies"), &expecting("configmaps", "object.x +")).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused
            .message()
            .contains("spec.validations[0].expression: Invalid value: \"object.x +\": compilation failed: ERROR")
    );
}
