//! The stop at which the reader left the tour, in the state file `tour.json` of the user.

use std::path::PathBuf;
use std::{fs, io};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::learners_stops;
use crate::console::{replace, state_file};
use crate::lessons::Row;
use crate::trace::Failure;

pub(super) struct Bookmark {
    file: PathBuf,
}

/// The content of the file. The stop is kept by its command, because another version may number the stops differently.
#[derive(Serialize, Deserialize)]
struct Kept {
    stop: String,
}

impl Bookmark {
    pub(super) fn open() -> Result<Self> {
        Ok(Self { file: state_file("tour.json")? })
    }

    /// Returns the place of the stop. `None` without a file, or if this version has no such stop.
    pub(super) fn place(&self) -> Result<Option<usize>> {
        let file = self.file.display();
        let text = match fs::read(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(Failure::new((format!("cannot read {file}"), format!("无法读取 {file}")))
                    .because(error)
                    .next(("name the stop: informer-lab tour NUMBER", "请写出站的编号：informer-lab tour 编号"))
                    .into());
            }
        };
        let kept: Kept = serde_json::from_slice(&text).map_err(|error| {
            Failure::new((format!("{file} names no stop of the tour"), format!("{file} 里没有 tour 的站")))
                .because(error)
                .next(("name the stop: informer-lab tour NUMBER", "请写出站的编号：informer-lab tour 编号"))
        })?;
        Ok(learners_stops().iter().position(|row| row.command == kept.stop))
    }

    /// Notes that the reader is at this stop.
    pub(super) fn put(&self, row: &Row) -> Result<()> {
        let text = serde_json::to_string_pretty(&Kept { stop: row.command.to_owned() })?;
        replace(&self.file, &text).map_err(|error| {
            let file = self.file.display();
            Failure::new((format!("cannot keep your place in {file}"), format!("进度无法写入 {file}")))
                .because(error)
                .into()
        })
    }

    /// Notes that the reader has seen the whole tour. Having no bookmark is no error.
    pub(super) fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_kept_until_the_end_of_the_tour() {
        let folder = std::env::temp_dir().join(format!("informer-lab-tour-{}", std::process::id()));
        let bookmark = Bookmark { file: folder.join("tour.json") };
        assert_eq!(bookmark.place().unwrap(), None);
        bookmark.put(learners_stops()[4]).unwrap();
        assert_eq!(bookmark.place().unwrap(), Some(4));
        bookmark.remove().unwrap();
        bookmark.remove().unwrap();
        assert_eq!(bookmark.place().unwrap(), None);
        fs::write(&bookmark.file, r#"{"stop": "of a later version"}"#).unwrap();
        assert_eq!(bookmark.place().unwrap(), None);
        fs::write(&bookmark.file, "{").unwrap();
        assert!(bookmark.place().is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
