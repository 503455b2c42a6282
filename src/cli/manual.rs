//! Manual pages, generated from clap's commands.

use std::path::Path;
use std::{fs, io};

use anyhow::Result;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use informer_lab::console::Ended;
use informer_lab::trace::{Failure, Lang, Printer};

use super::args::Cli;
use super::chinese;
use super::help::localized;

/// Writes a manual page for each subcommand into the folder, which it makes if it is missing, or prints the first one, in the
/// printer's language.
pub fn man(folder: Option<&Path>, printer: &Printer) -> Result<Ended> {
    let lang = printer.lang();
    let command = localized(Cli::command().disable_help_subcommand(true), lang);
    let Some(folder) = folder else {
        return Ended::from_write(printer.bytes(&page(&Man::new(command), lang)?));
    };
    fs::create_dir_all(folder).and_then(|()| write_pages(command, folder, lang)).map_err(|error| {
        Failure::new((
            format!("cannot write manual pages to {}", folder.display()),
            format!("无法把手册页写到 {}", folder.display()),
        ))
        .because(error)
        .next(("name a folder that you may write", "请指定一个可写的目录"))
    })?;
    Ok(Ended::Done)
}

fn write_pages(command: Command, folder: &Path, lang: Lang) -> io::Result<()> {
    for subcommand in command.get_subcommands() {
        write_pages(subcommand.clone(), folder, lang)?;
    }
    let manual = Man::new(command);
    fs::write(folder.join(manual.get_filename()), page(&manual, lang)?)
}

fn page(manual: &Man, lang: Lang) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    manual.render(&mut page)?;
    Ok(match lang {
        Lang::En => page,
        Lang::Zh => chinese::replaced(&String::from_utf8_lossy(&page), &chinese::WORDS_OF_MANUAL).into_bytes(),
    })
}

#[cfg(test)]
mod tests {
    use clap::builder::StyledStr;

    use super::*;
    use crate::cli::language::is_chinese;

    fn subcommands(command: &Command) -> impl Iterator<Item = &Command> {
        std::iter::once(command).chain(command.get_subcommands())
    }

    /// Returns the page without roff's marks for hyphens, dots and apostrophes.
    fn plain_page(command: &Command, lang: Lang) -> String {
        let page = String::from_utf8(page(&Man::new(command.clone()), lang).unwrap()).unwrap();
        page.replace("\\*(Aq", "'").replace('\\', "")
    }

    /// Returns the English paragraphs of a command that have a Chinese one below them.
    fn english(command: &Command) -> Vec<String> {
        let text = |text: Option<&StyledStr>| text.map(ToString::to_string).unwrap_or_default();
        let mut texts = vec![text(command.get_long_about().or(command.get_about()))];
        for arg in command.get_arguments() {
            texts.push(text(arg.get_long_help().or(arg.get_help())));
            texts.extend(arg.get_possible_values().iter().map(|value| text(value.get_help())));
        }
        let in_both = texts.iter().filter(|text| is_chinese(text)).flat_map(|text| text.lines());
        in_both.filter(|line| !line.is_empty() && !is_chinese(line)).map(str::to_owned).collect()
    }

    #[test]
    fn a_chinese_manual_page_has_no_english_text_that_has_a_chinese_one() {
        let unbuilt = || Cli::command().disable_help_subcommand(true);
        let (mut source, chinese) = (unbuilt(), localized(unbuilt(), Lang::Zh));
        source.build();
        for (source, chinese) in subcommands(&source).zip(subcommands(&chinese)) {
            let (name, page) = (source.get_name(), plain_page(chinese, Lang::Zh));
            assert!(page.contains(".SH 名称") && !page.contains(".SH NAME"), "{name}");
            assert!(chinese.get_about().is_some_and(|about| is_chinese(&about.to_string())), "{name}");
            let labels = ["Possible values:", "[default: ", "Print help"].map(str::to_owned);
            for text in english(source).into_iter().chain(labels) {
                assert!(!page.contains(&text), "{name}: {text}");
            }
        }
    }

    #[test]
    fn an_english_manual_page_has_no_chinese() {
        for command in subcommands(&localized(Cli::command().disable_help_subcommand(true), Lang::En)) {
            assert!(!is_chinese(&plain_page(command, Lang::En)), "{}", command.get_name());
        }
    }
}
