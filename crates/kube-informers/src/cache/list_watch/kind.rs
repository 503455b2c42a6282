//! Kind: what is listed and watched, and how its objects are read.

use kube_core::TypeMeta;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// What is listed and watched.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub api_version: String,
    pub kind: String,
    pub on_kind: OnKind,
}

/// What the Rust type does about the kind that stands in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnKind {
    /// It is of one kind, and refuses others.
    Checks,
    /// It is of every kind, and keeps the one that it finds.
    Keeps,
    /// It does not look.
    Ignores,
}

/// Which of the two an object says.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    api_version: Option<IgnoredAny>,
    kind: Option<IgnoredAny>,
}

impl Kind {
    /// Reads an item of a list. Items do not say their kind where the list does.
    pub fn decode_item<T: DeserializeOwned>(&self, text: &str) -> serde_json::Result<T> {
        let unsaid = if self.on_kind == OnKind::Keeps { self.unsaid(text)? } else { String::new() };
        match text.trim_start().strip_prefix('{') {
            Some(rest) if !unsaid.is_empty() => {
                let end = if rest.trim_start().starts_with('}') { unsaid.trim_end_matches(',') } else { &unsaid };
                serde_json::from_str(&format!("{{{end}{rest}"))
            }
            _ => serde_json::from_str(text),
        }
    }

    /// What an item does not say of its kind, as members of its JSON object, each with a comma behind it.
    fn unsaid(&self, text: &str) -> serde_json::Result<String> {
        let said: Said = serde_json::from_str(text)?;
        let members = [("apiVersion", &self.api_version, said.api_version), ("kind", &self.kind, said.kind)];
        let unsaid = members.iter().filter(|(.., said)| said.is_none());
        Ok(unsaid.map(|(name, value, _)| format!(r#""{name}":"{value}","#)).collect())
    }

    /// Reads the object of an event; nothing if it is of another kind.
    pub fn decode_watched<T: DeserializeOwned>(&self, text: &str) -> serde_json::Result<Option<T>> {
        // A type that checks is asked first: looking at each object twice would only cost time.
        if self.on_kind != OnKind::Checks && self.is_other(text) {
            return Ok(None);
        }
        match serde_json::from_str(text) {
            Err(_) if self.is_other(text) => Ok(None),
            decoded => decoded.map(Some),
        }
    }

    fn is_other(&self, text: &str) -> bool {
        serde_json::from_str::<TypeMeta>(text).is_ok_and(|types| types.kind != self.kind)
    }
}

#[cfg(test)]
mod tests {
    use kube_core::DynamicObject;

    use super::*;

    #[test]
    fn an_item_of_a_list_has_a_kind_where_the_type_keeps_one() {
        let kind = Kind { api_version: "v1".into(), kind: "Pod".into(), on_kind: OnKind::Keeps };
        for item in [
            r#" {"metadata":{"name":"a"}}"#,
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}"#,
            r#"{"apiVersion":"v1","metadata":{"name":"a"}}"#,
            r#"{"metadata":{"name":"a"},"kind":"Pod"}"#,
        ] {
            let object: DynamicObject = kind.decode_item(item).unwrap();
            assert_eq!(object.types, Some(TypeMeta { api_version: "v1".into(), kind: "Pod".into() }));
            assert_eq!(object.metadata.name.as_deref(), Some("a"));
        }
    }
}
