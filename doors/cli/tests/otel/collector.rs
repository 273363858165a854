//! A collector on loopback, and the spans that it was sent.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::wire;

/// How it behaves.
#[derive(Clone, Copy)]
pub(crate) enum Manner {
    /// Takes everything.
    Good,
    /// Refuses everything with a status.
    Status(u16),
    /// Reads, and never answers.
    Silent,
    /// Answers for ever.
    Endless,
    /// Sends its clients elsewhere.
    Redirects(u16),
}

/// What it was sent.
pub(crate) struct Request {
    pub(crate) path: String,
    /// Names in small letters.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct Collector {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Collector {
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || serve(&stream, manner, &kept));
            }
        });
        Self { port, requests }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        std::mem::take(&mut *self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The spans so far, in the order in which they came.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let requests = self.requests();
        let spans = requests.iter().flat_map(|request| {
            if request.headers["content-type"] == "application/x-protobuf" {
                return spans_of(&wire::request(&request.body));
            }
            let text = std::str::from_utf8(&request.body).expect("UTF-8");
            spans_in(text)
        });
        spans.collect()
    }
}

fn serve(stream: &TcpStream, manner: Manner, kept: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        let mut lock = kept.lock().unwrap_or_else(PoisonError::into_inner);
        lock.push(request);
        drop(lock);
        if answer(stream, manner).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => {
                headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
            }
            None => break,
        }
    }
    let length = headers.get("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        path,
        headers,
        body,
    })
}

fn answer(mut stream: &TcpStream, manner: Manner) -> std::io::Result<()> {
    match manner {
        Manner::Good => write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{{}}"),
        Manner::Status(status) => {
            write!(stream, "HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n")
        }
        Manner::Silent => loop {
            std::thread::park();
        },
        Manner::Endless => {
            write!(stream, "HTTP/1.1 200 OK\r\n\r\n")?;
            loop {
                stream.write_all(&[b'x'; 4096])?;
            }
        }
        Manner::Redirects(port) => write!(
            stream,
            "HTTP/1.1 307 Elsewhere\r\nlocation: http://127.0.0.1:{port}/v1/traces\r\ncontent-length: 0\r\n\r\n"
        ),
    }
}

/// One span, as far as the tests look at it; two are equal when all that was said of them is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Span {
    pub(crate) name: String,
    pub(crate) trace: String,
    pub(crate) id: String,
    pub(crate) parent: String,
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) whole: Value,
    /// Who sent it.
    pub(crate) resource: BTreeMap<String, String>,
}

impl Span {
    pub(crate) fn get(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    /// 0 for none, 2 for an error.
    pub(crate) fn status(&self) -> i64 {
        self.whole["status"]["code"].as_i64().unwrap_or(0)
    }

    /// Beginning and end, in nanoseconds.
    pub(crate) fn times(&self) -> [u64; 2] {
        ["startTimeUnixNano", "endTimeUnixNano"].map(|key| {
            let text = self.whole[key].as_str().expect("a text");
            text.parse().expect("a number")
        })
    }
}

/// The spans in OTLP/JSON: one request, or one a line.
pub(crate) fn spans_in(text: &str) -> Vec<Span> {
    let requests = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    requests
        .flat_map(|request| spans_of(&request.expect("JSON")))
        .collect()
}

/// The spans of a request.
fn spans_of(request: &Value) -> Vec<Span> {
    let mut spans = Vec::new();
    for of_resource in array(&request["resourceSpans"]) {
        let resource = attributes(&of_resource["resource"]["attributes"]);
        for scope in array(&of_resource["scopeSpans"]) {
            assert_eq!(scope["scope"]["name"], "mathchain");
            let found = array(&scope["spans"]);
            spans.extend(found.iter().map(|span| one(span, &resource)));
        }
    }
    spans
}

fn one(span: &Value, resource: &BTreeMap<String, String>) -> Span {
    let text = |key: &str| span[key].as_str().unwrap_or_default().to_owned();
    Span {
        name: text("name"),
        trace: text("traceId"),
        id: text("spanId"),
        parent: text("parentSpanId"),
        attributes: attributes(&span["attributes"]),
        whole: span.clone(),
        resource: resource.clone(),
    }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn attributes(list: &Value) -> BTreeMap<String, String> {
    let pair = |attribute: &Value| {
        let value = attribute["value"].as_object().expect("a value");
        let value = value.values().next().expect("of one kind");
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        (attribute["key"].as_str().expect("a key").to_owned(), text)
    };
    array(list).iter().map(pair).collect()
}
