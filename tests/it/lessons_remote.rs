//! Tests of lessons against a cluster behind a socket: the answers to the lesson `list`, that lessons write nothing, that
//! no output contains a credential, and the lesson `controller`.

use axum::extract::Request;
use axum::middleware::{map_request, map_response};
use axum::response::Response;
use kube_testcluster::Cluster;

use crate::cli::{command, file, finish, run};
use crate::live::Live;
use crate::test_server::TestServer;

/// Keeps a cluster alive as long as the current runtime.
fn keep(cluster: Cluster) {
    tokio::spawn(async move {
        let _cluster = cluster;
        std::future::pending::<()>().await
    });
}

/// Splits the table that the lesson `list` prints into the cells of its rows.
fn cells(trace: &str) -> Vec<Vec<String>> {
    let rows = trace.lines().skip(1);
    rows.map(|row| row.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn a_classic_server_answers_lists_from_the_watch_cache_or_the_storage_as_predicted() {
    let rows = cells(&run("list").out);
    assert_eq!(rows.len(), 36);
    // The fifth cell is the prediction, the sixth is the classic server's answer: a source or the code of an error.
    let answered: Vec<_> = rows.iter().filter(|row| !row[5].starts_with('4')).collect();
    assert!(answered.len() > 10);
    for row in answered {
        assert_eq!(row[5], if row[4] == "yes" { "storage" } else { "watch-cache" }, "{row:?}");
    }
}

#[test]
fn a_server_that_does_not_reveal_the_source_of_a_list_is_shown_as_unknown() {
    let served = TestServer::new(|| {
        let cluster = Cluster::builder().start();
        let router = cluster.router().layer(map_response(|mut response: Response| async {
            response.headers_mut().remove("x-served-from");
            response
        }));
        keep(cluster);
        router
    });
    let ran = finish(&mut served.command("unknown", "list"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("RV  match         limit  continue  delegate  cluster\n"), "{}", ran.out);
    assert!(ran.out.contains("unknown 0") && !ran.out.contains("storage") && !ran.out.contains("watch-cache"));
    assert!(ran.err.contains("does not name the part that answered"), "{}", ran.err);
    // The cluster has no pods, so there is no second page.
    assert!(ran.out.contains("no token"), "{}", ran.out);
}

/// Only the lesson `controller` and the option `--scenario` write, so this test leaves them out.
#[test]
fn a_lesson_writes_nothing_to_a_real_cluster() {
    let (sender, requests) = std::sync::mpsc::channel();
    let served = TestServer::new(move || {
        let cluster = Cluster::builder().start();
        let router = cluster.router().layer(map_request(move |request: Request| {
            let _ = sender.send(format!("{} {}", request.method(), request.uri())); // fails only after the test has ended
            std::future::ready(request)
        }));
        keep(cluster);
        router
    });
    let mut lessons: Vec<_> = informer_lab::lessons::lessons().map(|lesson| lesson.command).collect();
    lessons.retain(|lesson| *lesson != "controller");
    let mut used = 0;
    for lesson in lessons {
        let ran = finish(&mut served.command("writes-nothing", &format!("{lesson} --for 200ms")));
        used += usize::from(ran.code == Some(0)); // some lessons need no cluster
    }
    assert!(used > 5, "{used}");
    let requests: Vec<String> = requests.try_iter().collect();
    assert!(requests.len() > 10);
    let written: Vec<_> = requests.iter().filter(|request| !request.starts_with("GET ")).collect();
    assert!(written.is_empty(), "{written:?}");
}

#[test]
fn no_output_has_a_credential_of_the_kubeconfig() {
    let refusing = TestServer::refusing(401, "Unauthorized");
    for served in [TestServer::cluster(), refusing] {
        for (name, user) in [("token", "{token: hunter2}"), ("password", "{username: ada, password: hunter2}")] {
            let address = served.address();
            let kubeconfig = file(
                &format!("credential-{name}.kubeconfig"),
                format!(
                    "clusters: [{{name: lab, cluster: {{server: \"http://ada:hunter2@{address}\"}}}}]\n\
                     users: [{{name: ada, user: {user}}}]\n\
                     contexts: [{{name: lab, context: {{cluster: lab, user: ada}}}}]\ncurrent-context: lab\n"
                ),
            );
            for line in ["reflector --for 500ms -v", "doctor -v"] {
                let mut command = command(line);
                let ran = finish(command.arg("--kubeconfig").arg(&kubeconfig));
                assert!(line.starts_with("doctor") || ran.err.contains("DEBUG"), "{line}: {}", ran.err);
                let all = ran.out + &ran.err;
                // The second is `ada:hunter2` in base64.
                for secret in ["hunter2", "YWRhOmh1bnRlcjI"] {
                    assert!(!all.contains(secret), "{line}: {all}");
                }
            }
        }
    }
}

#[test]
fn the_controller_manages_only_replica_sets_with_its_label() {
    let scenario = "- {at: 0s, replicaset: other, replicas: 2, labels: {app: other}}\n\
                    - {at: 1ms, replicaset: web, replicas: 1, labels: {app: web, controller: informer-lab}}\n\
                    - {at: 2ms, scale: web, replicas: 3}\n";
    let served = TestServer::cluster();
    let mut command = served.command("controller", "controller");
    command.arg("--scenario").arg(file("controller.yaml", scenario));
    let mut live = Live::start(&mut command);
    let mut created = 0;
    loop {
        let line = live.line();
        assert!(!line.is_empty() && !line.contains("other"), "{line}");
        created += usize::from(line.starts_with("  + web-"));
        if line == "default/web: status: 3 replicas, 0 ready" {
            break;
        }
    }
    assert_eq!(created, 3);
    live.interrupt();
    assert_eq!(live.ended().code, Some(130));
}
