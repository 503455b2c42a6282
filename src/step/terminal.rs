//! Step mode on a terminal, until the user quits, a signal comes or the terminal is closed.

use std::io;
use std::time::Duration;

use anyhow::{Context, Result};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokio_util::sync::CancellationToken;

use super::draw::draw;
use super::outcome::outcome;
use super::session::{Key, Session};
use crate::console::{Console, Ended, HUNG_UP};

/// The exit code after Ctrl-C. In the terminal's raw mode, Ctrl-C is a key and not a signal.
const CONTROL_C: u8 = 130;

/// The interval at which a signal is checked for while no key is pressed.
const GLANCE: Duration = Duration::from_millis(100);

/// Shows the session until the user quits or a signal ends it. Then restores the terminal and prints the score of the
/// questions.
pub fn show(session: &mut Session, console: &Console) -> Result<Ended> {
    let stop = console.interrupt.arm().context("cannot listen for signals")?;
    end_with_the_terminal().context("cannot watch the terminal")?;
    let mut terminal = ratatui::try_init().context("cannot use the terminal")?;
    let shown = until_quit(session, &mut terminal, &stop);
    if terminal.show_cursor().and_then(|()| ratatui::try_restore()).is_err() {
        // The terminal was closed. Exit at once, because ratatui's own clean-up writes to it again and panics if that
        // fails.
        std::process::exit(i32::from(HUNG_UP));
    }
    if let Some(code) = console.interrupt.code() {
        return Ok(Ended::Interrupted(code));
    }
    if let Some(outcome) = outcome(session) {
        let printer = &console.printer;
        let fitting: String = outcome.lines().map(|line| printer.labelled("", line)).collect();
        let written = Ended::from_write(printer.page(fitting.trim_end()))?;
        if written != Ended::Done {
            return Ok(written);
        }
    }
    shown
}

/// Draws and reads keys until the user quits. While the user types a search, the search takes all keys.
fn until_quit(
    session: &mut Session,
    terminal: &mut ratatui::DefaultTerminal,
    stop: &CancellationToken,
) -> Result<Ended> {
    let mut search: Option<String> = None;
    loop {
        terminal.draw(|frame| {
            let area = frame.area();
            draw(session, area, frame.buffer_mut());
            if let Some(search) = &search {
                let line =
                    ratatui::layout::Rect { y: area.bottom().saturating_sub(1), height: 1.min(area.height), ..area };
                let text = format!("/{search:<width$}", width = usize::from(area.width));
                frame.render_widget(ratatui::widgets::Paragraph::new(text), line);
            }
        })?;
        let Some(event) = next(stop).context("cannot read the keyboard")? else { return Ok(Ended::Done) };
        let Event::Key(key) = event else { continue };
        if key.kind != KeyEventKind::Press {
            continue;
        }
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Ok(Ended::Interrupted(CONTROL_C)); // even while a search is typed
        }
        if let Some(mut text) = search.take() {
            match key.code {
                KeyCode::Enter => drop(session.press(Key::Search(text))),
                KeyCode::Esc => {}
                KeyCode::Backspace => {
                    text.pop();
                    search = Some(text);
                }
                KeyCode::Char(c) => {
                    text.push(c);
                    search = Some(text);
                }
                _ => search = Some(text),
            }
            continue;
        }
        match key_meaning(key) {
            KeyMeaning::Leave if session.helps => drop(session.press(Key::Help)),
            KeyMeaning::Leave | KeyMeaning::Quit => return Ok(Ended::Done),
            KeyMeaning::Search => {
                session.helps = false; // the search line is below the picture
                search = Some(String::new());
            }
            KeyMeaning::Key(key) => {
                session.press(key);
            }
            KeyMeaning::Nothing => {}
        }
    }
}

/// Waits for the next terminal event. Returns `None` once a signal has come.
fn next(stop: &CancellationToken) -> io::Result<Option<Event>> {
    while !stop.is_cancelled() {
        if event::poll(GLANCE)? {
            return event::read().map(Some);
        }
    }
    Ok(None)
}

/// Ends the process when its terminal is closed. crossterm would read for ever then, and a process that ignores SIGHUP,
/// as under nohup, learns of the closed terminal only here.
#[cfg(unix)]
fn end_with_the_terminal() -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let closed = || {
        let stdin = io::stdin();
        loop {
            // No events are requested, because poll always reports a closed terminal.
            let mut polled = [PollFd::new(&stdin, PollFlags::empty())];
            match poll(&mut polled, None) {
                Ok(_) if polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => {
                    std::process::exit(i32::from(HUNG_UP));
                }
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) | Err(_) => return,
            }
        }
    };
    std::thread::Builder::new().name("terminal".into()).spawn(closed).map(drop)
}

#[cfg(not(unix))]
fn end_with_the_terminal() -> io::Result<()> {
    Ok(())
}

/// The action of a pressed key: a command for the session, or something that the terminal does itself.
enum KeyMeaning {
    Key(Key),
    Search,
    /// Closes the help if it is open, else the session.
    Leave,
    Quit,
    Nothing,
}

fn key_meaning(key: KeyEvent) -> KeyMeaning {
    KeyMeaning::Key(match key.code {
        KeyCode::Char('q') => return KeyMeaning::Quit,
        KeyCode::Esc => return KeyMeaning::Leave,
        KeyCode::Char('/') => return KeyMeaning::Search,
        KeyCode::Enter | KeyCode::Right | KeyCode::Char(' ') => Key::Forward,
        KeyCode::Left | KeyCode::Char('b') => Key::Back,
        KeyCode::Char('n') => Key::NextOfKind,
        KeyCode::Char(digit @ '1'..='9') => Key::Answer(digit as usize - '1' as usize),
        KeyCode::Char('g') | KeyCode::Home => Key::First,
        KeyCode::Char('G') | KeyCode::End => Key::Last,
        KeyCode::Char('?') => Key::Help,
        _ => return KeyMeaning::Nothing,
    })
}
