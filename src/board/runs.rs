//! The runs that the playground (the lessons as WebAssembly in a web page) can start. `player/src/runs.json` is this
//! table, and a test keeps it equal to the catalog.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::cluster::Fixture;
use crate::lab::ClusterDefaults;
use crate::lessons::Row;
use crate::lessons::catalog::{CommonOptions, rows_by_chapter};
use kube_testcluster::{Effect, Stages};

/// Returns each run that ends by itself, with the options of its command and the files that it begins with. A test
/// compares the options with the command line.
pub fn runs() -> Value {
    // A run with a golden trace ends by itself.
    let finite: Vec<&Row> = rows_by_chapter().into_iter().filter(|row| row.trace.is_some()).collect();
    let files: BTreeMap<_, _> = finite.iter().copied().flat_map(fixtures).map(|file| (file.name, file.text)).collect();
    json!({
        "runs": finite.iter().map(|row| run(row)).collect::<Vec<_>>(),
        "files": files,
        "stages": Stages::NAMES,
        "faults": Effect::names().collect::<Vec<_>>(),
    })
}

/// Describes a run. It has the option `seed` only if races can change its output.
fn run(row: &Row) -> Value {
    let cluster = cluster(row);
    let has_eras = !row.shows_both_eras() && (cluster.is_some() || row.modern.is_some());
    let is_watching = row.options.common == CommonOptions::Watch;
    let name = |file: Option<&Fixture>| file.map(|file| file.name);
    let options = [
        ("client", has_eras),
        ("server", has_eras && cluster.is_some()),
        // Without a cluster, only a run that lasts for a time has races, because its handlers run side by side.
        ("seed", cluster.is_some() || (is_watching && row.defaults.cluster.is_none() && row.defaults.lasts.is_some())),
        ("pods", cluster.is_some()),
        ("scenario", cluster.is_some()),
        ("stages", cluster.is_some()),
    ];
    json!({
        "command": row.command,
        "chapter": row.chapter,
        "en": row.en,
        "zh": row.zh,
        "options": options.into_iter().filter_map(|(name, takes)| takes.then_some(name)).collect::<Vec<_>>(),
        "seed": row.defaults.seed,
        "pods": cluster.and_then(|cluster| name(cluster.pods)),
        "scenario": cluster.and_then(|cluster| name(cluster.scenario)),
        "stages": cluster.and_then(|cluster| name(cluster.stages)),
    })
}

/// Returns the cluster that the run's options can change. `stale` has a cluster, but the lesson depends on it, so no
/// option changes it.
fn cluster(row: &Row) -> Option<&ClusterDefaults> {
    row.defaults.cluster.as_ref().filter(|_| row.options.common == CommonOptions::Watch)
}

fn fixtures(row: &Row) -> Vec<&'static Fixture> {
    cluster(row)
        .map_or_else(Vec::new, |files| [files.pods, files.scenario, files.stages].into_iter().flatten().collect())
}
