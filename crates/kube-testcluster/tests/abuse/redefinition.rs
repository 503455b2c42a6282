//! A definition of 460 kB that changes a thousand times: each change reads and compiles its schema anew, and the schemas
//! of the earlier states must be freed.

use std::net::SocketAddr;
use std::time::Duration;

use crate::http::{Read, answer, request};
use crate::server::Server;
use crate::together::definitions::{DEFINITIONS, change_of_schema, large_definition};

const LARGE: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/larges.abuse.example.org";

/// The number of changes.
const CHANGES: usize = 1000;

/// The limit of the history, in bytes: a few states of the definition, so that what is left is not history.
const HISTORY: usize = 4 * 1024 * 1024;

/// The longest time from the deletion of the definition to its end.
const GONE_WITHIN: Duration = Duration::from_secs(60);

/// The most memory that may be left when the definition is gone, in megabytes.
const MOST_LEFT: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_changes_of_a_large_definition_leave_nothing() {
    let _alone = crate::alone().await;
    let mut server = Server::start(HISTORY);
    one_life(server.address, 10).await; // the allocator keeps what one life of a definition needs
    let before = server.memory();
    one_life(server.address, CHANGES).await;
    let after = server.memory();
    println!("{before} MB before {CHANGES} changes, {after} MB after them");
    assert!(server.runs(), "a request has ended the process");
    assert!(after < before + MOST_LEFT, "{before} MB before, {after} MB after");
}

/// Creates the definition, changes it, and deletes it.
async fn one_life(address: SocketAddr, changes: usize) {
    send(address, "POST", DEFINITIONS, "application/json", &large_definition(), 201).await;
    for n in 0..changes {
        send(address, "PATCH", LARGE, "application/json-patch+json", &change_of_schema(n), 200).await;
    }
    send(address, "DELETE", LARGE, "application/json", "", 200).await;
    let gone = async {
        while get(address, LARGE).await != 404 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(GONE_WITHIN, gone).await.expect("the definition is gone a minute after its deletion");
}

async fn send(address: SocketAddr, method: &str, target: &str, content_type: &str, body: &str, expected: u16) {
    let bytes = request(method, target, &[&format!("Content-Type: {content_type}")], body.as_bytes());
    let answer = answer(address, &bytes, Read::All).await.expect("the server answers");
    assert_eq!(answer.status, expected, "{method}: {}", String::from_utf8_lossy(&answer.body));
}

async fn get(address: SocketAddr, target: &str) -> u16 {
    answer(address, &request("GET", target, &[], b""), Read::All).await.expect("the server answers").status
}
