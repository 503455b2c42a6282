//! Tests of a whole cluster on a simulated disk.

mod damage;
mod first_version;
mod full_disk;
mod restarts;
mod support;
