//! The command line: clap's types, the checks, and the request that they become.

mod args;
mod check;
mod explain;
mod lessons;
pub mod manual;
mod request;
mod values;

pub use request::{Invocation, Request, parse};
