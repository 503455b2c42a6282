//! Tests the Deployment controller in a whole in-memory cluster.

use std::time::Duration;

use kube_testcluster::controllers::{deployment, replica_set};
use kube_testcluster::{Cluster, ControllerName, Controllers, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::api::{Api, PODS};
use crate::support::seeds;

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const WEB: &str = "/apis/apps/v1/namespaces/default/deployments/web";
const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";

fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(2);
    let cluster = cluster.commit_latency(Duration::from_millis(1)).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

fn deployment(replicas: u32, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "annotations": {"owner": "me"}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": image}]},
            },
        },
    })
}

fn image(name: &str) -> Value {
    json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": name}]}}}})
}

async fn a_while() {
    sleep(Duration::from_secs(5)).await;
}

/// Returns the image and the size of each ReplicaSet, in the order of their revisions.
async fn sets(api: &Api) -> Vec<(String, i64)> {
    let mut sets = api.items(SETS).await;
    let revision = |set: &Value| -> u32 {
        set["metadata"]["annotations"]["deployment.kubernetes.io/revision"].as_str().unwrap().parse().unwrap()
    };
    sets.sort_by_key(revision);
    let said = |set: &Value| {
        let image = set.pointer("/spec/template/spec/containers/0/image").unwrap();
        (image.as_str().unwrap().to_owned(), set["spec"]["replicas"].as_i64().unwrap())
    };
    sets.iter().map(said).collect()
}

fn condition<'a>(deployment: &'a Value, kind: &str) -> &'a Value {
    let conditions = deployment["status"]["conditions"].as_array().map_or(&[][..], Vec::as_slice);
    conditions.iter().find(|condition| condition["type"] == kind).unwrap_or(&Value::Null)
}

fn expected_sets(list: &[(&str, i64)]) -> Vec<(String, i64)> {
    list.iter().map(|(image, size)| ((*image).to_owned(), *size)).collect()
}

#[tokio::test(start_paused = true)]
async fn a_deployment_gets_a_replica_set_and_a_status() {
    let (cluster, api) = running();
    assert_eq!(api.post(DEPLOYMENTS, &deployment(3, "nginx:1")).await.status, 201);
    a_while().await;
    let web = api.get(WEB).await.body;
    let status = &web["status"];
    for field in ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"] {
        assert_eq!(status[field], 3, "{field}: {status}");
    }
    assert_eq!((&status["observedGeneration"], status.get("unavailableReplicas")), (&json!(1), None));
    assert_eq!(condition(&web, "Available")["reason"], "MinimumReplicasAvailable");
    let set = api.items(SETS).await.remove(0);
    let name = set["metadata"]["name"].as_str().unwrap();
    assert_eq!(
        (&condition(&web, "Progressing")["reason"], &condition(&web, "Progressing")["message"]),
        (&json!("NewReplicaSetAvailable"), &json!(format!("ReplicaSet \"{name}\" has successfully progressed.")))
    );
    assert_eq!(web["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "1");
    let hash = name.strip_prefix("web-").unwrap();
    assert_eq!(set["metadata"]["labels"], json!({"app": "web", "pod-template-hash": hash}));
    assert_eq!(set["spec"]["selector"]["matchLabels"], set["metadata"]["labels"]);
    let noted = |key: &str| set["metadata"]["annotations"][key].clone();
    assert_eq!(
        ["desired-replicas", "max-replicas", "revision"].map(|key| noted(&format!("deployment.kubernetes.io/{key}"))),
        ["3", "4", "1"].map(Value::from)
    );
    assert_eq!(noted("owner"), "me");
    let events = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DDeployment";
    assert_eq!(api.items(events).await[0]["message"], format!("Scaled up replica set {name} from 0 to 3"));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_rolling_update_obeys_max_surge_and_max_unavailable() {
    let (cluster, api) = running();
    let mut web = deployment(10, "nginx:1");
    web["spec"]["strategy"] = json!({"rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}});
    web["spec"]["minReadySeconds"] = json!(10);
    api.post(DEPLOYMENTS, &web).await;
    sleep(Duration::from_secs(20)).await;
    api.merge(WEB, &image("nginx:2")).await;
    let mut steps = 0;
    loop {
        sleep(Duration::from_millis(200)).await;
        let (sizes, web) = (sets(&api).await, api.get(WEB).await.body);
        let asked: i64 = sizes.iter().map(|(_, size)| size).sum();
        assert!(asked <= 13, "{sizes:?}");
        if web["status"]["observedGeneration"] == 2 {
            assert!(web["status"]["availableReplicas"].as_i64().unwrap() >= 8, "{}", web["status"]);
        }
        if condition(&web, "Progressing")["reason"] == "NewReplicaSetAvailable" && steps > 5 {
            break;
        }
        steps += 1;
        assert!(steps < 1000, "{}", web["status"]);
    }
    assert_eq!(sets(&api).await, expected_sets(&[("nginx:1", 0), ("nginx:2", 10)]));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn with_recreate_new_pods_come_only_after_the_old_pods_are_gone() {
    let (cluster, api) = running();
    let mut web = deployment(3, "nginx:1");
    web["spec"]["strategy"] = json!({"type": "Recreate"});
    api.post(DEPLOYMENTS, &web).await;
    a_while().await;
    let old = api.get(PODS).await.names().join(" ");
    let mut watch = api.watch("").await;
    api.merge(WEB, &image("nginx:2")).await;
    let (mut gone, mut come) = (0, 0);
    while come < 3 {
        let event = watch.next().await.unwrap();
        let is_old = old.contains(event["object"]["metadata"]["name"].as_str().unwrap());
        match event["type"].as_str().unwrap() {
            "DELETED" => gone += 1,
            "ADDED" if !is_old => {
                assert_eq!(gone, 3, "an old pod is still there");
                come += 1;
            }
            _ => {}
        }
    }
    a_while().await;
    assert_eq!(sets(&api).await, expected_sets(&[("nginx:1", 0), ("nginx:2", 3)]));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_undone_rollout_reuses_the_old_replica_set_with_a_new_revision() {
    let (cluster, api) = running();
    api.post(DEPLOYMENTS, &deployment(2, "nginx:1")).await;
    a_while().await;
    api.merge(WEB, &image("nginx:2")).await;
    a_while().await;
    api.merge(WEB, &image("nginx:1")).await;
    a_while().await;
    assert_eq!(sets(&api).await, expected_sets(&[("nginx:2", 0), ("nginx:1", 2)]));
    let web = api.get(WEB).await.body;
    assert_eq!(web["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "3");
    let sets = api.items(SETS).await;
    let back = sets.iter().find(|set| set["spec"]["replicas"] == 2).unwrap();
    assert_eq!(back["metadata"]["annotations"]["deployment.kubernetes.io/revision-history"], "1");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_paused_deployment_is_scaled_but_not_rolled_out() {
    let (cluster, api) = running();
    api.post(DEPLOYMENTS, &deployment(2, "nginx:1")).await;
    a_while().await;
    api.merge(WEB, &json!({"spec": {"paused": true}})).await;
    api.merge(WEB, &image("nginx:2")).await;
    a_while().await;
    api.merge(&format!("{WEB}/scale"), &json!({"spec": {"replicas": 4}})).await;
    a_while().await;
    assert_eq!(sets(&api).await, expected_sets(&[("nginx:1", 4)]));
    let web = api.get(WEB).await.body;
    assert_eq!(condition(&web, "Progressing")["reason"], "DeploymentPaused");
    api.merge(WEB, &json!({"spec": {"paused": false}})).await;
    a_while().await;
    assert_eq!(sets(&api).await, expected_sets(&[("nginx:1", 0), ("nginx:2", 4)]));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn scaling_during_a_rollout_is_proportional() {
    let (cluster, api) = running();
    let mut web = deployment(10, "nginx:1");
    web["spec"]["strategy"] = json!({"rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}});
    api.post(DEPLOYMENTS, &web).await;
    a_while().await;
    // The new pods never become ready, so the rollout stops with 8 old and 5 new pods.
    let mut stuck = image("nginx:2");
    stuck["spec"]["template"]["metadata"] = json!({"labels": {"lab/lifecycle": "never-ready"}});
    api.merge(WEB, &stuck).await;
    a_while().await;
    assert_eq!(sets(&api).await, expected_sets(&[("nginx:1", 8), ("nginx:2", 5)]));
    // The example of Kubernetes' documentation: of 5 more replicas, the older set gets 3 and the newer set gets 2.
    api.merge(&format!("{WEB}/scale"), &json!({"spec": {"replicas": 15}})).await;
    a_while().await;
    assert_eq!(sets(&api).await, expected_sets(&[("nginx:1", 11), ("nginx:2", 7)]));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_rollout_without_progress_fails_after_its_deadline() {
    let (cluster, api) = running();
    let mut web = deployment(1, "nginx:1");
    web["spec"]["progressDeadlineSeconds"] = json!(60);
    web["spec"]["template"]["metadata"]["labels"]["lab/lifecycle"] = json!("never-ready");
    api.post(DEPLOYMENTS, &web).await;
    sleep(Duration::from_secs(55)).await;
    let web = api.get(WEB).await.body;
    assert_eq!(condition(&web, "Progressing")["status"], "True");
    assert_eq!(condition(&web, "Available")["reason"], "MinimumReplicasUnavailable");
    sleep(Duration::from_secs(10)).await;
    let web = api.get(WEB).await.body;
    assert_eq!(condition(&web, "Progressing")["reason"], "ProgressDeadlineExceeded");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn old_replica_sets_beyond_the_revision_history_limit_are_deleted() {
    let (cluster, api) = running();
    let mut web = deployment(1, "nginx:0");
    web["spec"]["revisionHistoryLimit"] = json!(2);
    api.post(DEPLOYMENTS, &web).await;
    for n in 1..6 {
        a_while().await;
        api.merge(WEB, &image(&format!("nginx:{n}"))).await;
    }
    a_while().await;
    assert_eq!(sets(&api).await, expected_sets(&[("nginx:3", 0), ("nginx:4", 0), ("nginx:5", 1)]));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_orphaned_replica_set_is_adopted_and_one_that_no_longer_matches_is_released() {
    let (cluster, api) = running();
    api.post(DEPLOYMENTS, &deployment(1, "nginx:1")).await;
    a_while().await;
    api.delete(&format!("{WEB}?propagationPolicy=Orphan")).await;
    a_while().await;
    let orphan = api.items(SETS).await.remove(0);
    assert_eq!(orphan["metadata"].get("ownerReferences"), None);
    let created = api.post(DEPLOYMENTS, &deployment(2, "nginx:1")).await.body;
    a_while().await;
    let adopted = api.items(SETS).await.remove(0);
    assert_eq!(adopted["metadata"]["ownerReferences"][0]["uid"], created["metadata"]["uid"]);
    assert_eq!(adopted["spec"]["replicas"], 2);
    let path = format!("{SETS}/{}", adopted["metadata"]["name"].as_str().unwrap());
    api.merge(&path, &json!({"metadata": {"labels": {"app": "other"}}})).await;
    a_while().await;
    assert_eq!(api.get(&path).await.body["metadata"].get("ownerReferences"), None);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn only_the_chosen_controllers_run() {
    let only = [ControllerName::named("deployment-controller").unwrap()].into_iter().collect();
    let cluster = Cluster::builder().controllers(Controllers::Only(only)).start();
    let api = Api::new(&cluster);
    api.post(DEPLOYMENTS, &deployment(2, "nginx:1")).await;
    a_while().await;
    assert_eq!(sets(&api).await, expected_sets(&[("nginx:1", 2)]));
    assert_eq!(api.items(PODS).await.len(), 0, "the ReplicaSet controller does not run");
    assert_eq!(ControllerName::named("podgc"), None);
    cluster.shutdown().await;
}

/// Makes one random change to the Deployment, a pod or a ReplicaSet, or starts a fault.
async fn change(random: &mut fastrand::Rng, cluster: &Cluster, api: &Api) {
    const FAULTS: [&str; 6] = [
        "429:verb=patch,times=4",
        "500:verb=patch,times=3",
        "500:verb=create,times=2",
        "500:verb=delete,times=2",
        "lag:for=900ms",
        "drop-watches",
    ];
    match random.u8(..10) {
        0 | 1 => drop(api.merge(&format!("{WEB}/scale"), &json!({"spec": {"replicas": random.u32(..8)}})).await),
        2 | 3 => drop(api.merge(WEB, &image(&format!("nginx:{}", random.u8(..4)))).await),
        4 => drop(api.merge(WEB, &json!({"spec": {"paused": random.bool()}})).await),
        5 => {
            let pods = api.get(PODS).await;
            if let Some(pod) = random.choice(pods.names()) {
                api.delete(&format!("{PODS}/{pod}")).await;
            }
        }
        6 => {
            let sets = api.get(SETS).await;
            if let Some(set) = random.choice(sets.names()) {
                api.delete(&format!("{SETS}/{set}")).await;
            }
        }
        7 => {
            let all = json!({"type": "Recreate", "rollingUpdate": null});
            let some = json!({"type": "RollingUpdate", "rollingUpdate": {
                "maxSurge": random.u8(1..4), "maxUnavailable": format!("{}%", random.u8(..100)),
            }});
            api.merge(WEB, &json!({"spec": {"strategy": if random.bool() { all } else { some }}})).await;
        }
        8 => {
            api.delete(WEB).await;
            api.post(DEPLOYMENTS, &deployment(random.u32(..5), "nginx:0")).await;
        }
        _ => cluster.faults().start(random.choice(FAULTS).unwrap().parse().unwrap()),
    }
}

/// The controllers run as clients of the test, so that the faults affect them too.
#[tokio::test(start_paused = true)]
async fn after_any_changes_the_deployment_reaches_its_spec() {
    for seed in seeds(3) {
        let mut random = fastrand::Rng::with_seed(seed);
        let builder = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(2).seed(seed);
        let cluster = builder.controllers(Controllers::Housekeeping).commit_latency(Duration::from_millis(1)).start();
        let (api, stop) = (Api::new(&cluster), CancellationToken::new());
        let sets_run = tokio::spawn(replica_set::run(cluster.client("default"), stop.clone()));
        let run = tokio::spawn(deployment::run(cluster.client("default"), stop.clone()));
        api.post(DEPLOYMENTS, &deployment(3, "nginx:0")).await;
        for _ in 0..20 {
            change(&mut random, &cluster, &api).await;
            sleep(Duration::from_millis(random.u64(..3000))).await;
        }
        cluster.faults().end_all();
        api.merge(WEB, &json!({"spec": {"paused": false}})).await;
        sleep(Duration::from_secs(400)).await; // longer than any back-off and the timeout of expectations
        let web = api.get(WEB).await.body;
        let (spec, status) = (&web["spec"], &web["status"]);
        let wanted = spec["replicas"].as_i64().unwrap();
        let expected = (web["metadata"]["generation"].clone(), wanted, wanted, wanted);
        let count = |field: &str| status[field].as_i64().unwrap_or_default();
        let found = (
            status["observedGeneration"].clone(),
            count("replicas"),
            count("updatedReplicas"),
            count("availableReplicas"),
        );
        assert_eq!(found, expected, "seed {seed}: {web}");
        assert_eq!(condition(&web, "Progressing")["reason"], "NewReplicaSetAvailable", "seed {seed}: {status}");
        let image = spec.pointer("/template/spec/containers/0/image").unwrap();
        let pods = api.items(PODS).await;
        let right = pods.iter().filter(|pod| pod.pointer("/spec/containers/0/image") == Some(image)).count();
        assert_eq!((right, pods.len()), (usize::try_from(wanted).unwrap(), right), "seed {seed}");
        let active = sets(&api).await.into_iter().filter(|(_, size)| *size > 0).count();
        assert_eq!(active, usize::from(wanted > 0), "seed {seed}");
        stop.cancel();
        run.await.unwrap().unwrap();
        sets_run.await.unwrap().unwrap();
        cluster.shutdown().await;
    }
}
