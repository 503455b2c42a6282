//! The interfaces of the plug-ins that decide about a request: authorization before it is carried out, admission before it is stored.
//! Upstream: `k8s.io/apiserver/pkg/authorization/authorizer` and `pkg/admission`.

pub(crate) mod admit;
pub(crate) mod authorization;
