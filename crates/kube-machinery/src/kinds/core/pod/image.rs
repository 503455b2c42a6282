//! The default image pull policy, which depends on the image's name: the image with the tag `latest` can change, so it
//! is pulled each time. Upstream: `ParseImageName` in `pkg/util/parsers`, and the grammar of
//! `github.com/distribution/reference`.

/// Returns the default pull policy of an image: `Always` for the tag `latest` and for a name with neither tag nor
/// digest, `IfNotPresent` for all others and for an invalid name.
pub(super) fn pull_policy(image: &str) -> &'static str {
    let is_latest = match tag(image) {
        Some(Some(tag)) => tag == "latest",
        Some(None) => !image.contains('@'),
        None => false,
    };
    if is_latest { "Always" } else { "IfNotPresent" }
}

/// Returns the tag of an image: `None` for an invalid name, `Some(None)` for a name without a tag.
fn tag(image: &str) -> Option<Option<&str>> {
    let (name, digest) = image.split_once('@').map_or((image, None), |(name, digest)| (name, Some(digest)));
    let (parent, last) = name.rsplit_once('/').map_or(("", name), |(parent, last)| (parent, last));
    let (last, tag) = last.split_once(':').map_or((last, None), |(last, tag)| (last, Some(tag)));
    let parents: Vec<&str> = parent.split('/').filter(|_| !parent.is_empty()).collect();
    // The first part may be a registry, such as `host:5000`, for which other characters are valid.
    let paths = match parents.split_first() {
        Some((host, paths)) if is_host(host) => paths,
        _ => &parents[..],
    };
    let is_name = paths.iter().chain([&last]).all(|part| is_component(part));
    let is_digest = digest.is_none_or(|digest| digest.contains(':'));
    (is_name && is_digest && tag.is_none_or(is_tag)).then_some(tag)
}

/// Returns true if the first part of a name is a registry rather than a part of the path.
fn is_host(part: &str) -> bool {
    let is_named = part.contains(['.', ':']) || part == "localhost" || part.contains(|c: char| c.is_ascii_uppercase());
    is_named && part.chars().all(|c| c.is_ascii_alphanumeric() || ".:-[]".contains(c))
}

/// Returns true if a part of the path has lower case letters and digits, with separators only between them.
fn is_component(part: &str) -> bool {
    let inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let separators = part.split(inside).filter(|separator| !separator.is_empty());
    let known = |separator: &str| matches!(separator, "." | "_" | "__") || separator.chars().all(|c| c == '-');
    part.starts_with(inside) && part.ends_with(inside) && separators.into_iter().all(known)
}

fn is_tag(tag: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (1..=128).contains(&tag.len()) && tag.starts_with(inside) && tag.chars().all(|c| inside(c) || ".-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pull_policy_follows_the_tag() {
        for (image, policy) in [
            ("nginx", "Always"),
            ("nginx:latest", "Always"),
            ("nginx:1.27", "IfNotPresent"),
            ("host:5000/nginx", "Always"),
            ("Registry.io/a/b_c", "Always"),
            ("a@sha256:1", "IfNotPresent"),
            ("a:latest@sha256:1", "Always"),
            (" j", "IfNotPresent"),
            ("Nginx", "IfNotPresent"),
            ("a..b", "IfNotPresent"),
            ("nginx:", "IfNotPresent"),
            ("", "IfNotPresent"),
        ] {
            assert_eq!(pull_policy(image), policy, "{image}");
        }
    }
}
