//! The content of a frame of step mode as data. Only tests use it: they check that the page of `informer-lab board`,
//! which is written in TypeScript, shows the same at every event.

use serde::Serialize;

use super::box_content::{
    delayed_keys, dirty_keys, handler_lines, processing_keys, queue_keys, queue_lines, server_lines, store_lines,
};
use super::heading::heading;
use super::session::Session;

/// The content of one frame, without its layout.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct FrameContent {
    /// The index of the frame's event in the record.
    pub event: usize,
    /// The heading: the event and its cause.
    pub heading: String,
    /// The lines of the API server.
    pub server: Vec<String>,
    /// The lines of the queue.
    pub queue: Vec<String>,
    /// The lines of the store and its indices.
    pub store: Vec<String>,
    /// The lines of the handlers.
    pub handlers: Vec<String>,
    /// The keys in the work queue, and those that come later.
    pub work: Vec<String>,
    /// The keys in the work queue's `dirty`.
    pub dirty: Vec<String>,
    /// The keys in the work queue's `processing`.
    pub processing: Vec<String>,
    /// The sentences on the event.
    pub said: Vec<String>,
}

/// Returns the content of the session's current frame; `None` for an empty record.
pub fn frame_content(session: &Session) -> Option<FrameContent> {
    let record = session.record()?;
    let (pipeline, work) = (session.picture().pipeline_of(session.kind()), &session.picture().work);
    Some(FrameContent {
        event: session.at,
        heading: heading(record, session.lang),
        server: server_lines(pipeline, usize::MAX).collect(),
        queue: queue_lines(pipeline, usize::MAX).collect(),
        store: store_lines(pipeline, usize::MAX).collect(),
        handlers: handler_lines(pipeline, usize::MAX).collect(),
        work: queue_keys(work, usize::MAX).chain(delayed_keys(work, usize::MAX)).collect(),
        dirty: dirty_keys(work, usize::MAX).collect(),
        processing: processing_keys(work, usize::MAX).collect(),
        said: session.narration(),
    })
}
