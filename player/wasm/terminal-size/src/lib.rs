//! A substitute for the crate terminal_size, which lacks `terminal_size_of` on this platform. A page has no terminal.

#[derive(Clone, Copy, Debug)]
pub struct Width(pub u16);

#[derive(Clone, Copy, Debug)]
pub struct Height(pub u16);

/// Returns `None`, because no stream of a page is a terminal.
pub fn terminal_size_of<S>(_stream: S) -> Option<(Width, Height)> {
    None
}
