//! `completions` and `man`: shell completions and manual pages, generated from clap's types.

use std::path::Path;

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use informer_lab::console::Ended;
use informer_lab::trace::{Failure, Printer};

use super::args::Cli;

/// Prints the completion script of a shell.
pub fn completions(shell: Shell, printer: &Printer) -> Result<Ended> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "informer-lab", &mut text);
    Ended::of_writing(printer.bytes(&text))
}

/// Writes a manual page for each subcommand into the folder, or prints the first one.
pub fn man(folder: Option<&Path>, printer: &Printer) -> Result<Ended> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        return Ended::of_writing(printer.bytes(&page));
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
