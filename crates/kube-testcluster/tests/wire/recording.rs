//! Reads the recordings: requests and responses, with placeholders for values that differ from run to run.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// One file: the records of one server, in the order in which they were made. Every write is a record.
pub struct Recording {
    pub name: String,
    pub records: Vec<Value>,
    /// The records whose answers are compared, if they come from another directory than the requests.
    pub answers: Option<Vec<Value>>,
}

/// The log of kubectl's requests, which has another format than the recordings.
const KUBECTL_LOG: &str = "kubectl-requests.json";

/// Returns the directory of this repository's recordings.
fn own() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wire"))
}

/// Returns the directory that `WIRE_DIR` names.
fn other() -> Option<PathBuf> {
    std::env::var_os("WIRE_DIR").map(PathBuf::from)
}

/// Returns the commands of kubectl, if the directory has their log.
pub fn commands() -> Option<Vec<Value>> {
    let path = other().unwrap_or_else(own).join(KUBECTL_LOG);
    path.exists().then(|| read(&path))
}

/// Returns the recordings of `fixtures/wire`, or, with `WIRE_DIR` and `WIRE_COMPLETE`, those of another directory. With
/// `WIRE_DIR` alone, some writes are missing from the other directory, so the requests come from the file of the same
/// name in `fixtures/wire` and only the answers from the other directory.
pub fn recordings() -> Vec<Recording> {
    let directory = other().unwrap_or_else(own);
    let is_complete = other().is_none() || std::env::var_os("WIRE_COMPLETE").is_some();
    let recording = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let script = own().join(&name);
        match is_complete {
            true => Recording { name, records: read(&path), answers: None },
            false => Recording {
                name,
                records: if script.exists() { read(&script) } else { Vec::new() },
                answers: Some(read(&path)),
            },
        }
    };
    files(&directory).into_iter().map(recording).collect()
}

/// Returns the recordings in a directory. With `WIRE_ONLY`, these are only the ones whose path contains its value.
fn files(directory: &Path) -> Vec<PathBuf> {
    let only = std::env::var("WIRE_ONLY").unwrap_or_default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| !path.ends_with(KUBECTL_LOG) && path.to_string_lossy().contains(&only))
        .collect();
    files.sort();
    files
}

fn read(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
