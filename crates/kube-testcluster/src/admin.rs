//! Whether the server can be told to misbehave over HTTP.

/// The admin path `/lab/faults`.
///
/// POST `{"fault": "429:verb=list,times=3"}` starts a [`Fault`](super::Fault), GET lists those that go on, DELETE ends all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admin {
    /// It is there.
    On,
    /// It is unknown, as on every other API server.
    #[default]
    Off,
}
