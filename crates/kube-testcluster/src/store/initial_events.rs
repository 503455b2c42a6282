//! The events with which a watch begins: one for each object, or those that its client has missed. Their lines are made when they are
//! read, which is not under the store's lock, and of all objects there is no list.

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
    /// `None` after the last one, so that a watch holds nothing of them from then on.
    unread: Option<Box<Unread>>,
    /// What follows them.
    end: Option<Bytes>,
}

#[derive(Debug)]
struct Unread {
    filter: Filter,
    /// Those that are known to come.
    waiting: VecDeque<Waiting>,
    rest: Option<Rest>,
}

/// An event that waits to be read. Its text is made then: an object may be packed, and its text would be the watch's alone.
#[derive(Debug)]
enum Waiting {
    Added(Arc<Object>),
    Missed(Arc<Event>),
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
    fn new(filter: Filter, waiting: VecDeque<Waiting>, rest: Option<Rest>) -> Self {
        Self { unread: Some(Box::new(Unread { filter, waiting, rest })), end: None }
    }

    /// The ADDED events of these objects.
    pub(super) fn of_selected(objects: Vec<Arc<Object>>) -> Self {
        Self::new(Filter::default(), objects.into_iter().map(Waiting::Added).collect(), None)
    }

    /// The ADDED events of those objects that match, in the order of their keys.
    pub(super) fn of_objects(objects: OrdMap<Key, Arc<Object>>, filter: Filter) -> Self {
        Self::new(filter, VecDeque::new(), Some(Rest { objects, last: None }))
    }

    /// Those of these events that match.
    pub(super) fn of_missed<'a>(events: impl IntoIterator<Item = &'a Arc<Event>>, filter: Filter) -> Self {
        let matching = events.into_iter().filter(|event| event.matches(&filter));
        let waiting = matching.cloned().map(Waiting::Missed).collect();
        Self::new(filter, waiting, None)
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
        if let Some(line) = self.unread.as_mut().and_then(|unread| unread.next()) {
            return Some(line);
        }
        self.unread = None;
        self.end.take()
    }
}

impl Unread {
    fn next(&mut self) -> Option<Bytes> {
        while self.waiting.is_empty() {
            if !self.rest.as_mut()?.select(&self.filter, &mut self.waiting) {
                self.rest = None;
            }
        }
        match self.waiting.pop_front()? {
            Waiting::Added(object) => Some(object.added()),
            Waiting::Missed(event) => event.line(&Modified::default(), &self.filter),
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
    use kube_machinery::kinds::PODS;
    use kube_machinery::value::json;

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
                let waiting = events.unread.as_ref().map_or(0, |unread| unread.waiting.len());
                assert!(waiting < BATCH, "{waiting} wait");
                read.push(line);
            }
            assert_eq!(read.pop().as_deref(), Some(&b"end"[..]));
            assert_eq!(read, expected, "{count}");
        }
    }

    #[test]
    fn of_the_events_that_were_missed_those_that_match_wait_until_they_are_read() {
        let events: Vec<Arc<Event>> = (0..10)
            .map(|i| {
                let key = Key::new(Some(if i % 2 == 0 { "even" } else { "odd" }), &format!("pod-{i}"));
                let value = json!({"metadata": {"name": format!("pod-{i}"), "namespace": key.namespace()}});
                Arc::new(Event::new(i, None, Some(Arc::new(Object::new(PODS, key, i, value)))))
            })
            .collect();
        let odd = Filter { namespace: Some("odd".to_owned()), ..Filter::default() };
        let mut missed = InitialEvents::of_missed(&events, odd.clone());
        let waiting = missed.unread.as_ref().map(|unread| unread.waiting.len());
        assert_eq!(waiting, Some(5));
        let lines: Vec<Bytes> = events.iter().filter_map(|event| event.line(&Modified::default(), &odd)).collect();
        assert_eq!(missed.by_ref().collect::<Vec<_>>(), lines);
        assert!(missed.unread.is_none(), "nothing is held any more");
    }
}
