//! The events with which a watch begins: one for each object, or those that its client has missed. They are made while they are read,
//! without the store's lock, and a watch that nobody reads holds no list of objects.

use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use imbl::OrdMap;

use super::event::{Event, Modified};
use super::filter::Filter;
use super::object::{Key, Object};

/// How many objects are looked at in one go.
const BATCH: usize = 256;

/// The events that are still to be read.
#[derive(Debug, Default)]
pub(crate) struct InitialEvents {
    filter: Filter,
    waiting: VecDeque<Waiting>,
    rest: Option<Box<Rest>>,
    /// What follows the last object.
    end: Option<Bytes>,
}

/// An event that waits to be read. Its text is made then: an object may be packed, and its text would be the watch's alone.
#[derive(Debug)]
enum Waiting {
    Added(Arc<Object>),
    /// If the filter selects it.
    Missed(Arc<Event>),
    Line(Bytes),
}

/// The objects that were not looked at yet.
#[derive(Debug)]
struct Rest {
    /// The state of the kind when the watch began. Watches that began at one revision share it.
    objects: OrdMap<Key, Arc<Object>>,
    /// The last object that was looked at.
    last: Option<Key>,
}

impl InitialEvents {
    /// Events that are made already.
    pub(crate) fn of(lines: impl IntoIterator<Item = Bytes>) -> Self {
        Self { waiting: lines.into_iter().map(Waiting::Line).collect(), ..Self::default() }
    }

    /// The ADDED events of these objects.
    pub(super) fn of_selected(objects: Vec<Arc<Object>>) -> Self {
        Self { waiting: objects.into_iter().map(Waiting::Added).collect(), ..Self::default() }
    }

    /// Those of these events that match.
    pub(super) fn of_missed(events: impl IntoIterator<Item = Arc<Event>>, filter: Filter) -> Self {
        Self { filter, waiting: events.into_iter().map(Waiting::Missed).collect(), ..Self::default() }
    }

    /// The ADDED events of those objects that match, in the order of their keys.
    pub(super) fn of_objects(objects: OrdMap<Key, Arc<Object>>, filter: Filter) -> Self {
        Self { filter, rest: Some(Box::new(Rest { objects, last: None })), ..Self::default() }
    }

    /// Adds an event after all others.
    pub(crate) fn ending_with(mut self, line: Option<Bytes>) -> Self {
        self.end = line;
        self
    }
}

impl Iterator for InitialEvents {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        loop {
            let line = match self.waiting.pop_front() {
                Some(Waiting::Added(object)) => Some(object.added()),
                Some(Waiting::Missed(event)) => event.line(&Modified::default(), &self.filter),
                Some(Waiting::Line(line)) => Some(line),
                None => {
                    let Some(rest) = &mut self.rest else { return self.end.take() };
                    if !rest.select(&self.filter, &mut self.waiting) {
                        self.rest = None;
                    }
                    None
                }
            };
            if line.is_some() {
                return line;
            }
        }
    }
}

impl Rest {
    /// Looks at the next objects; `false` if there are no more.
    fn select(&mut self, filter: &Filter, selected: &mut VecDeque<Waiting>) -> bool {
        let (first, prefix) = filter.range();
        let from = self.last.take().map_or(Bound::Included(first), Bound::Excluded);
        let (range, mut last) = (self.objects.range((from, Bound::Unbounded)), None);
        for (key, object) in range.take_while(|(key, _)| key.as_str().starts_with(&prefix)).take(BATCH) {
            if filter.matches(object) {
                selected.push_back(Waiting::Added(object.clone()));
            }
            last = Some(key);
        }
        self.last = last.cloned();
        self.last.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::PODS;
    use crate::value::json;

    #[test]
    fn every_object_has_one_event_and_few_are_made_before_they_are_read() {
        let object = |i: usize| {
            let key = Key::new(Some("default"), &format!("pod-{i:04}"));
            let value = json!({"metadata": {"name": format!("pod-{i:04}"), "namespace": "default"}});
            (key.clone(), Arc::new(Object::new(PODS, key, 1, value)))
        };
        for count in [0, 1, BATCH - 1, BATCH, BATCH + 1, 4 * BATCH] {
            let objects: OrdMap<Key, Arc<Object>> = (0..count).map(object).collect();
            let expected: Vec<Bytes> = objects.values().map(|object| object.added()).collect();
            let mut events = InitialEvents::of_objects(objects, Filter::default()).ending_with(Some("end".into()));
            let mut read = Vec::new();
            while let Some(line) = events.next() {
                assert!(events.waiting.len() < BATCH, "{} wait", events.waiting.len());
                read.push(line);
            }
            assert_eq!(read.pop().as_deref(), Some(&b"end"[..]));
            assert_eq!(read, expected, "{count}");
        }
    }
}
