//! The recordings: requests and responses, with placeholders for values that differ from run to run.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// One file: a server of its own, and records in the order in which they were made.
pub struct Recording {
    pub name: String,
    pub records: Vec<Value>,
    /// Every write is a record.
    pub is_complete: bool,
}

/// kubectl's requests are recorded in another format.
const OTHER_FORM: &str = "kubectl-requests.json";

/// A directory of the project, or the one that `WIRE_DIR` names.
fn directory(own: &str) -> PathBuf {
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures")).join(own);
    std::env::var_os("WIRE_DIR").map_or(own, PathBuf::from)
}

/// The commands of kubectl, if the directory has its log.
pub fn commands() -> Option<Vec<Value>> {
    let path = directory("wire").join(OTHER_FORM);
    path.exists().then(|| read(&path))
}

/// Both sets of recordings, or the one that `WIRE_DIR` and `WIRE_COMPLETE` name.
pub fn recordings() -> Vec<Recording> {
    if std::env::var_os("WIRE_DIR").is_some() {
        return set("", std::env::var_os("WIRE_COMPLETE").is_some());
    }
    let mut both = set("wire", false);
    both.extend(set("wire-complete", true));
    both
}

fn set(own: &str, is_complete: bool) -> Vec<Recording> {
    let directory = directory(own);
    let only = std::env::var("WIRE_ONLY").unwrap_or_default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| !path.ends_with(OTHER_FORM) && path.to_string_lossy().contains(&only))
        .collect();
    files.sort();
    let recording = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        Recording { name, records: read(&path), is_complete }
    };
    files.into_iter().map(recording).collect()
}

fn read(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
