//! The lessons.
