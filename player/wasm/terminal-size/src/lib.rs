//! Stands where the crate of this name does: a page has no terminal, and that crate has `terminal_size_of` only where there are some.

/// A number of columns.
#[derive(Clone, Copy, Debug)]
pub struct Width(pub u16);

/// A number of lines.
#[derive(Clone, Copy, Debug)]
pub struct Height(pub u16);

/// No stream of a page is a terminal.
pub fn terminal_size_of<S>(_stream: S) -> Option<(Width, Height)> {
    None
}
