//! Creates files that hold secrets, so that other users of the machine cannot read them: the data of a cluster (which
//! has Secret objects), and the key of a certificate authority.

use std::fs::File;
use std::io;
use std::path::Path;

pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
