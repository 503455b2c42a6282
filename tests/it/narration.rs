//! Checks the narration against the records: it mentions only events that happened, and the explanations of `eras` match the differences
//! between the two columns.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use informer_lab::lab::{Era, Settings};
use informer_lab::lessons::Row;
use informer_lab::trace::{Commentary, Record, Speaker, What, differences};

use crate::cli::file;
use crate::runs::{era, finite, lines, recorded, rounds, with_seed_and_limit};

const NOTHING_DELETED: &str = "- {at: 500ms, run: web, image: nginx}\n- {at: 1500ms, label: web, set: {app: web}}\n";

/// Returns the narrator's remarks on a run.
fn remarks(records: &[Record]) -> Vec<String> {
    let mut commentary = Commentary::default();
    let remarks = records.iter().flat_map(|record| commentary.remarks_before(record)).collect::<Vec<_>>();
    remarks.into_iter().filter(|remark| remark.by == Speaker::Narrator).map(|remark| remark.en).collect()
}

fn count(records: &[Record], is: impl Fn(&What) -> bool) -> usize {
    records.iter().filter(|record| is(&record.what)).count()
}

/// Returns settings to try a lesson with: three seeds, a limit at every half second up to six seconds, and for a lesson
/// with a cluster two other scenarios.
fn settings(row: &Row, era: &Settings) -> Vec<Settings> {
    let mut all: Vec<Settings> = (1..=3).map(|seed| with_seed_and_limit(era.clone(), seed, None)).collect();
    all.extend((1..=12).map(|half| with_seed_and_limit(era.clone(), 1, Some(Duration::from_millis(half * 500)))));
    if row.defaults.cluster.is_some() {
        let scenario = |name: &str, content: &str| Settings { scenario: Some(file(name, content)), ..era.clone() };
        all.push(scenario("nothing-deleted.yaml", NOTHING_DELETED));
        all.push(scenario("nothing-happens.yaml", "[]\n"));
    }
    all
}

#[test]
fn the_narration_mentions_only_events_that_happened() {
    for row in finite() {
        for of in [Era::Classic, Era::Modern] {
            for settings in settings(row, &era(of)) {
                let records = recorded(row, &settings);
                let remarks = remarks(&records);
                let says = |part: &str| remarks.iter().filter(|text| text.contains(part)).count();
                let drops = count(&records, |what| matches!(what, What::Dropped { .. }));
                let tombstones = count(&records, |what| matches!(what, What::Queued { delta, .. } if delta.tombstone));
                let deletions =
                    count(&records, |what| matches!(what, What::Queued { delta, .. } if delta.delta == "Deleted"));
                let resyncs = count(&records, |what| matches!(what, What::Resynced {}));
                let lists = count(&records, |what| matches!(what, What::Listed { .. }));
                let late = count(&records, |what| matches!(what, What::Joined { existing, .. } if *existing > 0));
                let context = || format!("{} {settings:?}: {remarks:#?}", row.command);
                assert_eq!(says("is dropped"), drops, "{}", context());
                assert_eq!(says("a tombstone"), tombstones, "{}", context());
                assert!(says("Deleted of") <= drops + deletions, "{}", context());
                assert!(resyncs > 0 || says("resync") == 0, "{}", context());
                assert!(lists > 1 || says("relist,") + says("stays in the store") == 0, "{}", context());
                assert_eq!(says("joins while the informer runs"), late, "{}", context());
            }
        }
    }
}

#[test]
fn each_decisive_event_is_narrated() {
    let remarks_of = |command: &str| {
        let row = finite().find(|row| row.command == command).unwrap();
        remarks(&recorded(row, &Settings::default())).join("\n")
    };
    for (command, said) in [
        (
            "reflector",
            "Deleted of nettool is dropped: nothing is queued for it, and this DeltaFIFO has no known objects",
        ),
        ("reflector --known-objects", "nettool is among the known objects, so this deletion was not reported before"),
        ("relist", "nettool stays in the store, though the list lacks it"),
        ("relist --known-objects", "nettool is not in the list, but the known objects have it"),
        ("resync", "this Sync comes from a resync"),
        ("late", "handler 3 joins while the informer runs: it first gets the"),
    ] {
        assert!(remarks_of(command).contains(said), "{command}: {}", remarks_of(command));
    }
    let rare = finite().find(|row| row.command == "reflector").unwrap();
    let records = recorded(rare, &with_seed_and_limit(Settings::default(), 54, None)); // one of the few seeds with which `Deleted` comes out
    assert!(remarks(&records).join("\n").contains("comes out although there are no known objects"));
}

/// Runs a lesson in both eras. Returns true if the traces are equal, and the explanations of their differences.
fn compared(row: &Row, settings: impl Fn(Era) -> Settings) -> (bool, Vec<String>) {
    let [classic, modern] = [Era::Classic, Era::Modern].map(|of| recorded(row, &settings(of)));
    let said = differences(&classic, &modern).into_iter().map(|(en, _)| en).collect();
    (lines(&classic) == lines(&modern), said)
}

/// Checks that the explanations say "nothing differs" exactly if the traces are equal.
fn explained(row: &Row, name: &str, settings: impl Fn(Era) -> Settings) {
    let (equal, said) = compared(row, settings);
    let nothing = said.iter().any(|text| text.starts_with("nothing differs"));
    assert_eq!(nothing, equal, "{} {name}: {said:?}", row.command);
    assert!(!nothing || said.len() == 1, "{} {name}: {said:?}", row.command);
    let unknown = said.iter().any(|text| text.contains("the records do not show why"));
    assert!(!unknown, "{} {name}: the columns differ", row.command);
}

fn with_a_counterpart() -> impl Iterator<Item = &'static Row> {
    finite().filter(|row| row.modern.as_ref().is_some_and(|modern| modern.trace.is_some()))
}

#[test]
fn eras_explains_a_difference_if_and_only_if_there_is_one_for_any_seed() {
    for row in with_a_counterpart() {
        let seeds = if row.defaults.cluster.is_some() { rounds(5) } else { 1 };
        for seed in 1..=seeds {
            explained(row, &format!("--seed {seed}"), |of| with_seed_and_limit(era(of), seed, None));
        }
    }
}

#[test]
fn eras_explains_a_difference_if_and_only_if_there_is_one_for_any_limit_of_time() {
    for row in with_a_counterpart().filter(|row| row.defaults.cluster.is_some()) {
        let limits = rounds(3);
        for part in 0..=limits {
            let limit = Duration::from_secs(12).mul_f64(part as f64 / limits as f64);
            explained(row, &format!("--for {limit:?}"), |of| with_seed_and_limit(era(of), 1, Some(limit)));
        }
    }
}

#[test]
fn eras_explains_a_difference_if_and_only_if_there_is_one_in_other_scenarios() {
    let scenarios: BTreeMap<&str, PathBuf> = BTreeMap::from([
        ("nothing happens", file("eras-empty.yaml", "[]\n")),
        ("nothing deleted", file("eras-nodel.yaml", NOTHING_DELETED)),
    ]);
    for row in with_a_counterpart().filter(|row| row.defaults.cluster.is_some()) {
        for (name, path) in &scenarios {
            explained(row, name, |of| Settings { scenario: Some(path.clone()), ..era(of) });
        }
    }
}
