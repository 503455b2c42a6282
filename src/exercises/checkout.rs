//! The clone of the repository in which the learner works. `check` compiles the programs there, and the solutions are
//! not in the binary.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};

use crate::trace::Failure;

/// A file that only a clone of this repository has.
const MARK: &str = "lessons/break/Cargo.toml";

pub(super) struct Checkout(PathBuf);

impl Checkout {
    /// Searches from the current directory upwards.
    pub(super) fn find() -> Result<Self> {
        let here = env::current_dir().context("the current directory is gone")?;
        Self::above(&here).ok_or_else(|| {
            let message = (
                "the programs to fix are in a clone of informer-lab, and this directory is not in one",
                "要修的程序在克隆下来的 informer-lab 仓库里，而当前目录不在其中",
            );
            let clone = format!("git clone {} && cd informer-lab", env!("CARGO_PKG_REPOSITORY"));
            Failure::new(message).next(clone).into()
        })
    }

    fn above(here: &Path) -> Option<Self> {
        let root = here.ancestors().find(|directory| directory.join(MARK).is_file())?;
        Some(Self(root.to_owned()))
    }

    pub(super) fn root(&self) -> &Path {
        &self.0
    }

    pub(super) fn read(&self, file: &str) -> Result<String> {
        fs::read_to_string(self.0.join(file)).map_err(|error| {
            Failure::new((format!("cannot read {file}"), format!("无法读取 {file}")))
                .because(error)
                .next(format!("git checkout -- {file}"))
                .into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercises::ProgramLanguage;

    #[test]
    fn a_clone_is_found_from_every_directory_in_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for inside in ["", "src", "lessons/break/exercises"] {
            let found = Checkout::above(&root.join(inside)).unwrap();
            assert_eq!(found.root(), root, "{inside}");
        }
        assert!(Checkout::above(Path::new("/")).is_none());
    }

    #[test]
    fn every_exercise_has_its_program_and_its_solution() {
        let checkout = Checkout::above(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        for exercise in super::super::ALL {
            for language in [ProgramLanguage::Rust, ProgramLanguage::Go] {
                for file in [exercise.program(language), exercise.solution(language)] {
                    assert!(checkout.read(&file).is_ok(), "{file}");
                }
            }
        }
    }
}
