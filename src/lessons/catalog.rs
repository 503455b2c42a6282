//! The catalog of the lessons: a [`Row`] for each lesson and each choice of its own options, such as
//! `reflector --known-objects`. A row has the lesson's command, description, defaults and function for this choice.
//!
//! The command line, the list of lessons, the tour, the web page in which lessons run (`player/`) and the tests are
//! made from these rows, so a new lesson only needs a row.

mod beyond;
mod defaults;
mod options;
mod parts;
mod questions;
mod row;
mod shared_informer;
mod simple_informer;

pub use options::{Choice, CommonOptions, Options, Serve, Values};
pub use row::{Modern, Origin, Row};

/// Returns all rows: those of the tutorials' programs, then the others.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [simple_informer::ROWS, shared_informer::ROWS, beyond::ROWS, parts::ROWS, questions::ROWS].into_iter().flatten()
}

/// Returns all rows in the order of the book: by chapter, and within a chapter in the catalog's order.
pub fn rows_by_chapter() -> Vec<&'static Row> {
    let mut all: Vec<_> = rows().collect();
    all.sort_by_key(|row| row.chapter); // stable
    all
}

/// Returns the main row of each lesson, whose command has no option: `shared`, not `shared --step stages`.
pub fn lessons() -> impl Iterator<Item = &'static Row> {
    rows().filter(|row| row.is_main())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_rows_have_the_same_command() {
        let mut commands: Vec<_> = rows().map(|row| row.command).collect();
        commands.sort_unstable();
        commands.dedup();
        assert_eq!(commands.len(), rows().count());
    }
}
