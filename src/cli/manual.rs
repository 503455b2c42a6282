//! Manual pages, generated from clap's commands.

use std::path::Path;
use std::{fs, io};

use anyhow::Result;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use informer_lab::console::Ended;
use informer_lab::lessons::lessons;
use informer_lab::trace::{Both, Failure, Lang, Printer};

use super::args::Cli;
use super::chinese;
use super::help::in_chinese;
use super::language::{in_language, paragraphs};

/// Descriptions for lessons whose description in the catalog is too long or is about the main row only.
const ABOUT: [(&str, &str, &str); 10] = [
    (
        "reflector",
        "Reflector into a DeltaFIFO, with or without known objects",
        "Reflector 写入 DeltaFIFO，有或没有 known objects",
    ),
    ("indexer", "Indexer: find objects by a label or by their namespace", "Indexer：按 label 或 namespace 查找对象"),
    ("shared", "sharedProcessor: several handlers, one informer", "sharedProcessor：多个 handler，一个 informer"),
    (
        "synced",
        "Synced: the store is filled, and the handlers may not have seen it yet",
        "Synced：store 已经填满，handler 可能还没有看到",
    ),
    (
        "resync",
        "Resync: what is known is told again, and a handler returns early",
        "Resync：已知的对象再通知一遍，handler 提前返回",
    ),
    (
        "relist",
        "Relist: a deletion that the watch missed is found out by the next list",
        "Relist：watch 漏掉的删除由下一次 list 发现",
    ),
    (
        "stale",
        "Stale: a controller that counts in a cache which is behind creates twice",
        "Stale：controller 根据落后的缓存计数，会重复创建",
    ),
    ("mutate", "Mutate: what the cache hands out is changed in a copy", "Mutate：缓存给出的对象要在副本里修改"),
    (
        "controllerloop",
        "Controller loop: what fills the queue and what empties it",
        "Controller 循环：谁填队列，谁取队列",
    ),
    ("loop", "Loop: LIST and WATCH, request by request", "Loop：逐个请求看 LIST 和 WATCH"),
];

/// Returns the description of a lesson; `None` for another subcommand.
fn about(name: &str) -> Option<Both> {
    let row = lessons().find(|row| row.command == name)?;
    let shorter = ABOUT.iter().find(|(lesson, ..)| *lesson == name);
    let (en, zh) = shorter.map_or((row.en, row.zh), |(_, en, zh)| (*en, *zh));
    Some(Both { en, zh })
}

/// Builds a command with its texts in one language.
pub(super) fn built(command: Command, lang: Lang) -> Command {
    let mut command = command.mut_subcommands(|subcommand| match about(subcommand.get_name()) {
        Some(about) => subcommand.about(paragraphs(about)),
        None => subcommand,
    });
    command.build();
    let command = in_language(command, lang);
    match lang {
        Lang::En => command,
        Lang::Zh => in_chinese(command),
    }
}

/// Writes a manual page for each subcommand into the folder, or prints the first one, in the printer's language.
pub fn man(folder: Option<&Path>, printer: &Printer) -> Result<Ended> {
    let lang = printer.lang();
    let command = built(Cli::command().disable_help_subcommand(true), lang);
    let Some(folder) = folder else {
        return Ended::from_write(printer.bytes(&page(&Man::new(command), lang)?));
    };
    write_pages(command, folder, lang).map_err(|error| {
        Failure::new((
            format!("cannot write manual pages to {}", folder.display()),
            format!("无法把手册页写到 {}", folder.display()),
        ))
        .because(error)
        .next(("name a folder that exists and can be written", "请指定一个存在而且可写的目录"))
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
        let (mut source, chinese) = (unbuilt(), built(unbuilt(), Lang::Zh));
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
        for command in subcommands(&built(Cli::command().disable_help_subcommand(true), Lang::En)) {
            assert!(!is_chinese(&plain_page(command, Lang::En)), "{}", command.get_name());
        }
    }
}
