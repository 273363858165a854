//! Servers on loopback that answer as a script says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// A server with one thread; it ends when dropped.
pub(crate) struct Server {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A request that arrived.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl Server {
    /// Answers each request by a function that writes what it likes.
    pub(crate) fn new(answer: impl Fn(&Seen, &mut TcpStream) + Send + 'static) -> Self {
        Self::raw(move |stream, seen| {
            let Some(request) = read(stream) else { return };
            seen.lock().unwrap().push(request.clone());
            answer(&request, stream);
        })
    }

    /// Answers each request with the text that belongs to its path.
    pub(crate) fn pages(pages: &'static [(&'static str, &'static str)]) -> Self {
        Self::new(move |request, stream| {
            let found = pages.iter().find(|(path, _)| *path == request.path());
            let text = found.map_or(
                "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
                |(_, text)| text,
            );
            let _ = stream.write_all(text.as_bytes());
        })
    }

    /// Handles each connection by a function.
    pub(crate) fn raw(handle: impl Fn(&mut TcpStream, &Mutex<Vec<Seen>>) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, done) = (
            Arc::<Mutex<Vec<Seen>>>::default(),
            Arc::<AtomicBool>::default(),
        );
        let (seen_there, done_there) = (Arc::clone(&seen), Arc::clone(&done));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if done_there.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(mut stream) = stream else { return };
                // A client that went away must not hold the server up.
                let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
                let _ = stream.set_write_timeout(Some(Duration::from_secs(2)));
                handle(&mut stream, &seen_there);
                let _ = stream.shutdown(Shutdown::Both);
            }
        });
        Self {
            port,
            seen,
            done,
            thread: Some(thread),
        }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.seen()
            .iter()
            .map(|seen| seen.path().to_owned())
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.done.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port)); // wakes the listener
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// One request, its body by content-length.
pub(crate) fn read(stream: &mut impl Read) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader
        .read_line(&mut line)
        .ok()
        .filter(|count| *count > 0)?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        match header.trim_end().split_once(':') {
            Some((name, value)) => {
                headers.push((name.to_ascii_lowercase(), value.trim().to_owned()))
            }
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some(Seen {
        line: line.trim_end().to_owned(),
        headers,
        body,
    })
}

/// A response with a length.
pub(crate) fn page(kind: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let mut text =
        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n")
            .into_bytes();
    text.extend_from_slice(body);
    text
}
