//! The rows that a CustomResourceDefinition adds.

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

/// The rows of one definition: one for each version.
#[derive(Debug)]
pub struct Definition {
    /// The row in whose form objects are stored, whether it is served or not.
    pub stored: &'static Resource,
    pub(crate) served: Vec<&'static Resource>,
    /// All that decides about the form of objects, in JSON.
    form: String,
    /// The rows of other versions that were once the stored one. An object keeps the version in which it was written.
    left: Vec<&'static Resource>,
}

/// Rows live as long as the process, since an object names its row. So that clusters that come and go do not fill the memory,
/// definitions with the same content share theirs.
static DEFINITIONS: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// By the form of objects, and whether the definition is being deleted.
type Known = HashMap<(String, bool), Option<&'static Definition>>;

impl Definition {
    /// The row of definitions themselves.
    pub fn row() -> &'static Resource {
        CUSTOM_RESOURCE_DEFINITIONS
    }

    /// The rows of a definition whose names are accepted; `None` if it has none yet, or if its schema cannot be read.
    pub fn of(crd: &Value) -> Option<&'static Self> {
        if !is_condition_true(crd, "Established") {
            return None;
        }
        let is_terminating = !crd["metadata"]["deletionTimestamp"].is_null();
        let form = json!([crd["spec"], crd["status"]["acceptedNames"], left_versions(crd)]).to_string();
        let mut definitions = DEFINITIONS.lock().unwrap_or_else(PoisonError::into_inner);
        *definitions.entry((form, is_terminating)).or_insert_with_key(|(form, _)| {
            Self::read(crd, form.clone(), is_terminating).map(|rows| &*Box::leak(Box::new(rows)))
        })
    }

    fn read(crd: &Value, form: String, is_terminating: bool) -> Option<Self> {
        let versions: Vec<&Value> = crd["spec"]["versions"].as_array()?.iter().collect();
        let storage = versions.iter().find(|version| version["storage"] == true)?;
        let stored: &'static Resource = Box::leak(Box::new(row(crd, storage, is_terminating, None)?));
        let left_versions = left_versions(crd);
        let (mut served, mut left) = (Vec::new(), Vec::new());
        for version in versions {
            let (is_served, is_left) = (version["served"] == true, left_versions.contains(&&version["name"]));
            if version["storage"] == true {
                served.extend(is_served.then_some(stored));
                continue;
            }
            let form = Box::leak(Box::new(StoredForm { row: stored, conversion: Conversion::OfVersions }));
            if (is_served || is_left)
                && let Some(row) = row(crd, version, is_terminating, Some(form))
            {
                let row = &*Box::leak(Box::new(row));
                served.extend(is_served.then_some(row));
                left.extend(is_left.then_some(row));
            }
        }
        Some(Self { stored, served, form, left })
    }

    /// The row of custom resources whose definition was removed before them. They stay as they are, for a definition that names
    /// them again.
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

    /// Whether objects have the same form by both: one may be being deleted.
    pub fn has_form_of(&self, other: &Self) -> bool {
        self.form == other.form
    }

    /// The row in whose form an object is kept that was written in a version.
    pub fn keeps(&self, version: &str) -> &'static Resource {
        self.left.iter().find(|row| row.version == version).unwrap_or(&self.stored)
    }
}

/// The versions in which objects may have been left: those that were stored, but for the one that is.
fn left_versions(crd: &Value) -> Vec<&Value> {
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    let storage: Vec<&Value> =
        versions.filter(|version| version["storage"] == true).map(|version| &version["name"]).collect();
    let stored = crd["status"]["storedVersions"].as_array().into_iter().flatten();
    stored.filter(|name| !storage.contains(name)).collect()
}

/// The row of a version.
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
        is_mixed: !left_versions(crd).is_empty(),
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

/// The fields for field selectors: their names are their paths without the first dot.
fn selectable_fields(version: &Value) -> &'static [FieldRow] {
    let fields = version["selectableFields"].as_array().into_iter().flatten();
    let fields = fields.filter_map(|field| field["jsonPath"].as_str()).map(|path| {
        let name: &'static str = path.trim_start_matches('.').to_owned().leak();
        let path: &'static [&'static str] = name.split('.').collect::<Vec<_>>().leak();
        (name, path, "")
    });
    fields.collect::<Vec<_>>().leak()
}

/// What is said of a deprecated version: if it says nothing itself, which version is there in its place. Upstream:
/// `defaultDeprecationWarning`.
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

/// Eight bytes that change with the version in which objects are stored. Clients compare them, and read nothing from them.
fn storage_hash(group: &str, version: &str, kind: &str) -> &'static str {
    STANDARD.encode(fnv(format!("{group}/{version}/{kind}").as_bytes()).to_be_bytes()).leak()
}

fn leaked(text: &Value) -> Option<&'static str> {
    text.as_str().map(|text| &*text.to_owned().leak())
}

fn leaked_list(texts: &Value) -> &'static [&'static str] {
    texts.as_array().into_iter().flatten().filter_map(leaked).collect::<Vec<_>>().leak()
}
