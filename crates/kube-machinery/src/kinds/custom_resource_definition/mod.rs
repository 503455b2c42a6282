//! The kind CustomResourceDefinition, by which users add kinds of their own. The custom resources themselves are in
//! `kinds::custom_resource`. Upstream: `k8s.io/apiextensions-apiserver`, `pkg/registry/customresourcedefinition`.

use crate::kinds::metadata::FinalizerRule;
use crate::kinds::registry::StorageForm;
use crate::kinds::resource::{
    Deletion, Generation, ResourceRow, Scope, Strategy, Subresource, TableConvertor, UnconditionalUpdate,
};
use crate::kinds::strategy::DuplicateCauses;

mod approval;
#[cfg_attr(not(feature = "cel"), path = "no_cel_context.rs")]
mod cel_context;
mod columns;
mod conversion;
mod default_values;
mod defaults;
mod definition_causes;
mod deletion;
#[cfg(feature = "cel")]
mod expressions;
mod field_path;
mod go_print;
mod internal;
mod list_keys;
mod names;
mod prepare;
mod rules;
mod schema;
mod structural;
mod validation;
mod validation_options;
mod warnings;

pub use self::approval::conformance;
pub use self::conversion::has_invalid_bundle;
pub use self::deletion::mark_terminating;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "apiextensions.k8s.io",
    plural: "customresourcedefinitions",
    singular: "customresourcedefinition",
    kind: "CustomResourceDefinition",
    storage_hash: "jfWCUB31mvA=", // the hash of v1beta1, in which upstream still stores definitions
    scope: Scope::Cluster,
    table_convertor: TableConvertor::Default,
    short_names: &["crd", "crds"],
    categories: &["api-extensions"],
    subresources: &[Subresource::Status],
    deletion: Deletion::AfterInstances,
    generation: Generation::Counted,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    defaults: defaults::set,
    prepare: prepare::prepare,
    validate: validation::validate,
    validate_status: validation::validate_status,
    warnings: warnings::warnings,
    columns: crate::kinds::columns::definitions::COLUMNS,
    finalizer_rule: FinalizerRule::Usual,
    duplicate_causes: DuplicateCauses::Kept,
    storage_form: StorageForm::Json,
    ..ResourceRow::USUAL
};
