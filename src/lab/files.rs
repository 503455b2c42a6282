//! Reading what a user names on the command line.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::defaults::Fixture;
use crate::trace::Failure;
use kube_testcluster::Stages;

/// A text and where it comes from.
pub(super) struct Source {
    pub(super) text: String,
    /// For messages: the file's name.
    pub(super) name: String,
}

/// The file that was asked for, else the usual fixture.
pub(super) fn source(asked: Option<&Path>, what: &str, usual: Option<&Fixture>) -> Result<Option<Source>> {
    match (asked, usual) {
        (Some(path), _) => Ok(Some(Source { text: read(path, what)?, name: path.display().to_string() })),
        (None, Some(fixture)) => Ok(Some(Source { text: fixture.text.to_owned(), name: fixture.name.to_owned() })),
        (None, None) => Ok(None),
    }
}

/// The stages that were asked for, by a name of [`Stages::NAMES`] or as a file, else the usual fixture, else the documents'.
pub(super) fn stages(asked: Option<&Path>, usual: Option<&Fixture>) -> Result<Stages> {
    if let Some(named) = asked.and_then(Path::to_str).and_then(Stages::named) {
        return Ok(named);
    }
    if let Some(word) =
        asked.filter(|path| path.extension().is_none() && path.components().count() == 1 && !path.exists())
    {
        return Err(Failure::new(format!("there are no stages {}", word.display()))
            .next(format!("name a file, or one of {}", Stages::NAMES.join(", ")))
            .into());
    }
    let source = source(asked, "the stages file", usual)?;
    Ok(source.map(|source| Stages::from_yaml(&source.text, &source.name)).transpose()?.unwrap_or_default())
}

/// The text of a file. `what` says what it should be, as in "the pods file".
///
/// # Errors
/// Names the file, and for one that is not UTF-8 the line of the first wrong byte.
fn read(path: &Path, what: &str) -> Result<String> {
    let shown = path.display();
    let bytes = fs::read(path).map_err(|error| Failure::new(format!("cannot read {what} {shown}")).because(error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count();
        Failure::new(format!("{shown}:{line}: {what} is not UTF-8 text")).next("save the file as UTF-8")
    })?;
    Ok(text)
}
