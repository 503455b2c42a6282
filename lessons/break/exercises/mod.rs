//! The programs to fix. `informer-lab break` lists them.

#[path = "07_gap.rs"]
pub mod gap;
#[path = "04_mutate.rs"]
pub mod mutate;
#[path = "08_recreated.rs"]
pub mod recreated;
#[path = "06_resync.rs"]
pub mod resync;
#[path = "10_shared.rs"]
pub mod shared;
#[path = "03_slow.rs"]
pub mod slow;
#[path = "09_stale.rs"]
pub mod stale;
#[path = "05_sync.rs"]
pub mod sync;
#[path = "02_tombstone.rs"]
pub mod tombstone;
#[path = "01_updates.rs"]
pub mod updates;
