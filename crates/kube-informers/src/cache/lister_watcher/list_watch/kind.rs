//! Kind: decodes the objects of a ListWatch, and refuses objects of another kind.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::managed_fields::{ManagedFields, without_managed_fields};
use super::members::{Text, member};

/// The kind of a ListWatch's objects, and how their texts are decoded.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    pub api_version: String,
    pub kind: String,
    pub item_type_meta: ItemTypeMeta,
    pub managed_fields: ManagedFields,
}

/// The treatment of list items without `apiVersion` and `kind`. Most API servers leave these out, because the list has
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemTypeMeta {
    /// Nothing is added, because the Rust type implies the kind.
    AsSent,
    /// The requested `apiVersion` and `kind` are added, because the Rust type can hold any kind.
    Filled,
}

/// Tells which of the two members an object has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TypeMetaPresence {
    api_version: Option<IgnoredAny>,
    kind: Option<IgnoredAny>,
}

impl Kind {
    /// Decodes an item of a list. If [`ItemTypeMeta::Filled`] asks for it, its missing `apiVersion` and `kind` are
    /// first inserted at the beginning of its text.
    pub fn decode_item<T: DeserializeOwned>(&self, text: &str) -> serde_json::Result<T> {
        let missing =
            if self.item_type_meta == ItemTypeMeta::Filled { self.missing_type_meta(text)? } else { String::new() };
        match text.trim_start().strip_prefix('{') {
            Some(rest) if !missing.is_empty() => {
                let start = if rest.trim_start().starts_with('}') { missing.trim_end_matches(',') } else { &missing };
                self.read(&format!("{{{start}{rest}"))
            }
            _ => self.read(text),
        }
    }

    /// Returns the members `apiVersion` and `kind` that an item lacks, as JSON text with a comma behind each.
    fn missing_type_meta(&self, text: &str) -> serde_json::Result<String> {
        let present: TypeMetaPresence = serde_json::from_str(text)?;
        let members = [("apiVersion", &self.api_version, present.api_version), ("kind", &self.kind, present.kind)];
        let missing = members.iter().filter(|(.., present)| present.is_none());
        Ok(missing.map(|(name, value, _)| format!(r#""{name}":"{value}","#)).collect())
    }

    /// Decodes the object of a watch event; `None` if its `kind` is another one.
    pub fn decode_watched<T: DeserializeOwned>(&self, text: &str) -> serde_json::Result<Option<T>> {
        if kind_of(text).is_some_and(|kind| kind != self.kind) {
            return Ok(None);
        }
        self.read(text).map(Some)
    }

    /// Decodes an object, with or without its managed fields.
    fn read<T: DeserializeOwned>(&self, text: &str) -> serde_json::Result<T> {
        match self.managed_fields {
            ManagedFields::Kept => serde_json::from_str(text),
            ManagedFields::Skipped => without_managed_fields(text),
        }
    }

    pub fn list_kind(&self) -> String {
        format!("{}List", self.kind)
    }

    /// Returns true if the list may have another kind than [`Kind::list_kind`]. A CustomResourceDefinition can choose
    /// its `listKind`, and the group of a custom resource has a dot.
    pub fn may_have_own_list_kind(&self) -> bool {
        self.api_version.split_once('/').is_some_and(|(group, _)| group.contains('.'))
    }

    pub fn is_kind_of(&self, text: &str) -> bool {
        kind_of(text).is_some_and(|kind| kind == self.kind)
    }
}

/// Returns the `kind` of an object. API servers write it first, so most of the text is not read.
fn kind_of(text: &str) -> Option<Cow<'_, str>> {
    member(text, "kind").map(|Text(kind)| kind)
}

#[cfg(test)]
mod tests {
    use kube_core::{DynamicObject, TypeMeta};

    use super::*;

    fn pods() -> Kind {
        Kind {
            api_version: "v1".into(),
            kind: "Pod".into(),
            item_type_meta: ItemTypeMeta::Filled,
            managed_fields: ManagedFields::Kept,
        }
    }

    #[test]
    fn a_list_item_gets_its_missing_kind_if_the_type_keeps_it() {
        for item in [
            r#" {"metadata":{"name":"a"}}"#,
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}"#,
            r#"{"apiVersion":"v1","metadata":{"name":"a"}}"#,
            r#"{"metadata":{"name":"a"},"kind":"Pod"}"#,
        ] {
            let object: DynamicObject = pods().decode_item(item).unwrap();
            assert_eq!(object.types, Some(TypeMeta { api_version: "v1".into(), kind: "Pod".into() }));
            assert_eq!(object.metadata.name.as_deref(), Some("a"));
        }
    }

    #[test]
    fn the_kind_is_found_at_any_position_but_only_at_the_top_level() {
        assert_eq!(kind_of(r#"{"kind":"Pod","metadata":"#).as_deref(), Some("Pod"));
        assert_eq!(kind_of(r#"{"metadata":{"kind":"A"},"kind":"P\u006fd"}"#).as_deref(), Some("Pod"));
        assert_eq!(kind_of(r#"{"k\u0069nd":"Pod"}"#).as_deref(), Some("Pod"));
        for text in [r#"{"metadata":{"kind":"A"}}"#, r#"{"kind":7}"#, r#"["kind"]"#, "", "<html>"] {
            assert_eq!(kind_of(text), None, "{text}");
        }
    }

    #[test]
    fn only_a_custom_resource_may_have_own_list_kind() {
        let kind = |version: &str| Kind { api_version: version.into(), ..pods() };
        assert!(!kind("v1").may_have_own_list_kind() && !kind("apps/v1").may_have_own_list_kind());
        assert!(kind("stable.example.com/v1").may_have_own_list_kind());
    }
}
