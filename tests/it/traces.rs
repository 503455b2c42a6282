//! Tests of the traces that lessons print: with the default seed the golden trace, with other seeds other valid traces.

use std::collections::BTreeSet;
use std::fs;

use crate::cli::run;
use crate::eras;

use informer_lab::lessons::tour::{self, TourLength};
use informer_lab::lessons::{Row, rows};

fn stdout(arguments: &str) -> String {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.err);
    ran.out
}

fn golden(name: &str) -> String {
    fs::read_to_string(format!("{}/fixtures/traces/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Returns the names that one handler of the lesson `shared` prints.
fn of_handler(trace: &str, message: &str) -> Vec<String> {
    let begin = format!("OnAdd:{message} ");
    trace.lines().filter_map(|line| line.strip_prefix(&begin)).map(str::to_owned).collect()
}

#[test]
fn every_run_prints_its_golden_trace() {
    let runs = rows().filter_map(|row| Some((row.command, row.trace?)));
    for (command, trace) in runs {
        assert_eq!(stdout(command), golden(trace), "{command}");
    }
}

/// Returns the name of a row's golden trace in the modern era.
fn of_today(row: &Row) -> Option<&'static str> {
    row.modern.as_ref().and_then(|modern| modern.trace)
}

#[test]
fn every_run_prints_its_golden_trace_of_the_modern_era() {
    for (command, trace) in rows().filter_map(|row| Some((row.command, of_today(row)?))) {
        assert_eq!(stdout(&format!("{command} --era modern")), golden(trace), "{command}");
    }
}

#[test]
fn a_run_that_ends_by_itself_does_so_in_both_eras() {
    for row in rows().filter(|row| row.modern.is_some()) {
        assert_eq!(of_today(row).is_some(), row.trace.is_some(), "{}", row.command);
    }
}

#[test]
fn the_tutorials_runs_have_the_seeds_that_were_searched_for_their_traces() {
    let of_tutorials = rows().filter(|row| row.is_of_the_tutorials()).filter(|row| row.trace.is_some());
    let seeds: BTreeSet<u64> = of_tutorials.map(|row| row.defaults.seed).collect();
    assert_eq!(seeds, BTreeSet::from([1, 6, 14, 1640]), "tests/smallest_seeds searches them");
}

#[test]
fn every_golden_trace_belongs_to_a_run() {
    let classic = rows().filter_map(|row| row.trace);
    let modern = rows().filter_map(of_today);
    let of_runs: BTreeSet<String> =
        classic.chain(modern).chain(eras::GOLDEN.map(|(_, file)| file)).map(str::to_owned).collect();
    let files = fs::read_dir(format!("{}/fixtures/traces", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let mut files: BTreeSet<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert!(files.remove("indexer-serve.json"), "the answer of a server, which cli_live compares");
    assert!(files.remove("README.md"));
    assert_eq!(of_runs, files);
}

#[test]
fn the_tour_prints_all_traces_one_after_the_other() {
    let all: String = tour::stops(TourLength::Documents).iter().filter_map(|row| row.trace).map(golden).collect();
    assert_eq!(stdout("tour"), all);
}

#[test]
fn colour_only_adds_escape_codes() {
    for (command, trace) in rows().filter_map(|row| Some((row.command, row.trace?))) {
        let coloured = stdout(&format!("{command} --color always"));
        let mut plain = String::new();
        for (number, part) in coloured.split('\u{1b}').enumerate() {
            plain.push_str(if number == 0 { part } else { part.split_once('m').unwrap().1 });
        }
        assert_eq!(plain, golden(trace), "{command}");
    }
}

#[test]
fn fifty_seeds_interleave_two_handlers_differently_but_keep_the_order_of_each() {
    let mut interleavings = BTreeSet::new();
    for seed in 1..=50 {
        let trace = stdout(&format!("shared --seed {seed}"));
        for message in ["", "second"] {
            assert_eq!(of_handler(&trace, message), ["pod0", "pod1", "pod2", "pod3"], "seed {seed}");
        }
        interleavings.insert(trace);
    }
    assert!(interleavings.len() > 5, "{interleavings:#?}");
}

#[test]
fn fifty_seeds_list_in_different_orders_that_both_handlers_see() {
    let mut orders = BTreeSet::new();
    for seed in 1..=50 {
        let trace = stdout(&format!("shared --step list-watch --seed {seed}"));
        let order = of_handler(&trace, "");
        assert_eq!(order, of_handler(&trace, "second"), "seed {seed}");
        assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 4, "seed {seed}");
        orders.insert(order);
    }
    assert!(orders.len() > 5, "{orders:#?}");
}

#[test]
fn a_modern_api_server_lists_and_watches_in_key_order() {
    for seed in 1..=5 {
        let trace = stdout(&format!("listwatch --era modern --seed {seed}"));
        let names: Vec<&str> = trace.lines().take(4).collect();
        let added: Vec<&str> = trace.lines().skip(4).take(4).map(|line| line.split(' ').nth(2).unwrap()).collect();
        assert_eq!(names, added, "seed {seed}");
    }
}

#[test]
fn without_known_objects_deleted_comes_out_with_about_one_seed_in_a_hundred() {
    let usual = golden("reflector.txt");
    let mut rare = 0;
    for seed in 1..=200 {
        let trace = stdout(&format!("reflector --seed {seed}"));
        match trace.strip_prefix(&usual) {
            Some("") => {}
            Some("Deleted : nettool : Running\n") => rare += 1,
            _ => panic!("seed {seed}: {trace}"),
        }
    }
    assert!((1..=8).contains(&rare), "about one in a hundred, not {rare} in 200");
}

#[test]
fn with_known_objects_no_seed_changes_the_trace() {
    for seed in 1..=20 {
        let trace = stdout(&format!("reflector --known-objects --seed {seed}"));
        assert_eq!(trace, golden("reflector-known-objects.txt"), "seed {seed}");
        assert_eq!(stdout(&format!("myinformer --seed {seed}")), golden("myinformer.txt"), "seed {seed}");
    }
}

#[test]
fn existing_pods_come_first_as_sync() {
    let pods = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/pods.yaml");
    let trace = stdout(&format!("reflector --known-objects --pods {pods}"));
    let (before, after) = trace.split_at(trace.find("Added").unwrap());
    let mut before: Vec<&str> = before.lines().collect();
    before.sort_unstable();
    let names = golden("listwatch.txt");
    let expected: Vec<String> = names.lines().take(4).map(|name| format!("Sync : {name} : Running")).collect();
    assert_eq!(before, expected);
    assert_eq!(after, golden("reflector-known-objects.txt"));
}
