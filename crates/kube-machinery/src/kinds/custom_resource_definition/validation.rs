//! Validates a whole CustomResourceDefinition; the modules beside this one validate its parts. Upstream:
//! `pkg/apis/apiextensions/validation/validation.go`.
//!
//! Upstream also refuses fields that are set in the spec and in a version at once. A v1 definition, the only version
//! served here, cannot set both, so these rules are left out.

use std::collections::HashSet;

use super::approval;
use super::cel_context::SchemaRules;
use super::definition_causes::DefinitionCauses;
use super::field_path::{Brackets, follow};
use super::internal::{Spec, schema_has};
use super::validation_options::{LimitOfARule, MOST_SELECTABLE, ValidationOptions};
use super::{columns, conversion, default_values, go_print, names, schema, structural};
use crate::codec::go_json::go_json;
use crate::conventions::cause::Cause;
use crate::conventions::causes;
use crate::conventions::field::Path;
use crate::conventions::quote::is_printable;
use crate::kinds::fields::{items, text};
use crate::kinds::names::{dns1035, subdomain};
use crate::value::{Array, Value};

/// Upstream: `ValidateCustomResourceDefinition`, `ValidateCustomResourceDefinitionUpdate`.
pub(super) fn validate(new: &Value, old: Option<&Value>) -> causes::Causes {
    let mut causes = DefinitionCauses::default();
    let spec = Spec::of(new);
    let options = old.map_or_else(ValidationOptions::for_new, |old| ValidationOptions::for_update(new, old));
    if old.is_none() {
        validate_own_name(new, &mut causes);
    }
    validate_spec(&spec, options, old, &mut causes);
    names::validate(&new["status"]["acceptedNames"], &Path::Root("status.acceptedNames"), &mut causes);
    stored_versions(new, &mut causes);
    approval::validate(new, old, &mut causes);
    if spec.preserves_unknown_fields() && old.is_none_or(|old| old["spec"]["preserveUnknownFields"] != true) {
        let why =
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        causes.push(Cause::invalid_as("spec.preserveUnknownFields", "true", why));
    }
    causes.into_list()
}

/// Upstream: `ValidateUpdateCustomResourceDefinitionStatus`.
pub(super) fn validate_status(new: &Value, _old: Option<&Value>) -> causes::Causes {
    let mut causes = DefinitionCauses::default();
    names::validate(&new["status"]["acceptedNames"], &Path::Root("status.acceptedNames"), &mut causes);
    causes.into_list()
}

/// Checks that the name of a definition, and its `generateName` if it has one, is `plural.group`.
fn validate_own_name(new: &Value, causes: &mut DefinitionCauses) {
    let spec = &new["spec"];
    let required = format!("{}.{}", text(&spec["names"], "plural"), text(spec, "group"));
    for field in ["generateName", "name"] {
        let name = text(&new["metadata"], field);
        if !name.is_empty() && name != required {
            let why = "must be spec.names.plural+\".\"+spec.group";
            causes.push(Cause::invalid(format_args!("metadata.{field}"), name, why));
        }
    }
}

fn validate_spec(spec: &Spec<'_>, mut options: ValidationOptions, old: Option<&Value>, causes: &mut DefinitionCauses) {
    let at = Path::Root("spec");
    validate_group_and_scope(spec.value, &at, causes);
    let requires_schema = options.schema;
    let has_shared_schema = spec.shared_schema().is_object();
    let at_versions = at.child("versions");
    for (i, version) in spec.versions().iter().enumerate().filter(|_| !has_shared_schema) {
        let why = match (requires_schema, spec.preserves_unknown_fields()) {
            (true, _) => "",
            (false, false) if version["served"] == true => "because otherwise all fields are pruned",
            _ => continue,
        };
        if !version["schema"]["openAPIV3Schema"].is_object() {
            let at = at_versions.index(i);
            causes.add(&at.child("schema").child("openAPIV3Schema"), |at| Cause::required(at, why));
        }
    }
    let any = |rule: fn(&Value) -> bool| spec.schemas().any(|schema| schema_has(schema, &mut |schema| rule(schema)));
    let has_defaults = any(|schema| !schema["default"].is_null());
    if has_defaults && spec.preserves_unknown_fields() {
        let why = "must be false in order to use defaults in the schema";
        causes.add(&at.child("preserveUnknownFields"), |at| Cause::invalid_as(at, "true", why));
    }
    options.structural |= !spec.preserves_unknown_fields() || has_defaults || any(has_extensions);
    for (i, version) in spec.versions().iter().enumerate() {
        validate_version(spec, version, &options, &at_versions.index(i), causes);
    }
    all_versions(spec, &at, causes);
    spec_names(spec.value, &at.child("names"), causes);
    let has_status = [spec.shared("subresources")]
        .into_iter()
        .chain(spec.versions().iter().map(|version| spec.subresources(version)))
        .any(|subresources| !subresources["status"].is_null());
    let first = spec.versions().first().map_or("", |version| text(version, "name"));
    let limit = options.limit_of_a_rule(first);
    validate_schema(spec.shared("schema"), has_status, &options, limit, &at.child("validation"), causes);
    columns::validate_subresources(spec.shared("subresources"), &at.child("subresources"), causes);
    columns::validate(spec.shared("additionalPrinterColumns"), &at.child("additionalPrinterColumns"), causes);
    let at_fields = at.child("selectableFields");
    match (items_of(spec.shared("selectableFields")), spec.shared("schema")) {
        ([], _) => {}
        (_, Value::Null) => {
            let why = "may only be set when validations.schema is included";
            causes.add(&at_fields, |at| Cause::invalid(at, "", why));
        }
        (fields, schema) => {
            let schema = &schema["openAPIV3Schema"];
            unsupported(schema, &at.child("schema.openAPIV3Schema"), causes);
            selectable(fields, schema, options.many_selectable.contains(""), &at_fields, causes);
        }
    }
    let strategy = text(&spec.value["conversion"], "strategy");
    if spec.preserves_unknown_fields() && !spec.value["conversion"].is_null() && strategy != "None" {
        let why = "must be None if spec.preserveUnknownFields is true";
        causes.add(&at.child("conversion").child("strategy"), |at| Cause::invalid(at, strategy, why));
    }
    conversion::validate(&spec.value["conversion"], &options, &at.child("conversion"), causes);
    if let Some(old) = old {
        immutable(spec.value, &old["spec"], &options, causes);
    }
}

fn items_of(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Array::as_slice)
}

fn validate_group_and_scope(spec: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let (group, at_group) = (text(spec, "group"), at.child("group"));
    let messages = subdomain(group);
    if group.is_empty() {
        causes.add(&at_group, |at| Cause::required(at, ""));
    } else if !messages.is_empty() {
        causes.add(&at_group, |at| Cause::invalid(at, group, &messages.join(",")));
    } else if !group.contains('.') {
        causes.add(&at_group, |at| Cause::invalid(at, group, "should be a domain with at least one dot"));
    }
    match text(spec, "scope") {
        "" => causes.add(&at.child("scope"), |at| Cause::required(at, "")),
        "Cluster" | "Namespaced" => {}
        other => causes.add(&at.child("scope"), |at| Cause::unsupported_text(at, other, &["Cluster", "Namespaced"])),
    }
}

/// Returns true if the schema uses one of these fields, which work only in a structural schema. Upstream:
/// `schemaHasKubernetesExtensions`.
fn has_extensions(schema: &Value) -> bool {
    [
        "x-kubernetes-embedded-resource",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-validations",
    ]
    .into_iter()
    .any(|field| !schema[field].is_null())
}

/// Validates the fields of one version that the versions do not share. Upstream:
/// `validateCustomResourceDefinitionVersion`.
fn validate_version(
    spec: &Spec<'_>,
    version: &Value,
    options: &ValidationOptions,
    at: &Path<'_>,
    causes: &mut DefinitionCauses,
) {
    let name = text(version, "name");
    let messages = dns1035(name);
    if !messages.is_empty() {
        causes.add(&at.child("name"), |at| Cause::invalid(at, name, &messages.join(",")));
    }
    for why in warning_faults(version) {
        let shown = go_json(&version["deprecationWarning"]);
        causes.add(&at.child("deprecationWarning"), |at| Cause::invalid_as(at, &shown, &why));
    }
    let has_status = !spec.subresources(version)["status"].is_null();
    let limit = options.limit_of_a_rule(name);
    validate_schema(spec.own(version, "schema"), has_status, options, limit, &at.child("schema"), causes);
    columns::validate_subresources(spec.own(version, "subresources"), &at.child("subresources"), causes);
    columns::validate(spec.own(version, "additionalPrinterColumns"), &at.child("additionalPrinterColumns"), causes);
    let fields = items_of(spec.own(version, "selectableFields"));
    if fields.is_empty() {
        return;
    }
    let (schema, at_fields) = (&spec.own(version, "schema")["openAPIV3Schema"], at.child("selectableFields"));
    if !schema.is_object() {
        let why = "may only be set when `version.schema.openAPIV3Schema` is not included"; // upstream's wording
        return causes.add(&at_fields, |at| Cause::invalid(at, "", why));
    }
    unsupported(schema, &at.child("schema.openAPIV3Schema"), causes);
    selectable(fields, schema, options.many_selectable.contains(name), &at_fields, causes);
}

/// Adds a cause if the schema uses a feature that a structural schema cannot express.
fn unsupported(schema: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    if let Some(why) = structural::unsupported(schema) {
        causes.add(at, |at| Cause::invalid(at, "", &why));
    }
}

/// Returns the messages about an invalid `deprecationWarning`. Upstream: `validateDeprecationWarning`.
fn warning_faults(version: &Value) -> Vec<String> {
    let Some(warning) = version["deprecationWarning"].as_str() else { return Vec::new() };
    if version["deprecated"] != true {
        return vec!["can only be set for deprecated versions".to_owned()];
    }
    let mut faults = Vec::new();
    if warning.len() > 256 {
        faults.push("must be <= 256 characters long".to_owned());
    }
    if warning.is_empty() {
        faults.push("must not be an empty string".to_owned());
    }
    if let Some((at, _)) = warning.char_indices().find(|(_, c)| !is_printable(*c)) {
        let why = "must only contain printable UTF-8 characters; non-printable character found at index";
        faults.push(format!("{why} {at}"));
    }
    faults
}

/// Validates the versions together: unique names, and exactly one storage version.
fn all_versions(spec: &Spec<'_>, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let versions = spec.versions();
    let mut names = HashSet::new();
    let are_unique = versions.iter().all(|version| names.insert(text(version, "name")));
    let stored = versions.iter().filter(|version| version["storage"] == true).count();
    for (is_wrong, why) in [
        (!are_unique, "must contain unique version names"),
        (stored != 1, "must have exactly one version marked as storage version"),
    ] {
        if is_wrong {
            let shown = match &spec.value["versions"] {
                Value::Array(versions) => go_print::versions(versions, spec.shared_fields()),
                _ => "null".to_owned(),
            };
            causes.add(&at.child("versions"), |at| Cause::invalid_as(at, &shown, why));
        }
    }
    // Upstream's internal version has the name of the first version in `spec.version` too.
    names::label(versions.first().map_or("", |first| text(first, "name")), &at.child("version"), causes);
}

fn spec_names(spec: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    for field in ["plural", "singular", "kind", "listKind"] {
        if text(&spec["names"], field).is_empty() {
            causes.add(&at.child(field), |at| Cause::required(at, ""));
        }
    }
    names::validate(&spec["names"], at, causes);
}

/// The fields that a schema may have at its root if the status subresource is on, under their Go names.
const AT_ROOT: [&str; 22] = [
    "Description",
    "Type",
    "Format",
    "Title",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Required",
    "Items",
    "Properties",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XValidations",
];

/// Validates the schema of a version, or the schema that all versions share: first whether it is structural, then its
/// defaults, then the rest. CEL rules are compiled only if the schema is structural and its defaults are valid.
/// Upstream: `validateCustomResourceDefinitionValidation`.
fn validate_schema(
    validation: &Value,
    has_status: bool,
    options: &ValidationOptions,
    limit: LimitOfARule,
    at: &Path<'_>,
    causes: &mut DefinitionCauses,
) {
    let schema = &validation["openAPIV3Schema"];
    if !schema.is_object() {
        return;
    }
    // The causes of this schema alone: some checks run only if there are none yet.
    let mut own = DefinitionCauses::default();
    if has_status {
        validate_root_with_status(schema, at, &mut own);
    }
    if schema["nullable"] == true {
        own.add(&at.child("openAPIV3Schema.nullable"), |at| {
            Cause::forbidden(at, "nullable cannot be true at the root")
        });
    }
    let at = at.child("openAPIV3Schema");
    let no_structural = structural::unsupported(schema).filter(|_| options.structural);
    let mut is_structural = false;
    if options.structural && no_structural.is_none() {
        let before = own.len();
        let faults = structural::validate(schema, &at);
        if faults.is_empty() {
            default_values::validate(schema, options.pruned_defaults, &at, &mut own);
        }
        own.extend(faults);
        is_structural = own.len() == before;
    }
    let rules = is_structural.then(|| SchemaRules::of(schema, limit));
    let cel = rules.as_ref().map(SchemaRules::root);
    schema::validate(schema, schema::Context::root(options, cel), &at, &mut own);
    if let Some(why) = no_structural.filter(|_| own.is_empty()) {
        own.add(&at, |at| Cause::invalid(at, "", &why));
    }
    if let Some(rules) = &rules {
        rules.validate_total(&at, &mut own);
    }
    causes.extend(own.into_list());
}

/// Validates the root of a schema for the status subresource. An update of the status is validated only against the
/// schema of the status, so conditions at the root, such as `anyOf`, would not apply to it.
fn validate_root_with_status(schema: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    for (go, name, _) in go_print::SCHEMA.iter().filter(|(_, name, _)| !schema[*name].is_null()) {
        if *go == "Type" && schema["type"] != "object" {
            let why =
                "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
            return causes.add(&at.child("openAPIV3Schema.type"), |at| Cause::invalid(at, text(schema, name), why));
        }
        if !AT_ROOT.contains(go) {
            let why = format!(
                "only [{}] fields are allowed at the root of the schema if the status subresource is enabled",
                AT_ROOT.join(" ")
            );
            let shown = go_print::schema(schema);
            return causes.add(&at.child("openAPIV3Schema"), |at| Cause::invalid_as(at, &shown, &why));
        }
    }
}

/// Validates the fields that field selectors may use. `may_be_many` is true if the old definition has too many already.
/// Upstream: `ValidateCustomResourceSelectableFields`.
fn selectable(fields: &[Value], schema: &Value, may_be_many: bool, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let mut paths = HashSet::new();
    for (i, field) in fields.iter().enumerate() {
        let (path, at) = (text(field, "jsonPath"), at.index(i));
        let at = at.child("jsonPath");
        if path.is_empty() {
            causes.add(&at, |at| Cause::required(at, ""));
            continue;
        }
        let found = match follow(path, schema, Brackets::Refused) {
            Ok(found) => found,
            Err(why) => {
                causes.add(&at, |at| Cause::invalid(at, path, &format!("is an invalid path: {why}")));
                continue;
            }
        };
        if found.root == "metadata" {
            causes.add(&at, |at| Cause::invalid(at, path, "must not point to fields in metadata"));
        }
        if !["string", "boolean", "integer"].contains(&text(found.schema, "type")) {
            let why = "must point to a field of type string, boolean or integer. Enum string fields and strings with \
                       formats are allowed.";
            causes.add(&at, |at| Cause::invalid(at, path, why));
        }
        if !paths.insert(found.path) {
            causes.add(&at, |at| Cause::duplicate(at, path));
        }
    }
    if paths.len() > MOST_SELECTABLE && !may_be_many {
        causes.add(at, |at| Cause::too_many(at, paths.len(), MOST_SELECTABLE));
    }
}

/// Checks the fields that an update must not change. Upstream: `validateCustomResourceDefinitionSpecUpdate`.
fn immutable(new: &Value, old: &Value, options: &ValidationOptions, causes: &mut DefinitionCauses) {
    let always = ["/group", "/names/plural"];
    let once_established = ["/scope", "/names/kind"].into_iter().filter(|_| options.immutable_names);
    for pointer in once_established.chain(always) {
        let value = |spec: &Value| spec.pointer(pointer).cloned().unwrap_or_default();
        if value(new) != value(old) {
            let at = format!("spec{}", pointer.replace('/', "."));
            causes.push(Cause::invalid_json(at, &value(new), "field is immutable"));
        }
    }
}

/// Checks that `status.storedVersions` names the storage version, and only versions of the spec: objects may still be
/// stored in any of them. Upstream: `ValidateCustomResourceDefinitionStoredVersions`.
fn stored_versions(new: &Value, causes: &mut DefinitionCauses) {
    const AT: &str = "status.storedVersions";
    let stored = items(&new["status"], "storedVersions");
    if stored.is_empty() {
        let why = "must have at least one stored version";
        return causes.push(Cause::invalid_json(AT, &new["status"]["storedVersions"], why));
    }
    let mut names: HashSet<&str> = stored.iter().filter_map(Value::as_str).collect();
    let versions = items(&new["spec"], "versions");
    for version in versions {
        let name = text(version, "name");
        // As upstream, the second of two versions with the same name counts as missing.
        if !names.remove(name) && version["storage"] == true {
            let why = format!("must have the storage version {name}");
            causes.push(Cause::invalid_json(AT, &new["status"]["storedVersions"], &why));
        }
    }
    let known: HashSet<&str> = versions.iter().map(|version| text(version, "name")).collect();
    let mut reported = HashSet::new();
    for (i, name) in stored.iter().filter_map(Value::as_str).enumerate() {
        if !known.contains(name) && reported.insert(name) {
            let why = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions \
                 until a storage migration ensures no data remains persisted in {name} and removes {name} from \
                 status.storedVersions"
            );
            causes.push(Cause::invalid(format_args!("{AT}[{i}]"), name, &why));
        }
    }
}
