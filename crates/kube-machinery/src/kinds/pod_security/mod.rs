//! The Pod Security Standards: the checks that decide if a pod may enter a namespace with a level such as `restricted`,
//! and the labels of a namespace that choose the level. Upstream: `k8s.io/pod-security-admission`.

mod baseline;
mod checks;
mod pod;
mod policy;
mod restricted;
#[cfg(test)]
mod tests;

pub use self::checks::{Violation, details, reasons, violations};
pub use self::pod::{pod_of, was_changed};
pub use self::policy::{Level, LevelVersion, Policy, Version};
