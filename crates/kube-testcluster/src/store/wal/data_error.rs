//! The reasons why a folder cannot hold a cluster's data.

use std::io;
use std::path::PathBuf;

/// The reason why a folder cannot hold a cluster's data.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The folder or a file in it cannot be read or written.
    #[error("{} cannot be used", .path.display())]
    Unusable {
        /// The folder or the file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        why: io::Error,
    },
    /// The folder holds other files, and no data of a cluster.
    #[error("{} holds other files, and no cluster", .0.display())]
    NotACluster(PathBuf),
    /// Another cluster uses the folder.
    #[error("{} is used by another cluster", .0.display())]
    InUse(PathBuf),
    /// A newer version of this program has written the file, in a format that this version does not know.
    #[error("{} was written by a newer version of this program", .0.display())]
    Newer(PathBuf),
    /// Another version of this program has written objects of a kind that this version does not serve.
    #[error("the object {key} of {kind} cannot be served by this version")]
    Foreign {
        /// The kind, as in `deployments.apps`.
        kind: String,
        /// The object, as `NAMESPACE/NAME` or `NAME`.
        key: String,
    },
    /// Another program has changed or truncated a file, or the disk has lost data.
    #[error("{} is damaged at byte {at}: {why}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The offset in bytes of the first record that cannot be read.
        at: u64,
        /// The damage, in words.
        why: String,
    },
}
