//! Runs the program on a pseudo-terminal: tests type keys and read the screen.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use vt100::Parser;

use crate::patient::Patient;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_informer-lab");

/// A program on a terminal of 80 columns and 24 lines.
pub struct Screen {
    pub child: Child,
    pub parser: Parser,
}

impl Screen {
    pub fn of(arguments: &str) -> Self {
        Self::running(&format!("exec {PROGRAM} {arguments}"))
    }

    /// Runs a line of shell.
    pub fn running(line: &str) -> Self {
        let line = format!("stty rows 24 cols 80; {line}");
        let mut command = Command::new("script");
        // Quiet, flushed after each write, and with the exit code of the line.
        command.args(["-qfec", &line, "/dev/null"]).env("TERM", "xterm").env("LC_ALL", "C").env_remove("PAGER");
        command.env("SHELL", "/bin/sh"); // shells differ, for example in what Ctrl-C does between two programs
        command.env("HOME", env!("CARGO_TARGET_TMPDIR")).env_remove("KUBECONFIG");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        Self { child, parser: Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0) }
    }

    /// Reads until the screen contains `part`, and returns the screen.
    pub fn shows(&mut self, part: &str) -> String {
        self.until(part, |text| text.contains(part))
    }

    /// Reads until `is` is true of the screen, and returns the screen. `what` describes the condition if the program ends before.
    pub fn until(&mut self, what: &str, is: impl Fn(&str) -> bool) -> String {
        let mut bytes = [0; 4096];
        loop {
            let text = self.parser.screen().contents();
            if is(&text) {
                return text;
            }
            let read = Patient(self.child.stdout.as_mut().unwrap()).read(&mut bytes).unwrap();
            assert!(read > 0, "the program ended before it showed {what:?}: {text}");
            self.parser.process(&bytes[..read]);
        }
    }

    /// Reads until the program ends, and returns the last screen and the exit code.
    pub fn ends(mut self) -> (String, Option<i32>) {
        let mut rest = Vec::new();
        Patient(self.child.stdout.as_mut().unwrap()).read_to_end(&mut rest).unwrap();
        self.parser.process(&rest);
        (self.parser.screen().contents(), self.child.wait().unwrap().code())
    }

    pub fn types(&mut self, keys: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(keys.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }
}
