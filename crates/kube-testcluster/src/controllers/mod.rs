//! Controllers, built on this project's informers and work queue. They run against any cluster.

pub mod replica_set;
