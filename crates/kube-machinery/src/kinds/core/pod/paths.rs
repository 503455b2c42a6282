//! Validation of file paths in volumes and mounts. A path must not lead out of its volume, because the kubelet reads
//! and writes it with root's rights. Upstream: `validateLocalDescendingPath` and its neighbours in
//! `pkg/apis/core/validation/validation.go`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;

/// Checks that no part of the path is `..`. Upstream: `validatePathNoBacksteps`.
pub(in crate::kinds) fn no_backsteps(path: &str, at: At<'_>) -> Option<Cause> {
    let leads_up = path.split('/').any(|part| part == "..");
    leads_up.then(|| Cause::invalid(at, path, "must not contain '..'"))
}

/// Checks that a path is relative and does not leave its base directory. Upstream: `validateLocalDescendingPath`.
pub(super) fn descending(path: &str, at: At<'_>) -> Causes {
    let absolute = path.starts_with('/').then(|| Cause::invalid(at, path, "must be a relative path"));
    absolute.into_iter().chain(no_backsteps(path, at)).collect()
}

/// Checks the relative path of a file that the kubelet writes. Paths that start with a name such as `..data` are
/// reserved for the kubelet itself. Upstream: `ValidateLocalNonReservedPath`.
pub(super) fn local(path: &str, at: At<'_>) -> Causes {
    let mut causes = descending(path, at);
    if path.starts_with("..") && !path.starts_with("../") {
        causes.push(Cause::invalid(at, path, "must not start with '..'"));
    }
    causes
}
