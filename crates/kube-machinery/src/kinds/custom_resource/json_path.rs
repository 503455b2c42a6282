//! JSONPath as Kubernetes writes it: `.status.conditions[?(@.type=="Ready")].status`. The columns of custom resources
//! find their cells by JSONPath, and validation parses the JSONPaths in the status of admission policies. Upstream:
//! `k8s.io/client-go/util/jsonpath`.
//!
//! The library `jsonpath_rust` reads the standard syntax (RFC 9535), in which a path begins with `$`, and a name with a
//! dash or a slash must be quoted in brackets. So a path is translated before it is parsed.

use jsonpath_rust::parser::model::JpQuery;
use jsonpath_rust::parser::parse_json_path;
use jsonpath_rust::query::js_path_process;
use serde_json::Value;

#[derive(Clone, Debug)]
pub(crate) struct JsonPath(JpQuery);

impl JsonPath {
    /// Parses a path; `None` if it is malformed.
    pub(crate) fn read(text: &str) -> Option<Self> {
        parse_json_path(&to_standard_syntax(text)).ok().map(Self)
    }

    /// Returns the first value that the path selects.
    pub(crate) fn first<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        js_path_process(&self.0, value).ok()?.into_iter().next().map(|found| found.val())
    }
}

/// Translates a path into the standard syntax. A backslash escapes a dot in a name.
fn to_standard_syntax(text: &str) -> String {
    let mut path = String::from("$");
    let mut rest = text.strip_prefix('$').unwrap_or(text).chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            // `..name`: any descendant of this name. The dots stay, the name gets quoted.
            '.' if rest.peek() == Some(&'.') => {
                rest.next();
                path.push_str("..");
                if rest.peek().is_some_and(|next| *next != '[' && *next != '*') {
                    name(&mut path, &mut rest);
                }
            }
            // `.*` becomes `[*]`, and the dot in `.[` is dropped.
            '.' if matches!(rest.peek(), Some('[' | '*')) => {
                if rest.peek() == Some(&'*') {
                    rest.next();
                    path.push_str("[*]");
                }
            }
            '.' => name(&mut path, &mut rest),
            '[' => {
                path.push('[');
                brackets(&mut path, &mut rest);
            }
            other => path.push(other),
        }
    }
    path
}

/// Translates a name, which ends at the next dot or bracket.
fn name(path: &mut String, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let mut name = String::new();
    while let Some(next) = rest.next_if(|next| !matches!(next, '.' | '[')) {
        name.extend(if next == '\\' { rest.next() } else { Some(next) });
    }
    if !name.is_empty() {
        path.push_str(&format!("[{}]", Value::from(name)));
    }
}

/// Copies the content of brackets up to the closing one.
fn brackets(path: &mut String, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let (mut depth, mut quote) = (1, None);
    for next in rest.by_ref() {
        path.push(next);
        match (next, quote) {
            (next, Some(open)) if next == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(next),
            ('[', None) => depth += 1,
            (']', None) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_finds_what_upstream_finds() {
        let object = json!({
            "metadata": {"annotations": {"example.com/a-b": "x"}, "name": "n"},
            "spec": {"list": [{"name": "a"}, {"name": "b"}], "with-dash": 1},
            "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Other", "status": "False"}]},
        });
        for (path, found) in [
            (".metadata.name", json!("n")),
            (".metadata.annotations.example\\.com/a-b", json!("x")),
            (".metadata.annotations['example.com/a-b']", json!("x")),
            (".spec.with-dash", json!(1)),
            (".spec.list[1].name", json!("b")),
            (".spec.list[*].name", json!("a")),
            (".spec.list.*.name", json!("a")),
            (".status.conditions[?(@.type==\"Ready\")].status", json!("True")),
            (".status.conditions[?(@.type=='Other')].status", json!("False")),
            ("..status.conditions[0].type", json!("Ready")),
        ] {
            let read = JsonPath::read(path).unwrap_or_else(|| panic!("{path}"));
            assert_eq!(read.first(&object), Some(&found), "{path}");
        }
        assert!(JsonPath::read(".spec.nosuch").unwrap().first(&object).is_none());
        assert!(JsonPath::read(".spec[").is_none());
    }
}
