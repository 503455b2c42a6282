//! Stands where kube-client does in a WebAssembly build: a [`Client`] of a service in the same process, and the methods of [`Api`] that
//! the lessons, the informers and the test cluster use, by the same names. The requests are made by kube-core, so they are the same bytes.
//! A method that is missing here does not compile: add it as kube-client has it.

pub mod api;
pub mod client;
pub mod error;

pub use api::Api;
pub use client::Client;
pub use error::Error;
pub use kube_core as core;
pub use kube_core::{Resource, ResourceExt};

/// What a request comes to.
pub type Result<T, E = Error> = std::result::Result<T, E>;
