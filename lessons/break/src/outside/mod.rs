//! The outside world of a trial: the load balancer and the dashboard on which programs act, and a handler that notes its notifications.

mod balancer;
mod dashboard;
mod noting;

pub use balancer::{Balancer, Manners};
pub use dashboard::Dashboard;
pub use noting::Noting;
