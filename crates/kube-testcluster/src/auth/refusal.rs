//! The error for a request that the authorizer refuses. Upstream: `forbiddenMessage` in
//! `k8s.io/apiserver/pkg/endpoints/handlers/responsewriters`.

use super::attributes::{Attributes, ResourceAttributes};
use crate::http::status::ApiError;
use kube_machinery::conventions::quote::quote;

impl Attributes {
    /// Upstream: `ForbiddenStatusError`.
    pub(crate) fn forbidden(&self, user: &str, reason: &str) -> ApiError {
        let colon = if reason.is_empty() { "" } else { ": " };
        let why = format!("{}{colon}{reason}", self.refusal(user));
        let (group, resource, name) = match self {
            Self::Path { .. } => ("", "", ""),
            Self::Resource(attributes) => {
                (attributes.group.as_str(), attributes.resource.as_str(), attributes.name.as_str())
            }
        };
        ApiError::not_allowed(group, resource, name, &why)
    }

    /// Upstream: `forbiddenMessage`.
    fn refusal(&self, user: &str) -> String {
        let user = quote(user);
        let message = match self {
            Self::Path { verb, path } => format!("User {user} cannot {verb} path {}", quote(path)),
            Self::Resource(ResourceAttributes { verb, group, namespace, resource, subresource, .. }) => {
                let slash = if subresource.is_empty() { "" } else { "/" };
                let what = quote(&format!("{resource}{slash}{subresource}"));
                let place = match namespace.as_str() {
                    "" => "at the cluster scope".to_owned(),
                    namespace => format!("in the namespace {}", quote(namespace)),
                };
                format!("User {user} cannot {verb} resource {what} in API group {} {place}", quote(group))
            }
        };
        // Escapes HTML, so that a browser never renders the message.
        message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    }
}

#[cfg(test)]
mod tests {
    use http::{Method, Uri};

    use super::*;

    fn refusal(method: Method, uri: &'static str) -> String {
        Attributes::of(&method, &Uri::from_static(uri)).refusal("ada")
    }

    #[test]
    fn the_refusal_describes_the_request_in_upstreams_words() {
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
