//! The options of a LIST or a WATCH. Upstream: `metav1.ListOptions`.

use std::fmt;

/// What a list or a watch asks for. `None`, `false` and 0 are not sent.
///
/// Built here and not by `kube`: its list parameters drop a resourceVersion of 0 beside a limit, and its watch always
/// sends a timeout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

/// How a resourceVersion is to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    fn a_watch_without_options_says_only_that_it_is_one() {
        assert_eq!(ListOptions::default().watch_query(), "watch=true");
    }
}
