//! What is outside of the programs, and what they have an effect on.

mod balancer;
mod dashboard;
mod noting;

pub use balancer::{Balancer, Manners};
pub use dashboard::Dashboard;
pub use noting::Noting;
