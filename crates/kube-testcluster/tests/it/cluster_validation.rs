//! Tests the validation of all kinds against cases of kube-apiserver. `peers/validation` wrote the cases in
//! `fixtures/validation` from the strategies of k8s.io/kubernetes (`pkg/registry`,
//! `pkg/apis/core/validation/validation.go`).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::api::{Answer, Api, quiet};

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/validation")
}

pub(crate) fn cases(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn collection(object: &Value) -> &'static str {
    match object["kind"].as_str().unwrap() {
        "Event" if object["apiVersion"] == "events.k8s.io/v1" => "/apis/events.k8s.io/v1/namespaces/default/events",
        "Event" => "/api/v1/namespaces/default/events",
        "ControllerRevision" => "/apis/apps/v1/namespaces/default/controllerrevisions",
        "CronJob" => "/apis/batch/v1/namespaces/default/cronjobs",
        "DaemonSet" => "/apis/apps/v1/namespaces/default/daemonsets",
        "Deployment" => "/apis/apps/v1/namespaces/default/deployments",
        "Job" => "/apis/batch/v1/namespaces/default/jobs",
        "StatefulSet" => "/apis/apps/v1/namespaces/default/statefulsets",
        "CertificateSigningRequest" => "/apis/certificates.k8s.io/v1/certificatesigningrequests",
        "ClusterTrustBundle" => "/apis/certificates.k8s.io/v1/clustertrustbundles",
        "PodCertificateRequest" => "/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests",
        "DeviceClass" => "/apis/resource.k8s.io/v1/deviceclasses",
        "DeviceTaintRule" => "/apis/resource.k8s.io/v1/devicetaintrules",
        "ResourceClaim" => "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
        "ResourceClaimTemplate" => "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
        "ResourceSlice" => "/apis/resource.k8s.io/v1/resourceslices",
        "StorageVersionMigration" => "/apis/storagemigration.k8s.io/v1/storageversionmigrations",
        "ClusterRole" => "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        "ClusterRoleBinding" => "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        "CustomResourceDefinition" => "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "EndpointSlice" => "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
        "Endpoints" => "/api/v1/namespaces/default/endpoints",
        "HorizontalPodAutoscaler" if object["apiVersion"] == "autoscaling/v1" => {
            "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
        }
        "HorizontalPodAutoscaler" => "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
        "Ingress" => "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
        "FlowSchema" => "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
        "PriorityLevelConfiguration" => "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
        "IPAddress" => "/apis/networking.k8s.io/v1/ipaddresses",
        "ServiceCIDR" => "/apis/networking.k8s.io/v1/servicecidrs",
        "IngressClass" => "/apis/networking.k8s.io/v1/ingressclasses",
        "LimitRange" => "/api/v1/namespaces/default/limitranges",
        "MutatingWebhookConfiguration" => "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
        "NetworkPolicy" => "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
        "PersistentVolume" => "/api/v1/persistentvolumes",
        "PersistentVolumeClaim" => "/api/v1/namespaces/default/persistentvolumeclaims",
        "PodDisruptionBudget" => "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
        "PodTemplate" => "/api/v1/namespaces/default/podtemplates",
        "PriorityClass" => "/apis/scheduling.k8s.io/v1/priorityclasses",
        "ReplicationController" => "/api/v1/namespaces/default/replicationcontrollers",
        "ResourceQuota" => "/api/v1/namespaces/default/resourcequotas",
        "Role" => "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
        "RoleBinding" => "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
        "RuntimeClass" => "/apis/node.k8s.io/v1/runtimeclasses",
        "StorageClass" => "/apis/storage.k8s.io/v1/storageclasses",
        "CSIDriver" => "/apis/storage.k8s.io/v1/csidrivers",
        "CSINode" => "/apis/storage.k8s.io/v1/csinodes",
        "CSIStorageCapacity" => "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities",
        "VolumeAttachment" => "/apis/storage.k8s.io/v1/volumeattachments",
        "VolumeAttributesClass" => "/apis/storage.k8s.io/v1/volumeattributesclasses",
        "ValidatingAdmissionPolicy" => "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
        "ValidatingAdmissionPolicyBinding" => "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
        "ValidatingWebhookConfiguration" => "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
        "ConfigMap" => "/api/v1/namespaces/default/configmaps",
        "Lease" => "/apis/coordination.k8s.io/v1/namespaces/default/leases",
        "Namespace" => "/api/v1/namespaces",
        "Node" => "/api/v1/nodes",
        "Pod" => "/api/v1/namespaces/default/pods",
        "ReplicaSet" => "/apis/apps/v1/namespaces/default/replicasets",
        "Secret" => "/api/v1/namespaces/default/secrets",
        "Service" => "/api/v1/namespaces/default/services",
        "ServiceAccount" => "/api/v1/namespaces/default/serviceaccounts",
        other => panic!("no path for {other}"),
    }
}

/// Sends the `new` object of a case: as a POST, or as a PUT over the `old` object. The POST is a dry run, unless the
/// case asks for what is stored (`ask`). For a case whose old definition is not established, another definition takes its
/// kind first.
async fn sent(api: &Api, case: &Value) -> Answer {
    let (path, new) = (collection(&case["new"]), &case["new"]);
    let dry = if case["ask"].is_null() { "?dryRun=All" } else { "" };
    let Some(old) = case.get("old") else { return api.post(&format!("{path}{dry}"), new).await };
    if old["kind"] == "CustomResourceDefinition" && !is_established(case) {
        assert_eq!(api.post(path, &rival(old)).await.status, 201);
    }
    let created = api.post(path, old).await;
    assert_eq!(created.status, 201, "{old}: {}", created.body);
    let name = new["metadata"]["name"].as_str().unwrap().to_owned();
    let mut before = api.get(&format!("{path}/{}", created.body["metadata"]["name"].as_str().unwrap())).await.body;
    if let Some(status) = case.get("status") {
        before["status"] = status.clone();
        let reported = api.send("PUT", &format!("{path}/{name}/status"), "application/json", before.to_string()).await;
        assert_eq!(reported.status, 200, "{status}: {}", reported.body);
        before = api.get(&format!("{path}/{name}")).await.body;
    }
    let mut new = new.clone();
    new["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"].clone();
    let part = case["subresource"].as_str().map(|part| format!("/{part}")).unwrap_or_default();
    api.send("PUT", &format!("{path}/{name}{part}"), "application/json", new.to_string()).await
}

fn is_established(case: &Value) -> bool {
    let mut conditions = case["status"]["conditions"].as_array().into_iter().flatten();
    conditions.any(|condition| condition["type"] == "Established" && condition["status"] == "True")
}

/// Returns a definition with the kind of another definition, which is then not established.
fn rival(definition: &Value) -> Value {
    let mut rival = definition.clone();
    let names = &mut rival["spec"]["names"];
    names["plural"] = json!("rivals");
    names["singular"] = json!("rival");
    names["listKind"] = json!("RivalList");
    names.as_object_mut().unwrap().remove("shortNames");
    let group = rival["spec"]["group"].as_str().unwrap().to_owned();
    rival["metadata"]["name"] = json!(format!("rivals.{group}"));
    rival
}

/// Returns the field and the message of each cause. Only the first line is compared, because a diff of two Go structs
/// may follow.
fn messages(causes: &Value) -> Vec<String> {
    let list = causes.as_array().into_iter().flatten();
    list.map(|cause| {
        let message = cause["message"].as_str().unwrap();
        format!("{}: {}", cause["field"].as_str().unwrap_or_default(), message.split('\n').next().unwrap_or_default())
    })
    .collect()
}

/// Returns a description of the difference from upstream; none if the answers agree.
async fn difference(case: &Value) -> Option<String> {
    let api = Api::new(&quiet().start());
    let answer = sent(&api, case).await;
    let (mut expected, mut found) = (messages(&case["causes"]), messages(&answer.body["details"]["causes"]));
    if case["unordered"] == true {
        expected.sort_unstable();
        found.sort_unstable();
    }
    let status = if expected.is_empty() { answer.status < 300 } else { answer.status == 422 };
    let shown = || format!("{case}\n  upstream {expected:#?}\n  here {} {found:#?}", answer.status);
    if !status || expected != found {
        return Some(shown());
    }
    let asked = case["ask"].as_array().filter(|_| answer.status < 300)?;
    if asked.iter().any(|asked| asked == "warnings") {
        let expected = case["warnings"].as_array().into_iter().flatten();
        let expected: Vec<String> = expected.map(|text| format!("299 - {:?}", text.as_str().unwrap())).collect();
        if answer.warnings() != expected {
            return Some(format!("{case}\n  upstream {expected:#?}\n  here {:#?}", answer.warnings()));
        }
    }
    let path = format!("{}/{}", collection(&case["new"]), case["new"]["metadata"]["name"].as_str().unwrap());
    let table = api.table(&path).await;
    let row = [("object", stored(&answer.body)), ("cells", table["rows"][0]["cells"].clone())];
    let found = row.into_iter().chain([("columns", table["columnDefinitions"].clone())]);
    let wrong =
        found.filter(|(part, _)| asked.iter().any(|asked| asked == part)).find(|(part, found)| case[*part] != *found);
    wrong.map(|(part, found)| format!("{}\n  upstream {}\n  here     {found}", case["new"], case[part]))
}

/// Removes the fields of an object that differ in every answer.
fn stored(object: &Value) -> Value {
    let mut object = object.clone();
    for (parent, field) in [
        ("metadata", "uid"),
        ("metadata", "creationTimestamp"),
        ("metadata", "resourceVersion"),
        ("status", "lastPhaseTransitionTime"),
    ] {
        object.get_mut(parent).and_then(Value::as_object_mut).map(|parent| parent.remove(field));
    }
    object
}

fn is_of_expressions(case: &Value) -> bool {
    let words = ["x-kubernetes-validations", "compilation failed", "instantiation failed", "must evaluate"];
    words.iter().any(|word| case.to_string().contains(word))
}

#[tokio::test(start_paused = true)]
async fn objects_are_refused_with_the_causes_of_upstream() {
    let mut count = 0;
    let mut differences = Vec::new();
    for file in std::fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|end| end != "jsonl") || file.ends_with("missing.jsonl") {
            continue;
        }
        for case in cases(&file) {
            if !cfg!(feature = "cel") && is_of_expressions(&case) {
                continue; // expressions are compiled only with the feature `cel`
            }
            count += 1;
            differences.extend(difference(&case).await);
        }
    }
    assert!(count > 150, "{count} cases");
    assert!(differences.is_empty(), "{} of {count} differ\n{}", differences.len(), differences.join("\n"));
}

/// A case that no longer differs must be moved to the other files.
#[tokio::test(start_paused = true)]
async fn the_known_missing_checks_are_still_missing() {
    for case in cases(&fixtures().join("missing.jsonl")) {
        assert!(
            difference(&case).await.is_some(),
            "this case no longer differs, so move it out of missing.jsonl: {case}"
        );
    }
    // The comparison leaves out the diff of two Go structs.
    let refused = json!([{"field": "spec", "message": "Forbidden: x\n(a difference)"}]);
    assert_eq!(messages(&refused), ["spec: Forbidden: x"]);
}
