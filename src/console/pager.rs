//! Shows a long text, such as a chapter of the book, in the user's pager, or else a screen at a time.

use std::env;
use std::io::{self, BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};

use terminal_size::{Height, terminal_size_of};

use super::{Console, Ended, Interrupt};
use crate::trace::Printer;

/// Prints one of the program's own texts. A text that does not fit the terminal is shown in the pager that `PAGER`
/// names, else in `less`, and if neither works, one screen at a time. An empty `PAGER` switches all that off.
pub(crate) fn show(text: &str, console: &Console) -> anyhow::Result<Ended> {
    let printer = &console.printer;
    let lines = text.lines().count();
    let height = terminal_size_of(io::stdout()).map_or(0, |(_, Height(height))| usize::from(height));
    let is_long = Printer::on_terminal() && lines >= height;
    let chosen = env::var("PAGER").ok();
    match chosen.as_deref().map(str::trim) {
        Some("") => {}
        _ if !is_long => {}
        chosen => {
            if pager(chosen.unwrap_or("less"), text, &console.interrupt) {
                return Ok(Ended::Done);
            }
            if io::stdin().is_terminal() {
                return Ended::from_write(pages(text, height.saturating_sub(1).max(1), printer));
            }
        }
    }
    Ended::from_write(printer.page_styled(text, text))
}

/// Shows the text in another program, and returns true if that worked. Ctrl-C is left to that program: `less` stays
/// open, and if this process ended, the shell would read from the same terminal as `less`.
fn pager(command: &str, text: &str, interrupt: &Interrupt) -> bool {
    let mut words = command.split_whitespace();
    let Some(program) = words.next() else { return false };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        command.env("LESS", "FRX"); // git's choice: keep colours, and exit at once if the text fits the screen
    }
    if env::var_os("LESSCHARSET").is_none() {
        command.env("LESSCHARSET", "utf-8"); // the text is UTF-8, even if the system lacks the locale that LANG names
    }
    let shown = interrupt.leave_to_another(|| {
        let mut pager = command.spawn()?;
        if let Some(mut input) = pager.stdin.take() {
            let _ = input.write_all(text.as_bytes()); // the reader may quit before the end
        }
        pager.wait()
    });
    matches!(shown, Ok(Ok(_)))
}

/// Prints `height` lines at a time, until the end or until the reader quits.
fn pages(text: &str, height: usize, printer: &Printer) -> io::Result<()> {
    let lines: Vec<&str> = text.lines().collect();
    let mut answers = io::stdin().lock();
    let count = lines.chunks(height).count();
    for (number, page) in lines.chunks(height).enumerate() {
        let page = page.join("\n") + "\n";
        printer.page_styled(&page, &page)?;
        if number + 1 == count {
            break;
        }
        printer.ask(printer.pick("Enter for more, q and Enter to leave ", "回车继续，q 加回车退出 "));
        let mut answer = String::new();
        if answers.read_line(&mut answer)? == 0 || answer.trim() == "q" {
            break;
        }
    }
    Ok(())
}
