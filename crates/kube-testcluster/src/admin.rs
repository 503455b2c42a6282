//! Whether faults can be started over HTTP.

/// The admin path `/lab/faults`.
///
/// POST `{"fault": "429:verb=list,times=3"}` starts a [`Fault`](super::Fault), GET lists the active ones, DELETE ends
/// all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admin {
    /// The path is served.
    On,
    /// The path is unknown, as on every other API server.
    #[default]
    Off,
}
