//! Faults on demand: failures between clients and the API server, started by a program, a scenario or a request, to
//! find out how a client copes with them.
//!
//! A [`Fault`] has an [`Effect`], the requests that it applies to, and a duration. Its text form is the same in
//! scenario files, on the command line and in requests to the admin path.
//!
//! Faults apply to clients, not to the kubelet, which belongs to the cluster. Only `lag`, which holds back the watch
//! cache, also delays the kubelet's events. Discovery, `/version` and the health checks always answer.

mod active;
mod effect;
mod fault;
mod text;
mod verb;

pub use self::effect::Effect;
pub use self::fault::Fault;
pub use self::text::BadFault;
pub use self::verb::Verb;

pub(crate) use self::active::Active;
pub(crate) use self::verb::TargetKind;
