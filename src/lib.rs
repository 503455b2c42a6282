//! The tutorial: [`lessons`], one short file for each lesson; [`lab`], which plays them; [`trace`], which prints them.
//!
//! The informers are in the crate [`kube_informers`], the API server in memory is in [`kube_testcluster`].

pub mod lab;
pub mod lessons;
pub mod trace;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
