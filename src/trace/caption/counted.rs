//! The parts of captions that name an object, or count what waits.

use super::Sentence;
use crate::trace::narrator::short;

/// Names an object with its version: `nettool (version 9)`. Objects that a lesson makes itself have no version.
pub(super) fn object(key: &str, version: Option<&str>) -> Sentence {
    let name = short(key);
    match version.filter(|version| !version.is_empty()) {
        Some(version) => (format!("{name} (version {version})"), format!("{name}（版本 {version}）")),
        None => (name.to_owned(), name.to_owned()),
    }
}

/// Counts what waits: `none waiting`, `one waiting`, `2 waiting`.
pub(super) fn waiting(number: usize) -> Sentence {
    match number {
        0 => ("none waiting".to_owned(), "0 个在等".to_owned()),
        1 => ("one waiting".to_owned(), "1 个在等".to_owned()),
        _ => (format!("{number} waiting"), format!("{number} 个在等")),
    }
}

/// Counts objects: `no objects`, `one object`, `2 objects`.
pub(super) fn objects(number: usize) -> Sentence {
    let en = match number {
        0 => "no objects".to_owned(),
        1 => "one object".to_owned(),
        _ => format!("{number} objects"),
    };
    (en, format!("{number} 个对象"))
}
