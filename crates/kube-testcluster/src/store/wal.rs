//! The write-ahead log: keeps the data of a cluster with a folder after the cluster ends, even by a crash. Upstream:
//! etcd's `server/storage/wal` and `server/etcdserver/api/snap`.
//!
//! A folder holds one generation: a snapshot of all objects, and a log of the writes after it. A write is appended
//! under the store's lock, so the log has the order of the revisions. A thread writes the appended records to the disk
//! and flushes them, many at a time; no response and no watch event leaves the server before its write is on the disk.
//! When the log has grown too long, the next generation begins with a new snapshot, which gets its final name only when
//! it is complete.

mod data_error;
mod disk;
mod first_version;
mod folder;
mod frame;
mod log;
mod reader;
mod record;
mod reserve;
#[cfg(test)]
mod simulated_disk;
#[cfg(test)]
mod tests;
mod writer;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use super::event::Event;
use super::storage::Storage;

pub use self::data_error::DataError;
pub(crate) use self::folder::Folder;
pub(crate) use self::reader::{Restored, RestoredObject};
use self::writer::Writer;

/// The length in bytes beyond which a log is replaced by a snapshot.
const LONG: u64 = 64 << 20;

/// The progress of the writer thread.
#[derive(Clone, Debug)]
struct DiskProgress {
    /// The revision of the last write that is on the disk.
    revision: u64,
    /// The reason why the last attempt to write has failed. While it is set, the store refuses writes.
    refused: Option<Arc<str>>,
    /// The number of attempts so far.
    attempts: u64,
}

/// A message to the writer thread.
#[derive(Debug)]
enum Message {
    Write(Arc<Event>),
    /// Asks for one more attempt to write the waiting events.
    TryAgain,
}

/// The write-ahead log of a running cluster.
#[derive(Debug)]
pub(crate) struct Wal {
    /// The revision of the last write that was appended.
    appended: AtomicU64,
    /// The progress of the writer thread.
    on_disk: watch::Receiver<DiskProgress>,
    /// `None` after [`close`](Self::close).
    writer: Mutex<Option<Running>>,
}

/// The writer thread, and the channel that feeds it.
#[derive(Debug)]
struct Running {
    messages: UnboundedSender<Message>,
    thread: Option<JoinHandle<()>>,
}

impl Wal {
    /// Begins the next generation of a folder with a snapshot of `storage`.
    pub(super) fn begin(folder: Folder, storage: &Storage) -> Result<Self, DataError> {
        let writer = Writer::begin(folder, storage, LONG)?;
        let revision = storage.revision();
        let (progress, on_disk) = watch::channel(DiskProgress { revision, refused: None, attempts: 0 });
        let (messages, receiver) = unbounded_channel();
        let thread = writer.spawn(receiver, progress)?;
        Ok(Self { appended: AtomicU64::new(revision), on_disk, writer: Mutex::new(Some(Running { messages, thread })) })
    }

    /// Appends a write. Call it under the store's lock, so that the log has the order of the revisions.
    pub(super) fn append(&self, event: &Arc<Event>) {
        self.send(Message::Write(event.clone()));
        self.appended.store(event.revision, Ordering::Release);
    }

    fn send(&self, message: Message) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = writer.as_ref() {
            let _ = running.messages.send(message); // fails only after a panic of the writer, which was reported
        }
    }

    /// Waits until everything appended so far is on the disk. After a failure, this asks for another attempt.
    ///
    /// # Errors
    /// The reason why the writes are not on the disk. They may still be written later.
    pub(crate) async fn flushed(&self) -> Result<(), Arc<str>> {
        let appended = self.appended.load(Ordering::Acquire);
        let seen = self.on_disk.borrow().clone();
        if seen.revision >= appended {
            return Ok(());
        }
        if seen.refused.is_some() {
            self.send(Message::TryAgain);
        }
        let progress = self.attempt_after(&seen, |progress| progress.revision >= appended).await?;
        if progress.revision >= appended { Ok(()) } else { Err(progress.refused.unwrap_or_else(closed)) }
    }

    /// Waits for another attempt if the last attempt to write has failed; otherwise returns at once.
    ///
    /// # Errors
    /// The reason why nothing can be written. A write must not be stored then.
    pub(super) async fn writable(&self) -> Result<(), Arc<str>> {
        let seen = self.on_disk.borrow().clone();
        if seen.refused.is_none() {
            return Ok(());
        }
        self.send(Message::TryAgain);
        let progress = self.attempt_after(&seen, |progress| progress.refused.is_none()).await?;
        progress.refused.map_or(Ok(()), Err)
    }

    /// Waits until the progress is `enough`, or a later attempt has failed.
    async fn attempt_after(
        &self,
        seen: &DiskProgress,
        enough: impl Fn(&DiskProgress) -> bool,
    ) -> Result<DiskProgress, Arc<str>> {
        let failed = |progress: &DiskProgress| progress.refused.is_some() && progress.attempts > seen.attempts;
        let mut on_disk = self.on_disk.clone();
        let reached = on_disk.wait_for(|progress| enough(progress) || failed(progress)).await;
        reached.map(|progress| progress.clone()).map_err(|_| closed())
    }

    /// Waits until writes are no longer refused, without another attempt.
    pub(super) async fn until_writable(&self) {
        // Fails only if the writer has ended.
        let _ = self.on_disk.clone().wait_for(|progress| progress.refused.is_none()).await;
    }

    /// Returns true while writes are refused.
    pub(super) fn refuses(&self) -> bool {
        self.on_disk.borrow().refused.is_some()
    }

    /// Writes the rest of the log to the disk and unlocks the folder.
    pub(crate) fn close(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Running { messages, thread }) = writer {
            drop(messages);
            if let Some(thread) = thread {
                let _ = thread.join(); // a panic of the thread was reported when it happened
            }
        }
    }
}

fn closed() -> Arc<str> {
    Arc::from("the log was closed")
}

#[cfg(test)]
impl Wal {
    /// Waits until the writer has ended.
    pub(super) async fn ended(&self) {
        let mut on_disk = self.on_disk.clone();
        while on_disk.changed().await.is_ok() {}
    }
}
