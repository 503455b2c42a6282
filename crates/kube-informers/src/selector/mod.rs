//! Selectors: which objects are meant, in Kubernetes' language and with its messages.
//! Upstream: `apimachinery/pkg/labels`, `pkg/fields`, and `LabelSelectorAsSelector`.

mod field_selector;
mod label_selector;
mod lexer;
mod parser;
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
