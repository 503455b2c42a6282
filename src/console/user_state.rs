//! The user's state: small files that the program keeps between two starts, in `$XDG_STATE_HOME/informer-lab`, by
//! default below `~/.local/state`; on Windows below the user's application data.

use std::path::{Path, PathBuf};
use std::{fs, io, process};

use anyhow::Result;
use etcetera::BaseStrategy;

use crate::trace::Failure;

/// Returns the path of the state file with this name. The file and its folder may not exist yet.
pub(crate) fn state_file(name: &str) -> Result<PathBuf> {
    let strategy = etcetera::choose_base_strategy().map_err(|error| {
        Failure::new(("there is no place for the progress", "没有地方保存进度"))
            .because(error)
            .next(("set HOME to your home directory", "请把 HOME 设为你的主目录"))
    })?;
    let state = strategy.state_dir().unwrap_or_else(|| strategy.data_dir()); // Windows has no folder for state
    Ok(state.join("informer-lab").join(name))
}

/// Replaces a file in one step, so another process reads the old text or the new one.
pub(crate) fn replace(file: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory)?;
    }
    let draft = file.with_extension(format!("{}.tmp", process::id()));
    fs::write(&draft, text)?;
    fs::rename(&draft, file).inspect_err(|_| drop(fs::remove_file(&draft)))
}
