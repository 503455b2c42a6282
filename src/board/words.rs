//! The sentences that the page has in common with `informer-lab step`, as a table: `player/src/words.json`.

use serde_json::{Map, Value, json};

use crate::step::{MEANINGS, NAMES};
use crate::trace::Cause;

/// The table. A test holds the file of the player against it.
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
