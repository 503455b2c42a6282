//! The content of a frame of step mode as data. Only tests use it: they check that the page of `informer-lab board`,
//! which is written in TypeScript, shows the same at every event.

use serde::Serialize;

use super::box_content::{handler_lines, queue_lines, server_lines, store_lines, work_lines, worker_lines};
use super::draw::heading;
use super::session::Session;

/// The content of one frame, without its layout.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct FrameContent {
    /// The heading: the position, the event and its cause.
    pub heading: String,
    /// The lines of the API server.
    pub server: Vec<String>,
    /// The lines of the queue.
    pub queue: Vec<String>,
    /// The lines of the store and its indices.
    pub store: Vec<String>,
    /// The lines of the handlers.
    pub handlers: Vec<String>,
    /// The lines of the workqueue.
    pub work: Vec<String>,
    /// The lines of the workqueue's workers.
    pub workers: Vec<String>,
    /// The sentences on the event.
    pub said: Vec<String>,
}

/// Returns the content of the session's current frame; `None` for an empty record.
pub fn frame_content(session: &Session) -> Option<FrameContent> {
    let record = session.record()?;
    let (pipeline, work) = (session.picture().pipeline_of(session.kind()), &session.picture().work);
    Some(FrameContent {
        heading: heading(session, record),
        server: server_lines(pipeline, usize::MAX).collect(),
        queue: queue_lines(pipeline, usize::MAX).collect(),
        store: store_lines(pipeline, usize::MAX).collect(),
        handlers: handler_lines(pipeline, usize::MAX).collect(),
        work: work_lines(work, usize::MAX).collect(),
        workers: worker_lines(work, usize::MAX).collect(),
        said: session.narration(),
    })
}
