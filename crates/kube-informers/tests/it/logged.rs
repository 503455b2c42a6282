//! Captures the log lines that the library writes on this thread while a test runs.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Subscriber, set_default};
use tracing::{Event, Level, Metadata};

/// The captured lines, each with its level. Dropping this value ends the capture.
pub struct Logged {
    lines: Arc<Mutex<Vec<(Level, String)>>>,
    _logging: DefaultGuard,
}

impl Logged {
    pub fn start() -> Self {
        let lines: Arc<Mutex<Vec<(Level, String)>>> = Arc::default();
        Self { lines: lines.clone(), _logging: set_default(Sink(lines)) }
    }

    /// Returns the captured lines of this level.
    pub fn with(&self, level: Level) -> Vec<String> {
        let lines = self.lines.lock().unwrap();
        lines.iter().filter(|(of, _)| *of == level).map(|(_, text)| text.clone()).collect()
    }
}

struct Sink(Arc<Mutex<Vec<(Level, String)>>>);

impl Subscriber for Sink {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("kube_informers")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push((*event.metadata().level(), text.0));
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
        write!(self.0, "{value:?}").unwrap();
    }
}
