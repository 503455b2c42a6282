//! What a frame shows, as data: the page of `informer-lab board` is held against it.

use serde::Serialize;

use super::draw::{
    handler_lines, heading, queue_lines, server_lines, shown_kind, store_lines, work_lines, worker_lines,
};
use super::session::Session;

/// One frame, without its layout.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// Where it is, what happened, and why.
    pub heading: String,
    /// The lines of each box.
    pub server: Vec<String>,
    /// The lines of the queue.
    pub queue: Vec<String>,
    /// The lines of the store and its indices.
    pub store: Vec<String>,
    /// The lines of the handlers.
    pub handlers: Vec<String>,
    /// The lines of the work queue.
    pub work: Vec<String>,
    /// The lines of its workers.
    pub workers: Vec<String>,
    /// What is said about it.
    pub said: Vec<String>,
}

/// What the session shows at the event where it is; `None` in an empty record.
pub fn shown(session: &Session) -> Option<Shown> {
    let record = session.record()?;
    let pipeline = session.picture().of(shown_kind(session, record).as_deref());
    Some(Shown {
        heading: heading(session, record),
        server: server_lines(pipeline, usize::MAX),
        queue: queue_lines(pipeline, usize::MAX),
        store: store_lines(pipeline, usize::MAX),
        handlers: handler_lines(pipeline, usize::MAX),
        work: work_lines(&session.picture().work),
        workers: worker_lines(&session.picture().work),
        said: session.narration(),
    })
}
