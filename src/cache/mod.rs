//! The informer machinery of client-go's `tools/cache`.

pub mod observe;
