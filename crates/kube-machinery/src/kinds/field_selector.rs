//! Field selectors, such as `spec.nodeName=a`, by which a list, watch or deletion selects objects. Each kind supports
//! only a few fields, those in its row, so a selector is parsed for a kind: a field becomes an index into the row's
//! `fields`. Matching is generic over [`Selectable`], since the store keeps the values of these fields apart from the
//! objects.

use std::borrow::Cow;

use kube_selectors::{FieldOperator, FieldRequirement, FieldSelector};

use super::Resource;
use crate::value::Value;

/// A field selector: terms that must all hold. A selector without terms matches every object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<Term>);

/// One condition, such as `spec.nodeName=a` or `status.phase!=Pending`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    field: SelectableField,
    /// The value that is compared for an object without the field.
    missing: &'static str,
    value: String,
    operator: FieldOperator,
}

/// A selectable field of a kind: its name in selectors, its path in the object with dots between the names, and the
/// value that is compared if it is missing.
pub type FieldRow<'r> = (&'r str, &'r str, &'static str);

#[derive(Clone, Debug, PartialEq, Eq)]
enum SelectableField {
    Name,
    Namespace,
    /// The index in the kind's `fields`.
    Field(usize),
}

/// An object whose fields a selector can read.
pub trait Selectable {
    fn name(&self) -> &str;

    /// `None` for a cluster-scoped object.
    fn namespace(&self) -> Option<&str>;

    /// Returns the value of the n-th field in the kind's `fields` as a string.
    fn field(&self, n: usize) -> Option<Cow<'_, str>>;
}

/// The content of an object, in the version of `resource`.
#[derive(Debug)]
pub struct ObjectContent<'a> {
    pub resource: &'a Resource,
    pub value: &'a Value,
}

impl Selectable for ObjectContent<'_> {
    fn name(&self) -> &str {
        self.value["metadata"]["name"].as_str().unwrap_or_default()
    }

    fn namespace(&self) -> Option<&str> {
        self.value["metadata"]["namespace"].as_str()
    }

    fn field(&self, n: usize) -> Option<Cow<'_, str>> {
        let (_, path, _) = self.resource.fields().nth(n)?;
        text_at(self.value, path)
    }
}

/// Returns the value at a path with dots as a string. `None` if it is missing, null, a list or an object.
pub fn text_at<'a>(content: &'a Value, path: &str) -> Option<Cow<'a, str>> {
    let field = path.split('.').try_fold(content, |value, field| value.get(field))?;
    match field {
        Value::String(text) => Some(text.as_str().into()),
        Value::Bool(value) => Some(if *value { "true".into() } else { "false".into() }),
        Value::Number(number) => Some(number.to_string().into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

impl SelectableField {
    fn find<'o>(&self, object: &'o impl Selectable) -> Option<Cow<'o, str>> {
        match self {
            Self::Name => Some(object.name().into()),
            Self::Namespace => Some(object.namespace().unwrap_or_default().into()),
            Self::Field(n) => object.field(*n),
        }
    }
}

impl Fields {
    /// Returns the selector `metadata.name=NAME`.
    pub fn named(name: &str) -> Self {
        let (missing, operator) = ("", FieldOperator::Equals);
        Self(vec![Term { field: SelectableField::Name, missing, value: name.to_owned(), operator }])
    }

    /// # Errors
    /// Upstream's message, if the selector is malformed or names a field that the kind has no selector for.
    pub fn parse(text: &str, resource: &Resource) -> Result<Self, String> {
        Self::of(&text.parse().map_err(|error| format!("{error}"))?, resource)
    }

    /// # Errors
    /// Upstream's message, if the kind has no selector for a field.
    pub fn of(selector: &FieldSelector, resource: &Resource) -> Result<Self, String> {
        selector
            .requirements()
            .iter()
            .map(|requirement| term(requirement, resource))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the name that `metadata.name=…` asks for, if the selector has such a term.
    pub fn name(&self) -> Option<&str> {
        let is_name = |term: &&Term| term.field == SelectableField::Name && term.operator == FieldOperator::Equals;
        self.0.iter().find(is_name).map(|term| term.value.as_str())
    }

    /// Removes and returns the terms on the kind's own fields; those on name and namespace stay.
    pub fn take_own(&mut self) -> Self {
        let is_own = |term: &mut Term| matches!(term.field, SelectableField::Field(_));
        Self(self.0.extract_if(.., is_own).collect())
    }

    pub fn matches(&self, object: &impl Selectable) -> bool {
        self.0.iter().all(|term| {
            let equal = term.field.find(object).as_deref().unwrap_or(term.missing) == term.value;
            equal == (term.operator == FieldOperator::Equals)
        })
    }
}

fn term(requirement: &FieldRequirement, resource: &Resource) -> Result<Term, String> {
    let FieldRequirement { field, operator, value } = requirement;
    let (field, missing) = match field.as_str() {
        "metadata.name" => (SelectableField::Name, ""),
        "metadata.namespace" if has_namespace(resource) => (SelectableField::Namespace, ""),
        field => resource
            .fields()
            .enumerate()
            .find(|(_, (name, ..))| *name == field)
            .map(|(n, (.., missing))| (SelectableField::Field(n), missing))
            .ok_or_else(|| unsupported(field, resource))?,
    };
    Ok(Term { field, missing, value: value.clone(), operator: *operator })
}

/// Returns true if the kind has a selector on the namespace. PodCertificateRequests have none; a cluster-scoped kind has it
/// only if it is built-in and lists no fields of its own. Upstream: `DefaultMetaV1FieldSelectorConversion`, and
/// `ConvertFieldLabel` of custom resources.
fn has_namespace(resource: &Resource) -> bool {
    if resource.custom.is_some() {
        return resource.is_namespaced();
    }
    let is_namespaced = resource.is_namespaced() && resource.kind() != "PodCertificateRequest";
    is_namespaced || resource.fields().next().is_none()
}

/// Returns the error for a field without a selector. Upstream has other messages for Jobs and ResourceSlices, and for
/// built-in kinds that have no selectable fields of their own (`DefaultMetaV1FieldSelectorConversion`).
fn unsupported(field: &str, resource: &Resource) -> String {
    if resource.fields().next().is_none() && resource.custom.is_none() {
        format!("{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
    } else if resource.kind() == "Job" && resource.custom.is_none() {
        format!("field label {field:?} not supported for Job")
    } else if resource.kind() == "ResourceSlice" && resource.custom.is_none() {
        let (group, version) = (resource.group(), resource.version());
        format!("field label not supported for {group}/{version}, Kind=ResourceSlice: {field}")
    } else {
        format!("field label not supported: {field}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::PODS;
    use crate::value::json;

    #[test]
    fn a_selector_matches_an_object_if_all_its_terms_hold() {
        let value = json!({"metadata": {"name": "a", "namespace": "n"}, "spec": {}, "status": {"phase": "Running"}});
        let pod = ObjectContent { resource: PODS, value: &value };
        for (selector, selected) in [
            ("", true),
            ("metadata.name=a", true),
            ("metadata.name==b", false),
            ("status.phase!=Pending,metadata.namespace=n", true),
            ("spec.nodeName=", true),
            ("spec.hostNetwork=false", true),
            ("metadata.name=a\\,b", false),
        ] {
            assert_eq!(Fields::parse(selector, PODS).unwrap().matches(&pod), selected, "{selector}");
        }
    }

    #[test]
    fn an_invalid_selector_is_refused_with_upstreams_message() {
        for (selector, message) in [
            ("status.phase", "invalid selector: 'status.phase'; can't understand 'status.phase'"),
            ("spec.containers=x", "field label not supported: spec.containers"),
            ("metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
        ] {
            assert_eq!(Fields::parse(selector, PODS).unwrap_err(), message);
        }
    }
}
