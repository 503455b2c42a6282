//! The tutorial `informer-lab` as a library, so that its binary, its tests and its build for web pages share the code.
//!
//! [`lessons`] has one short file for each lesson, and [`lab`] runs them. A run is recorded: its *record* is the list
//! of its events. [`trace`] prints records, and [`step`], [`board`] and [`replay`] show them in other ways.
//! [`cluster`], [`book`], [`exercises`], [`doctor`] and [`envtest`] are the other subcommands. [`console`] holds what
//! every subcommand shares: the output, the record file and Ctrl-C.
//!
//! The informers are in the crate [`kube_informers`], and the API server in memory is in [`kube_testcluster`].

#![cfg_attr(
    target_family = "wasm",
    allow(dead_code, reason = "a web page has no terminal and no sockets, so much of the code is unused there")
)]
#![allow(
    missing_debug_implementations,
    reason = "only this program uses these types, so Debug is derived only where it is needed"
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

/// Runs the examples of the library's page as doctests.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Library;
