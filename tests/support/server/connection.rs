//! One connection: requests in, answers out.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use super::Shared;
use super::response::{Response, Step};

/// A request, as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// `POST`.
    pub method: String,
    /// `/v1/chat/completions`.
    pub path: String,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null where there is none.
    pub body: Value,
}

impl Request {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The texts of its messages in one, to look for what must or must not have been sent.
    pub fn prompt(&self) -> String {
        let messages = self.body["messages"].as_array().into_iter().flatten();
        messages.filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join("\n\n")
    }
}

/// How a connection goes on after an answer.
enum After {
    KeepAlive,
    Close,
}

/// Serves a connection until it ends.
pub(super) fn serve(stream: TcpStream, shared: &Shared) {
    // A byte that is sent by itself travels by itself.
    let _ = stream.set_nodelay(true);
    let Ok(reading) = stream.try_clone() else { return };
    let mut reader = BufReader::new(reading);
    while let Ok(Some(request)) = read_request(&mut reader) {
        let response = shared.answer(request);
        match send(&stream, &response, shared) {
            Ok(After::KeepAlive) => {}
            // The client has gone away, or is to see the end.
            Ok(After::Close) | Err(_) => return,
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let Some(first) = read_line(reader)? else { return Ok(None) };
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    while let Some(line) = read_line(reader)?.filter(|line| !line.is_empty()) {
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Some(Request { method, path, headers, body }))
}

fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let read = reader.read_line(&mut line)?;
    Ok((read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned()))
}

fn send(mut stream: &TcpStream, response: &Response, shared: &Shared) -> io::Result<After> {
    if !matches!(response.steps.first(), Some(Step::Reset)) {
        stream.write_all(head(response).as_bytes())?;
    }
    for step in &response.steps {
        match step {
            Step::Send(bytes) => stream.write_all(bytes).inspect_err(|_| shared.note_hang_up())?,
            Step::Wait(gate) => gate.pass(),
            Step::AwaitHangUp => {
                await_hang_up(stream);
                shared.note_hang_up();
                return Ok(After::Close);
            }
            Step::Reset => {
                socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO))?;
                return Ok(After::Close);
            }
        }
    }
    Ok(if response.measured { After::KeepAlive } else { After::Close })
}

fn head(response: &Response) -> String {
    let mut head = format!("HTTP/1.1 {} Scripted\r\n", response.status);
    for (name, value) in &response.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !response.measured {
        head.push_str("connection: close\r\n");
    } else if response.status != 204 {
        let length: usize =
            response.steps.iter().map(|step| if let Step::Send(bytes) = step { bytes.len() } else { 0 }).sum();
        head.push_str(&format!("content-length: {length}\r\n"));
    }
    head.push_str("\r\n");
    head
}

/// Waits for the end of what the client sends, which is where it has gone away.
fn await_hang_up(mut stream: &TcpStream) {
    let mut rest = [0; 64];
    while stream.read(&mut rest).is_ok_and(|read| read > 0) {}
}
