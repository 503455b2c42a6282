//! The outside world of a trial: the load balancer and the dashboard on which programs act, and a handler that writes
//! its notifications to the journal.

mod balancer;
mod dashboard;
mod journal_handler;

pub use balancer::{Balancer, Behaviour};
pub use dashboard::Dashboard;
pub use journal_handler::JournalHandler;
