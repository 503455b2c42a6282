//! The options of a LIST or a WATCH. Upstream: `metav1.ListOptions`.

use std::fmt;
#[cfg(feature = "client")]
use std::sync::Arc;

use kube_core::params::{ListParams, VersionMatch, WatchParams};

/// What a list or a watch asks for. `None`, `false` and 0 are not sent.
///
/// The query is built here and not by `kube`: its list parameters drop a resourceVersion of 0 beside a limit, and its watch
/// always sends a timeout.
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
    /// Selects by labels, as `app=web,tier!=cache`.
    pub label_selector: Option<String>,
    /// Selects by fields, as `metadata.name=nettool`.
    pub field_selector: Option<String>,
    /// Nothing is "the most recent", `0` is "any", another one depends on the rest.
    pub resource_version: Option<String>,
    /// How the resourceVersion is to be taken.
    pub resource_version_match: Option<ResourceVersionMatch>,
    /// The size of a page.
    pub limit: u32,
    /// Where the last page ended.
    pub continue_token: Option<String>,
    /// After how many seconds the server ends a watch.
    pub timeout_seconds: u32,
    /// May the server tell that nothing more is to come up to a resourceVersion?
    pub allow_watch_bookmarks: bool,
    /// Does the watch begin with what exists? Nothing leaves it to the resourceVersion.
    pub send_initial_events: Option<bool>,
}

/// Changes the options of a request before it is sent.
#[cfg(feature = "client")]
pub(in crate::cache) type Tweak = Arc<dyn Fn(&mut ListOptions) + Send + Sync>;

/// How a resourceVersion is to be taken.
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

/// A streaming list gets the resourceVersionMatch that it needs. The resourceVersion is not among `kube`'s parameters.
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
    /// The query of a list, its parameters in the order in which client-go sends them.
    pub fn list_query(&self) -> String {
        self.query(false)
    }

    /// The query of a watch.
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
    fn a_limit_goes_with_resource_version_0() {
        let options = ListOptions { resource_version: Some("0".into()), limit: 500, ..ListOptions::default() };
        assert_eq!(options.list_query(), "limit=500&resourceVersion=0");
    }

    #[test]
    fn kubes_parameters_ask_for_the_same() {
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
    fn a_watch_without_options_says_only_that_it_is_one() {
        assert_eq!(ListOptions::default().watch_query(), "watch=true");
    }
}
