//! Sends requests as bytes, because a client library would not send most of them, and parses the answers.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// The head and body of an answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub content_type: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// Returns the bytes of a request with these headers, each `Name: value`. The request asks the server to close the
/// connection after its answer.
pub fn request(method: &str, target: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for header in headers {
        head += &format!("{header}\r\n");
    }
    head += &format!("Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Connects, and sends the bytes for as long as the server takes them. The answer is not read. The receive buffer of the
/// socket has only a few kilobytes, so a long answer waits in the server.
pub async fn connected(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let _ = stream.write_all(bytes).await; // the server may close a connection in the middle of a request
    stream
}

/// The part of an answer that the client reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Everything until the server closes the connection.
    All,
    /// The head of a success, because it may be a watch, which does not end. A refusal is read to its end.
    Head,
    /// Everything until the server closes the connection. The client closes its half after the last byte, because these
    /// bytes may be half a request.
    AllOfHalf,
}

/// Sends bytes on a connection of their own and reads the answer; `None` if the server closes the connection without
/// one.
pub async fn answer(address: SocketAddr, bytes: &[u8], read: Read) -> Option<Answer> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let write = async {
        // The server may answer and close the connection before it has read everything.
        if writer.write_all(bytes).await.is_ok() && read == Read::AllOfHalf {
            let _ = writer.shutdown().await;
        }
        std::future::pending::<()>().await; // only the reader decides when the exchange is over
    };
    let mut received = Vec::new();
    let receive = async {
        while reader.read_buf(&mut received).await.is_ok_and(|count| count > 0) {
            let is_success = received.starts_with(b"HTTP/1.1 2");
            if read == Read::Head && is_success && received.windows(4).any(|four| four == b"\r\n\r\n") {
                break;
            }
        }
    };
    tokio::select! {
        () = write => {}
        () = receive => {}
    }
    parsed(&received)
}

fn parsed(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let (head, rest) = (String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase(), &bytes[end..]);
    let status = head.strip_prefix("http/1.")?.get(2..5)?.parse().ok()?;
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let body = if header("transfer-encoding").is_some() { unchunked(rest) } else { rest.to_vec() };
    Some(Answer { status, content_type: header("content-type").unwrap_or_default().to_owned(), body })
}

/// Returns the content of a chunked body, up to the first incomplete chunk.
fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(line) = bytes.windows(2).position(|two| two == b"\r\n")
        && let Some(length) =
            std::str::from_utf8(&bytes[..line]).ok().and_then(|hex| usize::from_str_radix(hex, 16).ok())
        && let Some(chunk) = bytes.get(line + 2..line + 2 + length).filter(|chunk| !chunk.is_empty())
    {
        body.extend_from_slice(chunk);
        bytes = bytes.get(line + 2 + length + 2..).unwrap_or_default();
    }
    body
}
