//! The combinations of LIST options that the lesson `list` sends, each a row of its table.

use super::should_delegate_list;
use kube_informers::cache::{ListOptions, ResourceVersionMatch};

pub(super) struct Combination {
    pub(super) version: RequestedVersion,
    /// The option `resourceVersionMatch`.
    matching: Option<ResourceVersionMatch>,
    /// The option `limit`; 0 means no limit.
    limit: u32,
    /// True if the request has the continue token of an earlier page.
    pub(super) continues: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestedVersion {
    Unset,
    /// The resourceVersion `0`, which accepts any state.
    Any,
    /// The resourceVersion of a list that was just read.
    Known,
    /// The resourceVersion of an object that was just written.
    Written,
}

/// Returns every combination, grouped by resourceVersion.
pub(super) fn rows() -> impl Iterator<Item = Combination> {
    let matches = [None, Some(ResourceVersionMatch::Exact), Some(ResourceVersionMatch::NotOlderThan)];
    let pages = [(0, false), (1, false), (0, true), (1, true)];
    let versions = [RequestedVersion::Unset, RequestedVersion::Any, RequestedVersion::Known];
    versions.into_iter().flat_map(move |version| {
        matches.into_iter().flat_map(move |matching| {
            pages.into_iter().map(move |(limit, continues)| Combination { version, matching, limit, continues })
        })
    })
}

/// Returns the combinations of a resourceVersion and a limit, without the other options.
pub(super) fn rows_of_first_pages() -> impl Iterator<Item = Combination> {
    let versions = [RequestedVersion::Unset, RequestedVersion::Any, RequestedVersion::Known, RequestedVersion::Written];
    versions.into_iter().flat_map(|version| {
        [0, 1].into_iter().map(move |limit| Combination { version, matching: None, limit, continues: false })
    })
}

impl Combination {
    pub(super) fn options(&self, known: &str, written: &str, token: Option<&str>) -> ListOptions {
        let version = match self.version {
            RequestedVersion::Unset => None,
            RequestedVersion::Any => Some("0".to_owned()),
            RequestedVersion::Known => Some(known.to_owned()),
            RequestedVersion::Written => Some(written.to_owned()),
        };
        let mut options = ListOptions::default();
        options.resource_version = version;
        options.resource_version_match = self.matching;
        options.limit = self.limit;
        options.continue_token = token.filter(|_| self.continues).map(str::to_owned);
        options
    }

    /// Returns the first cells of the table's row: the options, and whether the tutorials' function delegates.
    pub(super) fn cells(&self) -> [&'static str; 5] {
        let version = match self.version {
            RequestedVersion::Unset => "-",
            RequestedVersion::Any => "0",
            RequestedVersion::Known => "R",
            RequestedVersion::Written => "W",
        };
        let matching = match self.matching {
            None => "-",
            Some(ResourceVersionMatch::Exact) => "Exact",
            Some(_) => "NotOlderThan",
        };
        let delegate = should_delegate_list(&self.options("R", "W", Some("token")));
        let yes = |yes| if yes { "yes" } else { "-" };
        [
            version,
            matching,
            if self.limit == 0 { "-" } else { "1" },
            yes(self.continues),
            if delegate { "yes" } else { "no" },
        ]
    }
}
