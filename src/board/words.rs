//! The table of texts that the page shares with `informer-lab step`: names of events and causes, and the sentence on the
//! first frame. It is committed as `player/src/words.json`; a test keeps the two equal. The captions are in the record.

use serde_json::{Map, Value, json};

use crate::step::{INTRODUCTION, NAMES};
use crate::trace::Cause;

/// Returns the table. A test compares the player's file with it.
pub fn words() -> Value {
    let events = NAMES.iter().map(|(name, en, zh)| ((*name).to_owned(), json!({ "en": en, "zh": zh })));
    let causes = Cause::ALL.into_iter().map(|cause| {
        let (en, zh) = cause.words();
        (cause.name().to_owned(), json!({ "en": en, "zh": zh }))
    });
    json!({
        "introduction": { "en": INTRODUCTION.0, "zh": INTRODUCTION.1 },
        "events": Map::from_iter(events),
        "causes": Map::from_iter(causes),
    })
}
