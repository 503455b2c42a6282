//! The events with which a watch begins: one for each existing object, or the events that the client has missed. They
//! are made only when the client reads them, outside the store's lock, and the objects are never copied into a list.

use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdMap;

use super::event::{Event, SharedEvents};
use super::filter::Filter;
use super::object::{Key, Object};
use super::watch_event::{EventType, WatchEvent};

/// The number of objects that are matched against the filter in one go.
const BATCH: usize = 256;

/// The initial events that the client has not read yet.
#[derive(Debug, Default)]
pub(crate) struct InitialEvents {
    /// `None` after the last event, so that a long watch does not keep the initial objects alive.
    unread: Option<Box<Unread>>,
    /// The event after the initial ones, such as the bookmark that ends a streaming list.
    end: Option<Arc<WatchEvent>>,
}

#[derive(Debug)]
struct Unread {
    filter: Filter,
    /// The events that match the filter and are not read yet.
    waiting: VecDeque<Waiting>,
    /// The objects after `waiting`, which are not matched against the filter yet; `None` if there are no more.
    rest: Option<Rest>,
}

/// An event that is not made yet.
#[derive(Debug)]
enum Waiting {
    Added(Arc<Object>),
    Missed(Arc<Event>),
}

/// The objects that are not matched against the filter yet.
#[derive(Debug)]
struct Rest {
    /// The state of the kind when the watch began. Watches that begin at the same revision share it.
    objects: OrdMap<Key, Arc<Object>>,
    last: Option<Key>,
}

impl InitialEvents {
    fn new(filter: Filter, waiting: VecDeque<Waiting>, rest: Option<Rest>) -> Self {
        Self { unread: Some(Box::new(Unread { filter, waiting, rest })), end: None }
    }

    /// Returns an ADDED event for each object, in this order.
    pub(super) fn of_selected(objects: Vec<Arc<Object>>) -> Self {
        Self::new(Filter::default(), objects.into_iter().map(Waiting::Added).collect(), None)
    }

    /// Returns the ADDED events of the objects that match, in key order.
    pub(super) fn of_objects(objects: OrdMap<Key, Arc<Object>>, filter: Filter) -> Self {
        Self::new(filter, VecDeque::new(), Some(Rest { objects, last: None }))
    }

    /// Returns the events that match, as watches with this filter see them.
    pub(super) fn of_missed<'a>(events: impl IntoIterator<Item = &'a Arc<Event>>, filter: Filter) -> Self {
        let matching = events.into_iter().filter(|event| event.matches(&filter));
        let waiting = matching.cloned().map(Waiting::Missed).collect();
        Self::new(filter, waiting, None)
    }

    /// Adds an event after all others.
    pub(crate) fn ending_with(mut self, end: Option<WatchEvent>) -> Self {
        self.end = end.map(Arc::new);
        self
    }
}

impl Iterator for InitialEvents {
    type Item = Arc<WatchEvent>;

    fn next(&mut self) -> Option<Arc<WatchEvent>> {
        if let Some(event) = self.unread.as_mut().and_then(|unread| unread.next()) {
            return Some(event);
        }
        self.unread = None;
        self.end.take()
    }
}

impl Unread {
    /// Returns the next event. Selects a batch of objects when no event waits; a batch may have no match.
    fn next(&mut self) -> Option<Arc<WatchEvent>> {
        while self.waiting.is_empty() {
            if !self.rest.as_mut()?.select(&self.filter, &mut self.waiting) {
                self.rest = None;
            }
        }
        match self.waiting.pop_front()? {
            Waiting::Added(object) => Some(Arc::new(WatchEvent::stored(EventType::Added, object))),
            Waiting::Missed(event) => event.seen_through(&self.filter, &SharedEvents::default()),
        }
    }
}

impl Rest {
    /// Matches the next batch of objects against the filter. Returns false if there were none left.
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
    use kube_machinery::value::{Value, json};

    #[test]
    fn every_object_has_one_event_and_few_are_selected_before_they_are_read() {
        let object = |i: usize| {
            let key = Key::new(Some("default"), &format!("pod-{i:04}"));
            let value = json!({"metadata": {"name": format!("pod-{i:04}"), "namespace": "default"}});
            (key.clone(), Arc::new(Object::new(PODS, key, 1, value)))
        };
        for count in [0, 1, BATCH - 1, BATCH, BATCH + 1, 4 * BATCH] {
            let objects: OrdMap<Key, Arc<Object>> = (0..count).map(object).collect();
            let expected: Vec<Value> = objects.values().map(|object| object.value().unwrap()).collect();
            let end = WatchEvent::made(EventType::Bookmark, json!("end"));
            let mut events = InitialEvents::of_objects(objects, Filter::default()).ending_with(Some(end));
            let mut read = Vec::new();
            while let Some(event) = events.next() {
                let waiting = events.unread.as_ref().map_or(0, |unread| unread.waiting.len());
                assert!(waiting < BATCH, "{waiting} wait");
                read.push(event.value().unwrap());
            }
            assert_eq!(read.pop(), Some(json!("end")));
            assert_eq!(read, expected, "{count}");
        }
    }

    #[test]
    fn missed_events_that_match_are_kept_until_they_are_read() {
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
        let expected = events.iter().filter_map(|event| event.seen_through(&odd, &SharedEvents::default()));
        let expected: Vec<Value> = expected.map(|event| event.value().unwrap()).collect();
        assert_eq!(missed.by_ref().map(|event| event.value().unwrap()).collect::<Vec<_>>(), expected);
        assert!(missed.unread.is_none(), "the events are dropped after the last one");
    }
}
