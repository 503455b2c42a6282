//! The tutorials' own type of pod, for the DeltaFIFO lessons. A DeltaFIFO takes objects of any type, given a key
//! function.

use std::fmt;

// ANCHOR: pod
/// A pod with a name and a number.
#[derive(Clone, Debug)]
pub(super) struct Pod {
    pub(super) name: &'static str,
    pub(super) value: f64,
}

impl Pod {
    pub(super) fn new(name: &'static str, value: f64) -> Self {
        Self { name, value }
    }
}

/// The tutorials' `podKeyFunc`: two pods with the same name are two states of one object.
pub(super) fn pod_key(pod: &Pod) -> String {
    pod.name.to_owned()
}
// ANCHOR_END: pod

/// Formats the pod as Go prints a struct: `{pod1 1}`.
impl fmt::Display for Pod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{} {}}}", self.name, self.value)
    }
}
