//! Creates Events under names that are free. Upstream's names end with the time. Paused time may not advance between two
//! Events, so the next free name is taken.

use kube_client::Error;

use super::requests::{Author, Requests};
use kube_machinery::kinds::EVENTS;
use kube_machinery::value::Value;

/// Creates an Event about an object, and returns its name. `nanos` is the time, and `event` makes the Event from its name.
pub(super) async fn create(
    api: &dyn Requests,
    author: Author,
    (namespace, about): (&str, &str),
    mut nanos: i128,
    event: impl Fn(&str) -> Value,
) -> Result<String, Error> {
    loop {
        let name = format!("{about}.{nanos:x}");
        match api.create(author, EVENTS, namespace.to_owned(), event(&name)).await {
            Err(Error::Api(status)) if status.reason == "AlreadyExists" => nanos += 1,
            done => return done.map(|()| name),
        }
    }
}
