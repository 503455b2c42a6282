//! Which API server is played: one of 2023, or one of today.

/// The generation of the API server, as far as a client can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Era {
    /// API servers up to 1.26. The watch cache keeps its objects in an unordered map, so what is answered from it
    /// (LIST with resourceVersion 0, the first events of a WATCH) comes in no order; here: in the order of a seeded hash.
    /// A streaming list (`sendInitialEvents`) is refused.
    Classic,
    /// API servers of today. The watch cache is ordered by key, reads are consistent, streaming lists are served.
    #[default]
    Modern,
}
