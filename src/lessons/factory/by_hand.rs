//! Lesson `factory --step by-hand`: uses the tutorials' own factory, `MyFactory` in `my_factory.rs`.
//!
//! Trace: `fixtures/traces/factory-by-hand.txt`.

use anyhow::Result;

use super::my_factory::MyFactory;
use super::print_names;
use crate::lab::Lab;
use crate::lessons::go;
use crate::lessons::requests::Requests;
use crate::trace::Style;

// ANCHOR: by_hand
/// Asks for the informer of pods twice, to add a handler and to list the store, and counts the requests.
pub async fn run(lab: &Lab) -> Result<()> {
    let requests = Requests::default();
    let mut factory = MyFactory::new(lab, requests.client(lab));
    factory.pod_informer().add_event_handler(print_names(lab))?;
    let store = factory.pod_informer().reader();
    factory.start().await?;

    let mut keys = store.keys();
    keys.sort_unstable();
    lab.print(Style::Plain, format_args!("store : {}", go::slice(keys)));
    lab.print(Style::Plain, format_args!("requests: {requests}"));
    Ok(())
}
// ANCHOR_END: by_hand
