//! Custom resources: the kinds that CustomResourceDefinitions add to the built-in ones. The kind
//! CustomResourceDefinition itself is in `kinds::custom_resource_definition`. Upstream:
//! `k8s.io/apiextensions-apiserver/pkg/registry/customresource`, and `getOrCreateServingInfoFor` of its
//! `customresource_handler.go`.

mod columns;
mod conditions;
mod conversion_webhook;
mod decode;
mod definition;
mod finalizers;
mod json_path;
mod scale;
mod strategy;
mod validation;

pub use self::columns::CustomColumn;
pub use self::conditions::{is_condition_true, set_condition};
pub use self::conversion_webhook::ConversionWebhook;
pub use self::decode::floats_to_integers;
pub use self::definition::Definition;
pub(in crate::kinds) use self::json_path::JsonPath;
pub use self::scale::ScalePaths;
use super::resource::{GroupResource, Resource, Scope, Subresource};
use crate::codec::structural::Structural;

/// The finalizer that keeps a definition until its custom resources are deleted.
pub const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// The properties of a custom resource in one version, as its definition has them. A [`Resource`] has them in its field
/// `custom`.
#[derive(Debug)]
pub struct CustomResource {
    pub(super) group_resource: GroupResource,
    pub(super) version: String,
    pub(super) singular: String,
    pub(super) kind: String,
    pub(super) list_kind: String,
    pub(super) storage_hash: String,
    pub(super) scope: Scope,
    pub(super) short_names: Vec<String>,
    pub(super) categories: Vec<String>,
    pub(super) subresources: &'static [Subresource],
    /// The paths of the fields that field selectors support.
    pub(super) fields: Vec<String>,
    pub schema: Structural,
    /// The schema as JSON, as the definition has it, for the published OpenAPI documents.
    pub document: Box<str>,
    /// All versions of the definition, served or not, as `group/version`.
    pub versions: Vec<String>,
    /// The paths of the replica counts, if the version has a `scale` subresource.
    pub scale: Option<ScalePaths>,
    pub columns: Vec<CustomColumn>,
    /// The webhook that converts between versions, if the conversion strategy is `Webhook`.
    pub(crate) conversion_webhook: Option<ConversionWebhook>,
    /// True if stored objects may be in several versions.
    pub has_several_stored_versions: bool,
    /// The deprecation warning for every request of this version.
    pub(crate) warning: Option<String>,
    /// True if the definition is being deleted. Nothing can be created then.
    pub is_terminating: bool,
    /// The storage version, if it is another one.
    pub(super) stored: Option<Resource>,
}
