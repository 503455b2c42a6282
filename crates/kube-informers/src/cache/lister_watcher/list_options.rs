//! ListOptions: the options of a LIST or a WATCH, and their query string. Upstream: `metav1.ListOptions`.

use std::fmt;
#[cfg(feature = "client")]
use std::sync::Arc;

use kube_core::params::{ListParams, VersionMatch, WatchParams};

/// The options of a list or a watch (`metav1.ListOptions`). `None`, `false` and 0 are not sent.
///
/// This type builds the query itself instead of using `kube`'s, because `kube`'s list parameters drop a resourceVersion
/// of 0 beside a limit, and `kube`'s watch always sends a timeout.
///
/// ```
/// use kube::api::ListParams;
/// use kube_informers::cache::ListOptions;
///
/// let mut options = ListOptions::from(ListParams::default().labels("app=web"));
/// options.limit = 100;
/// assert_eq!(options.list_query(), "labelSelector=app%3Dweb&limit=100");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListOptions {
    /// The label selector, such as `app=web,tier!=cache`.
    pub label_selector: Option<String>,
    /// The field selector, such as `metadata.name=nettool`.
    pub field_selector: Option<String>,
    /// The resourceVersion. `None` requests the most recent state, `0` any state. The meaning of another value depends
    /// on the other options.
    pub resource_version: Option<String>,
    /// The rule by which the server interprets `resource_version`.
    pub resource_version_match: Option<ResourceVersionMatch>,
    /// The largest number of objects on a page; 0 for no limit.
    pub limit: u32,
    /// The continue token of the previous page, which requests the next page.
    pub continue_token: Option<String>,
    /// The number of seconds after which the server ends a watch; 0 for the server's choice.
    pub timeout_seconds: u32,
    /// True if the server may send bookmarks.
    pub allow_watch_bookmarks: bool,
    /// `Some(true)` requests a streaming list: a watch that begins with the existing objects.
    pub send_initial_events: Option<bool>,
}

/// A function that changes the options of a request before it is sent (client-go's `TweakListOptionsFunc`).
#[cfg(feature = "client")]
pub(in crate::cache) type Tweak = Arc<dyn Fn(&mut ListOptions) + Send + Sync>;

/// The rule by which the server interprets a resourceVersion (`metav1.ResourceVersionMatch`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceVersionMatch {
    /// The state at exactly this version.
    Exact,
    /// This version or any later one.
    NotOlderThan,
}

impl fmt::Display for ResourceVersionMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl From<VersionMatch> for ResourceVersionMatch {
    fn from(rule: VersionMatch) -> Self {
        match rule {
            VersionMatch::Exact => Self::Exact,
            VersionMatch::NotOlderThan => Self::NotOlderThan,
        }
    }
}

impl From<ListParams> for ListOptions {
    fn from(list: ListParams) -> Self {
        Self {
            label_selector: list.label_selector,
            field_selector: list.field_selector,
            resource_version: list.resource_version,
            resource_version_match: list.version_match.map(ResourceVersionMatch::from),
            limit: list.limit.unwrap_or_default(),
            continue_token: list.continue_token,
            ..Self::default()
        }
    }
}

/// Adds the resourceVersionMatch that a streaming list requires. `kube`'s watch parameters have no resourceVersion.
impl From<WatchParams> for ListOptions {
    fn from(watch: WatchParams) -> Self {
        let streams_list = watch.send_initial_events;
        Self {
            label_selector: watch.label_selector,
            field_selector: watch.field_selector,
            resource_version_match: streams_list.then_some(ResourceVersionMatch::NotOlderThan),
            timeout_seconds: watch.timeout.unwrap_or_default(),
            allow_watch_bookmarks: watch.bookmarks,
            send_initial_events: streams_list.then_some(true),
            ..Self::default()
        }
    }
}

impl ListOptions {
    /// Returns the query string of a list, with the parameters in client-go's order.
    pub fn list_query(&self) -> String {
        self.query(false)
    }

    /// Returns the query string of a watch.
    pub fn watch_query(&self) -> String {
        self.query(true)
    }

    fn query(&self, watch: bool) -> String {
        let number = |number: u32| (number > 0).then(|| number.to_string());
        let flag = |flag: bool| flag.then(|| "true".to_owned());
        let parameters = [
            ("allowWatchBookmarks", flag(self.allow_watch_bookmarks)),
            ("continue", self.continue_token.clone()),
            ("fieldSelector", self.field_selector.clone()),
            ("labelSelector", self.label_selector.clone()),
            ("limit", number(self.limit)),
            ("resourceVersion", self.resource_version.clone()),
            ("resourceVersionMatch", self.resource_version_match.map(|rule| rule.to_string())),
            ("sendInitialEvents", self.send_initial_events.map(|send| send.to_string())),
            ("timeoutSeconds", number(self.timeout_seconds)),
            ("watch", flag(watch)),
        ];
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in parameters {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                query.append_pair(name, &value);
            }
        }
        query.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_does_not_drop_resource_version_0() {
        let options = ListOptions { resource_version: Some("0".into()), limit: 500, ..ListOptions::default() };
        assert_eq!(options.list_query(), "limit=500&resourceVersion=0");
    }

    #[test]
    fn options_made_from_kubes_parameters_keep_all_of_them() {
        let list = ListParams::default().fields("spec.nodeName=a").match_any().limit(7);
        assert_eq!(
            ListOptions::from(list).list_query(),
            "fieldSelector=spec.nodeName%3Da&limit=7&resourceVersion=0&resourceVersionMatch=NotOlderThan"
        );
        let watch = WatchParams::default().labels("a").timeout(30).initial_events();
        assert_eq!(
            ListOptions::from(watch).watch_query(),
            "allowWatchBookmarks=true&labelSelector=a&resourceVersionMatch=NotOlderThan&sendInitialEvents=true\
             &timeoutSeconds=30&watch=true"
        );
    }

    #[test]
    fn a_watch_without_options_sends_only_watch_true() {
        assert_eq!(ListOptions::default().watch_query(), "watch=true");
    }
}
