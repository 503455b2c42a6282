//! Tests of the tour: its stops, its keys on a pseudo-terminal, and the bookmark.

use std::path::PathBuf;
use std::{env, fs, process};

use informer_lab::book;
use informer_lab::lessons::tour::{self, TourLength};

use crate::cli::{command, finish, run};
#[cfg(target_os = "linux")]
use crate::screen::{PROGRAM, Screen};

/// A reader with a folder for the bookmark.
struct Reader(PathBuf);

impl Reader {
    fn new(name: &str) -> Self {
        let state = env::temp_dir().join(format!("informer-lab-reader-{}-{name}", process::id()));
        let _ = fs::remove_dir_all(&state); // left by an earlier process with this id
        Self(state)
    }

    fn run(&self, line: &str) -> crate::cli::Ran {
        finish(command(line).env("XDG_STATE_HOME", &self.0).env("APPDATA", &self.0))
    }

    #[cfg(target_os = "linux")]
    fn opens(&self, line: &str) -> Screen {
        Screen::running(&format!("export XDG_STATE_HOME={}; exec {PROGRAM} {line}", self.0.display()))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the number of the stop with this command, and the number of stops: `25/39`.
fn stop(command: &str) -> String {
    format!("{}/{}", number(command), tour::learners_stops().len())
}

fn number(command: &str) -> usize {
    let stops = tour::learners_stops();
    1 + stops.iter().position(|row| row.command == command).unwrap_or_else(|| panic!("{command} is no stop"))
}

#[test]
fn the_stops_have_the_order_of_the_book() {
    let stops: Vec<_> = tour::learners_stops().iter().map(|row| row.command).collect();
    let mut places = Vec::new();
    for chapter in book::all().filter(|chapter| chapter.number().is_some()) {
        let runs =
            chapter.en().lines().filter_map(|line| line.strip_prefix("<!-- run: informer-lab ")?.strip_suffix(" -->"));
        places.extend(runs.filter_map(|run| stops.iter().position(|stop| *stop == run)));
    }
    assert!(places.len() > 20 && places.is_sorted(), "{places:?}");
    let place = |command: &str| stops.iter().position(|stop| *stop == command).unwrap();
    let fifo = ["deltafifo --step list", "deltafifo --step pop", "deltafifo --step events", "deltafifo"];
    assert!(fifo.map(place).is_sorted(), "{stops:?}");
}

#[test]
fn a_tour_without_pauses_has_the_same_order_and_the_same_numbers() {
    let headings = |line: &str| {
        let said = run(line).err;
        said.lines().filter_map(|line| line.strip_prefix("## ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let all: Vec<_> = tour::learners_stops();
    let expected = all.iter().enumerate().filter(|(_, row)| row.is_of_the_tutorials());
    let headings = headings("tour");
    assert_eq!(headings.len(), tour::stops(TourLength::Documents).len());
    for (heading, (place, row)) in headings.iter().zip(expected) {
        let (number, chapter) = (place + 1, row.chapter_number());
        let begins = format!("{number}/{} · chapter {chapter} · informer-lab {}", all.len(), row.command);
        assert!(heading.starts_with(&begins), "{heading}: {begins}");
    }
}

#[test]
fn a_stop_is_named_by_its_number_or_by_its_lesson() {
    let loops = run("loop").out;
    let number = number("loop");
    for line in ["tour loop --all".to_owned(), format!("tour {number} --all")] {
        let ran = run(&line);
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
        assert!(
            ran.out.starts_with(&loops) && ran.err.starts_with(&format!("\n## {} ", stop("loop"))),
            "{line}: {}",
            ran.err
        );
    }
    let ran = run("tour loop");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(
        ran.err.contains(&format!("stop {number}, loop, is beyond the tutorials")) && ran.err.contains("--all"),
        "{}",
        ran.err
    );
}

#[test]
fn the_list_has_every_stop_with_its_number_and_its_chapter() {
    let reader = Reader::new("lists");
    for lang in ["en", "zh"] {
        let listed = reader.run(&format!("tour --list --lang {lang}"));
        assert_eq!((listed.code, listed.err.as_str()), (Some(0), ""));
        for (place, row) in tour::learners_stops().iter().enumerate() {
            let line = format!("  {:2}  {}  {} ", place + 1, row.chapter_number(), row.command);
            assert!(listed.out.contains(&line), "{line}: {}", listed.out);
        }
    }
    assert_eq!(run("tour --list 3").code, Some(2));
}

#[test]
fn without_a_bookmark_the_tour_begins_at_its_first_stop() {
    let reader = Reader::new("begins");
    let ran = reader.run("tour resume --all");
    assert_eq!(ran.out, run("tour --all").out);
    assert!(ran.err.starts_with("# there is no unfinished tour"), "{}", ran.err);
}

#[cfg(target_os = "linux")]
mod on_a_terminal {
    use super::*;

    /// The speed at which a stop with pauses plays longer than a test.
    const SLOW: &str = "--speed 0.01";

    /// Returns true if the screen ends with the keys after the run of this chapter.
    fn asks_after(text: &str, chapter: &str) -> bool {
        let [.., read, _, keys] = text.trim_end().lines().collect::<Vec<_>>()[..] else { return false };
        keys == "Enter next · b back · r again · g go to · q quit"
            && read == format!("its chapter: informer-lab read {chapter}")
    }

    fn plays(text: &str, stop: &str) -> bool {
        let last = text.lines().rfind(|line| line.starts_with("## ")).unwrap_or_default();
        last.contains(stop) && text.trim_end().ends_with("space the rest at once · b back · r again · g go to · q quit")
    }

    #[test]
    fn single_keys_move_forward_and_back_and_unknown_keys_are_not_echoed() {
        let reader = Reader::new("moves");
        let mut screen = reader.opens("tour deltafifo --speed 1000");
        screen.until("the keys after a stop", |text| asks_after(text, "deltafifo"));
        screen.types("x1");
        let text = screen.shows("go to stop (number or lesson): 1");
        assert!(!text.contains(": x"), "{text}");
        screen.types("\r");
        screen.until("the keys after stop 1", |text| asks_after(text, "architecture"));
        screen.types("\r");
        screen.until("the keys after stop 2", |text| asks_after(text, "listwatch"));
        screen.types("b");
        screen.until("the keys after stop 1 again", |text| asks_after(text, "architecture"));
        screen.types("q");
        assert_eq!(screen.ends().1, Some(0));
    }

    #[test]
    fn keys_work_while_a_stop_plays() {
        let (reader, looping, count) = (Reader::new("plays"), stop("loop"), tour::learners_stops().len());
        let after = tour::learners_stops()[number("loop")].command;
        let next = stop(after);
        let mut screen = reader.opens(&format!("tour loop {SLOW}"));
        screen.until("loop", |text| plays(text, &looping));
        screen.types("n");
        screen.until("the stop after loop", |text| plays(text, &next));
        screen.types("b");
        screen.until("loop again", |text| plays(text, &looping));
        screen.types("gsynced\r");
        screen.until("a stop by its name", |text| plays(text, "· informer-lab synced"));
        screen.types(&number("loop").to_string());
        screen.shows(&format!("go to stop (number or lesson): {}", number("loop")));
        screen.types("\r");
        screen.until("a stop by its number", |text| plays(text, &looping));
        screen.types("999\r");
        screen.shows(&format!("the tour has no stop 999: name 1 to {count}, or a lesson"));
        screen.types(" ");
        screen.until("the rest of the stop", |text| asks_after(text, "controller-loop") && text.contains("23514 ms"));
        screen.types("\r");
        screen.until("the stop after loop again", |text| plays(text, &next));
        screen.types("q");
        let (text, code) = screen.ends();
        assert_eq!(code, Some(0));
        let resume = format!("# informer-lab tour resume continues at stop {}, {after}", number(after));
        assert!(text.contains(&resume), "{text}");
        assert!(!text.contains("b back"), "the keys are gone: {text}");
    }

    #[test]
    fn the_tour_is_resumed_where_the_reader_left() {
        let reader = Reader::new("resumes");
        let [second, third] = ["deltafifo --step events", "deltafifo --step callbacks"].map(number);
        let mut screen = reader.opens(&format!("tour {} --speed 1000", second - 1));
        screen.until("the keys after the stop", |text| asks_after(text, "deltafifo"));
        screen.types("\u{3}");
        let (text, code) = screen.ends();
        assert_eq!(code, Some(130), "{text}");
        let place = format!("stop {second}, deltafifo --step events");
        assert!(text.contains(&format!("resume continues at {place}")), "the stop before was shown: {text}");

        assert!(reader.run("tour --list").out.contains(&format!("\n> {second:2}  03  deltafifo --step events ")));
        let mut screen = reader.opens(&format!("tour {SLOW}"));
        screen.until("the first stop with the offer", |text| {
            plays(text, &stop("architecture")) && text.contains(&format!("# you left the last tour at {place}:"))
        });
        screen.types("q");
        let (text, _) = screen.ends();
        assert!(text.contains(&format!("resume continues at {place}")), "the old place stays: {text}");

        let mut screen = reader.opens("tour resume --lang zh --speed 1000");
        let heading = format!("## {} · 第 03 章", stop("deltafifo --step events"));
        screen.until("the kept stop", |text| {
            text.contains(&heading) && text.contains("下一站：deltafifo --step callbacks")
        });
        screen.types("q");
        let (text, code) = screen.ends();
        assert!(code == Some(0) && text.contains(&format!("informer-lab tour resume 从第 {third} 站")), "{text}");
    }

    #[test]
    fn after_the_last_stop_the_bookmark_is_gone() {
        let reader = Reader::new("ends");
        let mut screen = reader.opens(&format!("tour {} --speed 1000", tour::learners_stops().len()));
        screen.until("the last question", |text| text.contains("next: the end") && text.trim_end().ends_with("q quit"));
        screen.types("\r");
        let (text, code) = screen.ends();
        assert!(code == Some(0) && text.contains("# that was the last stop"), "{text}");
        assert!(!reader.run("tour --list").out.contains("\n> "));
    }

    #[test]
    fn a_place_that_cannot_be_kept_is_reported_and_the_tour_goes_on() {
        let reader = Reader::new("cannot");
        fs::write(&reader.0, "a file where a folder should be").unwrap();
        let mut screen = reader.opens("tour 3 --speed 1000");
        screen.until("the keys after stop 3", |text| {
            asks_after(text, "deltafifo") && text.contains("error: cannot keep your place")
        });
        screen.types("q");
        let (text, code) = screen.ends();
        assert!(code == Some(0) && !text.contains("tour resume"), "{text}");
        fs::remove_file(&reader.0).unwrap();
    }

    /// The trap keeps Ctrl-C from ending the shell too.
    #[test]
    fn ctrl_c_ends_the_tour_and_restores_the_terminal() {
        let (reader, looping) = (Reader::new("interrupts"), stop("loop"));
        let mut screen = Screen::running(&format!(
            "trap : INT; XDG_STATE_HOME={} {PROGRAM} tour loop {SLOW}; stty -a | grep -oE -- '-?(icanon|echo) '",
            reader.0.display()
        ));
        screen.until("loop", |text| plays(text, &looping));
        screen.types("\u{3}");
        let (text, _) = screen.ends();
        assert!(text.contains("icanon") && !text.contains("-icanon") && !text.contains("-echo "), "{text}");
    }
}
