//! The session on a terminal: draws a frame, waits for a key.

use anyhow::{Context, Result};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::draw::draw;
use super::session::{Key, Session};
use crate::console::Ended;

/// Shows the session until the reader quits.
pub fn show(session: &mut Session) -> Result<Ended> {
    let mut terminal = ratatui::try_init().context("cannot use the terminal")?;
    let shown = until_quit(session, &mut terminal);
    ratatui::restore();
    shown.map(|()| Ended::Done)
}

fn until_quit(session: &mut Session, terminal: &mut ratatui::DefaultTerminal) -> Result<()> {
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
        let Event::Key(key) = event::read().context("cannot read the keyboard")? else { continue };
        if key.kind != KeyEventKind::Press {
            continue;
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
        match pressed(key) {
            Pressed::Quit => return Ok(()),
            Pressed::Search => search = Some(String::new()),
            Pressed::Key(key) => {
                session.press(key);
            }
            Pressed::Nothing => {}
        }
    }
}

enum Pressed {
    Key(Key),
    Search,
    Quit,
    Nothing,
}

fn pressed(key: KeyEvent) -> Pressed {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Pressed::Key(match key.code {
        KeyCode::Char('c') if control => return Pressed::Quit,
        KeyCode::Char('q') | KeyCode::Esc => return Pressed::Quit,
        KeyCode::Char('/') => return Pressed::Search,
        KeyCode::Enter | KeyCode::Right | KeyCode::Char(' ') => Key::Forward,
        KeyCode::Left | KeyCode::Char('b') => Key::Back,
        KeyCode::Char('y') => Key::Answer(true),
        KeyCode::Char('n') => Key::Answer(false),
        KeyCode::Char('g') | KeyCode::Home => Key::First,
        KeyCode::Char('G') | KeyCode::End => Key::Last,
        KeyCode::Char('?') => Key::Help,
        _ => return Pressed::Nothing,
    })
}
