//! Field ownership and server-side apply: which manager owns which fields of an object, and how an applied
//! configuration is merged into an object. It depends neither on HTTP nor on the store.
//!
//! The modules have upstream's names. `fieldpath` has sets of fields, `schema` describes lists and maps,
//! `typed` compares and merges values of a schema's types, and `merge` has the rules of ownership. With them,
//! `field_manager` maintains an object's `managedFields`.
//!
//! Upstream: `sigs.k8s.io/structured-merge-diff/v6`, whose own tests are replayed here ([the
//! recordings](../../../../fixtures/managed-fields/README.md)).

mod builtin;
mod cap;
mod custom;
mod entries;
mod field_manager;
mod fieldpath;
mod last_applied;
mod merge;
mod scale_handler;
mod schema;
mod typed;
mod value;

pub use self::builtin::type_named;
pub use self::cap::MOST_UPDATE_MANAGERS;
pub use self::custom::type_of_custom;
pub use self::entries::same_but_times;
pub use self::field_manager::{FieldManager, NotApplied, Tracked, fields as field_path};
pub use self::fieldpath::{Filter, PathElement, Set, SetMatcher};
pub use self::merge::{Converter, Force, NotConverted};
pub use self::scale_handler::{ReplicasPaths, SCALE_VERSION, ScaleHandler};
pub use self::typed::{Duplicates, Type, TypedValue};

#[cfg(test)]
mod replay;
