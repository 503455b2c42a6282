//! Damages a generated request on the level of HTTP: its framing, its header lines, or its first bytes.

use fastrand::Rng;

use super::requests::Generated;
use super::words::pick;
use crate::http::Read;

/// The beginning of an HTTP/2 connection.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

impl Generated {
    /// Returns the request in a form that no HTTP client sends. The server may close the connection instead of answering.
    pub fn malformed(mut self, random: &mut Rng) -> Self {
        let length = self.bytes.len();
        // The end of the last header line.
        let head = self.bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(length, |end| end + 2);
        let at = random.usize(0..head);
        match random.u8(0..10) {
            0 => self.bytes.truncate(random.usize(0..length)),
            1 => self.bytes[at] = random.u8(..),
            2 => drop(self.bytes.splice(at..at, *b"\r\n")),
            3 => drop(self.bytes.splice(at..at, vec![b'a'; random.usize(0..100_000)])),
            4 => self.insert(
                head,
                pick(
                    random,
                    &[
                        "Content-Length: -1\r\n",
                        "Content-Length: 1\r\n",
                        "Content-Length: 99999999999999999999\r\n",
                        "Transfer-Encoding: chunked\r\n",
                        "Transfer-Encoding: gzip, chunked\r\n",
                        "Transfer-Encoding: x\r\n",
                        "Host: a.example.org\r\n",
                        "Expect: 100-continue\r\n",
                        " folded\r\n",
                        ": \r\n",
                        "A b: c\r\n",
                        "A\0: b\r\n",
                    ],
                ),
            ),
            5 => self.chunked(random, head),
            6 => self.bytes = [PREFACE, &frames(random)].concat(),
            7 => self.bytes = (0..random.usize(1..500)).map(|_| random.u8(..)).collect(),
            8 => self.bytes = self.bytes.iter().copied().filter(|byte| *byte != b'\r').collect(),
            _ => self.bytes.extend_from_within(..at), // half a request behind a whole one
        }
        self.read = if self.read == Read::Head { Read::Head } else { Read::AllOfHalf };
        self
    }

    fn insert(&mut self, at: usize, header: &str) {
        self.bytes.splice(at..at, header.bytes());
    }

    /// Sends the body in chunks, whose lengths are not always right.
    fn chunked(&mut self, random: &mut Rng, head: usize) {
        let body = self.bytes.split_off((head + 2).min(self.bytes.len()));
        let text =
            String::from_utf8_lossy(&self.bytes).replace("Content-Length: ", "Transfer-Encoding: chunked\r\nX-Was: ");
        self.bytes = text.into_bytes();
        for chunk in body.chunks(random.usize(1..5_000)).take(2_000) {
            let length = if random.u8(0..100) == 0 { usize::MAX } else { chunk.len() };
            self.bytes.extend(format!("{length:x}\r\n").bytes());
            self.bytes.extend_from_slice(chunk);
            self.bytes.extend(b"\r\n");
        }
        self.bytes.extend(pick(random, &["0\r\n\r\n", "0\r\nA: b\r\n\r\n", "", "z\r\n"]).bytes());
    }
}

/// Frames of HTTP/2 with random types, flags and streams.
fn frames(random: &mut Rng) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 4, 0, 0, 0, 0, 0]; // SETTINGS, which must be the first
    for _ in 0..random.usize(0..200) {
        let content: Vec<u8> = (0..random.u8(0..40)).map(|_| random.u8(..)).collect();
        // The head of a frame has nine bytes: length, type, flags and stream.
        bytes.extend([0, 0, content.len() as u8, random.u8(0..11), random.u8(..), 0, 0, 0, random.u8(0..6)]);
        bytes.extend(content);
    }
    bytes
}
