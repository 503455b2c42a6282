//! A substitute for kube-client in the WebAssembly build: a [`Client`] of a service in the same process, and those
//! methods of [`Api`] that the lessons, the informers and the test cluster use, with the same names. kube-core makes
//! the requests, so that they are byte for byte the same. If a method is missing, the build fails: add it as
//! kube-client has it.

pub mod api;
pub mod client;
pub mod error;

pub use api::Api;
pub use client::Client;
pub use error::Error;
pub use kube_core as core;
pub use kube_core::{Resource, ResourceExt};

pub type Result<T, E = Error> = std::result::Result<T, E>;
