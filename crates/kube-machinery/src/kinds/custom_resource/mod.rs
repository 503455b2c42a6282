//! Custom resources: the rows that a definition adds to the table of kinds. Upstream:
//! `k8s.io/apiextensions-apiserver/pkg/registry/customresource`, and `getOrCreateServingInfoFor` of its `customresource_handler.go`.

mod columns;
mod conditions;
mod conversion_webhook;
mod decode;
mod definition;
mod finalizers;
mod json_path;
mod scale;
mod validation;

pub use self::columns::CustomColumn;
pub use self::conditions::{is_condition_true, set_condition};
pub use self::conversion_webhook::ConversionWebhook;
pub use self::decode::integers;
pub use self::definition::Definition;
pub(in crate::kinds) use self::json_path::JsonPath;
pub use self::scale::ScalePaths;
use crate::codec::structural::Structural;

/// The finalizer that keeps a definition until its objects are gone.
pub const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// What a row has more if its kind is defined by an object.
#[derive(Debug)]
pub struct CustomResource {
    pub schema: Structural,
    /// The schema as the definition has it, in JSON: for those who read the API's description.
    pub document: Box<str>,
    pub(crate) list_kind: &'static str,
    /// All versions of the definition, whether they are served or not: `group/version`.
    pub versions: Vec<String>,
    /// Where the scale of an object is, if it has one.
    pub scale: Option<ScalePaths>,
    pub columns: Vec<CustomColumn>,
    /// Who converts the versions, if their strategy is to ask a webhook.
    pub(crate) conversion_webhook: Option<ConversionWebhook>,
    /// Whether objects may be stored in several versions.
    pub is_mixed: bool,
    /// What every request for this version is warned of: that it is deprecated.
    pub(crate) warning: Option<&'static str>,
    /// Whether the definition is being deleted. Nothing is created then.
    pub is_terminating: bool,
}
