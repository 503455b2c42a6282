//! The recordings: requests and responses, with placeholders for values that differ from run to run.

use std::path::PathBuf;

use serde_json::Value;

/// One file: a server of its own, and records in the order in which they were made.
pub struct Recording {
    pub name: String,
    pub records: Vec<Value>,
}

/// kubectl's requests are recorded in another format.
const OTHER_FORM: &str = "kubectl-requests.json";

fn directory() -> PathBuf {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wire");
    std::env::var_os("WIRE_DIR").map_or_else(|| own.into(), PathBuf::from)
}

/// The commands of kubectl, if the directory has its log.
pub fn commands() -> Option<Vec<Value>> {
    let path = directory().join(OTHER_FORM);
    path.exists().then(|| read(path).records)
}

pub fn recordings() -> Vec<Recording> {
    let directory = directory();
    let only = std::env::var("WIRE_ONLY").unwrap_or_default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .unwrap_or_else(|error| panic!("WIRE_DIR {}: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| !path.ends_with(OTHER_FORM) && path.to_string_lossy().contains(&only))
        .collect();
    files.sort();
    files.into_iter().map(read).collect()
}

fn read(path: PathBuf) -> Recording {
    let text = std::fs::read_to_string(&path).unwrap();
    let records = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Recording { name: path.file_name().unwrap().to_string_lossy().into_owned(), records }
}
