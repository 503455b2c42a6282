//! Creates files that hold secrets, so that other users of the machine cannot read them: the data of a cluster (which
//! has Secret objects), and the key of a certificate authority.

use std::fs::File;
use std::io;
use std::path::Path;

/// Creates a file that only its owner can read and write, or empties an existing one.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    keep_private(&file)?;
    Ok(file)
}

/// Lets only the owner read and write a file, whatever the umask is.
pub(crate) fn keep_private(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}
