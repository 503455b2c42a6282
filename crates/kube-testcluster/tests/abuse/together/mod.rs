//! Does all known abuses at the same time, beside an ordinary client. Each abuse alone has a test elsewhere; here their
//! costs add up, as in an attack.

mod connections;
pub mod definitions;
mod ordinary;
mod writes;

use std::time::Duration;

use tokio::task::JoinSet;

use self::ordinary::Ordinary;
use crate::server::{HISTORY, Server};

/// The most resident memory of the cluster, in megabytes: half for answers that wait for their clients
/// (`max_waiting_answers`), an eighth for the history (`history_bytes`), and the rest for the requests in progress and for the objects.
const MOST_MEMORY: usize = 1024;

/// The longest time that any request of the ordinary client may take, on a machine that is busy with nothing else.
const ANSWERED_WITHIN: Duration = Duration::from_secs(1);

/// On a busy machine, a request may take this many times as long as the slowest one before the abuses. This limit is the
/// larger one if that request took more than a twentieth of a second.
const TIMES_AS_LONG: u32 = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ordinary_client_is_served_beside_all_abuses_in_a_gigabyte() {
    let _alone = crate::alone().await;
    let mut server = Server::start(HISTORY);
    let address = server.address;
    let mut ordinary = Ordinary::begin(address).await;
    for _ in 0..10 {
        ordinary.round().await;
    }
    let before = ordinary.slowest();
    writes::large_objects(address).await;
    let mut abuses = JoinSet::new();
    abuses.spawn(connections::held_until_the_end(address));
    abuses.spawn(connections::slow_readers(address));
    abuses.spawn(writes::errors_without_end(address));
    abuses.spawn(writes::one_object_again_and_again(address));
    abuses.spawn(writes::bodies_that_are_hard_to_read(address));
    abuses.spawn(writes::reads_that_are_hard_to_answer(address));
    abuses.spawn(definitions::changes_of_a_large_definition(address));
    abuses.spawn(definitions::costly_rules_and_patterns(address));
    let mut held = Vec::new(); // the connections that the abuses leave open
    while !abuses.is_empty() {
        ordinary.round().await;
        while let Some(ended) = abuses.try_join_next() {
            held.extend(ended.unwrap());
        }
        assert!(server.runs(), "a request has ended the process");
    }
    let (slowest, peak) = (ordinary.slowest(), server.peak());
    println!("before: {before}\nbeside {} connections: {slowest}\nat most {peak} MB", held.len());
    let most = ANSWERED_WITHIN.max(before.took * TIMES_AS_LONG);
    assert!(slowest.took < most, "{slowest}, and {most:?} is the most");
    assert!(slowest.requests > 50, "the abuses were over before the ordinary client had asked much: {slowest}");
    assert!(peak < MOST_MEMORY, "{peak} MB were in use");
}
