//! Resource quotas: which objects a ResourceQuota tracks, what an object uses of it, whether a request exceeds it, and
//! the usage of all objects. The admission plugin and the controller of quotas share this. Upstream: `pkg/quota/v1`, and
//! `CheckRequest` in `k8s.io/apiserver`'s plugin `resourcequota`.

mod calculate_usage;
mod check_request;
mod claims;
mod evaluator;
mod pods;
mod resources;
mod scope;
mod services;
mod tracked;

pub use self::calculate_usage::Calculation;
pub use self::check_request::{Charge, Request, check_request};
pub use self::evaluator::{Evaluator, Footprint};
pub use self::tracked::tracked_resources;
