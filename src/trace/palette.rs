//! The colours of the program: six of the 256 colours that terminals show alike. Each has a contrast of at least 4.5
//! (WCAG 2) on black and on white, so a trace is readable on a dark terminal and on a white projector. Few colours lie
//! in this range: green, blue, red, violet, pink and grey, but no yellow and no cyan. The 16 basic colours are no
//! alternative, because each terminal chooses its own, and the usual yellow has a contrast of 1.7 to 3.5 on white.

use colored::Color;

/// An entry of the terminal's 256 colours, from 16 on, which no terminal chooses by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hue(u8);

impl Hue {
    /// An addition.
    pub const GREEN: Self = Self(29);
    /// An update.
    pub const BLUE: Self = Self(63);
    /// A deletion, or an error.
    pub const RED: Self = Self(131);
    /// A repetition, or a side note.
    pub const GREY: Self = Self(243);
    /// A handler.
    pub const VIOLET: Self = Self(98);
    /// Another handler.
    pub const PINK: Self = Self(163);

    /// All colours.
    pub const ALL: [Self; 6] = [Self::GREEN, Self::BLUE, Self::RED, Self::GREY, Self::VIOLET, Self::PINK];

    /// Returns the number of the colour among the 256.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Returns the escape code that begins a text of this colour.
    pub(crate) fn code(self) -> String {
        format!("\u{1b}[38;5;{}m", self.0)
    }

    pub(super) fn color(self) -> Color {
        Color::AnsiColor(self.0)
    }

    /// Returns red, green and blue: the entries 16 to 231 are a cube of six levels each, and the others are greys.
    pub fn rgb(self) -> [u8; 3] {
        const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        match self.0 {
            grey @ 232.. => [8 + 10 * (grey - 232); 3],
            entry => {
                let place = usize::from(entry.saturating_sub(16));
                [place / 36, place / 6 % 6, place % 6].map(|level| LEVELS[level])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of WCAG 2, from 0 (black) to 1 (white).
    fn luminance(rgb: [u8; 3]) -> f64 {
        let linear = |value: u8| match f64::from(value) / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        };
        let [red, green, blue] = rgb.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
        let [one, other] = [one, other].map(|rgb| luminance(rgb) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn the_contrast_is_that_of_wcag() {
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
        let yellow = contrast([205, 205, 0], [255; 3]);
        assert!((1.7..1.8).contains(&yellow), "xterm's yellow on white: {yellow}");
    }

    #[test]
    fn every_colour_is_readable_on_black_and_on_white() {
        for hue in Hue::ALL {
            for back in [[0; 3], [255; 3]] {
                let contrast = contrast(hue.rgb(), back);
                assert!(contrast >= 4.5, "{hue:?} {:?} on {back:?}: {contrast:.2}", hue.rgb());
            }
        }
    }

    #[test]
    fn an_entry_is_in_the_cube_or_grey() {
        assert_eq!(Hue::GREEN.rgb(), [0, 0x87, 0x5f]);
        assert_eq!(Hue::PINK.rgb(), [0xd7, 0, 0xaf]);
        assert_eq!(Hue::GREY.rgb(), [0x76; 3]);
    }
}
