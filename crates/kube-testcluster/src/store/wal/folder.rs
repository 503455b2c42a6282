//! The data folder of a cluster: its lock, which lets in one process at a time, and the names of its files.
//!
//! Generation N is a snapshot `N.snap` of all objects, and the log `N.wal` of the writes after it (in the names, N has
//! 16 digits). A new generation begins when a cluster starts, and when the log has grown too long. While its snapshot
//! is written, the file ends with `.snap.part`; when the snapshot is complete, it gets its final name, and the files of
//! the previous generation are removed. So after a crash at any moment, the newest `.snap` is complete and has its log.
//! The file `lock` is empty and stays. The file `reserve` only takes up room (see `reserve.rs`).

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::data_error::DataError;
use super::disk::{Disk, SystemDisk};
use super::log;
use crate::private_file::keep_private;
use crate::sync_directory::sync_directory;

/// A folder that only this process uses. Dropping this value unlocks the folder.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(super) disk: Arc<dyn Disk>,
    /// `None` for a simulated disk, which no other process sees.
    _lock: Option<File>,
    /// The number of the newest generation with a complete snapshot; 0 before the first one.
    pub(super) generation: u64,
    /// True if a power cut could still undo the name of the newest snapshot.
    is_unsettled: bool,
}

impl Folder {
    /// Creates the folder if it is missing, and locks it. The error is `NotACluster`, `InUse` or `Unusable`.
    pub(crate) fn open(path: &Path) -> Result<Self, DataError> {
        let unusable = |why| DataError::Unusable { path: path.to_owned(), why };
        create_private_directory(path).map_err(unusable)?;
        let disk = SystemDisk(path.to_owned());
        // Do not write into a folder that the user has named by mistake.
        let found = disk.names().map_err(unusable)?;
        if !found.iter().any(|name| is_of_cluster(name)) && !found.iter().all(|name| is_of_system(name)) {
            return Err(DataError::NotACluster(path.to_owned()));
        }
        let lock = lock(&path.join(LOCK)).map_err(|error| match error {
            TryLockError::WouldBlock => DataError::InUse(path.to_owned()),
            TryLockError::Error(why) => unusable(why),
        })?;
        Self::on(Arc::new(disk), Some(lock))
    }

    /// Opens a folder on a disk.
    pub(super) fn on(disk: Arc<dyn Disk>, lock: Option<File>) -> Result<Self, DataError> {
        let mut folder = Self { disk, _lock: lock, generation: 0, is_unsettled: false };
        let snapshots = folder.names()?.into_iter().filter_map(|name| number(&name, SNAPSHOT));
        folder.generation = snapshots.max().unwrap_or_default();
        Ok(folder)
    }

    /// Returns the path of a file, for messages.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.disk.path().join(name)
    }

    /// Returns the generation of a log that has writes, but whose snapshot is missing. Then the folder is damaged,
    /// because a log gets no writes before its snapshot is complete. A log of the next generation without writes is
    /// fine: a crash before the snapshot is complete leaves such a log.
    pub(super) fn stray_log(&self) -> Result<Option<u64>, DataError> {
        let later = self.names()?.into_iter().filter_map(|name| number(&name, LOG));
        for generation in later.filter(|generation| *generation > self.generation) {
            if self.read_file(&log_name(generation))?.len() as u64 > log::START {
                return Ok(Some(generation));
            }
        }
        Ok(None)
    }

    pub(super) fn read_file(&self, name: &str) -> Result<Vec<u8>, DataError> {
        self.disk.read(name).map_err(|why| DataError::Unusable { path: self.path_of(name), why })
    }

    /// Puts the next generation into use, after its log and its snapshot were written and flushed. An error means that
    /// the previous generation stays in use.
    pub(super) fn begin_next(&mut self) -> io::Result<()> {
        let next = self.generation + 1;
        self.disk.sync()?; // the log has its name before the snapshot has
        self.disk.rename(&unfinished_name(next), &snapshot_name(next))?;
        (self.generation, self.is_unsettled) = (next, true);
        Ok(())
    }

    /// Makes sure that the newest generation is still the newest one after a power cut, and removes the files of
    /// earlier generations. No write in the log of the newest generation may be answered before this has succeeded.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        if self.is_unsettled {
            self.disk.sync()?;
            self.is_unsettled = false;
            if let Err(error) = self.remove_old() {
                // These files do no harm, and the next generation removes them.
                tracing::warn!(%error, "files of an earlier generation stay in the folder");
            }
        }
        Ok(())
    }

    /// Removes the files of all generations but the newest, and unfinished snapshots.
    fn remove_old(&self) -> io::Result<()> {
        let is_old = |name: &String| {
            let generation = number(name, SNAPSHOT).or_else(|| number(name, LOG));
            generation.is_some_and(|generation| generation != self.generation) || number(name, UNFINISHED).is_some()
        };
        let names = self.disk.names()?;
        names.iter().filter(|name| is_old(name)).try_for_each(|name| self.disk.remove(name))
    }

    /// Removes the files of the next generation, whose snapshot could not be finished.
    pub(super) fn abandon_next(&self) {
        let next = self.generation + 1;
        for name in [unfinished_name(next), log_name(next)] {
            let _ = self.disk.remove(&name); // the file may be missing, and the next attempt replaces one that stays
        }
    }

    pub(super) fn names(&self) -> Result<Vec<String>, DataError> {
        self.disk.names().map_err(|why| DataError::Unusable { path: self.disk.path().to_owned(), why })
    }
}

const LOCK: &str = "lock";
const SNAPSHOT: &str = ".snap";
const LOG: &str = ".wal";
/// The suffix of a snapshot that is being written.
const UNFINISHED: &str = ".snap.part";

/// Returns the name of a generation's snapshot.
pub(super) fn snapshot_name(generation: u64) -> String {
    format!("{generation:016}{SNAPSHOT}")
}

/// Returns the name of a generation's log.
pub(super) fn log_name(generation: u64) -> String {
    format!("{generation:016}{LOG}")
}

/// Returns the name of a generation's snapshot while it is written.
pub(super) fn unfinished_name(generation: u64) -> String {
    format!("{generation:016}{UNFINISHED}")
}

/// Returns true if a cluster has written a file of this name.
fn is_of_cluster(name: &str) -> bool {
    [SNAPSHOT, LOG, UNFINISHED].iter().any(|kind| number(name, kind).is_some()) || name == LOCK
}

/// Returns true if operating systems put files of this name into an empty volume or folder.
fn is_of_system(name: &str) -> bool {
    matches!(name, "lost+found" | ".DS_Store" | ".snapshot") || name.starts_with(".Trash-")
}

/// Returns the generation in the name of a file, if the name is 16 digits and this suffix.
fn number(name: &str, kind: &str) -> Option<u64> {
    let digits = name.strip_suffix(kind)?;
    (digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// Creates a directory that only its owner can enter, and the parents that are missing. A directory that is there keeps
/// its mode. Each new one stays after a power cut.
fn create_private_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent.filter(|parent| !parent.exists()) {
        create_parents(parent)?;
    }
    DirBuilder::new().create(path)?;
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))?; // whatever the umask
    sync_directory(parent.unwrap_or(Path::new(".")))
}

fn create_parents(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent.filter(|parent| !parent.exists()) {
        create_parents(parent)?;
    }
    fs::create_dir(path)?;
    sync_directory(parent.unwrap_or(Path::new(".")))
}

/// Locks the folder's lock file. Other users cannot open it, so none of them can hold the lock.
fn lock(path: &Path) -> Result<File, TryLockError> {
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(TryLockError::Error)?;
    keep_private(&file).map_err(TryLockError::Error)?; // earlier versions left it open to others
    file.try_lock()?;
    Ok(file)
}
