//! The learner's progress: the list of mended programs, in a file of the user.
//!
//! The file is `$XDG_STATE_HOME/informer-lab/break.json`, by default below `~/.local/state`; on Windows below the
//! user's application data.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io, process};

use anyhow::Result;
use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use super::{ALL, Exercise};
use crate::trace::Failure;

#[derive(Debug)]
pub(super) struct Progress {
    file: PathBuf,
    kept: Kept,
}

/// The content of the file. Names that this version does not know stay in the file.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// The names of the mended programs.
    done: BTreeSet<String>,
}

impl Progress {
    /// Reads the progress. Without a file, there is none yet.
    pub(super) fn load() -> Result<Self> {
        Self::of_file(file()?)
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
        let file = file()?;
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let file = file.display();
                let message = (format!("cannot remove {file}"), format!("无法删除 {file}"));
                Err(Failure::new(message).because(error).into())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn is_done(&self, exercise: &Exercise) -> bool {
        self.kept.done.contains(exercise.name)
    }

    /// Returns the first program that is not mended yet.
    pub(super) fn next(&self) -> Option<&'static Exercise> {
        ALL.into_iter().find(|exercise| !self.is_done(exercise))
    }

    /// Returns the number of mended programs.
    pub(super) fn count(&self) -> usize {
        ALL.into_iter().filter(|exercise| self.is_done(exercise)).count()
    }

    /// Notes that a program is mended.
    ///
    /// # Errors
    /// The file cannot be written. Its old content stays.
    pub(super) fn done(&mut self, exercise: &Exercise) -> Result<()> {
        self.kept.done.insert(exercise.name.to_owned());
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

/// Replaces a file in one step, so another process reads the old text or the new one.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory)?;
    }
    let draft = file.with_extension(format!("{}.tmp", process::id()));
    fs::write(&draft, text)?;
    fs::rename(&draft, file).inspect_err(|_| drop(fs::remove_file(&draft)))
}

fn file() -> Result<PathBuf> {
    let strategy = etcetera::choose_base_strategy().map_err(|error| {
        Failure::new(("there is no place for the progress", "没有地方保存进度"))
            .because(error)
            .next(("set HOME to your home directory", "请把 HOME 设为你的主目录"))
    })?;
    let state = strategy.state_dir().unwrap_or_else(|| strategy.data_dir()); // Windows has no folder for state
    Ok(state.join("informer-lab").join("break.json"))
}

#[cfg(test)]
mod tests {
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
        assert_eq!((progress.count(), progress.next().unwrap().name), (0, "updates"));
        progress.done(ALL[0]).unwrap();
        progress.done(ALL[2]).unwrap();
        let next = Progress::of_file(file.clone()).unwrap();
        assert_eq!((next.count(), next.next().unwrap().name), (2, "tombstone"));
        let left: Vec<_> = fs::read_dir(file.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "no draft is left: {left:?}");
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }

    #[test]
    fn names_of_another_version_stay() {
        let file = temporary("later");
        replace(&file, r#"{"done": ["quantum"], "of": "a later version"}"#).unwrap();
        let mut progress = Progress::of_file(file.clone()).unwrap();
        assert_eq!(progress.count(), 0);
        progress.done(ALL[0]).unwrap();
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
