//! The columns of a `Scale`, which is a subresource of other kinds. Upstream: `pkg/printers/internalversion`, and for
//! custom resources `getScaleColumnsForVersion` of `k8s.io/apiextensions-apiserver`.

use super::{AGE, Column, NAME, number};

pub(super) const COLUMNS: &[Column] = &[
    NAME.formatted(""),
    desired("replicas is the desired number of instances for the scaled object."),
    available("replicas is the actual number of observed instances of the scaled object."),
    AGE,
];

pub(super) const OF_CUSTOM_RESOURCES: &[Column] =
    &[NAME, desired("Number of desired replicas"), available("Number of actual replicas"), AGE.date()];

const fn desired(description: &'static str) -> Column {
    Column::new("Desired", description, |scale, _| number(scale, "/spec/replicas")).integer()
}

const fn available(description: &'static str) -> Column {
    Column::new("Available", description, |scale, _| number(scale, "/status/replicas")).integer()
}
