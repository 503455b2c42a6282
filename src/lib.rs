//! The tutorial: [`lessons`], one short file for each lesson; [`lab`], which plays them; [`cluster`], the subcommand;
//! [`book`], its chapters; [`exercises`], the programs to mend; [`step`], [`board`] and [`replay`], which show a record; [`doctor`],
//! which looks at what is outside; [`console`], what a subcommand runs in; [`trace`], which prints.
//!
//! The informers are in the crate [`kube_informers`], the API server in memory is in [`kube_testcluster`].

#![cfg_attr(target_family = "wasm", allow(dead_code, reason = "a page has no terminal and no socket to use it with"))]
#![allow(
    missing_debug_implementations,
    reason = "the libraries' types have it for their users; this crate is a program and has none"
)]

pub mod board;
pub mod book;
pub mod cluster;
pub mod console;
#[cfg(not(target_family = "wasm"))]
pub mod doctor;
#[cfg(not(target_family = "wasm"))]
pub mod envtest;
pub mod exercises;
pub mod lab;
pub mod lessons;
pub mod replay;
pub mod step;
pub mod trace;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
