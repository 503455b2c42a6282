//! Reads a CustomResourceDefinition, and makes rows of it for the table of kinds. A row is a [`Resource`]: it says how
//! the server treats one kind in one version. A definition gets a row for each of its versions.
//!
//! The catalog, objects, requests and watches share the rows of a definition. After a change or the deletion of the
//! definition, its rows are freed with their last user.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::strategy::ROW;
use super::{ConversionWebhook, CustomColumn, CustomResource, ScalePaths, is_condition_true};
use crate::codec::structural::{Structural, prune_defaults};
use crate::conventions::fnv::fnv;
use crate::kinds::CUSTOM_RESOURCE_DEFINITIONS;
use crate::kinds::catalog::preference;
use crate::kinds::resource::{GroupResource, Resource, Scope, Subresource};
use crate::value::{Value, json};

/// The rows of one CustomResourceDefinition.
#[derive(Debug)]
pub struct Definition {
    /// The row of the storage version, even if it is not served.
    pub stored: Resource,
    pub(crate) served: Vec<Resource>,
    /// The rows of the versions that are not served. Entries in `managedFields` may still name these versions.
    pub(crate) unserved: Vec<Resource>,
    /// Everything in the definition that determines the form of objects, as JSON: two definitions with the same text
    /// need only one set of rows.
    form: String,
    /// The earlier storage versions. An object stays in the version in which it was written.
    earlier_storage: Vec<Resource>,
}

impl Definition {
    /// Returns the row of CustomResourceDefinition itself.
    pub fn row() -> &'static Resource {
        CUSTOM_RESOURCE_DEFINITIONS
    }

    /// Returns the rows of an established definition. `None` if it is not established, or if its schema cannot be read.
    /// Returns `before`, the rows of an earlier state, if they are still right.
    pub fn of(crd: &Value, before: Option<&Arc<Self>>) -> Option<Arc<Self>> {
        if !is_condition_true(crd, "Established") {
            return None;
        }
        let is_terminating = !crd["metadata"]["deletionTimestamp"].is_null();
        let form = json!([crd["spec"], crd["status"]["acceptedNames"], earlier_storage_versions(crd)]).to_string();
        match before.filter(|before| before.form == form && before.is_terminating() == is_terminating) {
            Some(before) => Some(before.clone()),
            None => Self::read(crd, form, is_terminating).map(Arc::new),
        }
    }

    fn read(crd: &Value, form: String, is_terminating: bool) -> Option<Self> {
        let versions: Vec<&Value> = crd["spec"]["versions"].as_array()?.iter().collect();
        let storage = versions.iter().find(|version| version["storage"] == true)?;
        let stored = resource(crd, storage, is_terminating, None)?;
        let earlier_storage_versions = earlier_storage_versions(crd);
        let (mut served, mut unserved, mut earlier_storage) = (Vec::new(), Vec::new(), Vec::new());
        for version in versions {
            let (is_served, is_earlier) =
                (version["served"] == true, earlier_storage_versions.contains(&&version["name"]));
            if version["storage"] == true {
                if is_served { &mut served } else { &mut unserved }.push(stored.clone());
                continue;
            }
            if let Some(other) = resource(crd, version, is_terminating, Some(&stored)) {
                earlier_storage.extend(is_earlier.then(|| other.clone()));
                if is_served { &mut served } else { &mut unserved }.push(other);
            }
        }
        Some(Self { stored, served, unserved, form, earlier_storage })
    }

    /// Returns a kind for custom resources whose definition was removed before them. It keeps unknown fields, so the
    /// objects stay unchanged until a definition covers them again.
    pub fn undefined(group: &str, plural: &str, version: &str, kind: &str, scope: Scope) -> Option<Resource> {
        let names = json!({"plural": plural, "singular": "", "kind": kind, "listKind": format!("{kind}List")});
        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let scope = if scope == Scope::Namespaced { "Namespaced" } else { "Cluster" };
        let version = json!({"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
        let crd = json!({
            "spec": {"group": group, "scope": scope, "names": names, "versions": [version]},
            "status": {"acceptedNames": names, "conditions": [{"type": "Established", "status": "True"}]},
        });
        Self::of(&crd, None).map(|definition| definition.stored.clone())
    }

    /// Returns true if the definition is being deleted, and waits for the deletion of its objects.
    pub fn is_terminating(&self) -> bool {
        self.stored.is_terminating()
    }

    /// Returns true if objects have the same form under both definitions. The definitions may differ in being deleted.
    pub fn has_form_of(&self, other: &Self) -> bool {
        self.form == other.form
    }

    /// Returns the row for an object that was written in `version`: that of an earlier storage version, or that of the
    /// current one.
    pub fn of_stored_version(&self, version: &str) -> &Resource {
        self.earlier_storage.iter().find(|earlier| earlier.version() == version).unwrap_or(&self.stored)
    }
}

/// Returns the earlier storage versions, in which objects may still be stored.
fn earlier_storage_versions(crd: &Value) -> Vec<&Value> {
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    let storage: Vec<&Value> =
        versions.filter(|version| version["storage"] == true).map(|version| &version["name"]).collect();
    let stored = crd["status"]["storedVersions"].as_array().into_iter().flatten();
    stored.filter(|name| !storage.contains(name)).collect()
}

/// Makes the row of a version. `stored` is the row of the storage version, if that is another one.
fn resource(crd: &Value, version: &Value, is_terminating: bool, stored: Option<&Resource>) -> Option<Resource> {
    let (spec, names) = (&crd["spec"], &crd["status"]["acceptedNames"]);
    let text = |value: &Value| value.as_str().map(ToOwned::to_owned);
    let mut schema: Structural = crate::value::from_value(version["schema"]["openAPIV3Schema"].clone()).ok()?;
    prune_defaults(&mut schema);
    let (group, name, kind) = (spec["group"].as_str()?, version["name"].as_str()?, names["kind"].as_str()?);
    let all = spec["versions"].as_array()?;
    let storage = all.iter().find(|version| version["storage"] == true)?["name"].as_str()?;
    let group_resource = match stored {
        Some(stored) => stored.group_resource(),
        None => GroupResource::defined(names["plural"].as_str()?, group),
    };
    let custom = CustomResource {
        group_resource,
        version: name.to_owned(),
        singular: text(&names["singular"])?,
        kind: kind.to_owned(),
        list_kind: text(&names["listKind"])?,
        storage_hash: storage_hash(group, storage, kind),
        scope: if spec["scope"] == "Namespaced" { Scope::Namespaced } else { Scope::Cluster },
        short_names: texts(&names["shortNames"]),
        categories: texts(&names["categories"]),
        subresources: subresources(version),
        fields: selectable_fields(version),
        schema,
        document: version["schema"]["openAPIV3Schema"].to_string().into(),
        versions: all.iter().filter_map(|version| Some(format!("{group}/{}", version["name"].as_str()?))).collect(),
        scale: ScalePaths::of(&version["subresources"]["scale"]),
        columns: CustomColumn::of(version),
        conversion_webhook: ConversionWebhook::of(crd),
        has_several_stored_versions: !earlier_storage_versions(crd).is_empty(),
        warning: deprecation(spec, version, group, name, kind),
        is_terminating,
        stored: stored.cloned(),
    };
    Some(Resource { row: &ROW, custom: Some(Arc::new(custom)) })
}

fn subresources(version: &Value) -> &'static [Subresource] {
    let has_scale = ScalePaths::of(&version["subresources"]["scale"]).is_some();
    match (version["subresources"]["status"].is_object(), has_scale) {
        (true, true) => &[Subresource::Status, Subresource::Scale],
        (true, false) => &[Subresource::Status],
        (false, true) => &[Subresource::Scale],
        (false, false) => &[],
    }
}

/// Returns the fields that field selectors support. A field's name in selectors is its path without the leading dot.
fn selectable_fields(version: &Value) -> Vec<String> {
    let fields = version["selectableFields"].as_array().into_iter().flatten();
    let paths = fields.filter_map(|field| field["jsonPath"].as_str());
    paths.map(|path| path.trim_start_matches('.').to_owned()).collect()
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(ToOwned::to_owned)).collect()
}

/// Returns the warning for requests of a deprecated version: the version's own text, or one that names the newest
/// version to use instead. Upstream: `defaultDeprecationWarning`.
fn deprecation(spec: &Value, version: &Value, group: &str, name: &str, kind: &str) -> Option<String> {
    if version["deprecated"] != true {
        return None;
    }
    if let Some(own) = version["deprecationWarning"].as_str() {
        return Some(own.to_owned());
    }
    let others = spec["versions"].as_array().into_iter().flatten();
    let newer = others
        .filter(|other| other["served"] == true && other["deprecated"] != true)
        .filter_map(|other| other["name"].as_str())
        .filter(|other| preference(other, name).is_lt());
    let instead = newer.min_by(|a, b| preference(a, b));
    let instead = instead.map(|newest| format!("; use {group}/{newest} {kind}")).unwrap_or_default();
    Some(format!("{group}/{name} {kind} is deprecated{instead}"))
}

/// Returns the `storageVersionHash` of discovery. Clients only compare it, so any hash of the storage version will do.
fn storage_hash(group: &str, version: &str, kind: &str) -> String {
    STANDARD.encode(fnv(format!("{group}/{version}/{kind}").as_bytes()).to_be_bytes())
}
