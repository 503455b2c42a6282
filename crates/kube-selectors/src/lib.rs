//! Label and field selectors: parses them, matches objects, and reports errors with Kubernetes' own messages. Upstream:
//! `apimachinery/pkg/labels`, `pkg/fields`, and `LabelSelectorAsSelector`.
//!
//! With this crate, an informer selects objects in its cache, and a test cluster selects the objects of a list or a
//! watch. Both must accept and select the same as a real API server, so the code follows upstream's.
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

/// The error of a text that is not a selector, or of an invalid requirement. The message is the one of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSelector(pub(crate) String);

impl BadSelector {
    /// Makes an error with this message.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
