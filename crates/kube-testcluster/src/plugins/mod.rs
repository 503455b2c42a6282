//! The two traits that decide about a request. `Authorize` is internal and decides before the request runs; `Admit` is
//! public (see `ClusterBuilder::admit`) and decides about a write before the object is stored.
//! Here are only the traits and their types. The code that calls them is in `auth/` and `admission/`.

pub(crate) mod admit;
pub(crate) mod authorization;
