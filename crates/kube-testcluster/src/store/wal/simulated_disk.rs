//! A disk for tests, in memory: it can be full, it can end in the middle of any operation, and it can be read again as
//! a crash of the process or a power cut leaves it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::disk::{Disk, DiskFile};

/// The length of a sector, in bytes. A disk writes a sector whole or not at all.
const SECTOR: usize = 512;

/// The reason why a disk has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crash {
    /// The process: the operating system still writes everything that it was given.
    Process,
    /// The power: what was not flushed is on the disk or not, sector by sector and name by name.
    Power,
}

#[derive(Clone, Debug)]
pub(super) struct SimulatedDisk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// All files that have ever had a name.
    files: Vec<Content>,
    /// The files by name, as the process sees them. A file is its index in `files`.
    names: BTreeMap<String, usize>,
    /// The names that were flushed, which are safe from a power cut.
    flushed: BTreeMap<String, usize>,
    /// The number of bytes that all files together may have; `None` for any number.
    room: Option<u64>,
    /// The number of operations before the disk ends; `None` if it does not.
    left: Option<u64>,
    random: fastrand::Rng,
}

#[derive(Clone, Debug, Default)]
struct Content {
    written: Vec<u8>,
    flushed: Vec<u8>,
}

#[derive(Debug)]
struct SimulatedFile {
    disk: SimulatedDisk,
    file: usize,
}

impl SimulatedDisk {
    pub(super) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State { random: fastrand::Rng::with_seed(seed), ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets all files together grow by this many bytes; `None` for any number.
    pub(super) fn leave_room(&self, bytes: Option<u64>) {
        let mut state = self.state();
        let used = state.used();
        state.room = bytes.map(|bytes| used + bytes);
    }

    /// Ends the disk after this many operations.
    pub(super) fn end_after(&self, operations: u64) {
        self.state().left = Some(operations);
    }

    /// Returns the disk as it is found after a crash.
    pub(super) fn after(&self, crash: Crash) -> Self {
        let mut state = self.state();
        let mut random = state.random.fork();
        let names: BTreeSet<String> = state.names.keys().chain(state.flushed.keys()).cloned().collect();
        let next = Self::new(random.u64(..));
        for name in names {
            let (now, flushed) = (state.names.get(&name), state.flushed.get(&name));
            let found = if crash == Crash::Process || random.bool() { now } else { flushed };
            if let Some(content) = found.and_then(|file| state.files.get(*file)) {
                let found = match crash {
                    Crash::Process => content.written.clone(),
                    Crash::Power => content.after_power_cut(&mut random),
                };
                next.put(&name, found);
            }
        }
        drop(state);
        next
    }

    /// Returns the content of a file.
    pub(super) fn content(&self, name: &str) -> Vec<u8> {
        Disk::read(self, name).unwrap()
    }

    /// Puts a file on the disk, as if it had always been there.
    pub(super) fn put(&self, name: &str, content: Vec<u8>) {
        let mut state = self.state();
        let file = state.files.len();
        state.files.push(Content { written: content.clone(), flushed: content });
        state.names.insert(name.to_owned(), file);
        state.flushed.insert(name.to_owned(), file);
    }
}

impl State {
    fn used(&self) -> u64 {
        self.names.values().filter_map(|file| self.files.get(*file)).map(|content| content.written.len() as u64).sum()
    }

    /// Counts an operation. Returns an error after the end of the disk.
    fn begin(&mut self) -> io::Result<()> {
        match &mut self.left {
            None => Ok(()),
            Some(0) => Err(io::Error::other("the disk has ended")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
    }
}

impl Content {
    fn write(&mut self, at: usize, bytes: &[u8]) {
        let end = at + bytes.len();
        if self.written.len() < end {
            self.written.resize(end, 0);
        }
        self.written[at..end].copy_from_slice(bytes);
    }

    fn after_power_cut(&self, random: &mut fastrand::Rng) -> Vec<u8> {
        let (written, flushed) = (self.written.len(), self.flushed.len());
        let length = random.usize(written.min(flushed)..=written.max(flushed));
        let mut found = vec![0; length];
        for start in (0..length).step_by(SECTOR) {
            let end = (start + SECTOR).min(length);
            let from = if random.bool() { &self.written } else { &self.flushed };
            let there = end.min(from.len());
            if start < there {
                found[start..there].copy_from_slice(&from[start..there]);
            }
        }
        found
    }
}

impl Disk for SimulatedDisk {
    fn path(&self) -> &Path {
        Path::new("simulated")
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.state().names.keys().cloned().collect())
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let state = self.state();
        let content = state.names.get(name).and_then(|file| state.files.get(*file));
        content.map(|content| content.written.clone()).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.state();
        state.begin()?;
        let new = state.files.len();
        let file = *state.names.entry(name.to_owned()).or_insert(new);
        match state.files.get_mut(file) {
            Some(content) => content.written.clear(),
            None => state.files.push(Content::default()),
        }
        Ok(Box::new(SimulatedFile { disk: self.clone(), file }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state();
        state.begin()?;
        let file = state.names.remove(from).ok_or(ErrorKind::NotFound)?;
        state.names.insert(to.to_owned(), file);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        state.begin()?;
        state.names.remove(name).map(|_| ()).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.state();
        state.begin()?;
        state.flushed = state.names.clone();
        Ok(())
    }

    fn is_simulated(&self) -> bool {
        true
    }
}

impl DiskFile for SimulatedFile {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.disk.state();
        state.begin()?;
        let at = usize::try_from(at).unwrap();
        let growth = (at + bytes.len()).saturating_sub(state.files[self.file].written.len()) as u64;
        let missing = state.room.map_or(0, |room| (state.used() + growth).saturating_sub(room));
        let ends = state.left == Some(0);
        let taken = match usize::try_from(missing.min(growth)).unwrap() {
            0 if ends => state.random.usize(0..=bytes.len()), // the last operation is cut off somewhere
            missing => bytes.len() - missing,
        };
        state.files[self.file].write(at, &bytes[..taken]);
        if ends {
            Err(io::Error::other("the disk has ended"))
        } else if taken < bytes.len() {
            Err(ErrorKind::StorageFull.into())
        } else {
            Ok(())
        }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        state.begin()?;
        state.files[self.file].written.truncate(usize::try_from(length).unwrap());
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.begin()?;
        let content = &mut state.files[self.file];
        content.flushed = content.written.clone();
        Ok(())
    }
}
