//! What a request asks for, in the words of authorization. Upstream: `RequestInfoFactory.NewRequestInfo` in
//! `k8s.io/apiserver/pkg/endpoints/request`.

use http::{Method, Uri};

use crate::http::query::Query;
use crate::machinery::escape;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attributes {
    /// Something that is no object: a method, in small letters, and a path.
    Path { verb: String, path: String },
    /// An object, or a collection of them.
    Resource {
        verb: &'static str,
        group: String,
        namespace: String,
        resource: String,
        subresource: String,
        name: String,
    },
}

/// What a namespace has behind its name that is no resource in it.
const PARTS_OF_NAMESPACES: [&str; 2] = ["status", "finalize"];

impl Attributes {
    pub(super) fn of(method: &Method, uri: &Uri) -> Self {
        let path = escape::decode(uri.path()).unwrap_or_else(|| uri.path().into());
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (group, rest) = match parts.as_slice() {
            ["api", _, rest @ ..] if !rest.is_empty() => ("", rest),
            ["apis", group, _, rest @ ..] if !rest.is_empty() => (*group, rest),
            _ => return Self::Path { verb: method.as_str().to_lowercase(), path: path.to_string() },
        };
        let (verb, rest) = match rest {
            ["watch", rest @ ..] if !rest.is_empty() => ("watch", rest),
            rest => (verb(method), rest),
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, part, ..] if !PARTS_OF_NAMESPACES.contains(part) => (*namespace, &rest[2..]),
            ["namespaces", namespace, ..] => (*namespace, rest),
            rest => ("", rest),
        };
        let part = |n: usize| rest.get(n).copied().unwrap_or_default().to_owned();
        let name = part(1);
        let verb = match verb {
            "get" if name.is_empty() && Query::parse(uri).flag("watch").unwrap_or_default() => "watch",
            "get" if name.is_empty() => "list",
            "delete" if name.is_empty() => "deletecollection",
            verb => verb,
        };
        let (resource, subresource) = (part(0), part(2));
        Self::Resource { verb, group: group.to_owned(), namespace: namespace.to_owned(), resource, subresource, name }
    }

    /// Why it is refused. Upstream: `forbiddenMessage`.
    pub(super) fn refusal(&self, user: &str) -> String {
        let told = match self {
            Self::Path { verb, path } => format!("User {user:?} cannot {verb} path {path:?}"),
            Self::Resource { verb, group, namespace, resource, subresource, .. } => {
                let slash = if subresource.is_empty() { "" } else { "/" };
                let what = format!("{resource}{slash}{subresource}");
                let place = match namespace.as_str() {
                    "" => "at the cluster scope".to_owned(),
                    namespace => format!("in the namespace {namespace:?}"),
                };
                format!("User {user:?} cannot {verb} resource {what:?} in API group {group:?} {place}")
            }
        };
        // Nothing that a browser takes for a page.
        told.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    }
}

fn verb(method: &Method) -> &'static str {
    match *method {
        Method::POST => "create",
        Method::GET | Method::HEAD => "get",
        Method::PUT => "update",
        Method::PATCH => "patch",
        Method::DELETE => "delete",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(method: Method, uri: &'static str) -> String {
        Attributes::of(&method, &Uri::from_static(uri)).refusal("ada")
    }

    #[test]
    fn a_request_is_named_as_upstream_names_it() {
        for (method, uri, expected) in [
            (Method::GET, "/metrics", "User \"ada\" cannot get path \"/metrics\""),
            (Method::GET, "/apis/apps/v1", "User \"ada\" cannot get path \"/apis/apps/v1\""),
            (Method::GET, "/a%3Cb%3E", "User \"ada\" cannot get path \"/a&lt;b&gt;\""),
            (
                Method::GET,
                "/api/v1/namespaces/default/pods",
                "User \"ada\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\"",
            ),
            (
                Method::GET,
                "/api/v1/pods?watch=true",
                "User \"ada\" cannot watch resource \"pods\" in API group \"\" at the cluster scope",
            ),
            (
                Method::DELETE,
                "/apis/apps/v1/namespaces/a/deployments",
                "User \"ada\" cannot deletecollection resource \"deployments\" in API group \"apps\" in the namespace \"a\"",
            ),
            (
                Method::PUT,
                "/api/v1/namespaces/a/pods/b/status",
                "User \"ada\" cannot update resource \"pods/status\" in API group \"\" in the namespace \"a\"",
            ),
            (
                Method::PUT,
                "/api/v1/namespaces/a/finalize",
                "User \"ada\" cannot update resource \"namespaces/finalize\" in API group \"\" in the namespace \"a\"",
            ),
            (
                Method::GET,
                "/api/v1/watch/namespaces/a/pods",
                "User \"ada\" cannot watch resource \"pods\" in API group \"\" in the namespace \"a\"",
            ),
        ] {
            assert_eq!(refusal(method, uri), expected);
        }
    }
}
