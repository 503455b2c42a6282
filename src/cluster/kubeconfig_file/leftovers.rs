//! Removes what clusters that were killed have left in the folder of temporary files.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::time::Duration;

use super::{MARK, TEMPORARY, answers, server};

/// Removes the temporary kubeconfigs of clusters that were killed: nothing answers at their addresses any more, or they
/// were not written to the end. Other users may put entries with such names into the folder, so it reads only what this
/// user has made.
pub(super) fn remove_leftovers(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_temporary_name));
    for directory in ours.map(|entry| entry.path()) {
        if !fs::symlink_metadata(&directory).is_ok_and(|found| found.is_dir() && is_own(&found)) {
            continue;
        }
        let kubeconfig = directory.join("kubeconfig");
        let is_stale = match read_own(&kubeconfig) {
            Ok(found) if found.starts_with(MARK.as_bytes()) => {
                server(&found).map_or_else(|| is_old(&directory), |address| !answers(address))
            }
            Ok(found) => MARK.as_bytes().starts_with(&found) && is_old(&directory),
            Err(error) => error.kind() == ErrorKind::NotFound && is_old(&directory),
        };
        if is_stale {
            let _ = fs::remove_file(&kubeconfig);
            let _ = fs::remove_dir(&directory); // fails if there is something else in it
        }
    }
}

/// Reads a kubeconfig of this user.
///
/// # Errors
/// The file is not there, is longer than any kubeconfig of this program, belongs to another user, or is no regular file:
/// a pipe or a device may have no end, and a link may lead to one.
fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    const LONGEST: u64 = 64 * 1024;
    let found = fs::symlink_metadata(path)?;
    if !found.is_file() || !is_own(&found) || found.len() > LONGEST {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut content = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut content)?;
    Ok(content)
}

/// Returns true if a file or directory belongs to this user.
#[cfg(unix)]
fn is_own(found: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw()
}

/// On Windows the folder is in the user's own profile.
#[cfg(not(unix))]
fn is_own(_found: &Metadata) -> bool {
    true
}

/// Returns true if a directory was made so long ago that its kubeconfig would be written by now.
fn is_old(directory: &Path) -> bool {
    const WRITTEN_WITHIN: Duration = Duration::from_secs(60);
    let made = fs::metadata(directory).and_then(|found| found.modified()).ok();
    made.and_then(|made| made.elapsed().ok()).is_some_and(|age| age > WRITTEN_WITHIN)
}

fn is_temporary_name(name: &str) -> bool {
    let number = name.strip_prefix(TEMPORARY);
    number.is_some_and(|number| number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::address;
    use super::super::{KubeconfigFile, content};
    use super::*;

    #[test]
    fn the_temporary_kubeconfig_of_a_cluster_that_was_killed_goes_with_the_next_one() {
        let folder = KubeconfigFile::write(address(), None).unwrap(); // its temporary directory holds the files of this test
        let folder = folder.path().with_file_name("temporary");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let (running, gone) = (listener.local_addr().unwrap(), address());
        let file = |directory: &str| folder.join(directory).join("kubeconfig");
        let (kept, stale) = ("informer-lab-0123456789abcdef", "informer-lab-fedcba9876543210");
        for (directory, address) in [(kept, running), (stale, gone), ("informer-lab-notes", gone)] {
            fs::create_dir_all(folder.join(directory)).unwrap();
            fs::write(file(directory), content(address, None)).unwrap();
        }
        remove_leftovers(&folder);
        assert!(file(kept).exists() && file("informer-lab-notes").exists() && !folder.join(stale).exists());
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_of_a_cluster_that_was_killed_before_its_kubeconfig_was_written_goes_with_a_later_one() {
        let folder = KubeconfigFile::write(address(), None).unwrap(); // its temporary directory holds the files of this test
        let folder = folder.path().with_file_name("temporary");
        let name = |number: usize| folder.join(format!("{TEMPORARY}{number:016}"));
        let old = [None, Some(""), Some(&MARK[..9]), Some(MARK), Some("apiVersion: v1\n")];
        for (number, content) in old.iter().chain([&None]).enumerate() {
            fs::create_dir_all(name(number)).unwrap();
            if let Some(content) = content {
                fs::write(name(number).join("kubeconfig"), content).unwrap();
            }
            if number < old.len() {
                File::open(name(number)).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
            }
        }
        remove_leftovers(&folder);
        let left: Vec<bool> = (0..=old.len()).map(|number| name(number).exists()).collect();
        assert_eq!(left, [false, false, false, false, true, true], "those of others and new ones stay");
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }

    /// Every entry is old, or names a cluster that is gone, so it would be removed if it were a folder and a file of this
    /// user.
    #[cfg(unix)]
    #[test]
    fn pipes_links_and_files_of_other_users_are_left_alone_and_block_nothing() {
        use std::os::unix::fs::{chown, symlink};
        let folder = KubeconfigFile::write(address(), None).unwrap(); // its temporary directory holds the files of this test
        let folder = folder.path().with_file_name("temporary");
        let name = |number: usize| folder.join(format!("{TEMPORARY}{number:016}"));
        let file = |number: usize| name(number).join("kubeconfig");
        let text = content(address(), None);
        for number in 0..5 {
            fs::create_dir_all(name(number)).unwrap();
        }
        assert!(std::process::Command::new("mkfifo").arg(file(0)).status().unwrap().success());
        symlink("/dev/zero", file(1)).unwrap();
        fs::write(folder.join("text"), &text).unwrap();
        symlink(folder.join("text"), file(2)).unwrap();
        fs::write(file(3), &text).unwrap();
        File::options().write(true).open(file(3)).unwrap().set_len(1 << 30).unwrap(); // a file without blocks on the disk
        fs::write(file(4), &text).unwrap();
        symlink(name(4), name(5)).unwrap();
        let other_user = chown(name(4), Some(65_534), None); // only root can do so
        for number in 0..5 {
            File::open(name(number)).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        }
        remove_leftovers(&folder);
        let left: Vec<bool> = (0..6).map(|number| fs::symlink_metadata(name(number)).is_ok()).collect();
        assert_eq!(left, [true, true, true, true, other_user.is_ok(), true]);
        fs::remove_dir_all(folder.parent().unwrap()).unwrap();
    }
}
