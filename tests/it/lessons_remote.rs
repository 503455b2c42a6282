//! Lessons beyond the documents, on a cluster behind a socket.

use axum::middleware::map_response;
use axum::response::Response;
use informer_lab::cluster::Cluster;

use crate::cli::{finish, run};
use crate::cli_remote::Served;

/// Keeps a cluster for as long as the runtime that it was started on.
fn keep(cluster: Cluster) {
    tokio::spawn(async move {
        let _cluster = cluster;
        std::future::pending::<()>().await
    });
}

/// The rows of the lesson `list`, by the places of its columns.
fn cells(trace: &str) -> Vec<Vec<String>> {
    let rows = trace.lines().skip(1);
    rows.map(|row| row.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn a_server_of_the_documents_time_does_what_their_function_says() {
    let rows = cells(&run("list").out);
    assert_eq!(rows.len(), 36);
    let answered: Vec<_> = rows.iter().filter(|row| !row[5].starts_with('4')).collect();
    assert!(answered.len() > 10);
    for row in answered {
        assert_eq!(row[5], if row[4] == "yes" { "storage" } else { "watch-cache" }, "{row:?}");
    }
}

#[test]
fn a_server_that_does_not_say_who_answered_is_unknown() {
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
    // No pods, so no second page.
    assert!(ran.out.contains("no token"), "{}", ran.out);
}
