//! Makes rows for the table of kinds of a CustomResourceDefinition: a [`Resource`] for each version.
//!
//! Objects, requests and watches refer to their row for as long as the process runs, so rows are leaked. To bound that,
//! definitions with the same content share their rows.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{ConversionWebhook, CustomColumn, CustomResource, ScalePaths, finalizers, is_condition_true};
use crate::codec::structural::{Structural, prune_defaults};
use crate::conventions::fnv::fnv;
use crate::kinds::CUSTOM_RESOURCE_DEFINITIONS;
use crate::kinds::catalog::preference;
use crate::kinds::columns;
use crate::kinds::field_selector::FieldRow;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{
    Conversion, DeleteResponse, Generation, Resource, Scope, StoredForm, Strategy, Subresource, UnconditionalUpdate,
};
use crate::value::{Value, json};

#[derive(Debug)]
pub struct Definition {
    /// The row of the storage version, even if it is not served.
    pub stored: &'static Resource,
    pub(crate) served: Vec<&'static Resource>,
    /// Owners of fields may still refer to these versions.
    pub(crate) unserved: Vec<&'static Resource>,
    /// Everything in the definition that determines the form of objects, as JSON.
    form: String,
    /// The rows of earlier storage versions. An object stays in the version in which it was written.
    earlier_storage: Vec<&'static Resource>,
}

/// Sharing all definitions keeps many short-lived clusters, as in tests, from filling the memory.
static DEFINITIONS: LazyLock<Mutex<RowsByForm>> = LazyLock::new(Mutex::default);

/// The rows by `Definition::form`, and whether the definition is being deleted.
type RowsByForm = HashMap<(String, bool), Option<&'static Definition>>;

impl Definition {
    pub fn row() -> &'static Resource {
        CUSTOM_RESOURCE_DEFINITIONS
    }

    /// `None` if the definition is not established, or if its schema cannot be read.
    pub fn of(crd: &Value) -> Option<&'static Self> {
        if !is_condition_true(crd, "Established") {
            return None;
        }
        let is_terminating = !crd["metadata"]["deletionTimestamp"].is_null();
        let form = json!([crd["spec"], crd["status"]["acceptedNames"], earlier_storage_versions(crd)]).to_string();
        let mut definitions = DEFINITIONS.lock().unwrap_or_else(PoisonError::into_inner);
        *definitions.entry((form, is_terminating)).or_insert_with_key(|(form, _)| {
            Self::read(crd, form.clone(), is_terminating).map(|rows| &*Box::leak(Box::new(rows)))
        })
    }

    fn read(crd: &Value, form: String, is_terminating: bool) -> Option<Self> {
        let versions: Vec<&Value> = crd["spec"]["versions"].as_array()?.iter().collect();
        let storage = versions.iter().find(|version| version["storage"] == true)?;
        let stored: &'static Resource = Box::leak(Box::new(row(crd, storage, is_terminating, None)?));
        let earlier_storage_versions = earlier_storage_versions(crd);
        let (mut served, mut unserved, mut earlier_storage) = (Vec::new(), Vec::new(), Vec::new());
        for version in versions {
            let (is_served, is_earlier) =
                (version["served"] == true, earlier_storage_versions.contains(&&version["name"]));
            if version["storage"] == true {
                if is_served { &mut served } else { &mut unserved }.push(stored);
                continue;
            }
            let form = Box::leak(Box::new(StoredForm { row: stored, conversion: Conversion::OfVersions }));
            if let Some(row) = row(crd, version, is_terminating, Some(form)) {
                let row = &*Box::leak(Box::new(row));
                if is_served { &mut served } else { &mut unserved }.push(row);
                earlier_storage.extend(is_earlier.then_some(row));
            }
        }
        Some(Self { stored, served, unserved, form, earlier_storage })
    }

    /// Returns a row for custom resources whose definition was removed before them. The row keeps unknown fields, so
    /// the objects stay unchanged until a definition covers them again.
    pub fn undefined(group: &str, plural: &str, version: &str, kind: &str, scope: Scope) -> Option<&'static Resource> {
        let names = json!({"plural": plural, "singular": "", "kind": kind, "listKind": format!("{kind}List")});
        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let scope = if scope == Scope::Namespaced { "Namespaced" } else { "Cluster" };
        let version = json!({"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
        let crd = json!({
            "spec": {"group": group, "scope": scope, "names": names, "versions": [version]},
            "status": {"acceptedNames": names, "conditions": [{"type": "Established", "status": "True"}]},
        });
        Self::of(&crd).map(|definition| definition.stored)
    }

    /// Returns true if objects have the same form under both definitions. The definitions may differ in being deleted.
    pub fn has_form_of(&self, other: &Self) -> bool {
        self.form == other.form
    }

    /// Returns the row of an earlier storage version, or that of the current one.
    pub fn row_of_stored_version(&self, version: &str) -> &'static Resource {
        self.earlier_storage.iter().find(|row| row.version == version).unwrap_or(&self.stored)
    }
}

/// Objects may still be stored in these versions.
fn earlier_storage_versions(crd: &Value) -> Vec<&Value> {
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    let storage: Vec<&Value> =
        versions.filter(|version| version["storage"] == true).map(|version| &version["name"]).collect();
    let stored = crd["status"]["storedVersions"].as_array().into_iter().flatten();
    stored.filter(|name| !storage.contains(name)).collect()
}

/// `stored_form` leads to the row of the storage version, if that is another one.
fn row(
    crd: &Value,
    version: &Value,
    is_terminating: bool,
    stored_form: Option<&'static StoredForm>,
) -> Option<Resource> {
    let (spec, names) = (&crd["spec"], &crd["status"]["acceptedNames"]);
    let mut schema: Structural = crate::value::from_value(version["schema"]["openAPIV3Schema"].clone()).ok()?;
    prune_defaults(&mut schema);
    let scale = ScalePaths::of(&version["subresources"]["scale"]);
    let mut subresources = Vec::new();
    if version["subresources"]["status"].is_object() {
        subresources.push(Subresource::Status);
    }
    if scale.is_some() {
        subresources.push(Subresource::Scale);
    }
    let (group, name, kind) = (leaked(&spec["group"])?, leaked(&version["name"])?, leaked(&names["kind"])?);
    let all = spec["versions"].as_array()?;
    let storage = all.iter().find(|version| version["storage"] == true)?;
    let custom = CustomResource {
        schema,
        document: version["schema"]["openAPIV3Schema"].to_string().into(),
        list_kind: leaked(&names["listKind"])?,
        versions: all.iter().filter_map(|version| Some(format!("{group}/{}", version["name"].as_str()?))).collect(),
        scale,
        columns: CustomColumn::of(version),
        conversion_webhook: ConversionWebhook::of(crd),
        has_several_stored_versions: !earlier_storage_versions(crd).is_empty(),
        warning: deprecation(spec, version, group, name, kind),
        is_terminating,
    };
    Some(Resource {
        group,
        version: name,
        plural: leaked(&names["plural"])?,
        singular: leaked(&names["singular"])?,
        kind,
        storage_hash: storage_hash(group, storage["name"].as_str()?, kind),
        scope: if spec["scope"] == "Namespaced" { Scope::Namespaced } else { Scope::Cluster },
        short_names: leaked_list(&names["shortNames"]),
        categories: leaked_list(&names["categories"]),
        subresources: subresources.leak(),
        delete_response: DeleteResponse::Status,
        generation: Generation::CountedButMetadata,
        strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
        fields: selectable_fields(version),
        name_rule: NameRule::Subdomain,
        warnings: finalizers::warnings,
        columns: columns::simple::NAME_ALONE,
        custom: Some(Box::leak(Box::new(custom))),
        stored_form,
        ..Resource::USUAL
    })
}

/// A field's name in selectors is its path without the leading dot.
fn selectable_fields(version: &Value) -> &'static [FieldRow] {
    let fields = version["selectableFields"].as_array().into_iter().flatten();
    let fields = fields.filter_map(|field| field["jsonPath"].as_str()).map(|path| {
        let name: &'static str = path.trim_start_matches('.').to_owned().leak();
        let path: &'static [&'static str] = name.split('.').collect::<Vec<_>>().leak();
        (name, path, "")
    });
    fields.collect::<Vec<_>>().leak()
}

/// The version's own text, or one that names the newest version to use instead. Upstream: `defaultDeprecationWarning`.
fn deprecation(spec: &Value, version: &Value, group: &str, name: &str, kind: &str) -> Option<&'static str> {
    if version["deprecated"] != true {
        return None;
    }
    if let Some(own) = version["deprecationWarning"].as_str() {
        return Some(own.to_owned().leak());
    }
    let others = spec["versions"].as_array().into_iter().flatten();
    let newer = others
        .filter(|other| other["served"] == true && other["deprecated"] != true)
        .filter_map(|other| other["name"].as_str())
        .filter(|other| preference(other, name).is_lt());
    let instead = newer.min_by(|a, b| preference(a, b));
    let instead = instead.map(|newest| format!("; use {group}/{newest} {kind}")).unwrap_or_default();
    Some(format!("{group}/{name} {kind} is deprecated{instead}").leak())
}

/// Returns the `storageVersionHash` of discovery. Clients only compare it, so any hash of the storage version will do.
fn storage_hash(group: &str, version: &str, kind: &str) -> &'static str {
    STANDARD.encode(fnv(format!("{group}/{version}/{kind}").as_bytes()).to_be_bytes()).leak()
}

/// Rows hold `&'static str`.
fn leaked(text: &Value) -> Option<&'static str> {
    text.as_str().map(|text| &*text.to_owned().leak())
}

fn leaked_list(texts: &Value) -> &'static [&'static str] {
    texts.as_array().into_iter().flatten().filter_map(leaked).collect::<Vec<_>>().leak()
}
