//! Field selectors: `metadata.name=web-1,status.phase!=Running`.

use serde_json::Value;

use super::object::Object;
use super::resource::Resource;

/// Terms that an object's fields must all meet. The empty selector selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSelector(Vec<Term>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    pointer: &'static str,
    missing: &'static str,
    value: String,
    equal: bool,
}

impl FieldSelector {
    /// # Errors
    /// What upstream says, if the text is malformed or names a field that this kind has no selector for.
    pub(crate) fn parse(text: &str, resource: &Resource) -> Result<Self, String> {
        split(text)
            .into_iter()
            .filter(|term| !term.is_empty())
            .map(|text| term(&text, resource))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn matches(&self, object: &Object) -> bool {
        self.0.iter().all(|term| {
            let equal = match object.value.pointer(term.pointer) {
                Some(Value::String(text)) => *text == term.value,
                Some(Value::Bool(value)) => term.value == if *value { "true" } else { "false" },
                Some(_) => false, // no field of the table is anything else
                None => term.value == term.missing,
            };
            equal == term.equal
        })
    }
}

fn term(text: &str, resource: &Resource) -> Result<Term, String> {
    // As upstream, the first operator from the left counts, the longer one where two begin.
    let (at, operator) = text
        .char_indices()
        .find_map(|(at, _)| ["!=", "==", "="].into_iter().find(|op| text[at..].starts_with(op)).map(|op| (at, op)))
        .ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{text}'"))?;
    let (field, value) = (&text[..at], unescaped(&text[at + operator.len()..])?);
    let (pointer, missing) = match field {
        "metadata.name" => ("/metadata/name", ""),
        "metadata.namespace" => ("/metadata/namespace", ""),
        _ => resource
            .fields
            .iter()
            .find(|(name, ..)| *name == field)
            .map(|(_, pointer, missing)| (*pointer, *missing))
            .ok_or_else(|| unsupported(field, resource))?,
    };
    Ok(Term { pointer, missing, value, equal: operator != "!=" })
}

fn unsupported(field: &str, resource: &Resource) -> String {
    if resource.fields.is_empty() {
        format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
    } else {
        format!("field label not supported: {field}")
    }
}

/// Splits at commas that no backslash precedes.
fn split(text: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    let mut escaped = false;
    for c in text.chars() {
        if c == ',' && !escaped {
            terms.push(String::new());
        } else if let Some(term) = terms.last_mut() {
            term.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    terms
}

fn unescaped(value: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('\\' | ',' | '=')) => plain.push(c),
                other => {
                    let sequence: String = std::iter::once('\\').chain(other).collect();
                    return Err(format!("invalid field selector: invalid escape sequence: {sequence}"));
                }
            },
            ',' | '=' => return Err(format!("invalid field selector: unescaped character in value: {c}")),
            c => plain.push(c),
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::object::Key;
    use super::super::resource::PODS;
    use super::*;

    #[test]
    fn selectors_select() {
        let value = json!({"metadata": {"name": "a", "namespace": "n"}, "spec": {}, "status": {"phase": "Running"}});
        let pod = Object::new(PODS, Key::new(Some("n"), "a"), 1, value);
        for (selector, selected) in [
            ("", true),
            ("metadata.name=a", true),
            ("metadata.name==b", false),
            ("status.phase!=Pending,metadata.namespace=n", true),
            ("spec.nodeName=", true),
            ("spec.hostNetwork=false", true),
            ("metadata.name=a\\,b", false),
        ] {
            assert_eq!(FieldSelector::parse(selector, PODS).unwrap().matches(&pod), selected, "{selector}");
        }
    }

    #[test]
    fn what_is_no_selector_is_explained_in_upstreams_words() {
        for (selector, message) in [
            ("status.phase", "invalid selector: 'status.phase'; can't understand 'status.phase'"),
            ("spec.containers=x", "field label not supported: spec.containers"),
            ("metadata.name=a=b", "invalid field selector: unescaped character in value: ="),
        ] {
            assert_eq!(FieldSelector::parse(selector, PODS).unwrap_err(), message);
        }
    }
}
