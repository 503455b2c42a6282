//! The integration tests of the program and the repository, in one binary to link only once.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod board;
#[cfg(unix)]
mod board_live;
mod chapters;
mod cli;
mod cli_cluster;
#[cfg(unix)]
mod cli_data;
#[cfg(unix)]
mod cli_envtest;
mod cli_files;
#[cfg(unix)]
mod cli_greeting;
#[cfg(unix)]
mod cli_live;
mod cli_output;
mod cli_read;
mod cli_remote;
#[cfg(unix)]
mod cli_serve;
mod cli_usage;
mod eras;
mod exercises;
#[cfg(unix)]
mod hostile;
mod lesson_files;
#[cfg(unix)]
mod lessons_remote;
mod links;
#[cfg(unix)]
mod live;
#[cfg(target_os = "linux")]
mod live_terminal;
mod narration;
#[cfg(unix)]
mod patient;
mod readme;
mod record;
mod runs;
#[cfg(target_os = "linux")]
mod screen;
mod security;
#[cfg(unix)]
mod step;
#[cfg(target_os = "linux")] // `script` of util-linux makes the terminal
mod step_terminal;
mod stopped_cluster;
#[cfg(unix)]
mod test_server;
mod tour;
mod traces;
