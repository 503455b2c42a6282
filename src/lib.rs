//! The tutorial: [`lessons`], one short file a lesson, each played in a [`lab`] and printed by [`trace`].
//!
//! The informers are the crate [`kube_informers`], the API server in memory is [`kube_testcluster`].

pub mod lab;
pub mod lessons;
pub mod trace;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
