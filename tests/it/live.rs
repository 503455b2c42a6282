//! A running program, whose standard output and standard error are read line by line.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};

use crate::cli::{Ran, command};
use crate::patient::Patient;

/// Dropping it kills the program.
pub struct Live {
    pub child: Child,
    pub out: BufReader<Patient<ChildStdout>>,
    pub err: BufReader<Patient<ChildStderr>>,
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

impl Live {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        Self { child, out: BufReader::new(Patient(out)), err: BufReader::new(Patient(err)) }
    }

    /// Starts `informer-lab cluster`, and returns its address too.
    pub fn cluster(arguments: &str) -> (Self, SocketAddr) {
        let mut live = Self::start(&mut command(&format!("cluster {arguments}")));
        let address = after(&mut live.out, "http://").parse().unwrap();
        (live, address)
    }

    /// Reads a line of standard output.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Reads standard error up to the first line that contains `words`, and returns the rest of the line after them.
    pub fn wait_for(&mut self, words: &str) -> String {
        after(&mut self.err, words)
    }

    /// Sends SIGINT, as Ctrl-C does.
    pub fn interrupt(&self) {
        self.send("INT");
    }

    /// Sends a signal, and waits until the program has ended.
    pub fn signal(mut self, name: &str) -> ExitStatus {
        self.send(name);
        self.err.read_to_string(&mut String::new()).unwrap(); // a full pipe would block the program
        self.child.wait().unwrap()
    }

    /// Waits until the program has ended, and returns the rest of its output.
    pub fn ended(mut self) -> Ran {
        let (mut out, mut err) = (String::new(), String::new());
        self.out.read_to_string(&mut out).unwrap();
        self.err.read_to_string(&mut err).unwrap();
        Ran { code: self.child.wait().unwrap().code(), out, err }
    }

    fn send(&self, signal: &str) {
        let kill = format!("kill -{signal} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }
}

/// Reads up to the first line that contains `word`, and returns the rest of the line after it.
pub fn after(lines: &mut impl BufRead, word: &str) -> String {
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap() > 0 {
        if let Some((_, rest)) = line.split_once(word) {
            return rest.trim().to_owned();
        }
        line.clear();
    }
    panic!("the program ended without saying {word}");
}
