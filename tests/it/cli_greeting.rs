//! Tests of the lines with which `informer-lab cluster` introduces itself.
#![cfg(unix)]

use kube_testcluster::KUBERNETES_VERSION;

use crate::cli::command;
use crate::live::{Live, after};

#[test]
fn a_cluster_introduces_itself_with_its_versions_and_its_nodes() {
    let program = env!("CARGO_PKG_VERSION");
    for (options, kubernetes, nodes) in [
        ("", KUBERNETES_VERSION, "1 node"),
        ("--nodes 3", KUBERNETES_VERSION, "3 nodes"),
        ("--bare --era classic", "v1.26.15", "no nodes"),
        // The fault is for the clients' requests alone.
        ("--fault 429:verb=list,times=1", KUBERNETES_VERSION, "1 node"),
    ] {
        let mut live = Live::start(&mut command(&format!("cluster {options}")));
        let said = after(&mut live.err, &format!("# informer-lab {program}: "));
        assert_eq!(said, format!("an API server like that of Kubernetes {kubernetes}, with {nodes}"), "{options}");
        assert_eq!(live.signal("TERM").code(), Some(143));
    }
}
