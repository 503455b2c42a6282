//! Shell completions and manual pages, generated from clap's commands.

use std::path::Path;

use anyhow::Result;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use informer_lab::console::Ended;
use informer_lab::trace::{Failure, Printer};

use super::args::Cli;

/// Descriptions for lessons whose description in the catalog is too long or is about the main row only.
const ABOUT: [(&str, &str); 10] = [
    ("reflector", "Reflector into a DeltaFIFO, with or without known objects"),
    ("indexer", "Indexer: find objects by a label or by their namespace"),
    ("shared", "sharedProcessor: several handlers, one informer"),
    ("synced", "Synced: the store is filled, and the handlers may not have seen it yet"),
    ("resync", "Resync: what is known is told again, and a handler returns early"),
    ("relist", "Relist: a deletion that the watch missed is found out by the next list"),
    ("stale", "Stale: a controller that counts in a cache which is behind creates twice"),
    ("mutate", "Mutate: what the cache hands out is changed in a copy"),
    ("controllerloop", "Controller loop: what fills the queue and what empties it"),
    ("loop", "Loop: LIST and WATCH, request by request"),
];

fn command() -> Command {
    Cli::command().mut_subcommands(|lesson| match ABOUT.iter().find(|(name, _)| *name == lesson.get_name()) {
        Some((_, about)) => lesson.about(*about),
        None => lesson,
    })
}

pub fn completions(shell: Shell, printer: &Printer) -> Result<Ended> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "informer-lab", &mut text);
    Ended::from_write(printer.bytes(&text))
}

/// Writes a manual page for each subcommand into the folder, or prints the first one.
pub fn man(folder: Option<&Path>, printer: &Printer) -> Result<Ended> {
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        return Ended::from_write(printer.bytes(&page));
    };
    clap_mangen::generate_to(command, folder).map_err(|error| {
        Failure::new((
            format!("cannot write manual pages to {}", folder.display()),
            format!("无法把手册页写到 {}", folder.display()),
        ))
        .because(error)
        .next(("name a folder that exists and can be written", "请指定一个存在而且可写的目录"))
    })?;
    Ok(Ended::Done)
}
