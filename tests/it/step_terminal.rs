//! Tests of step mode on a pseudo-terminal: keys, signals, and a closed terminal.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use crate::cli::file;
use crate::screen::{PROGRAM, Screen};

#[test]
fn keys_move_forward_back_and_to_the_ends_search_and_quit() {
    let mut screen = Screen::of("step reflector");
    screen.shows("1/54");
    screen.types("\r");
    screen.shows("2/54");
    screen.types("b");
    screen.shows("1/54");
    screen.types("G");
    screen.shows("54/54");
    screen.types("g");
    screen.shows("1/54");
    screen.types("/nettool\r");
    screen.shows("default/nettool");
    screen.types("?");
    screen.shows("the next event of this kind");
    screen.types("q");
    assert!(screen.child.wait().unwrap().success());
}

#[test]
fn escape_closes_the_help_first_and_then_the_session() {
    let mut screen = Screen::of("step reflector");
    screen.shows("1/54");
    screen.types("?");
    screen.shows("the next event of this kind");
    screen.types("\u{1b}");
    screen
        .until("the frame without help", |text| text.contains("1/54") && !text.contains("the next event of this kind"));
    screen.types("\r");
    screen.shows("2/54");
    screen.types("\u{1b}");
    assert_eq!(screen.ends().1, Some(0));
}

#[test]
fn control_c_ends_a_search_too() {
    let mut screen = Screen::of("step reflector");
    screen.shows("1/54");
    screen.types("/net");
    screen.shows("/net ");
    screen.types("\u{3}");
    assert_eq!(screen.child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_signal_ends_step_mode_and_restores_the_terminal() {
    let pid = file("stepping.pid", "");
    let mut screen = Screen::running(&format!("echo $$ >{}; exec {PROGRAM} step reflector", pid.display()));
    screen.shows("1/54");
    assert!(screen.parser.screen().alternate_screen());
    let kill = format!("kill -TERM {}", fs::read_to_string(pid).unwrap().trim());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let mut rest = Vec::new();
    screen.child.stdout.as_mut().unwrap().read_to_end(&mut rest).unwrap();
    screen.parser.process(&rest);
    assert!(!screen.parser.screen().alternate_screen());
    assert_eq!(screen.child.wait().unwrap().code(), Some(143));
}

#[test]
fn a_closed_terminal_ends_step_mode_even_under_nohup() {
    assert_eq!(code_of_a_closed_terminal("closed.fifo", ""), "129\n");
}

/// The test does not read the frames, so the program blocks in the middle of drawing one.
#[test]
fn a_terminal_that_is_closed_during_a_frame_ends_step_mode() {
    assert_eq!(code_of_a_closed_terminal("drawing.fifo", &"Gg".repeat(300)), "129\n");
}

/// Steps through a run with these keys, and closes its terminal: it kills the program `script(1)`, which holds the
/// pseudo-terminal. Returns the exit code of informer-lab, which the shell writes into a FIFO.
fn code_of_a_closed_terminal(fifo: &str, keys: &str) -> String {
    let fifo = Path::new(env!("CARGO_TARGET_TMPDIR")).join(fifo);
    let _ = fs::remove_file(&fifo); // left by an earlier run
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut screen = Screen::running(&format!("trap '' HUP; {PROGRAM} step reflector; echo $? >{}", fifo.display()));
    screen.shows("1/54");
    screen.types(keys);
    screen.child.kill().unwrap();
    screen.child.wait().unwrap();
    fs::read_to_string(&fifo).unwrap()
}

#[test]
fn a_prediction_can_be_skipped() {
    let mut screen = Screen::of("step --predict reflector");
    screen.shows("1/54");
    screen.types(&"\r".repeat(60));
    let shown = screen.shows("54/54");
    assert!(!shown.contains("What does the queue do"), "the question about the deletion can be skipped");
    screen.types("q");
    let (left, code) = screen.ends();
    assert_eq!(code, Some(0));
    assert!(left.contains("Predictions: none answered · skipped: ") && left.contains("not reached: 0"), "{left}");
}

#[test]
fn the_score_is_left_on_the_screen_with_the_chapter_and_the_next_run() {
    let mut screen = Screen::of("step --predict relist --known-objects");
    screen.shows("1/126");
    screen.types("\r\r\r\r\r\r");
    screen.shows("1-4 answer");
    screen.types("1");
    screen.until("the verdict", |text| text.contains("Right: ") || text.contains("Not quite."));
    screen.types("q");
    let (left, code) = screen.ends();
    assert_eq!(code, Some(0));
    for part in [" of 1 right", "informer-lab read 19-relist", "informer-lab step --predict "] {
        assert!(left.contains(part), "{part}: {left}");
    }
}
