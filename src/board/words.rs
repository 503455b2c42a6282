//! The table of sentences that the page shares with `informer-lab step`: names of events and causes, and a general
//! sentence on each event. It is committed as `player/src/words.json`; a test keeps the two equal.

use serde_json::{Map, Value, json};

use crate::step::{MEANINGS, NAMES};
use crate::trace::Cause;

/// Returns the table. A test compares the player's file with it.
pub fn words() -> Value {
    let meanings = MEANINGS.iter().map(|(name, en, zh)| ((*name).to_owned(), json!({ "en": en, "zh": zh })));
    let events = NAMES.iter().map(|(name, en, zh)| ((*name).to_owned(), json!({ "en": en, "zh": zh })));
    let causes = Cause::ALL.into_iter().map(|cause| {
        let (en, zh) = cause.words();
        (cause.name().to_owned(), json!({ "en": en, "zh": zh }))
    });
    json!({
        "meanings": Map::from_iter(meanings),
        "events": Map::from_iter(events),
        "causes": Map::from_iter(causes),
    })
}
