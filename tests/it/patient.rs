//! A reader that fails when a program writes nothing for a minute, so that a test of a sentence that has changed ends.

use std::io::{Error, ErrorKind, Read, Result};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Longer than any program waits, also on a busy machine.
const PATIENCE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

pub struct Patient<R>(pub R);

impl<R: Read + AsFd> Read for Patient<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&PATIENCE))? {
            0 => Err(Error::new(ErrorKind::TimedOut, "the program wrote nothing for a minute")),
            _ => self.0.read(buffer),
        }
    }
}
