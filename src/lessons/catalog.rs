//! The catalog of all runs: a row for each run with its command, options, texts, defaults and function. The command
//! line, the list of lessons, the tour, the page and the tests are made from it.

mod beyond;
mod options;
mod parts;
mod row;
mod shared_informer;
mod simple_informer;

pub use options::{Choice, CommonOptions, Options, Serve, Values};
pub use row::{Modern, Origin, Row};

/// Returns all rows: the tutorials' runs, then the others.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [simple_informer::ROWS, shared_informer::ROWS, beyond::ROWS, parts::ROWS].into_iter().flatten()
}

/// Returns the rows of the lessons' usual runs, one for each lesson.
pub fn lessons() -> impl Iterator<Item = &'static Row> {
    rows().filter(|row| row.is_usual())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_appears_twice() {
        let mut commands: Vec<_> = rows().map(|row| row.command).collect();
        commands.sort_unstable();
        commands.dedup();
        assert_eq!(commands.len(), rows().count());
    }
}
