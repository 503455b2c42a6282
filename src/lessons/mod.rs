//! The lessons of the tutorial: one short file for each, and the catalog that lists them.
//!
//! A *lesson* is a small program about one concept, such as `informer-lab reflector`. Many lessons repeat a program
//! of the Go tutorials (2023) that this project follows, "the documents", and print the same lines. A *run* is one
//! execution of a lesson. The [`catalog`] has a *row* for each lesson and each choice of its options: `reflector` and
//! `reflector --known-objects` are two rows of one lesson.
//!
//! A lesson uses [`kube_informers::cache`] and [`kube_testcluster`] through their public API, and gets its client, its
//! output and its stop signal from a [`crate::lab::Lab`]. A file `modern` has the same lesson for today's client-go
//! (see [`crate::lab::Era`]), where the code must differ.

pub mod architecture;
pub mod controller;
pub mod controllerloop;
pub mod definition;
pub mod deltafifo;
pub mod factory;
pub mod forbidden;
pub mod indexer;
pub mod late;
pub mod list;
pub mod lister;
pub mod listwatch;
pub mod memory;
pub mod mutate;
pub mod myinformer;
pub mod queue;
pub mod reflector;
pub mod reflector_loop;
pub mod relist;
pub mod resync;
pub mod selector;
pub mod shared;
pub mod stale;
pub mod stopped;
pub mod synced;
pub mod syncing;
pub mod wake;
pub mod workqueue;

pub mod catalog;
mod changes;
pub mod eras;
mod go;
pub mod listing;
mod pods;
mod requests;
mod stopwatch;
pub mod tour;

pub use catalog::{Modern, Row, lessons, rows};
