//! Flushes a directory to the disk, so that its files outlive a power cut.

use std::io;
use std::path::Path;

/// Flushes the names in a directory, so that a file that was created or renamed in it is there after a power cut.
/// Windows does this by itself, and cannot open a directory as a file.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
