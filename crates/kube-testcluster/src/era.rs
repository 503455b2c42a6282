//! The generation of API server that the cluster simulates.

/// The generation of the API server, as far as a client can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Era {
    /// API servers up to 1.26. The watch cache keeps its objects in an unordered map, so what it answers (LIST with
    /// resourceVersion 0, the first events of a WATCH) comes in no particular order; here: in the order of a seeded
    /// hash. A streaming list (`sendInitialEvents`) is refused.
    Classic,
    /// API servers of today. The watch cache is ordered by key, its reads are consistent, and streaming lists are
    /// served.
    #[default]
    Modern,
}
