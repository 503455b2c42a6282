//! Compares DeltaFIFO with a naive model over random sequences of operations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube_informers::cache::{Deletion, Delta, DeltaFifo, Deltas, Meta, Object, Relisted, Store};

const SEQUENCES: u64 = 12_000;
const STEPS: usize = 30;
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// An object that has a name and a state. The state 0 makes the key function fail.
#[derive(Debug, PartialEq, Eq)]
struct Thing(&'static str, u32);

impl Object for Thing {
    fn meta(&self) -> Meta<'_> {
        Meta::new("", self.0, "")
    }
}

fn key(thing: &Thing) -> Result<String, &'static str> {
    if thing.1 == 0 { Err("no key") } else { Ok(thing.0.to_owned()) }
}

/// Formats a delta as its kind and the state of its object; a tombstone has a `?` behind the kind.
fn text(delta: &Delta<Thing>) -> String {
    let state = delta.object().map_or("?".to_owned(), |thing| thing.1.to_string());
    let tombstone = matches!(delta, Delta::Deleted(deletion) if deletion.is_tombstone());
    format!("{}{} {state}", delta.kind(), if tombstone { "?" } else { "" })
}

fn texts(deltas: &Deltas<Thing>) -> Vec<String> {
    deltas.iter().map(text).collect()
}

/// The naive model, a literal implementation of the queue's documentation.
struct Model {
    queue: Vec<&'static str>,
    items: BTreeMap<&'static str, Vec<String>>,
    /// The states of the known objects; none if the queue has no known objects.
    known: Option<BTreeMap<&'static str, u32>>,
    /// The kind of delta that a list produces.
    relisted: &'static str,
    populated: bool,
    /// The number of keys of the first list that are still queued.
    initial: usize,
}

impl Model {
    fn synced(&self) -> bool {
        self.populated && self.initial == 0
    }

    fn queue(&mut self, name: &'static str, delta: String) {
        let deltas = self.items.entry(name).or_default();
        match deltas.last_mut() {
            Some(last) if last.starts_with("Deleted") && delta.starts_with("Deleted") => {
                // Of two deletions in a row, the one with the final state stays; a tombstone gives way.
                if last.starts_with("Deleted?") {
                    *last = delta;
                }
            }
            _ => deltas.push(delta),
        }
        if !self.queue.contains(&name) {
            self.queue.push(name);
        }
    }

    fn change(&mut self, kind: &str, name: &'static str, state: u32) {
        self.populated = true; // even by a change without a key, which is not queued
        if state != 0 {
            self.queue(name, format!("{kind} {state}"));
        }
    }

    fn delete(&mut self, name: &'static str, delta: String) {
        self.populated = true;
        let known = self.known.as_ref().is_some_and(|known| known.contains_key(name));
        if known || self.items.contains_key(name) {
            self.queue(name, delta);
        }
    }

    /// Returns the keys that may have been queued in any order.
    fn replace(&mut self, list: &[(&'static str, u32)]) -> BTreeSet<&'static str> {
        for (name, state) in list {
            if *state == 0 {
                return BTreeSet::new(); // the objects before the bad one stay queued
            }
            let delta = format!("{} {state}", self.relisted);
            self.queue(name, delta);
        }
        let listed: BTreeSet<_> = list.iter().map(|(name, _)| *name).collect();
        let mut gone = 0;
        for name in self.queue.clone().into_iter().filter(|name| !listed.contains(name)) {
            let state = self.items[name].last().unwrap().split(' ').next_back().unwrap().to_owned();
            self.queue(name, format!("Deleted? {state}"));
            gone += 1;
        }
        let known: Vec<_> = self.known.iter().flatten().map(|(name, state)| (*name, *state)).collect();
        let missing: Vec<_> = known.into_iter().filter(|(name, _)| !self.items.contains_key(name)).collect();
        for (name, state) in &missing {
            self.queue(name, format!("Deleted? {state}"));
            gone += 1;
        }
        if !self.populated {
            self.populated = true;
            self.initial = listed.len() + gone;
        }
        missing.into_iter().map(|(name, _)| name).collect()
    }

    /// Returns the keys that may have been queued in any order.
    fn resync(&mut self) -> BTreeSet<&'static str> {
        let known: Vec<_> = self.known.iter().flatten().map(|(name, state)| (*name, *state)).collect();
        let waiting: Vec<_> = known.into_iter().filter(|(name, _)| !self.items.contains_key(name)).collect();
        for (name, state) in &waiting {
            self.queue(name, format!("Sync {state}"));
        }
        waiting.into_iter().map(|(name, _)| name).collect()
    }

    fn pop(&mut self) -> Option<(&'static str, Vec<String>)> {
        if self.queue.is_empty() {
            return None;
        }
        let name = self.queue.remove(0);
        self.initial = self.initial.saturating_sub(1);
        Some((name, self.items.remove(name).unwrap()))
    }
}

/// The queue, its known objects, and the model of both.
struct Both {
    queue: DeltaFifo<Thing>,
    store: Option<Arc<Store<Thing>>>,
    model: Model,
}

impl Both {
    fn random(random: &mut fastrand::Rng) -> Self {
        let store = random.bool().then(|| Arc::new(Store::new(key)));
        let (relisted, name) = if random.bool() { (Relisted::Replaced, "Replaced") } else { (Relisted::Sync, "Sync") };
        let mut queue = DeltaFifo::new(key).relisted(relisted);
        if let Some(store) = &store {
            queue = queue.known_objects(store.clone());
        }
        let known = store.is_some().then(BTreeMap::new);
        let model =
            Model { queue: Vec::new(), items: BTreeMap::new(), known, relisted: name, populated: false, initial: 0 };
        Self { queue, store, model }
    }

    /// Checks that the last keys of the queue are `unordered`. The order of these keys is not specified, so the model
    /// takes it over from the queue.
    fn agree_on_order(&mut self, unordered: &BTreeSet<&'static str>) {
        let tail = self.model.queue.len() - unordered.len();
        let real = self.queue.list_keys();
        let name = |key: &String| *NAMES.iter().find(|name| **name == key.as_str()).unwrap();
        let agreed: Vec<&'static str> = real[tail..].iter().map(name).collect();
        assert_eq!(agreed.iter().copied().collect::<BTreeSet<_>>(), *unordered);
        self.model.queue.truncate(tail);
        self.model.queue.extend(agreed);
    }

    fn step(&mut self, random: &mut fastrand::Rng, state: u32) {
        let name = NAMES[random.usize(0..NAMES.len())];
        let state = if random.u8(0..20) == 0 { 0 } else { state };
        match random.u8(0..12) {
            0..2 => {
                assert_eq!(self.queue.add(Thing(name, state)).is_ok(), state != 0);
                self.model.change("Added", name, state);
            }
            2..4 => {
                assert_eq!(self.queue.update(Thing(name, state)).is_ok(), state != 0);
                self.model.change("Updated", name, state);
            }
            4 => {
                assert_eq!(self.queue.delete(Thing(name, state)).is_ok(), state != 0);
                if state != 0 {
                    self.model.delete(name, format!("Deleted {state}"));
                }
            }
            5 => {
                let last_known = random.bool().then(|| Arc::new(Thing(name, state)));
                let state = last_known.as_ref().map_or("?".to_owned(), |thing| thing.1.to_string());
                self.queue.delete(Deletion::FinalStateUnknown { key: name.into(), last_known }).unwrap();
                self.model.delete(name, format!("Deleted? {state}"));
            }
            6 => {
                let list: Vec<_> = (0..random.usize(0..4)).map(|_| (NAMES[random.usize(0..4)], state)).collect();
                let objects = list.iter().map(|(name, state)| Arc::new(Thing(name, *state))).collect();
                assert_eq!(self.queue.replace(objects, "").is_ok(), list.is_empty() || state != 0);
                let unordered = self.model.replace(&list);
                self.agree_on_order(&unordered);
            }
            7 => {
                self.queue.resync().unwrap();
                let unordered = self.model.resync();
                self.agree_on_order(&unordered);
            }
            _ => self.pop(random),
        }
    }

    /// Pops, and in three of four cases updates the known objects, as a consumer does.
    fn pop(&mut self, random: &mut fastrand::Rng) {
        let real = self.queue.try_pop();
        let model = self.model.pop();
        assert_eq!(real.as_ref().map(texts), model.as_ref().map(|(_, deltas)| deltas.clone()));
        let (Some(deltas), Some((name, _)), Some(store)) = (real, model, &self.store) else { return };
        if random.u8(0..4) == 0 {
            return;
        }
        let known = self.model.known.as_mut().unwrap();
        match deltas.newest() {
            Delta::Deleted(_) => {
                store.delete(Deletion::FinalStateUnknown { key: name.into(), last_known: None }).unwrap();
                known.remove(name);
            }
            change => {
                let thing = change.object().unwrap();
                store.add(thing.clone()).unwrap();
                known.insert(name, thing.1);
            }
        }
    }

    fn compare(&self) {
        assert_eq!(self.queue.list_keys(), self.model.queue);
        assert_eq!(self.queue.len(), self.model.queue.len());
        assert_eq!(self.queue.has_synced(), self.model.synced());
        for name in NAMES {
            assert_eq!(self.queue.get_by_key(name).as_ref().map(texts), self.model.items.get(name).cloned());
        }
    }
}

#[test]
fn the_delta_fifo_agrees_with_the_model() {
    for seed in 0..SEQUENCES {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut both = Both::random(&mut random);
        for step in 0..STEPS {
            both.step(&mut random, u32::try_from(step).unwrap() + 1);
            both.compare();
        }
    }
}
