//! The header of a record, its first line: it names the lesson, and has what is needed to make the same run again.

use serde::{Deserialize, Serialize};

/// The version of the record's format. Readers refuse a higher one.
pub const SCHEMA: u32 = 1;

/// The origin of a record. On the built-in cluster, the same program, command and seed make the same run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// The version of the record's format.
    pub schema: u32,
    /// The version of the program.
    pub program: String,
    /// The lesson with the option that chooses its run, as typed after `informer-lab`.
    pub command: String,
    /// The other options of the run, without those that name a kubeconfig.
    #[serde(default)]
    pub options: Vec<String>,
    /// The seed that decided the races.
    pub seed: u64,
    /// The era of the client, whose informers the record shows: `classic` or `modern`.
    pub client: String,
    /// The era of the built-in API server; `None` for a real cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// `built-in`, `real`, or `none` for a lesson without a cluster.
    pub source: String,
}

impl Header {
    /// Creates a header for this program, with defaults for the other fields.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            schema: SCHEMA,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.into(),
            options: Vec::new(),
            seed: 0,
            client: "classic".to_owned(),
            server: None,
            source: "none".to_owned(),
        }
    }
}
