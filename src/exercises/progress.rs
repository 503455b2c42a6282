//! The learner's progress: the list of fixed programs, in the state file `break.json` of the user.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{fs, io};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{ALL, Exercise, ProgramLanguage};
use crate::console::{replace, state_file};
use crate::trace::Failure;

const FILE: &str = "break.json";

#[derive(Debug)]
pub(super) struct Progress {
    file: PathBuf,
    kept: Kept,
}

/// The content of the file. Names that this version does not know stay in the file.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// The names of the fixed programs.
    done: BTreeSet<String>,
}

impl Progress {
    /// Reads the progress. Without a file, there is none yet.
    pub(super) fn load() -> Result<Self> {
        Self::of_file(state_file(FILE)?)
    }

    fn of_file(file: PathBuf) -> Result<Self> {
        let kept = match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| {
                let file = file.display();
                Failure::new((format!("{file} is not a valid progress file"), format!("{file} 不是有效的进度文件")))
                    .because(error)
                    .next((
                        "begin again with: informer-lab break --reset",
                        "清空后重新开始：informer-lab break --reset",
                    ))
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Kept::default(),
            Err(error) => {
                let file = file.display();
                let message = (format!("cannot read {file}"), format!("无法读取 {file}"));
                return Err(Failure::new(message).because(error).into());
            }
        };
        Ok(Self { file, kept })
    }

    /// Removes all progress. Having none is no error.
    pub(super) fn reset() -> Result<()> {
        let file = state_file(FILE)?;
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let file = file.display();
                let message = (format!("cannot remove {file}"), format!("无法删除 {file}"));
                Err(Failure::new(message).because(error).into())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn is_done(&self, exercise: &Exercise, language: ProgramLanguage) -> bool {
        self.kept.done.contains(&kept_name(exercise, language))
    }

    /// Returns the first program in this language that is not fixed yet.
    pub(super) fn next(&self, language: ProgramLanguage) -> Option<&'static Exercise> {
        ALL.into_iter().find(|exercise| !self.is_done(exercise, language))
    }

    /// Returns the number of fixed programs in this language.
    pub(super) fn count(&self, language: ProgramLanguage) -> usize {
        ALL.into_iter().filter(|exercise| self.is_done(exercise, language)).count()
    }

    /// Notes that a program is fixed.
    ///
    /// # Errors
    /// The file cannot be written. Its old content stays.
    pub(super) fn done(&mut self, exercise: &Exercise, language: ProgramLanguage) -> Result<()> {
        self.kept.done.insert(kept_name(exercise, language));
        let text = serde_json::to_string_pretty(&self.kept)?;
        replace(&self.file, &text).map_err(|error| {
            let file = self.file.display();
            Failure::new((format!("cannot save the progress in {file}"), format!("进度无法写入 {file}")))
                .because(error)
                .next(("choose another directory with XDG_STATE_HOME", "用 XDG_STATE_HOME 换一个目录"))
                .into()
        })
    }
}

/// Returns the name of a program in the file. A version without programs in Go keeps their names.
fn kept_name(exercise: &Exercise, language: ProgramLanguage) -> String {
    match language {
        ProgramLanguage::Rust => exercise.name.to_owned(),
        ProgramLanguage::Go => format!("go/{}", exercise.name),
    }
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::ProgramLanguage::{Go, Rust};
    use super::*;
    use crate::trace::Lang;

    fn temporary(name: &str) -> PathBuf {
        let file = std::env::temp_dir().join(format!("informer-lab-{}-{name}", process::id())).join("break.json");
        let _ = fs::remove_file(&file); // from an earlier process with this id
        file
    }

    #[test]
    fn progress_is_kept_for_the_next_process() {
        let file = temporary("done");
        let mut progress = Progress::of_file(file.clone()).unwrap();
        assert_eq!((progress.count(Rust), progress.next(Rust).unwrap().name), (0, "updates"));
        progress.done(ALL[0], Rust).unwrap();
        progress.done(ALL[2], Rust).unwrap();
        let next = Progress::of_file(file.clone()).unwrap();
        assert_eq!((next.count(Rust), next.next(Rust).unwrap().name), (2, "tombstone"));
        let left: Vec<_> = fs::read_dir(file.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "no draft is left: {left:?}");
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }

    #[test]
    fn each_language_has_its_own_progress() {
        let file = temporary("languages");
        let mut progress = Progress::of_file(file.clone()).unwrap();
        progress.done(ALL[0], Go).unwrap();
        let next = Progress::of_file(file.clone()).unwrap();
        assert_eq!((next.count(Go), next.next(Go).unwrap().name), (1, "tombstone"));
        assert_eq!((next.count(Rust), next.next(Rust).unwrap().name), (0, "updates"));
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }

    #[test]
    fn names_of_another_version_stay() {
        let file = temporary("later");
        replace(&file, r#"{"done": ["quantum"], "of": "a later version"}"#).unwrap();
        let mut progress = Progress::of_file(file.clone()).unwrap();
        assert_eq!(progress.count(Rust), 0);
        progress.done(ALL[0], Rust).unwrap();
        assert!(fs::read_to_string(&file).unwrap().contains("quantum"));
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }

    #[test]
    fn a_torn_file_says_how_to_begin_again() {
        let file = temporary("torn");
        replace(&file, "{").unwrap();
        let error = Progress::of_file(file.clone()).unwrap_err();
        let hint = error.downcast_ref::<Failure>().and_then(|failure| failure.hint(Lang::En));
        assert_eq!(hint, Some("begin again with: informer-lab break --reset"));
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }
}
