//! The write-ahead log: what a cluster with a folder keeps over its end, whatever ends it. Upstream: etcd's `server/storage/wal` and
//! `server/etcdserver/api/snap`.
//!
//! A folder holds one generation: a snapshot of all objects, and a log of the writes since. A write is appended under the store's
//! lock, so the log has the order of the revisions. A thread writes what has been appended and flushes it to the disk, many writes at
//! a time; until then nobody is told of them, neither by an answer nor by a watch. When the log has grown, the next generation begins
//! with a snapshot, which gets its name only when it is whole.

mod folder;
mod reader;
mod record;
mod writer;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use tokio::sync::watch;

use super::event::Event;
use super::storage::Storage;

pub use self::folder::DataError;
pub(crate) use self::folder::Folder;
pub(crate) use self::reader::{Left, Restored};
use self::writer::Writer;

/// A log of more bytes than this is replaced by a snapshot.
const LONG: u64 = 64 << 20;

/// What has reached the disk.
#[derive(Clone, Debug)]
struct Progress {
    revision: u64,
    /// Why no more will.
    failed: Option<Arc<str>>,
}

/// The log of a running cluster.
#[derive(Debug)]
pub(crate) struct Wal {
    /// The revision of the last write that was appended.
    appended: AtomicU64,
    on_disk: watch::Receiver<Progress>,
    writer: Mutex<Option<Running>>,
}

/// The thread that writes, and what it takes.
#[derive(Debug)]
struct Running {
    writes: mpsc::Sender<Arc<Event>>,
    thread: JoinHandle<()>,
}

impl Wal {
    /// Begins the next generation of a folder with what is stored now.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub(super) fn begin(folder: Folder, storage: &Storage) -> Result<Self, DataError> {
        let writer = Writer::begin(folder, storage, LONG)?;
        let revision = storage.revision();
        let (progress, on_disk) = watch::channel(Progress { revision, failed: None });
        let (writes, taken) = mpsc::channel();
        let thread = writer.spawn(taken, progress)?;
        Ok(Self { appended: AtomicU64::new(revision), on_disk, writer: Mutex::new(Some(Running { writes, thread })) })
    }

    /// Appends a write. It is called under the store's lock.
    pub(super) fn append(&self, event: &Arc<Event>) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = writer.as_ref() {
            let _ = running.writes.send(event.clone()); // a writer that has failed has said so
        }
        self.appended.store(event.revision, Ordering::Release);
    }

    /// Waits until everything that was appended so far is on the disk.
    ///
    /// # Errors
    /// Why it never will be.
    pub(crate) async fn flushed(&self) -> Result<(), Arc<str>> {
        let appended = self.appended.load(Ordering::Acquire);
        let mut on_disk = self.on_disk.clone();
        let reached = |progress: &Progress| progress.revision >= appended || progress.failed.is_some();
        let progress = on_disk.wait_for(reached).await.map_err(|_| Arc::from("the log was closed"))?;
        match &progress.failed {
            Some(why) if progress.revision < appended => Err(why.clone()),
            _ => Ok(()),
        }
    }

    /// Why nothing can be written any more, if that is so.
    pub(super) fn failure(&self) -> Option<Arc<str>> {
        self.on_disk.borrow().failed.clone()
    }

    /// Writes what is left, and lets others have the folder.
    pub(crate) fn close(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Running { writes, thread }) = writer {
            drop(writes);
            let _ = thread.join(); // its panic was reported already
        }
    }
}
