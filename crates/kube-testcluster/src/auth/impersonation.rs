//! Impersonation: requests in the name of another user (`kubectl --as`). Upstream: `WithConstrainedImpersonation` in
//! `k8s.io/apiserver/pkg/endpoints/filters/impersonation`. Upstream caches decisions for ten seconds; this server makes
//! each one anew.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use http::{HeaderMap, HeaderName};

use super::attributes::{Attributes, ResourceAttributes};
use super::authorization::Authorizer;
use crate::http::status::ApiError;
use kube_machinery::conventions::escape;
use kube_machinery::conventions::quote::quote;
use kube_machinery::conventions::user::{AUTHENTICATED, MASTERS, UNAUTHENTICATED, User};
use kube_machinery::kinds::{is_label, is_subdomain};

const USER: HeaderName = HeaderName::from_static("impersonate-user");
const UID: HeaderName = HeaderName::from_static("impersonate-uid");
const GROUP: HeaderName = HeaderName::from_static("impersonate-group");
const EXTRA: &str = "impersonate-extra-";

/// The API group of the rights to impersonate uids and extra fields, and in constrained modes also users and groups.
const AUTHENTICATION: &str = "authentication.k8s.io";

/// The number of groups or extra values from which the right to all (`*`) is checked first.
const MANY: usize = 4;

/// The number of users for whom the last mode is remembered.
const REMEMBERED: usize = 10_000;

/// Returns the user whom the impersonation headers name. Removes the headers, so that handlers do not see them.
pub(super) fn wanted_user(headers: &mut HeaderMap) -> Result<Option<User>, ApiError> {
    if !headers.keys().any(|name| name.as_str().starts_with("impersonate-")) {
        return Ok(None);
    }
    let first = |name: HeaderName| headers.get(name).map(text).unwrap_or_default();
    let mut wanted = User { name: first(USER), uid: first(UID), ..User::default() };
    wanted.groups = headers.get_all(GROUP).iter().map(text).collect();
    let extra: Vec<HeaderName> = headers.keys().filter(|name| name.as_str().starts_with(EXTRA)).cloned().collect();
    for name in &extra {
        let key = &name.as_str()[EXTRA.len()..];
        let key = escape::decode(key).unwrap_or_else(|| key.to_owned());
        wanted.extra.entry(key).or_default().extend(headers.get_all(name).iter().map(text));
    }
    if wanted == User::default() {
        return Ok(None);
    }
    if wanted.name.is_empty() {
        return Err(ApiError::bad_request(format!("requested {} without impersonating a user name", shown(&wanted))));
    }
    for name in extra.into_iter().chain([USER, UID, GROUP]) {
        headers.remove(name);
    }
    Ok(Some(wanted))
}

fn text(value: &http::HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

/// Formats a user as Go prints a `*user.DefaultInfo` with `%#v`.
fn shown(user: &User) -> String {
    let list = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| quote(text)).collect();
        format!("[]string{{{}}}", texts.join(", "))
    };
    let groups = if user.groups.is_empty() { "[]string(nil)".to_owned() } else { list(&user.groups) };
    let extra: Vec<String> =
        user.extra.iter().map(|(key, values)| format!("{}:{}", quote(key), list(values))).collect();
    let extra = if extra.is_empty() { "(nil)".to_owned() } else { format!("{{{}}}", extra.join(", ")) };
    let (name, uid) = (quote(&user.name), quote(&user.uid));
    format!("&user.DefaultInfo{{Name:{name}, UID:{uid}, Groups:{groups}, Extra:map[string][]string{extra}}}")
}

/// The impersonation mode, which decides the rights that are checked: one of the constrained modes, each for one kind
/// of user, or the legacy mode for every user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    AssociatedNode,
    ArbitraryNode,
    ServiceAccount,
    UserInfo,
    Legacy,
}

/// Decides about impersonation. Remembers the last successful mode of each requestor, to try it first.
#[derive(Debug, Default)]
pub(super) struct Impersonation {
    last: Mutex<HashMap<String, Mode>>,
}

impl Impersonation {
    /// Returns the user in whose name a request is handled.
    ///
    /// # Errors
    /// 403, with the reason of the first mode that was tried.
    pub(super) fn check(
        &self,
        authorizer: &Authorizer,
        requestor: &User,
        wanted: &User,
        asked: &Attributes,
    ) -> Result<User, ApiError> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).get(&requestor.name).copied();
        let others = Mode::ALL.into_iter().filter(|mode| Some(*mode) != last);
        let mut first_error = None;
        for mode in last.into_iter().chain(others).filter(|mode| mode.is_for(wanted, requestor)) {
            match (Check { authorizer, requestor, mode }).user(wanted, asked) {
                Ok(user) => {
                    self.remember(&requestor.name, mode);
                    return Ok(user);
                }
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error.unwrap_or_else(|| ApiError::internal("all impersonation modes failed")))
    }

    fn remember(&self, name: &str, mode: Mode) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() >= REMEMBERED {
            last.clear();
        }
        last.insert(name.to_owned(), mode);
    }
}

impl Mode {
    const ALL: [Self; 5] =
        [Self::AssociatedNode, Self::ArbitraryNode, Self::ServiceAccount, Self::UserInfo, Self::Legacy];

    /// The mode's name in verbs.
    fn name(self) -> &'static str {
        match self {
            Self::AssociatedNode => "associated-node",
            Self::ArbitraryNode => "arbitrary-node",
            Self::ServiceAccount => "serviceaccount",
            Self::UserInfo => "user-info",
            Self::Legacy => "",
        }
    }

    fn is_for(self, wanted: &User, requestor: &User) -> bool {
        let only_name = wanted.uid.is_empty() && wanted.groups.is_empty() && wanted.extra.is_empty();
        let (node, account) = (node_of(&wanted.name), account_of(&wanted.name));
        match self {
            Self::AssociatedNode => {
                let own = requestor.extra.get("authentication.kubernetes.io/node-name").map(Vec::as_slice);
                let is_own = matches!((own, node), (Some([own]), Some(node)) if own == node);
                only_name && is_own && account_of(&requestor.name).is_some()
            }
            Self::ArbitraryNode => only_name && node.is_some(),
            Self::ServiceAccount => only_name && account.is_some(),
            Self::UserInfo => node.is_none() && account.is_none(),
            Self::Legacy => true,
        }
    }
}

/// Returns the node in a user name such as `system:node:NAME`.
fn node_of(user: &str) -> Option<&str> {
    user.strip_prefix("system:node:").filter(|name| is_subdomain(name))
}

/// Returns namespace and name of the service account in a user name.
fn account_of(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix("system:serviceaccount:")?.split_once(':')?;
    (is_label(namespace) && is_subdomain(name)).then_some((namespace, name))
}

/// The check of one request in one mode.
struct Check<'a> {
    authorizer: &'a Authorizer,
    requestor: &'a User,
    mode: Mode,
}

impl Check<'_> {
    fn is_constrained(&self) -> bool {
        self.mode != Mode::Legacy
    }

    fn user(&self, wanted: &User, asked: &Attributes) -> Result<User, ApiError> {
        if self.is_constrained() {
            let verb = format!("impersonate-on:{}:{}", self.mode.name(), asked.verb());
            self.authorizer.check(self.requestor, &asked.clone().with_verb(verb))?;
        }
        let mut user = wanted.clone();
        self.check_name(&mut user)?;
        if !user.uid.is_empty() {
            self.allowed(&self.right(AUTHENTICATION, "uids", &user.uid))?;
        }
        self.check_groups(&wanted.groups)?;
        self.check_extra(&wanted.extra)?;
        let unknown = |groups: &[String]| groups.iter().any(|group| group == UNAUTHENTICATED);
        let added = if user.is_anonymous() { UNAUTHENTICATED } else { AUTHENTICATED };
        let is_told = user.groups.iter().any(|group| group == added);
        if !is_told && (user.is_anonymous() || !unknown(&user.groups)) {
            user.groups.push(added.to_owned());
        }
        Ok(user)
    }

    /// Returns the right to impersonate a value.
    fn right(&self, group: &str, resource: &str, name: &str) -> ResourceAttributes {
        let colon = if self.is_constrained() { ":" } else { "" };
        ResourceAttributes {
            verb: format!("impersonate{colon}{}", self.mode.name()),
            group: group.to_owned(),
            resource: resource.to_owned(),
            name: name.to_owned(),
            ..ResourceAttributes::default()
        }
    }

    /// Returns the API group of the rights to users and groups.
    fn group(&self) -> &'static str {
        if self.is_constrained() { AUTHENTICATION } else { "" }
    }

    fn allowed(&self, right: &ResourceAttributes) -> Result<(), ApiError> {
        self.authorizer.check(self.requestor, &Attributes::Resource(right.clone()))
    }

    fn forbidden(&self, right: ResourceAttributes, why: &str) -> ApiError {
        Attributes::Resource(right).forbidden(&self.requestor.name, why)
    }

    /// Checks the right to the user name, and adds the groups that follow from the name.
    fn check_name(&self, user: &mut User) -> Result<(), ApiError> {
        let mut right = self.right(self.group(), "users", &user.name);
        if let Some(node) = node_of(&user.name).filter(|_| self.is_constrained()) {
            // A service account may impersonate any node that it runs on, so this right names no node.
            let name = if self.mode == Mode::AssociatedNode { "*" } else { node };
            right = self.right(self.group(), "nodes", name);
            user.groups = vec!["system:nodes".to_owned()];
        } else if let Some((namespace, name)) = account_of(&user.name) {
            right = self.right(self.group(), "serviceaccounts", name);
            right.namespace = namespace.to_owned();
            if user.groups.is_empty() {
                user.groups = vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
            }
        }
        self.allowed(&right)
    }

    fn check_groups(&self, groups: &[String]) -> Result<(), ApiError> {
        let right = |name: &str| self.right(self.group(), "groups", name);
        if self.is_constrained() {
            if groups.iter().any(String::is_empty) {
                return Err(self.forbidden(right(""), "impersonating the empty string group is not allowed"));
            }
            if groups.iter().any(|group| group == MASTERS) {
                return Err(self.forbidden(right(MASTERS), "impersonating the system:masters group is not allowed"));
            }
            if groups.len() >= MANY && self.allowed(&right("*")).is_ok() {
                return Ok(());
            }
        }
        groups.iter().try_for_each(|group| self.allowed(&right(group)))
    }

    fn check_extra(&self, extra: &BTreeMap<String, Vec<String>>) -> Result<(), ApiError> {
        let right = |key: &str, value: &str| {
            let right = self.right(AUTHENTICATION, "userextras", value);
            ResourceAttributes { subresource: key.to_owned(), ..right }
        };
        if self.is_constrained() {
            extra
                .iter()
                .try_for_each(|(key, values)| check_entry(key, values))
                .map_err(|why| self.forbidden(right("", ""), &why))?;
            let values: usize = extra.values().map(Vec::len).sum();
            if (extra.len() >= MANY || values >= MANY) && self.allowed(&right("*", "*")).is_ok() {
                return Ok(());
            }
        }
        let mut rights = extra.iter().flat_map(|(key, values)| values.iter().map(move |value| right(key, value)));
        rights.try_for_each(|right| self.allowed(&right))
    }
}

/// Validates an extra field in a constrained mode. Upstream: `validateExtra`.
fn check_entry(key: &str, values: &[String]) -> Result<(), String> {
    let is_path = |path: &str| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "/-._~%!$&'()*+,;=:".contains(c);
        !path.is_empty() && path.chars().all(is_letter)
    };
    if key.is_empty() {
        return Err("impersonating the empty string key in extra is not allowed".to_owned());
    }
    if !key.split_once('/').is_some_and(|(host, path)| is_subdomain(host) && is_path(path)) {
        let why = "must be a domain-prefixed path (such as \"acme.io/foo\")";
        let shown = quote(key);
        return Err(format!(
            "impersonating an invalid key in extra is not allowed: extra.key: Invalid value: {shown}: {why}"
        ));
    }
    if key.chars().any(char::is_uppercase) {
        return Err(format!("impersonating a non-lowercase key in extra is not allowed: {}", quote(key)));
    }
    if values.is_empty() {
        return Err("impersonating empty values in extra is not allowed".to_owned());
    }
    if values.iter().any(String::is_empty) {
        return Err("impersonating the empty string value in extra is not allowed".to_owned());
    }
    Ok(())
}
