//! Makes the folder for `KUBEBUILDER_ASSETS` in the user's cache: links to this program with the names of the binaries
//! that it replaces.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use anyhow::Result;
use etcetera::BaseStrategy;

use super::Binary;
use crate::trace::Failure;

/// Makes the folder of this program if it is missing, and returns its path. The path depends on the program's own path,
/// so two versions of the program use two folders.
pub(super) fn make() -> Result<PathBuf> {
    let program = env::current_exe().and_then(fs::canonicalize).map_err(|error| {
        Failure::new(("cannot find this program's own file", "找不到本程序自己的文件")).because(error)
    })?;
    let folder = parent().join(name(&program));
    fill(&folder, &program).map_err(|error| {
        let shown = folder.display();
        Failure::new((format!("cannot make the folder {shown}"), format!("无法建立目录 {shown}"))).because(error).next(
            (
                "check that this folder is yours, and that no other user can write into it",
                "请确认这个目录属于你，并且其他人没有写权限",
            ),
        )
    })?;
    Ok(folder)
}

/// Returns the folder above, in the user's cache.
fn parent() -> PathBuf {
    let cache = etcetera::choose_base_strategy().map(|strategy| strategy.cache_dir());
    cache.unwrap_or_else(|_| env::temp_dir()).join("informer-lab").join("envtest")
}

/// Returns the folder's name: a hash of the program's path.
fn name(program: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    program.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Makes the links that are missing or lead to another program.
fn fill(folder: &Path, program: &Path) -> io::Result<()> {
    make_private(folder)?;
    for binary in Binary::ALL {
        let path = folder.join(format!("{}{}", binary.name(), env::consts::EXE_SUFFIX));
        if !is_link_to(&path, program) {
            // Renamed into place: another process may make the same link, and a test may be starting it, so the name
            // must always lead to a whole program.
            let partial = folder.join(format!(".{}-{:016x}", binary.name(), fastrand::u64(..)));
            link(program, &partial)?;
            fs::rename(&partial, &path).inspect_err(|_| drop(fs::remove_file(&partial)))?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_link_to(path: &Path, program: &Path) -> bool {
    fs::read_link(path).is_ok_and(|leads_to| leads_to == program)
}

#[cfg(not(unix))]
fn is_link_to(_: &Path, _: &Path) -> bool {
    false
}

/// Makes a symbolic link; in a file system without them, a hard link or a copy.
#[cfg(unix)]
fn link(program: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, path).or_else(|_| fs::hard_link(program, path)).or_else(|_| copy(program, path))
}

/// Makes a hard link, because symbolic links need a special permission on Windows.
#[cfg(not(unix))]
fn link(program: &Path, path: &Path) -> io::Result<()> {
    fs::hard_link(program, path).or_else(|_| copy(program, path))
}

fn copy(program: &Path, path: &Path) -> io::Result<()> {
    fs::copy(program, path).map(drop)
}

/// Makes the folder, and refuses one that other users can write into, because it may hold programs of theirs.
#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let found = fs::symlink_metadata(folder)?;
    let is_ours = found.is_dir() && found.uid() == rustix::process::getuid().as_raw() && found.mode() & 0o022 == 0;
    let why = "it exists already, and other users may write into it";
    if is_ours { Ok(()) } else { Err(io::Error::new(io::ErrorKind::PermissionDenied, why)) }
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_names_lead_to_the_program_also_after_it_was_replaced() {
        let scratch = env::temp_dir().join(format!("informer-lab-test-{:016x}", fastrand::u64(..)));
        let (folder, old, new) = (scratch.join("names"), scratch.join("old"), scratch.join("new"));
        fs::create_dir_all(&scratch).unwrap();
        fs::write(&old, "old").unwrap();
        fs::write(&new, "new").unwrap();
        fill(&folder, &old).unwrap();
        fill(&folder, &old).unwrap();
        assert_eq!(fs::read(folder.join("etcd")).unwrap(), b"old");
        fill(&folder, &new).unwrap();
        let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(names.len(), 3, "{names:?}");
        assert!(names.iter().all(|name| fs::read(name).unwrap() == b"new"));
        fs::remove_dir_all(&scratch).unwrap();
    }
}
