//! Parses request paths into a [`Target`]: the resource, namespace, name and subresource that they name. The router
//! does this once for each request; handlers get the target. Upstream: `RequestInfo`.

use kube_machinery::conventions::escape;
use kube_machinery::kinds::{Catalog, Dispatcher, NAMESPACES, Resource, Serving, Subresource};

/// The parsed path of a request below `/api/v1` or `/apis/GROUP/VERSION`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The resource in whose form the objects are stored.
    pub(crate) resource: Resource,
    /// The resource that the path names. It differs from `resource` if the kind is stored in the form of another group
    /// or version.
    pub(crate) served: Resource,
    /// `None` for all namespaces, or for a cluster-scoped kind.
    pub(crate) namespace: Option<String>,
    /// `None` for the collection.
    pub(crate) name: Option<String>,
    pub(crate) subresource: Option<Subresource>,
    /// True for the old `/watch/` form of the path.
    pub(crate) watch: bool,
}

/// The reason why a path does not name a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoTarget {
    BadEscape,
    /// This is not a path of the API. Upstream's mux answers in plain text.
    NoSuchPath,
    /// The group version is served, but it has no such resource.
    NoSuchResource,
    /// A custom resource has no such subresource. Holds the name of the object.
    NoSuchSubresource(Resource, String),
}

pub(crate) fn parse(path: &str, catalog: &Catalog) -> Result<Target, NoTarget> {
    let path = escape::decode(path).ok_or(NoTarget::BadEscape)?; // decode before splitting: escaped slashes also separate
    let trimmed = path.trim_end_matches('/');
    let parts: Vec<&str> = trimmed.strip_prefix('/').unwrap_or(trimmed).split('/').collect();
    let (group, version, rest) = match parts.as_slice() {
        ["api", version, rest @ ..] if !rest.is_empty() => ("", *version, rest),
        ["apis", group, version, rest @ ..] if !rest.is_empty() => (*group, *version, rest),
        _ => return Err(NoTarget::NoSuchPath),
    };
    if !catalog.served().any(|row| row.group() == group) {
        return Err(NoTarget::NoSuchPath);
    }
    let (watch, rest) = match rest {
        ["watch", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    // Upstream's handler of custom resources delegates unknown resources to the next handler, which answers `404 page
    // not found`.
    let nowhere = || match catalog.dispatcher_of(group) {
        Dispatcher::CrdHandler => NoTarget::NoSuchPath,
        Dispatcher::GoRestful => NoTarget::NoSuchResource,
    };
    let find = |plural: &str| catalog.find(group, version, plural).ok_or_else(nowhere);
    let (resource, namespace, rest) = match rest {
        ["namespaces", namespace, plural, rest @ ..] if !is_namespace_subresource(plural) => {
            (find(plural)?, Some((*namespace).to_owned()).filter(|namespace| !namespace.is_empty()), rest)
        }
        [plural, rest @ ..] => (find(plural)?, None, rest),
        [] => return Err(NoTarget::NoSuchResource),
    };
    if watch && resource.serving == Serving::Computed {
        return Err(NoTarget::NoSuchResource);
    }
    if namespace.is_some() && !resource.is_namespaced() {
        return Err(nowhere());
    }
    let (name, subresource) = match rest {
        [] => (None, None),
        _ if resource.serving == Serving::Review => return Err(NoTarget::NoSuchResource),
        // An object of a namespaced kind has no path without a namespace.
        _ if resource.is_namespaced() && namespace.is_none() => return Err(nowhere()),
        ["", ..] => return Err(NoTarget::NoSuchResource),
        [name] => (Some((*name).to_owned()), None),
        [name, subresource] => {
            let none = || match resource.dispatcher {
                Dispatcher::CrdHandler => NoTarget::NoSuchSubresource(resource.clone(), (*name).to_owned()),
                Dispatcher::GoRestful => NoTarget::NoSuchResource,
            };
            let subresource = resource.subresource(subresource).ok_or_else(none)?;
            (Some((*name).to_owned()), Some(subresource))
        }
        _ => return Err(NoTarget::NoSuchResource),
    };
    Ok(Target { resource: resource.stored().clone(), served: resource.clone(), namespace, name, subresource, watch })
}

/// Returns true if upstream treats the request as long-running. Only the path and `watch` decide that, before upstream
/// checks if the resource exists.
pub(crate) fn would_stream(path: &str, watch: bool) -> bool {
    match below_version(path).as_slice() {
        ["watch", ..] => true,
        [_] => watch,
        rest => is_connection(rest),
    }
}

/// Returns true if upstream treats the request as long-running, and not as a watch.
pub(crate) fn would_connect(path: &str) -> bool {
    is_connection(&below_version(path))
}

/// Returns the parts of a path below the group version and the namespace; none if it is not about a resource.
fn below_version(path: &str) -> Vec<&str> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let rest = match parts.as_slice() {
        ["api", _, rest @ ..] | ["apis", _, _, rest @ ..] => rest,
        _ => &[],
    };
    match rest {
        ["namespaces", _, plural, ..] if !is_namespace_subresource(plural) => rest[2..].to_vec(),
        rest => rest.to_vec(),
    }
}

fn is_connection(parts: &[&str]) -> bool {
    match parts {
        ["watch", ..] => false,
        [_, _, part, ..] => ["attach", "exec", "log", "portforward", "proxy"].contains(part),
        _ => false,
    }
}

impl Target {
    pub(crate) fn is_of_all_namespaces(&self) -> bool {
        self.resource.is_namespaced() && self.namespace.is_none()
    }

    /// Returns the reason why no object can have this name. Handlers check the name when they read the object.
    /// Upstream: `NamespaceKeyFunc`.
    pub(crate) fn name_problem(&self) -> Option<String> {
        let name = self.name.as_deref()?;
        let why = match name {
            "." | ".." => format!("may not be '{name}'"),
            name if name.contains('%') => "may not contain '%'".to_owned(),
            _ => return None,
        };
        Some(format!("Name parameter invalid: {name:?}: {why}"))
    }
}

fn is_namespace_subresource(name: &str) -> bool {
    NAMESPACES.subresource(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_machinery::kinds::{NAMESPACES, PODS};

    fn parse(path: &str) -> Result<Target, NoTarget> {
        super::parse(path, &Catalog::default())
    }

    fn read(path: &str) -> (String, Option<String>, Option<String>) {
        let target = parse(path).unwrap();
        (target.resource.plural().to_owned(), target.namespace, target.name)
    }

    #[test]
    fn paths_are_read_as_upstream_reads_them() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("/api/v1/pods"), ("pods".to_owned(), None, None));
        assert_eq!(read("/api/v1/namespaces/default/pods/"), ("pods".to_owned(), some("default"), None));
        assert_eq!(read("/api/v1/namespaces/default/pods/a"), ("pods".to_owned(), some("default"), some("a")));
        assert_eq!(read("/api/v1/namespaces/default"), ("namespaces".to_owned(), None, some("default")));
        assert_eq!(read("/%61pi/v1/%70ods//"), ("pods".to_owned(), None, None));
        assert_eq!(read("/api/v1/namespaces//pods"), ("pods".to_owned(), None, None));
        assert_eq!(read("/api/v1/namespaces/a/pods%2Fb%20c"), ("pods".to_owned(), some("a"), some("b c")));
        assert_eq!(parse("/api/v1/namespaces/a/status").unwrap().subresource, Some(Subresource::Status));
        assert!(parse("/api/v1/watch/namespaces/default/pods").unwrap().watch);
        assert_eq!(parse("/api/v1/pods").unwrap().resource, PODS);
        assert_eq!(parse("/api/v1/namespaces").unwrap().resource, NAMESPACES);
    }

    #[test]
    fn a_long_request_is_known_by_its_path() {
        for (path, watch, is_long) in [
            ("/apis/example.org/v1/namespaces/a/things", true, true),
            ("/apis/example.org/v1/things", false, false),
            ("/apis/example.org/v1/namespaces/a/things/b", true, false),
            ("/apis/example.org/v1/watch/things", false, true),
            ("/api/v1/namespaces/a/pods/b/log", false, true),
            ("/nosuch", true, false),
        ] {
            assert_eq!(would_stream(path, watch), is_long, "{path}");
        }
    }

    #[test]
    fn unknown_paths_and_unknown_resources_are_told_apart_as_upstream_does() {
        for path in ["/nosuch", "/", "/apis/nosuch/v1/things", "/apis/example.com/v1/namespaces/default/jobs"] {
            assert_eq!(parse(path), Err(NoTarget::NoSuchPath), "{path}");
        }
        for path in [
            "/api/v1/nosuch",
            "/api/v9/pods",
            "/api/v1/namespaces/default/nosuch",
            "/api/v1//pods",
            "/api/v1/namespaces/default/../pods",
            "/api/v1/pods/alpha",
            "/api/v1/namespaces/default/pods/alpha/proxy",
            "/api/v1/namespaces/default/namespaces",
        ] {
            assert_eq!(parse(path), Err(NoTarget::NoSuchResource), "{path}");
        }
        assert_eq!(parse("/api/v1/namespaces/a/pods/%zz"), Err(NoTarget::BadEscape));
        for (name, why) in [
            ("%2e%2e", "\"..\": may not be '..'"),
            (".", "\".\": may not be '.'"),
            ("a%25", "\"a%\": may not contain '%'"),
        ] {
            let target = parse(&format!("/api/v1/namespaces/a/pods/{name}")).unwrap();
            assert_eq!(target.name_problem(), Some(format!("Name parameter invalid: {why}")));
        }
    }
}
