//! Compares the indexer with a model that scans all objects, over random sequences of operations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kube_informers::cache::{Deletion, IndexFn, Indexer, Meta, Object, Snapshot, Transaction};

const SEQUENCES: u64 = 12_000;
const STEPS: usize = 12;
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
const VALUES: [&str; 4] = ["w", "x", "y", "z"];

/// An object with a name, a version, and the values that each of the two index functions returns for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Thing {
    name: &'static str,
    version: String,
    values: [BTreeSet<&'static str>; 2],
}

impl Object for Thing {
    fn meta(&self) -> Meta<'_> {
        Meta::new("", self.name, &self.version)
    }
}

fn key(thing: &Thing) -> String {
    thing.name.to_owned()
}

fn index(number: usize) -> IndexFn<Thing> {
    Arc::new(move |thing: &Thing| thing.values[number].iter().map(|value| (*value).to_owned()).collect())
}

fn random_thing(random: &mut fastrand::Rng, version: usize) -> Thing {
    let mut values = || VALUES.into_iter().filter(|_| random.u8(0..3) == 0).collect();
    let values = [values(), values()];
    Thing { name: NAMES[random.usize(0..NAMES.len())], version: version.to_string(), values }
}

#[derive(Default)]
struct Model {
    things: BTreeMap<&'static str, Thing>,
    version: String,
    indices: BTreeSet<usize>,
}

impl Model {
    fn with(&self, number: usize, value: &str) -> BTreeSet<&'static str> {
        let has = |thing: &&Thing| thing.values[number].contains(value);
        self.things.values().filter(has).map(|thing| thing.name).collect()
    }

    fn matching(&self, number: usize, other: &Thing) -> BTreeSet<&'static str> {
        other.values[number].iter().flat_map(|value| self.with(number, value)).collect()
    }

    fn values(&self, number: usize) -> BTreeSet<&'static str> {
        self.things.values().flat_map(|thing| thing.values[number].iter().copied()).collect()
    }
}

fn names(snapshot: &Snapshot<Thing>) -> BTreeSet<&'static str> {
    let names: BTreeSet<_> = snapshot.iter().map(|thing| thing.name).collect();
    assert_eq!(names.len(), snapshot.len(), "each object once");
    names
}

fn set(texts: Vec<String>) -> BTreeSet<String> {
    let number = texts.len();
    let set: BTreeSet<_> = texts.into_iter().collect();
    assert_eq!(set.len(), number, "each text once");
    set
}

fn step(indexer: &Indexer<Thing>, model: &mut Model, random: &mut fastrand::Rng, version: usize) {
    let thing = random_thing(random, version);
    let name = thing.name;
    match random.u8(0..10) {
        0..4 => {
            model.version.clone_from(&thing.version);
            model.things.insert(name, thing.clone());
            if random.bool() { indexer.add(thing).unwrap() } else { indexer.update(thing).unwrap() }
        }
        4 => {
            model.version.clone_from(&thing.version);
            model.things.remove(name);
            indexer.delete(thing).unwrap();
        }
        5 => {
            model.things.remove(name);
            indexer.delete(Deletion::FinalStateUnknown { key: name.into(), last_known: None }).unwrap();
        }
        6 => {
            let things: BTreeMap<_, _> = (0..random.usize(0..4))
                .map(|_| random_thing(random, version))
                .map(|thing| (thing.name, thing))
                .collect();
            indexer.replace(things.values().cloned().map(Arc::new).collect(), &version.to_string()).unwrap();
            model.things = things;
            model.version = version.to_string();
        }
        7 => {
            let other = random_thing(random, version + 1000);
            model.things.insert(name, thing.clone());
            model.things.remove(other.name);
            model.version.clone_from(&other.version);
            let transactions = vec![Transaction::Put(thing.into()), Transaction::Delete(Deletion::from(other))];
            indexer.transaction(transactions).unwrap();
        }
        8 => {
            let number = random.usize(0..2);
            let added = indexer.add_indexers(vec![(number.to_string(), index(number))]);
            assert_eq!(added.is_ok(), model.indices.insert(number));
        }
        _ => {
            indexer.bookmark(&version.to_string());
            model.version = version.to_string();
        }
    }
}

fn compare(indexer: &Indexer<Thing>, model: &Model, other: &Thing) {
    assert_eq!(names(&indexer.list()), model.things.keys().copied().collect());
    assert_eq!(set(indexer.list_keys()), model.things.keys().map(|name| (*name).to_owned()).collect());
    assert_eq!(indexer.last_resource_version(), model.version);
    for name in NAMES {
        assert_eq!(indexer.get_by_key(name).as_deref(), model.things.get(name));
    }
    for number in 0..2 {
        let index = number.to_string();
        if !model.indices.contains(&number) {
            assert!(indexer.by_index(&index, "w").is_err() && indexer.index_keys(&index, "w").is_err());
            assert!(indexer.matching(&index, other).is_err() && indexer.list_index_func_values(&index).is_empty());
            continue;
        }
        let values = set(indexer.list_index_func_values(&index));
        assert_eq!(values, model.values(number).into_iter().map(str::to_owned).collect());
        assert_eq!(names(&indexer.matching(&index, other).unwrap()), model.matching(number, other));
        for value in VALUES {
            let with = model.with(number, value);
            assert_eq!(names(&indexer.by_index(&index, value).unwrap()), with);
            assert_eq!(indexer.index_keys(&index, value).unwrap(), with.into_iter().collect::<Vec<_>>(), "sorted");
        }
    }
}

#[test]
fn the_indexer_agrees_with_the_model() {
    for seed in 0..SEQUENCES {
        let mut random = fastrand::Rng::with_seed(seed);
        let indexer = Indexer::new(key);
        let mut model = Model::default();
        for version in 0..STEPS {
            step(&indexer, &mut model, &mut random, version);
        }
        // A snapshot must not change when the indexer does.
        let (before, expected) = (indexer.list(), model.things.clone());
        for version in STEPS..2 * STEPS {
            step(&indexer, &mut model, &mut random, version);
            if version % 4 == 0 {
                compare(&indexer, &model, &random_thing(&mut random, 0));
            }
        }
        assert_eq!(names(&before), expected.keys().copied().collect());
        assert!(before.iter().all(|thing| **thing == expected[thing.name]));
    }
}

/// Returns an index function that returns other values at each call: none, one or two, which name the object.
fn fickle() -> IndexFn<Thing> {
    let calls = AtomicUsize::new(0);
    Arc::new(move |thing: &Thing| {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        (0..call % 3).map(|number| format!("{} {} {call} {number}", thing.name, thing.version)).collect()
    })
}

#[test]
fn an_index_function_that_changes_its_answers_finds_no_object_by_the_values_of_another() {
    for seed in 0..SEQUENCES / 10 {
        let mut random = fastrand::Rng::with_seed(seed);
        let indexer = Indexer::new(key);
        let mut model = Model::default();
        indexer.add_indexers(vec![("fickle".to_owned(), fickle())]).unwrap();
        for version in 0..3 * STEPS {
            step(&indexer, &mut model, &mut random, version);
            for value in indexer.list_index_func_values("fickle") {
                let found = indexer.by_index("fickle", &value).unwrap();
                let [thing] = &found.iter().collect::<Vec<_>>()[..] else { panic!("{value}: {found:?}, seed {seed}") };
                assert!(value.starts_with(&format!("{} {} ", thing.name, thing.version)), "{value}, seed {seed}");
                assert_eq!(model.things.get(thing.name), Some(&***thing), "seed {seed}");
            }
        }
    }
}
