//! Who owns which fields of an object, and how an applied configuration is merged into one. It knows no server: neither HTTP
//! nor a store.
//!
//! The parts have upstream's names. [`fieldpath`] has sets of fields, [`schema`] says what lists and maps are, [`typed`]
//! compares and merges values of a schema's types, and [`merge`] has the rules of ownership. Upstream:
//! `sigs.k8s.io/structured-merge-diff/v6`, whose own tests are replayed here ([the
//! recordings](../../../../fixtures/managed-fields/README.md)).

pub(crate) mod fieldpath;
pub(crate) mod merge;
pub(crate) mod schema;
pub(crate) mod typed;
pub(crate) mod value;

#[cfg(test)]
mod replay;
