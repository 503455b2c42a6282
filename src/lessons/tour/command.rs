//! The meaning of the keys of the tour. A destination, a number or a lesson's name, is typed as a line.

use super::find_stop;
use crate::console::KeyPress;

/// The effect of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Go to the stop at this place. The place after the last stop ends the tour.
    GoTo(usize),
    Quit,
    /// Print the rest of this stop without pauses.
    Hurry,
    /// The typed destination has changed.
    Typed,
    Nothing,
}

/// The destination that the user is typing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Destination {
    /// A key is a command of its own.
    #[default]
    None,
    /// Keys are added to this text, until Enter.
    Typing(String),
    /// The text that was entered is no stop.
    Unknown(String),
}

/// The longest destination: every command of a lesson is shorter.
const LONGEST: usize = 40;

impl Destination {
    /// Takes a key at the stop at this place.
    pub(super) fn take(&mut self, key: KeyPress, stop: usize) -> Command {
        if let Self::Typing(text) = self {
            match key {
                KeyPress::Letter(letter) if text.len() < LONGEST => text.push(letter),
                KeyPress::Backspace if !text.is_empty() => drop(text.pop()),
                KeyPress::Backspace | KeyPress::Escape => *self = Self::None,
                KeyPress::Enter => return self.enter(),
                KeyPress::Letter(_) | KeyPress::Left | KeyPress::Right => return Command::Nothing,
            }
            return Command::Typed;
        }
        // The next key removes the message about an unknown destination.
        let removes_message = std::mem::take(self) != Self::None;
        match key {
            KeyPress::Enter | KeyPress::Right | KeyPress::Letter('n') => Command::GoTo(stop + 1),
            KeyPress::Left | KeyPress::Letter('b') => Command::GoTo(stop.saturating_sub(1)),
            KeyPress::Letter('r') => Command::GoTo(stop),
            KeyPress::Letter('q') => Command::Quit,
            KeyPress::Letter(' ') => Command::Hurry,
            KeyPress::Letter('g' | '/') => {
                *self = Self::Typing(String::new());
                Command::Typed
            }
            KeyPress::Letter(digit @ '0'..='9') => {
                *self = Self::Typing(digit.to_string());
                Command::Typed
            }
            _ if removes_message => Command::Typed,
            KeyPress::Backspace | KeyPress::Escape | KeyPress::Letter(_) => Command::Nothing,
        }
    }

    /// Ends the typed line. An empty line is a change of mind.
    fn enter(&mut self) -> Command {
        let Self::Typing(text) = std::mem::take(self) else { return Command::Nothing };
        if text.trim().is_empty() {
            return Command::Typed;
        }
        match find_stop(&text) {
            Ok(place) => Command::GoTo(place),
            Err(_) => {
                *self = Self::Unknown(text);
                Command::Typed
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use KeyPress::{Backspace, Enter, Escape, Left, Letter, Right};

    /// Returns the effect of the last key at the fourth stop, and the destination after it.
    fn typed(keys: &[KeyPress]) -> (Command, Destination) {
        let mut destination = Destination::default();
        let command = keys.iter().map(|key| destination.take(*key, 3)).last().unwrap();
        (command, destination)
    }

    fn word(text: &str) -> Vec<KeyPress> {
        let mut keys = vec![Letter('g')];
        keys.extend(text.chars().map(Letter));
        keys.push(Enter);
        keys
    }

    #[test]
    fn a_key_leads_on_back_or_out() {
        for key in [Enter, Right, Letter('n')] {
            assert_eq!(typed(&[key]).0, Command::GoTo(4), "{key:?}");
        }
        for key in [Left, Letter('b')] {
            assert_eq!(typed(&[key]).0, Command::GoTo(2), "{key:?}");
        }
        assert_eq!(typed(&[Letter('r')]).0, Command::GoTo(3));
        assert_eq!(typed(&[Letter('q')]).0, Command::Quit);
        assert_eq!(typed(&[Letter(' ')]).0, Command::Hurry);
        assert_eq!(typed(&[Letter('x')]).0, Command::Nothing);
        assert_eq!(Destination::default().take(Letter('b'), 0), Command::GoTo(0));
    }

    #[test]
    fn a_number_or_a_name_leads_to_a_stop_at_enter() {
        assert_eq!(typed(&[Letter('1'), Letter('2'), Enter]).0, Command::GoTo(11));
        assert_eq!(typed(&word("7")).0, Command::GoTo(6));
        assert_eq!(typed(&word("loop")).0, Command::GoTo(find_stop("loop").unwrap()));
        assert_eq!(typed(&[Letter('1'), Letter('2'), Backspace, Enter]).0, Command::GoTo(0));
        assert_eq!(typed(&[Letter('g'), Letter('q')]), (Command::Typed, Destination::Typing("q".into())));
    }

    #[test]
    fn a_destination_can_be_given_up_and_an_unknown_one_stays_until_the_next_key() {
        for keys in [vec![Letter('1'), Escape], vec![Letter('1'), Backspace, Backspace], word("")] {
            assert_eq!(typed(&keys), (Command::Typed, Destination::None), "{keys:?}");
        }
        assert_eq!(typed(&word("99")), (Command::Typed, Destination::Unknown("99".into())));
        let then = |key| typed(&[word("99"), vec![key]].concat());
        assert_eq!(then(Letter('x')), (Command::Typed, Destination::None));
        assert_eq!(then(Enter).0, Command::GoTo(4));
    }
}
