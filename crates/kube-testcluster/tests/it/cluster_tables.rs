//! Tests tables: the columns and cells of each kind are those of kube-apiserver.

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, quiet};

/// Columns whose description is that of a field: the kind's plural, the column, the schema and the field.
const FIELDS: &[(&str, &str, &str, &str)] = &[
    ("pods", "Name", "meta.v1.ObjectMeta", "name"),
    ("pods", "Age", "meta.v1.ObjectMeta", "creationTimestamp"),
    ("pods", "IP", "core.v1.PodStatus", "podIP"),
    ("pods", "Node", "core.v1.PodSpec", "nodeName"),
    ("pods", "Nominated Node", "core.v1.PodStatus", "nominatedNodeName"),
    ("pods", "Readiness Gates", "core.v1.PodSpec", "readinessGates"),
    ("replicasets", "Desired", "apps.v1.ReplicaSetSpec", "replicas"),
    ("replicasets", "Current", "apps.v1.ReplicaSetStatus", "replicas"),
    ("replicasets", "Ready", "apps.v1.ReplicaSetStatus", "readyReplicas"),
    ("replicasets", "Selector", "apps.v1.ReplicaSetSpec", "selector"),
    ("deployments", "Up-to-date", "apps.v1.DeploymentStatus", "updatedReplicas"),
    ("deployments", "Available", "apps.v1.DeploymentStatus", "availableReplicas"),
    ("deployments", "Selector", "apps.v1.DeploymentSpec", "selector"),
    ("daemonsets", "Desired", "apps.v1.DaemonSetStatus", "desiredNumberScheduled"),
    ("daemonsets", "Current", "apps.v1.DaemonSetStatus", "currentNumberScheduled"),
    ("daemonsets", "Ready", "apps.v1.DaemonSetStatus", "numberReady"),
    ("daemonsets", "Up-to-date", "apps.v1.DaemonSetStatus", "updatedNumberScheduled"),
    ("daemonsets", "Available", "apps.v1.DaemonSetStatus", "numberAvailable"),
    ("daemonsets", "Node Selector", "core.v1.PodSpec", "nodeSelector"),
    ("daemonsets", "Selector", "apps.v1.DaemonSetSpec", "selector"),
    ("controllerrevisions", "Revision", "apps.v1.ControllerRevision", "revision"),
    ("jobs", "Completions", "batch.v1.JobStatus", "succeeded"),
    ("jobs", "Selector", "batch.v1.JobSpec", "selector"),
    ("cronjobs", "Schedule", "batch.v1.CronJobSpec", "schedule"),
    ("cronjobs", "Timezone", "batch.v1.CronJobSpec", "timeZone"),
    ("cronjobs", "Suspend", "batch.v1.CronJobSpec", "suspend"),
    ("cronjobs", "Active", "batch.v1.CronJobStatus", "active"),
    ("cronjobs", "Last Schedule", "batch.v1.CronJobStatus", "lastScheduleTime"),
    ("services", "Type", "core.v1.ServiceSpec", "type"),
    ("services", "Cluster-IP", "core.v1.ServiceSpec", "clusterIP"),
    ("services", "External-IP", "core.v1.ServiceSpec", "externalIPs"),
    ("services", "Port(s)", "core.v1.ServiceSpec", "ports"),
    ("services", "Selector", "core.v1.ServiceSpec", "selector"),
    ("nodes", "Version", "core.v1.NodeSystemInfo", "kubeletVersion"),
    ("nodes", "Internal-IP", "core.v1.NodeStatus", "addresses"),
    ("nodes", "External-IP", "core.v1.NodeStatus", "addresses"),
    ("nodes", "OS-Image", "core.v1.NodeSystemInfo", "osImage"),
    ("nodes", "Kernel-Version", "core.v1.NodeSystemInfo", "kernelVersion"),
    ("nodes", "Container-Runtime", "core.v1.NodeSystemInfo", "containerRuntimeVersion"),
    ("events", "Last Seen", "core.v1.Event", "lastTimestamp"),
    ("events", "Type", "core.v1.Event", "type"),
    ("events", "Reason", "core.v1.Event", "reason"),
    ("events", "Object", "core.v1.Event", "involvedObject"),
    ("events", "Subobject", "core.v1.ObjectReference", "fieldPath"),
    ("events", "Source", "core.v1.Event", "source"),
    ("events", "Message", "core.v1.Event", "message"),
    ("events", "First Seen", "core.v1.Event", "firstTimestamp"),
    ("events", "Count", "core.v1.Event", "count"),
    ("secrets", "Type", "core.v1.Secret", "type"),
    ("secrets", "Data", "core.v1.Secret", "data"),
    ("configmaps", "Data", "core.v1.ConfigMap", "data"),
    ("leases", "Holder", "coordination.v1.LeaseSpec", "holderIdentity"),
    ("csidrivers", "AttachRequired", "storage.v1.CSIDriverSpec", "attachRequired"),
    ("csidrivers", "PodInfoOnMount", "storage.v1.CSIDriverSpec", "podInfoOnMount"),
    ("csidrivers", "StorageCapacity", "storage.v1.CSIDriverSpec", "storageCapacity"),
    ("csidrivers", "TokenRequests", "storage.v1.CSIDriverSpec", "tokenRequests"),
    ("csidrivers", "RequiresRepublish", "storage.v1.CSIDriverSpec", "requiresRepublish"),
    ("csidrivers", "Modes", "storage.v1.CSIDriverSpec", "volumeLifecycleModes"),
    ("servicecidrs", "CIDRs", "networking.v1.ServiceCIDRSpec", "cidrs"),
    ("ipaddresses", "ParentRef", "networking.v1.IPAddressSpec", "parentRef"),
    ("resourceslices", "Node", "resource.v1.ResourceSliceSpec", "nodeName"),
    ("resourceslices", "Driver", "resource.v1.ResourceSliceSpec", "driver"),
    ("resourceslices", "Pool", "resource.v1.ResourcePool", "name"),
    ("devicetaintrules", "Key", "resource.v1.DeviceTaint", "key"),
    ("devicetaintrules", "Value", "resource.v1.DeviceTaint", "value"),
    ("devicetaintrules", "Effect", "resource.v1.DeviceTaint", "effect"),
    ("devicetaintrules", "TimeAdded", "resource.v1.DeviceTaint", "timeAdded"),
    ("clustertrustbundles", "SignerName", "certificates.v1.ClusterTrustBundleSpec", "signerName"),
    ("podcertificaterequests", "PodName", "certificates.v1.PodCertificateRequestSpec", "podName"),
    ("podcertificaterequests", "ServiceAccountName", "certificates.v1.PodCertificateRequestSpec", "serviceAccountName"),
    ("podcertificaterequests", "NodeName", "certificates.v1.PodCertificateRequestSpec", "nodeName"),
    ("podcertificaterequests", "SignerName", "certificates.v1.PodCertificateRequestSpec", "signerName"),
    ("volumeattributesclasses", "DriverName", "storage.v1.VolumeAttributesClass", "driverName"),
];

fn collection(plural: &str) -> String {
    match plural {
        "controllerrevisions" | "daemonsets" | "deployments" | "replicasets" | "statefulsets" => {
            format!("/apis/apps/v1/namespaces/default/{plural}")
        }
        "jobs" | "cronjobs" => format!("/apis/batch/v1/namespaces/default/{plural}"),
        "csidrivers" | "csinodes" | "volumeattributesclasses" => format!("/apis/storage.k8s.io/v1/{plural}"),
        "csistoragecapacities" => format!("/apis/storage.k8s.io/v1/namespaces/default/{plural}"),
        "flowschemas" | "prioritylevelconfigurations" => format!("/apis/flowcontrol.apiserver.k8s.io/v1/{plural}"),
        "servicecidrs" | "ipaddresses" => format!("/apis/networking.k8s.io/v1/{plural}"),
        "deviceclasses" | "devicetaintrules" | "resourceslices" => format!("/apis/resource.k8s.io/v1/{plural}"),
        "resourceclaims" | "resourceclaimtemplates" => {
            format!("/apis/resource.k8s.io/v1/namespaces/default/{plural}")
        }
        "clustertrustbundles" => format!("/apis/certificates.k8s.io/v1/{plural}"),
        "podcertificaterequests" => format!("/apis/certificates.k8s.io/v1/namespaces/default/{plural}"),
        "storageversionmigrations" => format!("/apis/storagemigration.k8s.io/v1/{plural}"),
        "leases" => "/apis/coordination.k8s.io/v1/namespaces/default/leases".into(),
        "nodes" | "namespaces" => format!("/api/v1/{plural}"),
        _ => format!("/api/v1/namespaces/default/{plural}"),
    }
}

async fn table(api: &Api, path: &str) -> Value {
    let request = Request::get(path).header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    let response = api.raw(request.body(Body::empty()).unwrap()).await;
    serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
}

/// Creates an object, sets its status, and returns the cells of its row.
async fn cells(api: &Api, plural: &str, object: Value) -> Value {
    let path = collection(plural);
    let created = api.post(&path, &object).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let path = format!("{path}/{}", object["metadata"]["name"].as_str().unwrap());
    if object["status"].is_object() {
        let changed = api.merge(&format!("{path}/status"), &json!({"status": object["status"]})).await;
        assert_eq!(changed.status, 200, "{}", changed.body);
    }
    table(api, &path).await["rows"][0]["cells"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_column_has_the_description_of_its_field() {
    let api = Api::new(&quiet().start());
    let document = api.get("/openapi/v2").await.body;
    for (plural, column, schema, field) in FIELDS {
        let table = table(&api, &collection(plural)).await;
        let columns = table["columnDefinitions"].as_array().unwrap();
        let definition = columns.iter().find(|definition| definition["name"] == *column).unwrap();
        let package = if schema.starts_with("meta.") { "io.k8s.apimachinery.pkg.apis" } else { "io.k8s.api" };
        let published = &document["definitions"][format!("{package}.{schema}")]["properties"][field]["description"];
        assert_eq!(&definition["description"], published, "{plural}: {column}");
    }
}

#[tokio::test(start_paused = true)]
async fn columns_have_upstreams_order_type_and_priority() {
    let api = Api::new(&quiet().start());
    // `#` marks a column of integers, `+` a column that only `-o wide` shows.
    for (plural, expected) in [
        ("pods", "Name Ready Status Restarts Age IP+ Node+ Nominated_Node+ Readiness_Gates+"),
        ("replicasets", "Name Desired# Current# Ready# Age Containers+ Images+ Selector+"),
        ("deployments", "Name Ready Up-to-date Available Age Containers+ Images+ Selector+"),
        ("statefulsets", "Name Ready Age Containers+ Images+"),
        (
            "daemonsets",
            "Name Desired# Current# Ready# Up-to-date# Available# Node_Selector Age Containers+ Images+ Selector+",
        ),
        ("controllerrevisions", "Name Controller Revision Age"),
        ("deviceclasses", "Name Age"),
        ("devicetaintrules", "Name Key Value Effect TimeAdded Age"),
        ("resourceclaims", "Name State Age"),
        ("resourceclaimtemplates", "Name Age"),
        ("resourceslices", "Name Node Driver Pool Age"),
        ("clustertrustbundles", "Name SignerName"),
        (
            "podcertificaterequests",
            "Name PodName ServiceAccountName NodeName SignerName State UnverifiedUserAnnotations",
        ),
        ("storageversionmigrations", "Name Resource Status"),
        ("jobs", "Name Status Completions Duration Age Containers+ Images+ Selector+"),
        ("cronjobs", "Name Schedule Timezone Suspend Active# Last_Schedule Age Containers+ Images+ Selector+"),
        ("services", "Name Type Cluster-IP External-IP Port(s) Age Selector+"),
        (
            "nodes",
            "Name Status Roles Age Version Internal-IP+ External-IP+ OS-Image+ Kernel-Version+ Container-Runtime+",
        ),
        ("events", "Last_Seen Type Reason Object Subobject+ Source+ Message First_Seen+ Count+ Name+"),
        ("namespaces", "Name Status Age"),
        ("secrets", "Name Type Data Age"),
        ("configmaps", "Name Data Age"),
        ("serviceaccounts", "Name Age"),
        ("leases", "Name Holder Age"),
        ("csidrivers", "Name AttachRequired PodInfoOnMount StorageCapacity TokenRequests RequiresRepublish Modes Age"),
        ("csinodes", "Name Drivers# Age"),
        ("csistoragecapacities", "Name Created_At"),
        ("volumeattributesclasses", "Name DriverName Age"),
        ("servicecidrs", "Name CIDRs Age"),
        ("flowschemas", "Name PriorityLevel MatchingPrecedence DistinguisherMethod Age MissingPL"),
        ("prioritylevelconfigurations", "Name Type NominalConcurrencyShares Queues HandSize QueueLengthLimit Age"),
        ("ipaddresses", "Name ParentRef"),
    ] {
        let table = table(&api, &collection(plural)).await;
        let said = |column: &Value| {
            let name = column["name"].as_str().unwrap().replace(' ', "_");
            // Upstream gives this kind's names no format.
            let has_format = name == "Name" && plural != "storageversionmigrations";
            assert_eq!(column["format"], if has_format { "name" } else { "" });
            let kind = if column["type"] == "integer" { "#" } else { "" };
            format!("{name}{kind}{}", if column["priority"] == 1 { "+" } else { "" })
        };
        let columns: Vec<_> = table["columnDefinitions"].as_array().unwrap().iter().map(said).collect();
        assert_eq!(columns.join(" "), expected, "{plural}");
    }
}

#[tokio::test(start_paused = true)]
async fn cells_are_those_of_kube_apiserver() {
    let api = Api::new(&quiet().start());
    let set = json!({
        "metadata": {"name": "set"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "a"}, "matchExpressions": [{"key": "app", "operator": "Exists"}]},
            "template": {
                "metadata": {"labels": {"app": "a"}},
                "spec": {"containers": [{"name": "one", "image": "nginx"}, {"name": "two", "image": "redis"}]},
            },
        },
        "status": {"replicas": 2, "readyReplicas": 1},
    });
    assert_eq!(
        cells(&api, "replicasets", set).await,
        json!(["set", 2, 2, 1, "0s", "one,two", "nginx,redis", "app=a,app"])
    );

    let node = json!({
        "metadata": {"name": "node", "labels": {"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "builder"}},
        "spec": {"unschedulable": true},
        "status": {
            "conditions": [{"type": "Ready", "status": "Unknown"}],
            "addresses": [{"type": "InternalIP", "address": "192.0.2.1"}],
            "nodeInfo": {"kubeletVersion": "v1.2.3", "kernelVersion": "6.1", "architecture": "amd64"},
        },
    });
    let expected = json!([
        "node",
        "NotReady,SchedulingDisabled",
        "builder,worker",
        "0s",
        "v1.2.3",
        "192.0.2.1",
        "<none>",
        "<unknown>",
        "6.1 (amd64)",
        "<unknown>"
    ]);
    assert_eq!(cells(&api, "nodes", node).await, expected);

    let map = json!({"metadata": {"name": "map"}, "data": {"a": "1"}, "binaryData": {"b": "MQ=="}});
    assert_eq!(cells(&api, "configmaps", map).await, json!(["map", 2, "0s"]));
    let secret = json!({"metadata": {"name": "secret"}, "stringData": {"a": "1"}});
    assert_eq!(cells(&api, "secrets", secret).await, json!(["secret", "Opaque", 1, "0s"]));
    let lease = json!({"metadata": {"name": "lease"}, "spec": {"holderIdentity": "me"}});
    assert_eq!(cells(&api, "leases", lease).await, json!(["lease", "me", "0s"]));
}

#[tokio::test(start_paused = true)]
async fn a_scale_has_columns_of_its_own() {
    let api = Api::new(&quiet().start());
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "template": template});
    let path = collection("deployments");
    assert_eq!(api.post(&path, &json!({"metadata": {"name": "web"}, "spec": spec})).await.status, 201);
    let scale = table(&api, &format!("{path}/web/scale?includeObject=Object")).await;
    let names: Vec<_> = scale["columnDefinitions"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
    assert_eq!(names, ["Name", "Desired", "Available", "Age"]);
    let row = &scale["rows"][0];
    assert_eq!(row["cells"].as_array().unwrap()[..3], [json!("web"), json!(3), json!(0)]);
    assert_eq!((&row["object"]["kind"], &row["object"]["apiVersion"]), (&json!("Scale"), &json!("autoscaling/v1")));
}

#[tokio::test(start_paused = true)]
async fn the_cells_of_a_workload_show_its_progress() {
    let api = Api::new(&quiet().start());
    let spec = json!({
        "selector": {"matchLabels": {"app": "a"}},
        "template": {
            "metadata": {"labels": {"app": "a"}},
            "spec": {"containers": [{"name": "one", "image": "nginx"}], "nodeSelector": {"disk": "ssd", "arch": "arm64"}},
        },
    });
    let deployment = json!({
        "metadata": {"name": "web"}, "spec": spec,
        "status": {"replicas": 2, "readyReplicas": 1, "updatedReplicas": 2, "availableReplicas": 1},
    });
    assert_eq!(
        cells(&api, "deployments", deployment).await,
        json!(["web", "1/1", 2, 1, "0s", "one", "nginx", "app=a"])
    );
    let job = json!({
        "metadata": {"name": "pi"},
        "spec": {"completions": 3, "template": {"spec": {
            "containers": [{"name": "one", "image": "perl"}], "restartPolicy": "Never",
        }}},
        "status": {"succeeded": 2, "startTime": "2023-05-01T09:59:30Z"},
    });
    let mut said = cells(&api, "jobs", job).await;
    assert!(said[7].take().as_str().unwrap().starts_with("batch.kubernetes.io/controller-uid="));
    assert_eq!(said, json!(["pi", "Running", "2/3", "30s", "0s", "one", "perl", null]));
    let revision = json!({
        "metadata": {"name": "web-1", "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "1", "controller": true},
        ]},
        "revision": 3, "data": {},
    });
    assert_eq!(cells(&api, "controllerrevisions", revision).await, json!(["web-1", "statefulset.apps/web", 3, "0s"]));
}

#[tokio::test(start_paused = true)]
async fn the_cells_of_a_service_show_its_external_addresses() {
    let api = Api::new(&quiet().start());
    let service = |name: &str, mut spec: Value, ingress: Value| {
        spec["ports"] = json!([{"port": 80}]);
        spec["selector"] = json!({"b": "2", "a": "1"});
        json!({"metadata": {"name": name}, "spec": spec, "status": {"loadBalancer": {"ingress": ingress}}})
    };
    let ingress = json!([{"hostname": "example.com"}, {"ip": "192.0.2.9"}]);
    for (name, spec, ingress, external) in [
        ("none", json!({}), Value::Null, "<none>"),
        ("own", json!({"externalIPs": ["192.0.2.2", "192.0.2.1"]}), Value::Null, "192.0.2.2,192.0.2.1"),
        ("pending", json!({"type": "LoadBalancer"}), Value::Null, "<pending>"),
        ("balanced", json!({"type": "LoadBalancer"}), ingress.clone(), "192.0.2.9,example.com"),
        (
            "both",
            json!({"type": "LoadBalancer", "externalIPs": ["192.0.2.1"]}),
            ingress,
            "192.0.2.9,example.com,192.0.2.1",
        ),
        ("name", json!({"type": "ExternalName", "externalName": "example.org"}), Value::Null, "example.org"),
    ] {
        let cells = cells(&api, "services", service(name, spec, ingress)).await;
        assert_eq!((&cells[0], &cells[3], &cells[6]), (&json!(name), &json!(external), &json!("a=1,b=2")));
    }
}

#[tokio::test(start_paused = true)]
async fn the_cells_of_an_event_show_its_times_and_count() {
    let api = Api::new(&quiet().start());
    let event = |name: &str, more: Value| {
        let mut event = json!({
            "metadata": {"name": name}, "type": "Normal", "reason": "Pulled", "message": " done\n",
            "involvedObject": {"kind": "Pod", "name": "web", "namespace": "default", "fieldPath": "spec.containers{main}"},
        });
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let old = json!({
        "firstTimestamp": "2023-05-01T09:00:00Z", "lastTimestamp": "2023-05-01T09:59:00Z", "count": 3,
        "source": {"component": "kubelet", "host": "node-1"},
    });
    let expected = json!([
        "60s",
        "Normal",
        "Pulled",
        "pod/web",
        "spec.containers{main}",
        "kubelet, node-1",
        "done",
        "60m",
        3,
        "old"
    ]);
    assert_eq!(cells(&api, "events", event("old", old)).await, expected);

    let new = json!({"eventTime": "2023-05-01T09:59:30.000000Z", "reportingComponent": "me", "reportingInstance": "me-1", "action": "Pull"});
    let cells_of_new = cells(&api, "events", event("new", new)).await;
    assert_eq!(
        cells_of_new,
        json!(["30s", "Normal", "Pulled", "pod/web", "spec.containers{main}", "me, me-1", "done", "30s", 1, "new"])
    );

    let series = json!({
        "eventTime": "2023-05-01T09:50:00.000000Z", "reportingComponent": "me", "reportingInstance": "me-1",
        "action": "Pull", "series": {"count": 7, "lastObservedTime": "2023-05-01T09:59:50.000000Z"},
    });
    let cells = cells(&api, "events", event("series", series)).await;
    assert_eq!(
        (&cells[0], &cells[5], &cells[7], &cells[8]),
        (&json!("10s"), &json!("me, me-1"), &json!("10m"), &json!(7))
    );
}

/// Returns readiness, status and restarts of a pod, as the table shows them.
async fn pod_says(name: &str, init: Value, status: Value) -> [Value; 3] {
    let api = Api::new(&quiet().start());
    let containers = json!([{"name": "main", "image": "nginx"}]);
    let pod = json!({
        "metadata": {"name": name}, "status": status,
        "spec": {"containers": containers, "initContainers": init},
    });
    let cells = cells(&api, "pods", pod).await;
    [cells[1].clone(), cells[2].clone(), cells[3].clone()]
}

fn container(name: &str, state: &Value, ready: bool, restarts: u32) -> Value {
    json!({
        "name": name, "image": "", "imageID": "", "ready": ready, "started": ready, "restartCount": restarts,
        "state": state,
    })
}

#[tokio::test(start_paused = true)]
async fn the_cells_of_a_pod_count_a_sidecar_as_a_container() {
    let init = json!([
        {"name": "sidecar", "image": "proxy", "restartPolicy": "Always"}, {"name": "setup", "image": "tool"}
    ]);
    let running = json!({"running": {}});
    let through = json!({"terminated": {"exitCode": 0, "reason": "Completed"}});
    let status = json!({
        "phase": "Running",
        "initContainerStatuses": [container("sidecar", &running, true, 2), container("setup", &through, false, 5)],
        "containerStatuses": [container("main", &running, true, 1)],
    });
    assert_eq!(pod_says("web", init.clone(), status).await, ["2/2", "Running", "3"]);
    assert_eq!(pod_says("new", init, json!({"phase": "Pending"})).await, ["0/2", "Pending", "0"]);
}

#[tokio::test(start_paused = true)]
async fn the_status_cell_shows_a_failed_container_before_a_completed_one() {
    let done = |code: i32, reason: &str| json!({"terminated": {"exitCode": code, "reason": reason}});
    let status = |first: Value, second: Value| json!({"phase": "Failed", "containerStatuses": [container("a", &first, false, 0), container("b", &second, false, 0)]});
    let none = Value::Null;
    let failed = pod_says("a", none.clone(), status(done(0, "Completed"), done(3, "Error"))).await;
    assert_eq!(failed[1], "Error");
    let running = json!({"running": {}});
    let mut half = status(done(0, "Completed"), running.clone());
    half["containerStatuses"][1] = container("b", &running, true, 0);
    assert_eq!(pod_says("b", none, half).await[1], "NotReady");
}

#[tokio::test(start_paused = true)]
async fn a_row_of_a_finished_pod_has_the_completed_condition() {
    let api = Api::new(&quiet().start());
    api.pod("done", &Value::Null).await;
    assert_eq!(table(&api, PODS).await["rows"][0].get("conditions"), None);
    for (phase, message) in [("Succeeded", "The pod has completed successfully."), ("Failed", "The pod failed.")] {
        let status = json!({"status": {"phase": phase}});
        assert_eq!(api.merge(&format!("{PODS}/done/status"), &status).await.status, 200);
        let expected = json!([{"type": "Completed", "status": "True", "reason": phase, "message": message}]);
        assert_eq!(table(&api, PODS).await["rows"][0]["conditions"], expected);
    }
}

#[tokio::test]
async fn subresources_without_a_table_convertor_are_not_served_as_tables() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    let binding = json!({"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n"}}).to_string();
    let bind = |accept: &'static str| {
        let request = Request::post(format!("{PODS}/a/binding")).header("accept", accept);
        api.answer(request.header("content-type", "application/json").body(binding.clone().into()).unwrap())
    };
    let refused = bind("application/json;as=Table;v=v1;g=meta.k8s.io").await;
    assert_eq!((refused.status, refused.body["reason"].as_str()), (406, Some("NotAcceptable")));
    assert_eq!(bind("application/json;as=Table;v=v1;g=meta.k8s.io,application/json").await.status, 201);
}
