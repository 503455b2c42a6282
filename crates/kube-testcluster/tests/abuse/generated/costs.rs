//! What one request costs the server: processor time, which says the same on a busy machine, and memory.

use std::time::Duration;

use crate::server::Server;

/// The most processor time that one request may take, whatever its size.
const TIME: Duration = Duration::from_secs(2);

/// The most processor time beside that, for each megabyte of the request.
const TIME_FOR_A_MEGABYTE: u32 = 20;

/// The most memory in megabytes that one request may take while it is answered, whatever its size.
const MEMORY: usize = 64;

/// The most memory beside that, in multiples of the size of the request.
const TIMES_ITS_SIZE: usize = 100;

/// The most memory of the process after any of the requests, in megabytes.
const MEMORY_IN_ALL: usize = 768;

/// The time and the memory before a request, or what it has taken of them.
pub struct Costs {
    time: Duration,
    memory: usize,
    in_all: usize,
}

impl Costs {
    /// Begins to measure one request.
    pub fn begin(server: &Server) -> Self {
        server.forget_peak();
        let memory = server.memory();
        Self { time: server.processor_time(), memory, in_all: memory }
    }

    /// Returns what the server has taken since the beginning.
    pub fn end(self, server: &Server) -> Self {
        Self {
            time: server.processor_time().saturating_sub(self.time),
            memory: server.peak().saturating_sub(self.memory),
            in_all: self.in_all,
        }
    }

    /// What a request of so many bytes should not have taken.
    pub fn excess(&self, bytes: usize) -> Option<String> {
        let Self { time, memory, in_all } = *self;
        if std::env::var_os("ABUSE_COSTS").is_some() && (time.as_millis() > 300 || memory > 20) {
            println!("{time:?} and {memory} MB of {in_all} MB for {bytes} bytes");
        }
        let most_time = TIME + Duration::from_micros(bytes as u64) * TIME_FOR_A_MEGABYTE;
        let most_memory = MEMORY + bytes * TIMES_ITS_SIZE / 1_000_000;
        match () {
            () if time > most_time => Some(format!("{time:?} of processor time, and {most_time:?} is the most")),
            () if memory > most_memory => Some(format!("{memory} MB, and {most_memory} MB is the most")),
            () if in_all > MEMORY_IN_ALL => Some(format!("{in_all} MB are in use")),
            () => None,
        }
    }
}
