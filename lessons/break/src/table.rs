//! The table of exercises. The checker finds an exercise here by its name, and a test runs all of them.

use futures::FutureExt;
use informer_lab::exercises::ProgramLanguage;
use informer_lab::exercises::judging::{Mistake, Outcome, Verdict, judges};

use crate::exercises;
use crate::setting::{Program, Setting};
use crate::settings;

/// An exercise: a program, the setting in which it runs, and its judge.
pub struct Exercise {
    /// The name that the learner passes to `informer-lab check`.
    pub name: &'static str,
    setting: fn() -> Setting,
    judge: fn(&Outcome) -> Result<(), Mistake>,
    program: Program,
}

impl Exercise {
    pub fn judge(&self) -> Verdict {
        Verdict::of(&(self.setting)().run(self.program), self.judge, ProgramLanguage::Rust)
    }
}

/// Builds the table for the programs of a folder (`exercises` or `solutions`), in the order in which learners meet them.
macro_rules! programs {
    ($folder:ident: $($name:ident),*) => {
        [$(Exercise {
            name: stringify!($name),
            setting: settings::$name,
            judge: judges::$name::judge,
            program: |trial| $folder::$name::run(trial).boxed_local(),
        }),*]
    };
    ($folder:ident) => {
        programs!($folder: updates, tombstone, slow, mutate, sync, resync, gap, recreated, stale, shared)
    };
}

/// Returns the exercises with the programs that the learner edits.
pub fn exercises() -> [Exercise; 10] {
    programs!(exercises)
}

#[cfg(test)]
mod tests {
    use super::*;
    use informer_lab::trace::Lang;

    use crate::solutions;

    /// Makes a test for each exercise: the broken program gets a verdict with this sentence, and our solution is right.
    macro_rules! broken_and_fixed {
        ($($name:ident: $sentence:literal),* $(,)?) => {$(
            #[test]
            fn $name() {
                let find = |all: [Exercise; 10]| all.into_iter().find(|row| row.name == stringify!($name)).unwrap();
                let broken = find(exercises()).judge();
                let sentence = broken.mistake().map(|mistake| mistake.sentence.pick(Lang::En));
                assert_eq!(sentence, Some($sentence), "\n{}", broken.text(Lang::En, 80));
                assert!(!broken.mistake().unwrap().evidence.is_empty());
                let fixed = find(programs!(solutions)).judge();
                assert!(fixed.is_right(), "\n{}", fixed.text(Lang::En, 80));
            }
        )*};
    }

    broken_and_fixed! {
        updates: "The cluster changed nettool again and again, and the handler received no update.",
        tombstone: "default/web-2 does not exist any more, and the load balancer still sends requests to it.",
        slow: "The dashboard showed a state of web-3 that was 61 s out of date; 152 changes waited.",
        mutate: "The second handler raised an alarm about default/web-1, which has a password.",
        sync: "The program deleted web-1, whose node exists.",
        resync: "default/web-1 was deleted while the load balancer was down, and after several resyncs it is still a backend.",
        gap: "default/web-1 was deleted after the list and before the watch, and no event reported it to the program.",
        recreated: "web-2 is a different pod now, and the load balancer still sends requests to the old one.",
        stale: "Two pods were missing, one after the other, and the program created 4: there are 5 now.",
        shared: "The API server has 3 watches of the same pods open, one for each consumer.",
    }

    #[test]
    fn the_exercises_of_the_command_line_are_the_ones_of_this_table() {
        let texts = informer_lab::exercises::ALL.map(|exercise| exercise.name);
        assert_eq!(exercises().map(|exercise| exercise.name), texts);
    }

    #[test]
    fn two_trials_of_one_program_get_one_verdict() {
        for (first, second) in exercises().into_iter().zip(exercises()) {
            // The evidence may differ, because the times of a relist have client-go's jitter.
            let [first, second] = [first, second].map(|exercise| exercise.judge());
            let sentence = |verdict: &Verdict| verdict.mistake().map(|mistake| mistake.sentence.clone());
            assert_eq!(sentence(&first), sentence(&second));
        }
    }
}
