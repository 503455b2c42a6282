//! The PriorityLevelConfiguration kind, a share of the capacity of kube-apiserver. Upstream: `pkg/apis/flowcontrol`,
//! `pkg/registry/flowcontrol/prioritylevelconfiguration`.

use super::queuing::{self, LIMIT_RESPONSE};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{object, object_field};
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::columns;
use crate::kinds::fields::text;
use crate::kinds::metadata::{FinalizerRule, UpdatedMetadata, keep_metadata_in_status_update};
use crate::kinds::reset_fields;
use crate::kinds::resource::{Generation, ResourceRow, Scope, Subresource};
use crate::kinds::served::PRIORITY_LEVELS;
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "prioritylevelconfigurations",
    singular: "prioritylevelconfiguration",
    kind: "PriorityLevelConfiguration",
    storage_hash: "Kir5PVfvNeI=",
    scope: Scope::Cluster,
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    defaults: set_defaults,
    prepare: keep_metadata_in_status_update,
    validate,
    validate_status: super::validate_status,
    columns: columns::flow_control::LEVELS,
    reset_fields: reset_fields::status_alone,
    finalizer_rule: FinalizerRule::QualifiedButInStatus,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

const SHARES: &str = "nominalConcurrencyShares";
const LENDABLE: &str = "lendablePercent";
const BORROWED: &str = "borrowingLimitPercent";

/// Upstream: `SetObjectDefaults_PriorityLevelConfiguration`.
fn set_defaults(level: &mut Value) {
    let Some(spec) = object_field(level, "spec") else { return };
    if let Some(limited) = object_field(spec, "limited") {
        set_if_null(limited, SHARES, 30);
        set_if_null(limited, LENDABLE, 0);
        queuing::set_defaults(limited);
    }
    if let Some(exempt) = object_field(spec, "exempt") {
        set_if_null(exempt, SHARES, 0);
        set_if_null(exempt, LENDABLE, 0);
    }
}

fn set_if_null(parent: &mut Value, field: &str, default: i64) {
    if parent[field].is_null() {
        parent[field] = json!(default);
    }
}

/// The Go struct of the spec, as upstream's causes print it.
const SPEC: GoStruct = GoStruct(&[
    ("Type", "type", Field::Text),
    ("Limited", "limited", Field::Struct(&LIMITED)),
    ("Exempt", "exempt", Field::Struct(&EXEMPT)),
]);
const LIMITED: GoStruct = GoStruct(&[
    ("NominalConcurrencyShares", SHARES, Field::Number),
    ("LimitResponse", "limitResponse", Field::Struct(&LIMIT_RESPONSE)),
    ("LendablePercent", LENDABLE, Field::Plain),
    ("BorrowingLimitPercent", BORROWED, Field::Plain),
]);
const EXEMPT: GoStruct =
    GoStruct(&[("NominalConcurrencyShares", SHARES, Field::Plain), ("LendablePercent", LENDABLE, Field::Plain)]);

/// An annotation of an older version, which objects of this version must not have.
const PRESERVED_ZERO: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/// Upstream: `ValidatePriorityLevelConfiguration`. Declarative rules say which fields an object of each type has.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    let (spec, name, kind) = (&new["spec"], text(&new["metadata"], "name"), text(&new["spec"], "type"));
    let mut causes = Causes::new();
    if new["metadata"]["annotations"][PRESERVED_ZERO].is_string() {
        let why = format!("annotation '{PRESERVED_ZERO}' is forbidden");
        causes.push(Cause::forbidden("metadata.annotations", &why));
    }
    if (name == super::EXEMPT) != (kind == "Exempt") {
        causes.push(Cause::invalid("spec.type", kind, "must be 'Exempt' if and only if `name` is 'exempt'"));
    }
    match kind {
        "Exempt" => causes.extend(shares(&spec["exempt"], &"spec.exempt")),
        "Limited" => causes.extend(limited(&spec["limited"], &"spec.limited")),
        "" => {}
        other => causes.push(Cause::unsupported_text("spec.type", other, &["Exempt", "Limited"])),
    }
    causes.extend(mandatory(spec, name));
    causes
}

/// Validates the shares of a level and the part of them that other levels can borrow.
fn shares(level: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(not_negative(level, SHARES, "must be a non-negative integer", at));
    causes.extend(lendable(level, at));
    causes
}

fn limited(level: &Value, at: At<'_>) -> Causes {
    if level.is_null() {
        return Causes::new();
    }
    let mut causes = Causes::from_iter(not_negative(level, SHARES, "must be a non-negative integer", at));
    causes.extend(queuing::limit_response(&level["limitResponse"], &format_args!("{at}.limitResponse")));
    causes.extend(lendable(level, at));
    causes.extend(not_negative(level, BORROWED, "if specified, must be a non-negative integer", at));
    causes
}

fn lendable(level: &Value, at: At<'_>) -> Option<Cause> {
    let is_wrong = level[LENDABLE].as_i64().is_some_and(|percent| !(0..=100).contains(&percent));
    let why = "must be between 0 and 100, inclusive";
    is_wrong.then(|| Cause::invalid_json(format_args!("{at}.{LENDABLE}"), &level[LENDABLE], why))
}

fn not_negative(level: &Value, field: &str, why: &str, at: At<'_>) -> Option<Cause> {
    let is_negative = level[field].as_i64().is_some_and(|number| number < 0);
    is_negative.then(|| Cause::invalid_json(format_args!("{at}.{field}"), &level[field], why))
}

/// Checks that a mandatory level has its fixed spec, but for the shares of the exempt one. Upstream:
/// `ValidateIfMandatoryPriorityLevelConfigurationObject`.
fn mandatory(spec: &Value, name: &str) -> Option<Cause> {
    let fixed = super::mandatory_spec(PRIORITY_LEVELS, name)?;
    let mut compared = spec.clone();
    if name == super::EXEMPT {
        object(&mut compared).insert("exempt".into(), fixed["exempt"].clone());
    }
    let but = if name == super::EXEMPT { " except the 'spec.exempt' field" } else { "" };
    let why = format!("spec of '{name}'{but} must equal the fixed value");
    (compared != *fixed).then(|| Cause::invalid_as("spec", &SPEC.print(spec), &why))
}
