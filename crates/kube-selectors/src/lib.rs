//! Label and field selectors of Kubernetes: the same language, canonical text and error messages as `kubectl -l` and
//! `--field-selector`. Upstream: `apimachinery/pkg/labels`, `pkg/fields`, and `LabelSelectorAsSelector`.
//!
//! # Features
//!
//! - `kube`, off by default: conversions from `kube_core::Selector` and from k8s-openapi's `LabelSelector`.

mod field_selector;
#[cfg(feature = "kube")]
mod kube;
mod label_selector;
mod lexer;
mod parser;
pub mod quote;
mod requirement;
mod validate;

pub use field_selector::{FieldOperator, FieldRequirement, FieldSelector, escape_field_value, unescape_field_value};
pub use label_selector::LabelSelector;
pub use requirement::{LabelOperator, LabelRequirement};

/// A text is not a selector, or what was asked of a label is not possible. It says so as Kubernetes does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSelector(pub(crate) String);

impl BadSelector {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}
