//! Replaces `real.rs` in the build for a web page, which cannot reach a real cluster: connecting fails.

use std::time::Duration;

use anyhow::Result;

use super::settings::Target;
use crate::trace::Failure;

/// A client of a cluster that has responded, with the cluster's address.
pub(super) struct Connection {
    pub(super) client: kube::Client,
    pub(super) address: String,
}

pub(super) async fn connect(_target: &Target, _namespace: &str, _limit: Option<Duration>) -> Result<Connection> {
    Err(Failure::not_in_a_page().into())
}
