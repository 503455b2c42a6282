//! The colours of a frame: those of the trace, if standard output has colours.

use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

use crate::trace;

/// Decides whether a frame has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    Colors,
}

impl Ink {
    /// Returns the colour of a trace line.
    pub fn of(self, style: trace::Style) -> Style {
        match style.tint().filter(|_| self == Self::Colors) {
            Some(tint) => {
                let colored = Style::new().fg(Color::Indexed(tint.hue.index()));
                if tint.bold { colored.bold() } else { colored }
            }
            None => Style::new(),
        }
    }

    /// Colours the names of deltas in a line of the queue, each as the trace colours it.
    pub fn deltas(self, line: String) -> Line<'static> {
        if self == Self::Plain {
            return Line::from(line);
        }
        let words = line.split_inclusive(|c: char| !c.is_ascii_alphabetic());
        let spans = words.map(|word| {
            let name = word.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
            Span::styled(word.to_owned(), delta_style(name).map_or(Style::new(), |style| self.of(style)))
        });
        Line::from(spans.collect::<Vec<_>>())
    }
}

fn delta_style(name: &str) -> Option<trace::Style> {
    Some(match name {
        "Added" => trace::Style::Added,
        "Updated" => trace::Style::Updated,
        "Deleted" => trace::Style::Deleted,
        "Sync" | "Replaced" | "SyncAll" | "ReplacedAll" => trace::Style::Synced,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_has_the_colour_of_its_trace_line_and_the_text_stays() {
        let line = Ink::Colors.deltas("nettool: [Added 6, Deleted† 9]".to_owned());
        let colored = |word: &str| line.spans.iter().find(|span| span.content.starts_with(word)).unwrap().style;
        assert_eq!(colored("Added"), Ink::Colors.of(trace::Style::Added));
        assert_eq!(colored("Deleted"), Ink::Colors.of(trace::Style::Deleted));
        assert_ne!(colored("Added"), colored("nettool"));
        assert_eq!(line.to_string(), "nettool: [Added 6, Deleted† 9]");
        assert_eq!(Ink::Plain.deltas("a: [Added 6]".to_owned()), Line::from("a: [Added 6]"));
    }
}
