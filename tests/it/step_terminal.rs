//! Step mode on a pseudo-terminal: keys are typed, and frames are compared.

use std::fs;
use std::io::Read;
use std::process::Command;

use crate::cli::file;
use crate::screen::{PROGRAM, Screen};

#[test]
fn keys_go_forward_back_to_the_ends_and_quit() {
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
fn control_c_ends_a_search_too() {
    let mut screen = Screen::of("step reflector");
    screen.shows("1/54");
    screen.types("/net");
    screen.shows("/net ");
    screen.types("\u{3}");
    assert!(screen.child.wait().unwrap().success());
}

#[test]
fn a_signal_ends_it_and_the_terminal_is_as_before() {
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
fn a_prediction_can_be_skipped() {
    let mut screen = Screen::of("step --predict reflector");
    screen.shows("1/54");
    screen.types(&"\r".repeat(60));
    let shown = screen.shows("54/54");
    assert!(!shown.contains("will Deleted"), "a question can be skipped");
    screen.types("q");
    assert!(screen.child.wait().unwrap().success());
}
