//! The disk below a data folder, as far as the log needs it. Tests put a simulated one in its place, which can be full,
//! fail at any operation, and lose what a crash or a power cut loses.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::private_file::create_private;
use crate::sync_directory::sync_directory;

/// A folder of files. Written bytes are safe from a power cut only after the `sync` of their file; a created, renamed
/// or removed name, only after the `sync` of the folder.
pub(crate) trait Disk: fmt::Debug + Send + Sync {
    /// Returns the folder's path, for messages.
    fn path(&self) -> &Path;

    /// Returns the names of all files.
    fn names(&self) -> io::Result<Vec<String>>;

    fn read(&self, name: &str) -> io::Result<Vec<u8>>;

    /// Creates a file, or empties the one that has the name.
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>>;

    /// Gives a file another name, atomically. A file that has the new name is replaced.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    fn remove(&self, name: &str) -> io::Result<()>;

    /// Flushes the names of the files.
    fn sync(&self) -> io::Result<()>;

    /// Returns true if the writer runs as a task of the test, so that the test's seed decides everything.
    #[cfg(test)]
    fn is_simulated(&self) -> bool {
        false
    }
}

/// A file that is being written.
pub(crate) trait DiskFile: fmt::Debug + Send {
    /// Writes at an offset. An error may leave a part of the bytes written.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file off at a length.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Flushes the content and the length.
    fn sync(&mut self) -> io::Result<()>;
}

/// A folder of the operating system.
#[derive(Debug)]
pub(super) struct SystemDisk(pub(super) PathBuf);

impl Disk for SystemDisk {
    fn path(&self) -> &Path {
        &self.0
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(&self.0)?.collect::<io::Result<Vec<_>>>()?;
        Ok(entries.into_iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.0.join(name))
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(create_private(&self.0.join(name))?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    fn sync(&self) -> io::Result<()> {
        sync_directory(&self.0)
    }
}

impl DiskFile for File {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.write_all(bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}
