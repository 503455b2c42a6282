//! The first line of a record: which run it is.

use serde::{Deserialize, Serialize};

/// The version of the record's form. A reader refuses a higher one.
pub const SCHEMA: u32 = 1;

/// Which run a record is of: with the same program, command and seed it can be made again, on the built-in cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// The version of the record's form.
    pub schema: u32,
    /// The version of the program.
    pub program: String,
    /// The lesson, with its step, as it is typed after `informer-lab`.
    pub command: String,
    /// The other options of the run. What names a kubeconfig is left out.
    #[serde(default)]
    pub options: Vec<String>,
    /// What decided the races.
    pub seed: u64,
    /// The era of the informers.
    pub client: String,
    /// The era of the built-in API server; none for a real one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// `built-in`, `real`, or `none` for a lesson without a cluster.
    pub source: String,
}

impl Header {
    /// A header of this program.
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
