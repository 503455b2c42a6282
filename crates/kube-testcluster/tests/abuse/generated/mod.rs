//! Requests by seed, from the documents that the server itself serves: every path and method, bodies that fit their
//! schema and are then damaged, every parameter of a query, every form, and broken HTTP.
//!
//! Each request is answered without a panic, with no 500 that is not in the list of [`answers`], and takes processor time
//! and memory in proportion to its size.

#[path = "../../hostile/answers.rs"]
mod answers;
mod bodies;
mod costs;
mod definition;
mod malformed;
mod mutations;
mod operations;
mod requests;
mod samples;
mod words;

use std::time::Duration;

use fastrand::Rng;

use self::costs::Costs;
use self::operations::Operations;
use self::requests::Generated;
use crate::http::{Answer, Read, answer};
use crate::server::Server;

/// The number of requests to one cluster, before the next one starts.
const EACH: usize = 2_000;

/// The longest wait for an answer: it ends the test if the server hangs. A write may wait for 34 seconds, as upstream,
/// and a busy machine takes longer.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap())
}

/// What is wrong about an answer, if anything is.
fn fault(answer: Option<&Answer>, read: Read) -> Option<String> {
    let Some(answer) = answer else {
        return (read == Read::All).then(|| "no answer".to_owned());
    };
    if read != Read::All || answer.body.is_empty() || !answer.content_type.starts_with("application/json") {
        let text = String::from_utf8_lossy(&answer.body);
        return (answer.status == 500 && !answers::is_unclassified(&text)).then(|| text.into_owned());
    }
    // Go's HTTP server answers these itself, and this one with a Status.
    let is_refused = matches!(answer.status, 400 | 414 | 431) && answer.json()["reason"].is_null();
    if is_refused { None } else { answers::check(answer.status, &answer.content_type, &answer.body).err() }
}

#[tokio::test]
async fn every_request_that_the_documents_suggest_is_answered_in_proportion() {
    let (count, first) = (number("ABUSE", 2_000), number("ABUSE_SEED", 0) as u64);
    let (mut sent, mut accepted) = (0, 0);
    let mut operations = Operations::default();
    for seed in (first..).take(count.div_ceil(EACH)) {
        let mut server = Server::start();
        definition::create(server.address).await;
        if operations.all.is_empty() {
            operations = Operations::of(server.address).await;
            assert!(operations.all.len() > 500, "the documents have only {} operations", operations.all.len());
        }
        let (mut random, mut token) = (Rng::with_seed(seed), String::new());
        for case in 0..EACH.min(count - sent) {
            let mut generated = Generated::new(&mut random, &operations, &token);
            if random.u8(0..8) == 0 {
                generated = generated.malformed(&mut random);
            }
            let Generated { bytes, read } = generated;
            let text = || String::from_utf8_lossy(&bytes).chars().take(2_000).collect::<String>();
            let shown = || format!("seed {seed}, case {case}, {} bytes: {}", bytes.len(), text());
            let costs = Costs::begin(&server);
            let answered = tokio::time::timeout(PATIENCE, answer(server.address, &bytes, read)).await;
            let answered = answered.unwrap_or_else(|_| panic!("no answer in {PATIENCE:?} to {}", shown()));
            assert!(server.runs(), "the process was ended by {}", shown());
            assert_eq!(costs.end(&server).excess(bytes.len()), None, "{}", shown());
            assert_eq!(fault(answered.as_ref(), read), None, "{}", shown());
            sent += 1;
            let Some(answer) = answered.filter(|answer| answer.status < 300) else { continue };
            accepted += 1;
            if let Some(next) = answer.json()["metadata"]["continue"].as_str() {
                token = next.to_owned();
            }
        }
        println!("seed {seed}: {accepted} of {sent} were accepted so far; {} MB are in use", server.memory());
    }
    assert!(
        accepted * 10 > sent && accepted * 4 < sent * 3,
        "{accepted} of {sent} were accepted, but 10 % to 75 % should be"
    );
}
