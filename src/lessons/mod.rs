//! The lessons of the tutorial: one short file for each, and the catalog of all runs.
//!
//! A lesson uses [`kube_informers::cache`] and [`kube_testcluster`] through their public API, and prints through a
//! [`crate::lab::Lab`]. The list of lessons, the tour and the defaults are read from the [`catalog`]. Many lessons
//! repeat a program of the Go tutorials (2023) that this project follows, and print the same lines.

pub mod architecture;
pub mod controller;
pub mod controllerloop;
pub mod deltafifo;
pub mod factory;
pub mod indexer;
pub mod late;
pub mod list;
pub mod lister;
pub mod listwatch;
pub mod mutate;
pub mod myinformer;
pub mod queue;
pub mod reflector;
pub mod reflector_loop;
pub mod relist;
pub mod resync;
pub mod shared;
pub mod stale;
pub mod synced;
pub mod syncing;
pub mod workqueue;

pub mod catalog;
mod changes;
pub mod eras;
mod go;
pub mod listing;
mod pods;
mod requests;
pub mod tour;

pub use catalog::{Modern, Row, lessons, rows};
