//! Measures the processor time and the memory that the server takes for one request, and compares them with limits. It
//! is processor time, because the elapsed time also depends on how busy the machine is.

use std::time::Duration;

use crate::server::Server;

/// The most processor time that one request may take, whatever its size.
const TIME: Duration = Duration::from_secs(2);

/// The additional processor time for each megabyte of the request, in seconds.
const TIME_FOR_A_MEGABYTE: u32 = 20;

/// The most memory in megabytes that one request may take while it is answered, whatever its size.
const MEMORY: usize = 64;

/// The additional memory, in multiples of the size of the request.
const TIMES_ITS_SIZE: usize = 100;

/// The most memory of the process between two requests, in megabytes.
const MEMORY_IN_ALL: usize = 768;

/// The processor time and the memory of the server: before a request its totals, and after [`end`](Self::end) the part
/// that the request has taken.
pub struct Costs {
    time: Duration,
    /// In megabytes.
    memory: usize,
    /// The memory of the process before the request, in megabytes.
    in_all: usize,
}

impl Costs {
    /// Begins to measure one request.
    pub fn begin(server: &Server) -> Self {
        server.forget_peak();
        let memory = server.memory();
        Self { time: server.processor_time(), memory, in_all: memory }
    }

    /// Returns the time and the memory that the server has taken since the beginning.
    pub fn end(self, server: &Server) -> Self {
        Self {
            time: server.processor_time().saturating_sub(self.time),
            memory: server.peak().saturating_sub(self.memory),
            in_all: self.in_all,
        }
    }

    /// Returns which limit a request of this many bytes has exceeded; `None` if it has kept all of them. With the variable
    /// `ABUSE_COSTS`, prints each expensive request.
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
