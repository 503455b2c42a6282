//! Tests of the lessons `list` and `controller` against a cluster that they reach over a socket.

use axum::middleware::map_response;
use axum::response::Response;
use kube_testcluster::Cluster;

use crate::cli::{file, finish, run};
use crate::cli_remote::{Live, Served};

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
    let served = Served::new(|| {
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
    assert!(ran.err.contains("does not say who answered"), "{}", ran.err);
    // The cluster has no pods, so there is no second page.
    assert!(ran.out.contains("no token"), "{}", ran.out);
}

#[test]
fn the_controller_manages_only_replica_sets_with_its_label() {
    let scenario = "- {at: 0s, replicaset: other, replicas: 2, labels: {app: other}}\n\
                    - {at: 1ms, replicaset: web, replicas: 1, labels: {app: web, controller: informer-lab}}\n\
                    - {at: 2ms, scale: web, replicas: 3}\n";
    let served = Served::cluster();
    let mut command = served.command("controller", "controller");
    command.arg("--scenario").arg(file("controller.yaml", scenario));
    let mut live = Live::start(command);
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
