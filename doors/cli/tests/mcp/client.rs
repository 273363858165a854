//! A client of the server over stdio, in either era of the protocol.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::support::Place;

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// 2025-11-25: a handshake, then requests.
    Legacy,
    /// 2026-07-28: every request says all.
    Modern,
}

impl Era {
    pub(super) const BOTH: [Self; 2] = [Self::Legacy, Self::Modern];
}

pub(super) struct Client {
    pub(super) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    era: Era,
    capabilities: Json,
    next: i64,
    /// Messages that answered no request that was waited for.
    pub(super) others: Vec<Json>,
}

impl Client {
    /// Starts a server, and a connection with it.
    pub(super) fn start(place: &Place, flags: &[&str], era: Era) -> Self {
        Self::with(place, flags, era, json!({}))
    }

    /// As [`Client::start`], with capabilities of the client.
    pub(super) fn with(place: &Place, flags: &[&str], era: Era, capabilities: Json) -> Self {
        let mut client = Self::bare(place, flags);
        (client.era, client.capabilities) = (era, capabilities);
        if era == Era::Legacy {
            let capabilities = client.capabilities.clone();
            let info = json!({"name": "test", "version": "1"});
            let begun = client.request("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info}));
            assert_eq!(begun["result"]["protocolVersion"], "2025-11-25", "{begun}");
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        client
    }

    /// Starts a server, and says nothing.
    pub(super) fn bare(place: &Place, flags: &[&str]) -> Self {
        let mut child = place
            .command(&[&["serve", "--mcp"], flags].concat())
            .spawn()
            .expect("starts");
        let stdout = child.stdout.take().expect("piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            era: Era::Legacy,
            capabilities: json!({}),
            next: 0,
            others: Vec::new(),
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("open");
        stdin
            .write_all(bytes)
            .and_then(|()| stdin.flush())
            .expect("is read");
    }

    pub(super) fn send(&mut self, message: &Json) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Sends a request; gives its id.
    pub(super) fn ask(&mut self, method: &str, params: Json) -> i64 {
        self.next += 1;
        let mut message =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        if self.era == Era::Modern {
            let meta = &mut message["params"]["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        self.send(&message);
        self.next
    }

    /// The next message; every line of stdout is one.
    pub(super) fn next_within(&self, time: Duration) -> Option<Json> {
        match self.lines.recv_timeout(time) {
            Ok(line) => {
                Some(serde_json::from_str(&line).unwrap_or_else(|err| panic!("{err}: {line}")))
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    pub(super) fn answer(&mut self, id: i64) -> Json {
        if let Some(place) = self.others.iter().position(|message| message["id"] == id) {
            return self.others.remove(place);
        }
        loop {
            let message = self.next_within(PATIENCE).expect("an answer");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.others.push(message);
        }
    }

    pub(super) fn request(&mut self, method: &str, params: Json) -> Json {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Calls a tool; gives the result.
    #[track_caller]
    pub(super) fn call(&mut self, tool: &str, arguments: Json) -> Json {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// Waits for a notification.
    pub(super) fn notified(&mut self, method: &str) -> Json {
        let is_it = |message: &Json| message["method"] == method;
        if let Some(place) = self.others.iter().position(is_it) {
            return self.others.remove(place);
        }
        loop {
            let message = self
                .next_within(PATIENCE)
                .unwrap_or_else(|| panic!("no {method}"));
            if is_it(&message) {
                return message;
            }
            self.others.push(message);
        }
    }

    /// Closes the input and waits for the end; gives the exit code and how long it took.
    pub(super) fn end(mut self) -> (i32, Duration) {
        drop(self.stdin.take());
        let begun = Instant::now();
        let status = self.child.wait().expect("ends");
        (status.code().unwrap_or(-1), begun.elapsed())
    }
}

/// The first text of a result.
pub(super) fn text(result: &Json) -> &str {
    let blocks = result["content"].as_array().expect("content");
    blocks
        .iter()
        .find_map(|block| block["text"].as_str())
        .expect("a text")
}
