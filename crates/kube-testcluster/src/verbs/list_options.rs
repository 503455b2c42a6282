//! Parses and validates the query of a list or a watch (`metav1.ListOptions`), and any resourceVersion in a query.

use std::time::Duration;

use crate::http::query::{Query, problem};
use crate::http::status::ApiError;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::causes::Causes;

/// `metav1.ListOptions`.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListOptions {
    pub(crate) watch: bool,
    pub(crate) label_selector: String,
    pub(crate) field_selector: String,
    pub(crate) resource_version: String,
    pub(crate) resource_version_match: String,
    /// `None` without a limit, or with a limit that is not positive.
    pub(crate) limit: Option<usize>,
    pub(crate) continue_token: String,
    pub(crate) allow_watch_bookmarks: bool,
    pub(crate) send_initial_events: Option<bool>,
    /// The duration of a watch: zero for one that ends before it begins, `None` if the server chooses.
    pub(crate) timeout: Option<Duration>,
}

/// The longest watch, a year. Adding it to a clock cannot overflow.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Returns the duration of a watch of this many seconds. Upstream (`handleWatch`) multiplies them to nanoseconds
/// without checking for overflow, and so does this function.
fn duration(seconds: i64) -> Option<Duration> {
    let nanoseconds = seconds.wrapping_mul(1_000_000_000);
    (nanoseconds != 0).then(|| Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or_default()).min(LONGEST))
}

impl ListOptions {
    pub(crate) fn parse(query: &Query) -> Result<Self, ApiError> {
        Ok(Self {
            watch: query.flag("watch").unwrap_or_default(),
            label_selector: query.text("labelSelector"),
            field_selector: query.text("fieldSelector"),
            resource_version: query.text("resourceVersion"),
            resource_version_match: query.text("resourceVersionMatch"),
            limit: query.integer("limit")?.and_then(|limit| usize::try_from(limit).ok()).filter(|limit| *limit > 0),
            continue_token: query.text("continue"),
            allow_watch_bookmarks: query.flag("allowWatchBookmarks").unwrap_or_default(),
            send_initial_events: query.flag("sendInitialEvents"),
            timeout: query.integer("timeoutSeconds")?.and_then(duration),
        })
    }

    /// Sets the options that a watch without a version has by default. A collection deletion may have `watch=true`,
    /// too. Upstream: `SetListOptionsDefaults`.
    pub(crate) fn set_defaults(&mut self, streams_lists: bool) {
        let is_any_version = matches!(self.resource_version.as_str(), "" | "0");
        let is_plain = self.send_initial_events.is_none() && self.resource_version_match.is_empty();
        if streams_lists && self.watch && is_plain && is_any_version {
            self.send_initial_events = Some(true);
            NOT_OLDER_THAN.clone_into(&mut self.resource_version_match);
        }
    }

    pub(crate) fn validate(&self, streams_lists: bool) -> Result<(), ApiError> {
        let causes = if self.watch { self.watch_causes(streams_lists) } else { self.list_causes() };
        if causes.is_empty() { Ok(()) } else { Err(ApiError::invalid_options("ListOptions", causes)) }
    }

    fn list_causes(&self) -> Causes {
        let mut causes = Causes::new();
        let matching = self.resource_version_match.as_str();
        if !matching.is_empty() {
            if self.resource_version.is_empty() {
                causes.push(unmatched("resourceVersionMatch is forbidden unless resourceVersion is provided"));
            }
            if !self.continue_token.is_empty() {
                causes.push(unmatched("resourceVersionMatch is forbidden when continue is provided"));
            }
            if !matches!(matching, "Exact" | "NotOlderThan") {
                let supported = ["Exact", "NotOlderThan", ""];
                causes.push(Cause::unsupported(MATCH, &format!("{matching:?}"), &supported));
            }
            if matching == "Exact" && self.resource_version == "0" {
                causes.push(unmatched("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
            }
        }
        if self.send_initial_events.is_some() {
            causes.push(Cause::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
        causes
    }

    fn watch_causes(&self, streams_lists: bool) -> Causes {
        let mut causes = Causes::new();
        let matching = self.resource_version_match.as_str();
        if self.send_initial_events.is_some() {
            if matching != NOT_OLDER_THAN {
                causes.push(unmatched("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
            }
            if !streams_lists {
                let why = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
                causes.push(Cause::forbidden("sendInitialEvents", why));
            }
        }
        if !matching.is_empty() {
            if self.send_initial_events.is_none() {
                causes.push(unmatched(
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                ));
            }
            if matching != NOT_OLDER_THAN {
                causes.push(Cause::unsupported(MATCH, &format!("{matching:?}"), &[NOT_OLDER_THAN]));
            }
            if !self.continue_token.is_empty() {
                causes.push(unmatched("resourceVersionMatch is forbidden when continue is provided"));
            }
        }
        causes
    }
}

const MATCH: &str = "resourceVersionMatch";

pub(super) const NOT_OLDER_THAN: &str = "NotOlderThan";

fn unmatched(why: &str) -> Cause {
    Cause::forbidden(MATCH, why)
}

/// Parses the resourceVersion of a request: empty, or a number. 0 stands for any state.
///
/// # Errors
/// Upstream's message. The code of the response depends on the request, so the caller chooses it.
pub(crate) fn resource_version(text: &str) -> Result<Option<u64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let is_digits_only = text.bytes().all(|byte| byte.is_ascii_digit()); // Rust also accepts a sign
    let problem = match text.parse() {
        Ok(version) if is_digits_only => return Ok(Some(version)),
        Err(error) if is_digits_only => problem(&error),
        _ => "invalid syntax",
    };
    Err(format!("resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: {problem}"))
}
