//! Parses a request into the attributes that an authorizer decides about: the verb (`list`, not GET), and the resource
//! or the path. Only the method and the URL count, because authorization comes before the parsing of the request; so a
//! request for a resource that is not served has attributes too. Upstream: `RequestInfoFactory.NewRequestInfo` in
//! `k8s.io/apiserver/pkg/endpoints/request`.

use http::{Method, Uri};
use kube_informers::selector::{FieldOperator, FieldSelector};

use crate::http::query::Query;
use kube_machinery::conventions::escape;
use kube_machinery::kinds::is_path_segment;
use kube_machinery::value::Value;

pub(crate) use crate::plugins::authorization::{Attributes, ResourceAttributes};

/// The subresources of a Namespace. Any other word after the name of a namespace is a resource inside it.
const PARTS_OF_NAMESPACES: [&str; 2] = ["status", "finalize"];

impl Attributes {
    pub(crate) fn of(method: &Method, uri: &Uri) -> Self {
        let path = escape::decode(uri.path()).unwrap_or_else(|| uri.path().into());
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (group, rest) = match parts.as_slice() {
            ["api", _, rest @ ..] if !rest.is_empty() => ("", rest),
            ["apis", group, _, rest @ ..] if !rest.is_empty() => (*group, rest),
            _ => return Self::Path { verb: method.as_str().to_lowercase(), path: path.to_string() },
        };
        // The old paths `/watch/…` and `/proxy/…` have their verb in the path.
        let (verb, rest) = match rest {
            [verb @ ("watch" | "proxy"), rest @ ..] if !rest.is_empty() => (*verb, rest),
            rest => (verb(method), rest),
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, part, ..] if !PARTS_OF_NAMESPACES.contains(part) => (*namespace, &rest[2..]),
            ["namespaces", namespace, ..] => (*namespace, rest), // as upstream, a Namespace is inside itself
            rest => ("", rest),
        };
        let part = |n: usize| rest.get(n).copied().unwrap_or_default().to_owned();
        let (resource, mut name) = (part(0), part(1));
        let subresource = if verb == "proxy" { String::new() } else { part(2) };
        let verb = match verb {
            "get" if name.is_empty() => {
                let query = Query::parse(uri);
                name = selected_name(&query).unwrap_or_default();
                if query.flag("watch").unwrap_or_default() { "watch" } else { "list" }
            }
            "delete" if name.is_empty() => "deletecollection",
            verb => verb,
        };
        let (verb, group, namespace) = (verb.to_owned(), group.to_owned(), namespace.to_owned());
        Self::Resource(ResourceAttributes { verb, group, namespace, resource, subresource, name })
    }

    /// Returns the attributes that a review asks about. Upstream: `AuthorizationAttributesFrom` in
    /// `pkg/registry/authorization/util`.
    pub(crate) fn of_review(spec: &Value) -> Self {
        let (of, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
        let text = |of: &Value, field: &str| of[field].as_str().unwrap_or_default().to_owned();
        if !of.is_object() {
            return Self::Path { verb: text(path, "verb"), path: text(path, "path") };
        }
        Self::Resource(ResourceAttributes {
            verb: text(of, "verb"),
            group: text(of, "group"),
            namespace: text(of, "namespace"),
            resource: text(of, "resource"),
            subresource: text(of, "subresource"),
            name: text(of, "name"),
        })
    }
}

pub(super) fn verb(method: &Method) -> &'static str {
    match *method {
        Method::POST => "create",
        Method::GET | Method::HEAD => "get",
        Method::PUT => "update",
        Method::PATCH => "patch",
        Method::DELETE => "delete",
        _ => "",
    }
}

/// Returns the name of the only object that a list or a watch asks for. If an option cannot be parsed, the request
/// names no object.
fn selected_name(query: &Query) -> Option<String> {
    query.integer("limit").and(query.integer("timeoutSeconds")).ok()?;
    let selector: FieldSelector = query.get("fieldSelector")?.parse().ok()?;
    let mut terms = selector.requirements().iter();
    let term = terms.find(|term| term.field == "metadata.name" && term.operator == FieldOperator::Equals)?;
    Some(term.value.clone()).filter(|name| is_path_segment(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_one_object_has_its_name() {
        for (query, name) in [
            ("fieldSelector=metadata.name%3Da", "a"),
            ("fieldSelector=metadata.namespace%3Db,metadata.name%3D%3Da&watch=1", "a"),
            ("fieldSelector=metadata.name!%3Da", ""),
            ("fieldSelector=metadata.name%3Da%2Fb", ""),
            ("fieldSelector=metadata.name%3Da&limit=many", ""),
            ("labelSelector=metadata.name%3Da", ""),
        ] {
            let uri = format!("/api/v1/pods?{query}").parse().unwrap();
            let Attributes::Resource(attributes) = Attributes::of(&Method::GET, &uri) else { panic!("{query}") };
            assert_eq!(attributes.name, name, "{query}");
        }
    }
}
