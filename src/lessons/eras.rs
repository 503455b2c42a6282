//! `informer-lab eras LESSON`: plays one run in both eras and prints the traces side by side, with the differences and
//! their reasons.

use anyhow::Result;

use super::{Modern, Run};
use crate::lab::{BuiltIn, Console, Ended, Seed, Settings, Source, record};
use kube_testcluster::Era;

/// Plays the run twice on the built-in cluster with the same seed, and prints both traces.
pub fn play(modern: &Modern, settings: &Settings, console: &Console) -> Result<Ended> {
    let seed = Seed::Fixed(settings.seed.draw(&modern.run.row().defaults, &console.printer));
    let classic = in_era(Era::Classic, modern.run, settings, seed, console)?;
    let today = in_era(Era::Modern, modern.run, settings, seed, console)?;
    console.printer.tell(modern.en, modern.zh);
    Ended::of_writing(console.printer.side_by_side(["classic", "modern"], [&classic, &today]))
}

fn in_era(era: Era, run: Run, settings: &Settings, seed: Seed, console: &Console) -> Result<Vec<crate::trace::Record>> {
    let built_in = match &settings.source {
        Source::BuiltIn(built_in) => built_in.clone(),
        Source::Real(_) => BuiltIn::default(),
    };
    let source = Source::BuiltIn(BuiltIn { era, ..built_in });
    let settings = Settings { source, seed, ..settings.clone() };
    record(&run.row().defaults, &settings, console, run.lesson())
}
