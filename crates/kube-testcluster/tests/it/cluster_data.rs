//! Tests clusters that keep their data in a folder: the state that a restart restores, and the reports of damage. Most
//! of these tests run in real time, because a thread outside the runtime writes the files.

use std::fs;
use std::path::{Path, PathBuf};

use kube_testcluster::{Cluster, DataError};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, quiet};
use crate::support::seeds;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A folder for one test, removed when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path); // left by an earlier run that failed
        Self(path)
    }

    fn start(&self) -> Cluster {
        quiet().start_in(&self.0).unwrap()
    }

    /// Returns the error of a start in this folder.
    fn refusal(&self) -> String {
        quiet().start_in(&self.0).unwrap_err().to_string()
    }

    /// Returns the log file of the newest generation.
    fn log(&self) -> PathBuf {
        let entries = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|kind| kind == "wal")).max().unwrap()
    }

    fn change_log(&self, change: impl FnOnce(&mut Vec<u8>)) {
        let path = self.log();
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(path, bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn create(api: &Api, name: &str) -> Value {
    let made = api.post(MAPS, &json!({"metadata": {"name": name}})).await;
    assert_eq!(made.status, 201, "{}", made.body);
    made.body
}

async fn names(cluster: &Cluster) -> Vec<String> {
    let maps = Api::new(cluster).items(MAPS).await;
    maps.iter().map(|map| map["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn objects_uids_and_revisions_survive_a_restart() {
    let folder = Folder::new("data-goes-on");
    let cluster = folder.start();
    let api = Api::new(&cluster);
    let kept = create(&api, "kept").await;
    create(&api, "gone").await;
    api.merge(&format!("{MAPS}/kept"), &json!({"data": {"a": "1"}})).await;
    let gone = api.delete(&format!("{MAPS}/gone")).await;
    assert_eq!(gone.status, 200);
    let before = api.get(MAPS).await.body;
    assert!(!cluster.is_continued());
    cluster.shutdown().await;

    let cluster = folder.start();
    assert!(cluster.is_continued());
    let api = Api::new(&cluster);
    assert_eq!(api.get(MAPS).await.body, before, "the list is the same, with its resourceVersion");
    let later = create(&api, "later").await;
    let revision = |object: &Value| object["metadata"]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap();
    assert_eq!(revision(&later), revision(&before) + 1);
    assert_ne!(later["metadata"]["uid"], kept["metadata"]["uid"]);
    let old = format!("{MAPS}?watch=true&resourceVersion={}&timeoutSeconds=1", revision(&kept));
    let event: Value = api.get(&old).await.body;
    assert_eq!(event["object"]["code"], 410, "a restart does not keep the history: {event}");
    cluster.shutdown().await;
    assert_eq!(names(&folder.start()).await, ["kept", "later"], "the data is also read from a snapshot and its log");
}

#[tokio::test]
async fn a_service_account_token_survives_a_restart() {
    let folder = Folder::new("data-token");
    let cluster = folder.start();
    let api = Api::new(&cluster);
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    api.post(accounts, &json!({"metadata": {"name": "robot"}})).await;
    let asked = api.post(&format!("{accounts}/robot/token"), &json!({"spec": {}})).await;
    let review = json!({"spec": {"token": asked.body["status"]["token"]}});
    let review = async |cluster: &Cluster| {
        let answer = Api::new(cluster).post("/apis/authentication.k8s.io/v1/tokenreviews", &review).await;
        answer.body["status"]["authenticated"] == true
    };
    assert!(review(&cluster).await);
    cluster.shutdown().await;
    let cluster = folder.start();
    assert!(review(&cluster).await, "the account kept its uid, so its token is still valid");
    let other = quiet().seed(5).start();
    Api::new(&other).post(accounts, &json!({"metadata": {"name": "robot"}})).await;
    assert!(!review(&other).await, "the token is not valid for another account of the same name");
}

#[tokio::test]
async fn allocated_cluster_ips_stay_allocated_after_a_restart() {
    let folder = Folder::new("data-allocations");
    let services = "/api/v1/namespaces/default/services";
    let service = |name: &str| json!({"metadata": {"name": name}, "spec": {"ports": [{"port": 80}]}});
    let cluster = folder.start();
    let first = Api::new(&cluster).post(services, &service("a")).await.body["spec"]["clusterIP"].clone();
    cluster.shutdown().await;
    let cluster = folder.start();
    let second = Api::new(&cluster).post(services, &service("b")).await.body["spec"]["clusterIP"].clone();
    assert!(second.is_string() && first != second, "{first} {second}");
}

/// Upstream: deleting all definitions as a collection leaves their objects in etcd.
#[tokio::test]
async fn objects_without_a_definition_survive_a_restart_and_appear_under_a_later_definition() {
    const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const DOORS: &str = "/apis/house.example.k8s.io/v1/namespaces/default/doors";
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"size": {"type": "integer"}}}});
    let approved = json!({"api-approved.kubernetes.io": "unapproved, for a test"});
    let definition = json!({"metadata": {"name": "doors.house.example.k8s.io", "annotations": approved}, "spec": {
        "group": "house.example.k8s.io", "scope": "Namespaced", "names": {"plural": "doors", "kind": "Door"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
    }});
    let folder = Folder::new("data-undefined");
    let cluster = folder.start();
    let api = Api::new(&cluster);
    assert_eq!(api.post(DEFINITIONS, &definition).await.status, 201);
    let door = json!({"apiVersion": "house.example.k8s.io/v1", "kind": "Door", "metadata": {"name": "a"}, "size": 1});
    let made = api.post(DOORS, &door).await;
    assert_eq!((made.status, api.delete(DEFINITIONS).await.status), (201, 200));
    cluster.shutdown().await;
    folder.start().shutdown().await; // each start writes a snapshot, which must have the object too
    let cluster = folder.start();
    let api = Api::new(&cluster);
    assert_eq!(api.get(DOORS).await.status, 404);
    assert_eq!(api.post(DEFINITIONS, &definition).await.status, 201);
    assert_eq!(api.get(&format!("{DOORS}/a")).await.body, made.body);
}

#[tokio::test]
async fn two_clusters_cannot_share_a_folder() {
    let folder = Folder::new("data-shared");
    let cluster = folder.start();
    assert!(matches!(quiet().start_in(&folder.0), Err(DataError::InUse(_))));
    cluster.shutdown().await;
    folder.start().shutdown().await;
}

#[tokio::test]
async fn a_folder_with_foreign_files_is_refused_and_left_unchanged() {
    let folder = Folder::new("data-foreign");
    fs::create_dir_all(folder.0.join("lost+found")).unwrap(); // a new volume has this folder
    for name in ["thesis.txt", ".bashrc"] {
        fs::write(folder.0.join(name), "long").unwrap();
        assert!(matches!(quiet().start_in(&folder.0), Err(DataError::NotACluster(_))));
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2);
        fs::remove_file(folder.0.join(name)).unwrap();
    }
    folder.start().shutdown().await;
    fs::write(folder.0.join("notes.txt"), "of what is in it").unwrap();
    folder.start().shutdown().await;
}

#[tokio::test]
async fn a_write_that_was_never_finished_is_left_out_and_one_that_was_answered_is_damage() {
    let folder = Folder::new("data-torn");
    let cluster = folder.start();
    for name in ["a", "b"] {
        create(&Api::new(&cluster), name).await;
    }
    cluster.shutdown().await;
    let flushed = fs::read(folder.log()).unwrap();
    folder.change_log(|bytes| bytes.extend([9; 700])); // the beginning of an unfinished write
    let cluster = folder.start();
    let revision = create(&Api::new(&cluster), "c").await;
    assert_eq!(names(&cluster).await, ["a", "b", "c"], "{revision}");
    cluster.shutdown().await;

    folder.change_log(|bytes| bytes.truncate(bytes.len() - 5));
    let refused = folder.refusal();
    assert!(refused.ends_with("it is shorter than its mark says"), "{refused}");
    folder.change_log(|bytes| *bytes = flushed);
    let refused = folder.refusal();
    assert!(
        refused.ends_with("the revisions before it do not follow each other"),
        "a log of an earlier generation: {refused}"
    );
}

#[tokio::test]
async fn damage_is_reported_with_its_position_and_the_files_stay_unchanged() {
    let folder = Folder::new("data-damaged");
    let cluster = folder.start();
    for name in ["a", "b"] {
        create(&Api::new(&cluster), name).await;
    }
    cluster.shutdown().await;
    folder.change_log(|bytes| bytes[8200] ^= 1); // in the first batch of writes, which begins at 8192
    let damaged = fs::read(folder.log()).unwrap();
    let refused = folder.refusal();
    let damage = ".wal is damaged at byte 8192: a batch of writes there has changed since it was written";
    assert!(refused.ends_with(damage), "{refused}");
    assert_eq!(fs::read(folder.log()).unwrap(), damaged);
    let (log, snapshot) = (folder.log(), folder.log().with_extension("snap"));
    fs::rename(&snapshot, folder.0.join("aside")).unwrap();
    assert!(folder.refusal().contains("it is missing, although its log exists"), "{}", folder.refusal());
    fs::rename(folder.0.join("aside"), &snapshot).unwrap();
    fs::remove_file(&log).unwrap();
    assert!(folder.refusal().contains("it is missing, although its snapshot exists"), "{}", folder.refusal());
}

#[tokio::test]
async fn a_folder_in_place_of_a_file_is_named_and_stays() {
    let folder = Folder::new("data-folder-as-file");
    let cluster = folder.start();
    create(&Api::new(&cluster), "a").await;
    cluster.shutdown().await;
    let (log, aside) = (folder.log(), folder.0.join("aside"));
    for file in [log.with_extension("snap"), log] {
        fs::rename(&file, &aside).unwrap();
        fs::create_dir(&file).unwrap();
        assert_eq!(folder.refusal(), format!("{} cannot be used", file.display()));
        fs::remove_dir(&file).unwrap();
        fs::rename(&aside, &file).unwrap();
    }
    let cluster = folder.start();
    assert_eq!(names(&cluster).await, ["a"]);
    cluster.shutdown().await;
}

#[tokio::test]
async fn controllers_and_watches_work_after_a_restart_of_a_cluster_that_had_none_of_their_objects() {
    let folder = Folder::new("data-deployment");
    let start = || Cluster::builder().start_in(&folder.0).unwrap();
    start().shutdown().await;
    let cluster = start();
    let api = Api::new(&cluster);
    let listed = api.get(PODS).await.version();
    let mut watch = api.watch(&format!("resourceVersion={listed}")).await;
    let deployment = json!({"metadata": {"name": "web"}, "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }});
    assert_eq!(api.post("/apis/apps/v1/namespaces/default/deployments", &deployment).await.status, 201);
    let (created, scheduled) = (watch.next().await.unwrap(), watch.next().await.unwrap());
    assert_eq!((&created["type"], &scheduled["type"]), (&json!("ADDED"), &json!("MODIFIED")));
    assert!(scheduled["object"]["spec"]["nodeName"].is_string(), "{scheduled}");
    cluster.shutdown().await;
}

/// etcd gives its files these modes, too.
#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_enter_a_new_folder_and_open_or_lock_its_files() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = Folder::new("data-modes");
    let parent = folder.0.join("above");
    let inner = parent.join("data");
    quiet().start_in(&inner).unwrap().shutdown().await;
    assert_eq!(mode(&inner), 0o700);
    let files = || fs::read_dir(&inner).unwrap().map(|file| file.unwrap().path());
    assert!(files().count() >= 3 && files().all(|file| mode(&file) == 0o600), "{:?}", files().collect::<Vec<_>>());
    // An earlier version has left the lock open to others.
    fs::set_permissions(inner.join("lock"), PermissionsExt::from_mode(0o644)).unwrap();
    quiet().start_in(&inner).unwrap().shutdown().await;
    assert_eq!(mode(&inner.join("lock")), 0o600);
}

/// The fixture is a folder that the first version wrote: a snapshot, and a log of the writes after it.
#[tokio::test]
async fn a_cluster_goes_on_with_a_folder_of_the_first_version() {
    let folder = Folder::new("data-first-version");
    fs::create_dir_all(&folder.0).unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/data/first-version");
    for file in fs::read_dir(&fixture).unwrap().map(Result::unwrap) {
        fs::copy(file.path(), folder.0.join(file.file_name())).unwrap();
    }
    let expected: Value = serde_json::from_slice(&fs::read(fixture.join("configmaps.json")).unwrap()).unwrap();
    fs::remove_file(folder.0.join("configmaps.json")).unwrap();
    let cluster = folder.start();
    assert!(cluster.is_continued());
    let api = Api::new(&cluster);
    assert_eq!(api.get(MAPS).await.body, expected, "the list is as that version has answered it");
    let later = create(&api, "later").await;
    assert_eq!(revision_of(&later), revision_of(&expected) + 1);
    cluster.shutdown().await;
    assert_eq!(names(&folder.start()).await.len(), expected["items"].as_array().unwrap().len() + 1);
    // The next start writes the current format.
    assert!(fs::read(folder.log()).unwrap().starts_with(b"ILABWAL2"));
}

#[tokio::test]
async fn the_deletion_of_a_namespace_continues_after_a_restart() {
    let folder = Folder::new("data-namespace");
    let cluster = folder.start();
    let api = Api::new(&cluster);
    api.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await;
    let held = json!({"metadata": {"name": "held", "finalizers": ["example.com/a"]}});
    assert_eq!(api.post("/api/v1/namespaces/n/configmaps", &held).await.status, 201);
    api.delete("/api/v1/namespaces/n").await;
    cluster.settled().await;
    cluster.shutdown().await;
    let cluster = folder.start();
    let api = Api::new(&cluster);
    assert_eq!(api.get("/api/v1/namespaces/n").await.body["status"]["phase"], "Terminating");
    api.merge("/api/v1/namespaces/n/configmaps/held", &json!({"metadata": {"finalizers": null}})).await;
    cluster.settled().await;
    assert_eq!(api.get("/api/v1/namespaces/n").await.status, 404);
}

/// Returns the paths of all collections that discovery lists.
async fn collections(api: &Api) -> Vec<String> {
    let mut versions = vec!["/api/v1".to_owned()];
    for group in api.get("/apis").await.body["groups"].as_array().unwrap() {
        let served = group["versions"].as_array().unwrap();
        versions.extend(served.iter().map(|version| format!("/apis/{}", version["groupVersion"].as_str().unwrap())));
    }
    let mut collections = Vec::new();
    for version in versions {
        let found = api.get(&version).await.body;
        let listed = found["resources"].as_array().unwrap().iter().filter(|kind| {
            kind["verbs"].as_array().unwrap().contains(&json!("list")) // subresources have no list verb
        });
        collections.extend(listed.map(|kind| format!("{version}/{}", kind["name"].as_str().unwrap())));
    }
    collections
}

/// Checks one start of a folder: a client that has listed a kind gets every later write to it, and no answer has an
/// earlier revision than an answer before, including those of earlier starts. `seen` is the highest revision so far.
async fn check_revisions(api: &Api, random: &mut fastrand::Rng, seen: &mut u64) {
    const WRITTEN: [(&str, &str, &str, &str); 4] = [
        ("/api/v1", "configmaps", "v1", "ConfigMap"),
        ("/api/v1", "secrets", "v1", "Secret"),
        ("/apis/coordination.k8s.io/v1", "leases", "coordination.k8s.io/v1", "Lease"),
        ("/apis/example.com/v1", "doors", "example.com/v1", "Door"),
    ];
    // Component statuses are computed and not stored, so their list has no revision.
    for collection in collections(api).await.iter().filter(|path| !path.ends_with("/componentstatuses")) {
        let revision = api.get(collection).await.version();
        assert!(revision >= *seen, "{collection}: a list at {revision} after an answer at {seen}");
        *seen = revision;
    }
    for (version, plural, api_version, kind) in WRITTEN.into_iter().filter(|_| random.bool()) {
        let namespaced = format!("{version}/namespaces/default/{plural}");
        let listed = api.get(&namespaced).await.version();
        let mut from_list = api.watch_at(&format!("{namespaced}?watch=true&resourceVersion={listed}")).await;
        let streamed = format!("{version}/{plural}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true");
        let mut streamed = api.watch_at(&format!("{streamed}&resourceVersionMatch=NotOlderThan")).await;
        let initial = streamed.events().await;
        let end = initial.last().map(|bookmark| revision_of(&bookmark["object"]));
        assert_eq!(end, Some(listed), "{plural}: a streaming list ends at the revision of a list");

        let made = api
            .post(&namespaced, &json!({"apiVersion": api_version, "kind": kind, "metadata": {"generateName": "made-"}}))
            .await;
        assert_eq!(made.status, 201, "{}", made.body);
        assert_eq!(made.version(), *seen + 1, "{plural}");
        *seen += 1;
        let revisions =
            |events: Vec<Value>| events.iter().map(|event| revision_of(&event["object"])).collect::<Vec<_>>();
        assert_eq!(revisions(from_list.events().await), [*seen], "{plural}: a watch from a list's revision");
        assert_eq!(revisions(streamed.events().await), [*seen], "{plural}: a watch that began with a streaming list");
    }
}

fn revision_of(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn revisions_never_go_back_and_watches_miss_nothing_whatever_the_first_revision_of_a_start() {
    let definition = json!({"metadata": {"name": "doors.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "doors", "kind": "Door"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}],
    }});
    for seed in seeds(5) {
        let folder = Folder::new(&format!("data-revisions-{seed}"));
        let mut random = fastrand::Rng::with_seed(seed);
        let mut seen = 0;
        for start in 0..4 {
            let bits = random.u32(1..60);
            let first_revision = random.u64(1..1 << bits);
            let cluster = quiet().first_revision(first_revision).start_in(&folder.0).unwrap();
            let api = Api::new(&cluster);
            if start == 0 {
                let defined = api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await;
                assert_eq!(defined.status, 201, "{}", defined.body);
                cluster.settled().await;
            }
            check_revisions(&api, &mut random, &mut seen).await;
            cluster.shutdown().await;
        }
    }
}
