//! A server over HTTP, and a client that says exactly what it is told.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value as Json;

use crate::support::Place;

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Server {
    child: Child,
    _stdin: Option<ChildStdin>,
    pub(crate) port: u16,
    /// The token that it made, which every request sends that states no `Authorization`.
    pub(crate) token: Option<String>,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|err| panic!("{err}: {self:?}"))
    }

    /// A field of the head.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// The reason of the error.
    #[track_caller]
    pub(crate) fn reason(&self) -> String {
        let json = self.json();
        json["error"]["reason"]
            .as_str()
            .expect("a reason")
            .to_owned()
    }
}

impl Server {
    /// Starts a server at a port of its own; as the operator, unless the flags name a role.
    pub(crate) fn start(place: &Place, flags: &[&str]) -> Self {
        let role = match flags.contains(&"--role") {
            true => &[][..],
            false => &["--role", "operator"],
        };
        Self::with(place, &[&["--http", "127.0.0.1:0"], role, flags].concat())
    }

    /// Starts a server with exactly these options.
    pub(crate) fn with(place: &Place, flags: &[&str]) -> Self {
        Self::of(place.command(&[&["serve"], flags].concat()))
    }

    /// Starts a server in a folder beside `work`.
    pub(crate) fn beside(place: &Place, folder: &str, flags: &[&str]) -> Self {
        let flags = [&["serve", "--http", "127.0.0.1:0"], flags].concat();
        let mut command = place.command(&flags);
        command.current_dir(place.path(folder));
        Self::of(command)
    }

    pub(crate) fn of(command: std::process::Command) -> Self {
        Self::of_saying(command).0
    }

    /// Starts a server; gives the lines that it said before its address.
    pub(crate) fn of_saying(mut command: std::process::Command) -> (Self, Vec<String>) {
        let mut child = command.spawn().expect("starts");
        let stderr = child.stderr.take().expect("piped");
        let (sender, told) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let mut token = None;
        let mut before = Vec::new();
        let said = loop {
            let line = told.recv_timeout(PATIENCE).expect("an address");
            if line.starts_with("listening on ") {
                break line;
            }
            if let Some((_, rest)) = line.split_once("Bearer ") {
                token = rest.split('`').next().map(str::to_owned);
            }
            before.push(line);
        };
        let port = said
            .rsplit_once(':')
            .and_then(|(_, port)| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no port in {said}"));
        let server = Self {
            _stdin: child.stdin.take(),
            child,
            port,
            token,
        };
        (server, before)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connects");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Sends bytes as they are, and reads one answer.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A server that refuses reads no further.
        let _ = stream.write_all(bytes);
        read(&mut stream)
    }

    /// The head of a request.
    pub(crate) fn head(&self, method: &str, path: &str, fields: &[(&str, &str)]) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !fields.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        if let Some(token) = &self.token
            && !fields.iter().any(|(name, _)| *name == "Authorization")
        {
            head.push_str(&format!("Authorization: Bearer {token}\r\n"));
        }
        for (name, value) in fields {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head + "\r\n"
    }

    pub(crate) fn get(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        self.raw(self.head("GET", path, fields).as_bytes())
    }

    /// Sends JSON.
    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)], body: &str) -> Reply {
        let length = body.len().to_string();
        let stated = [
            ("Content-Type", "application/json"),
            ("Content-Length", &*length),
        ];
        let head = self.head("POST", path, &[&stated, fields].concat());
        self.raw(format!("{head}{body}").as_bytes())
    }

    /// Calls a tool.
    pub(crate) fn call(&self, line: &Json) -> Reply {
        self.post("/v1/call", &[], &line.to_string())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("is there");
    }

    /// Waits for the end; gives the exit code.
    pub(crate) fn code(&mut self) -> i32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("is ours") {
                return status.code().unwrap_or(-1);
            }
            assert!(begun.elapsed() < PATIENCE, "does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until a number of the metrics is as wanted.
    pub(crate) fn until(&self, metric: &str, key: Option<&str>) {
        let begun = Instant::now();
        let bearer = key.map(|key| format!("Bearer {key}"));
        let fields: Vec<_> = bearer.iter().map(|it| ("Authorization", &**it)).collect();
        loop {
            let metrics = self.get("/metrics", &fields);
            if metrics.expect(200).body.lines().any(|line| line == metric) {
                return;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "no {metric} in {}",
                metrics.body
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads one answer.
pub(crate) fn read(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 << 10];
    let mut more = |bytes: &mut Vec<u8>| {
        let count = stream.read(&mut buffer).unwrap_or(0);
        bytes.extend_from_slice(&buffer[..count]);
        count > 0
    };
    let end = loop {
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n");
        match end {
            Some(end) => break end,
            None if more(&mut bytes) => {}
            None => {
                return Reply {
                    status: 0,
                    head: String::new(),
                    body: String::from_utf8_lossy(&bytes).into_owned(),
                };
            }
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let mut reply = Reply {
        status: status.unwrap_or(0),
        head,
        body: String::new(),
    };
    let length = reply
        .field("content-length")
        .and_then(|length| length.parse::<usize>().ok());
    let is_chunked = reply.field("transfer-encoding").is_some();
    let is_whole = |bytes: &[u8]| match length {
        Some(length) => bytes.len() >= end + 4 + length,
        None => !is_chunked || bytes.ends_with(b"0\r\n\r\n"),
    };
    while !is_whole(&bytes) && more(&mut bytes) {}
    let body = &bytes[end + 4..];
    reply.body = match is_chunked {
        true => dechunked(body),
        false => String::from_utf8_lossy(body).into_owned(),
    };
    reply
}

fn dechunked(mut body: &[u8]) -> String {
    let mut whole = Vec::new();
    while let Some(at) = body.windows(2).position(|part| part == b"\r\n") {
        let size = std::str::from_utf8(&body[..at]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            break;
        }
        whole.extend_from_slice(&body[at + 2..at + 2 + size]);
        body = &body[at + 4 + size..];
    }
    String::from_utf8_lossy(&whole).into_owned()
}
