//! Servers that misbehave: every one ends in a typed error or a stated cut, soon, and with little memory.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use tool_core::capability::HttpRequest;
use tool_core::{ErrorCode, ToolError};

use super::super::WebSettings;
use super::{Scripted, settings};
use crate::web::tests::loopback::Server;

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn answering(text: Vec<u8>) -> Server {
    Server::new(move |_, stream| drop(stream.write_all(&text)))
}

fn gzipped(body: &[u8]) -> Vec<u8> {
    let mut text =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: gzip\r\n\r\n".to_vec();
    text.extend_from_slice(body);
    text
}

fn get(server: &Server) -> Result<tool_core::capability::HttpResponse, ToolError> {
    Scripted::new(server.port, &settings()).get("http://example.org/")
}

#[test]
fn compressed_bodies_are_decoded() {
    let response = get(&answering(gzipped(&gzip(b"hello hello hello")))).unwrap();
    assert_eq!(response.body, b"hello hello hello");
    let members = [gzip(b"one "), gzip(b"two")].concat();
    assert_eq!(get(&answering(gzipped(&members))).unwrap().body, b"one two");
    let err = get(&answering(gzipped(b"no gzip at all"))).unwrap_err();
    assert_eq!(err.code(), ErrorCode::ToolError);
    let cut = &gzip(b"hello hello hello")[..20];
    assert_eq!(
        get(&answering(gzipped(cut))).unwrap_err().code(),
        ErrorCode::ToolError
    );
    let other = b"HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: 1\r\n\r\nx".to_vec();
    assert_eq!(
        get(&answering(other)).unwrap_err().reason_str(),
        Some("encoding")
    );
}

#[test]
fn a_bomb_is_refused_when_it_grows_and_cut_at_the_limit_before() {
    let bomb = gzip(&vec![0; 8 << 20]);
    assert!(bomb.len() < 10_000, "{}", bomb.len());
    let server = answering(gzipped(&bomb));
    let err = get(&server).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::LimitExceeded, Some("compression"))
    );
    let request = HttpRequest {
        bytes_max: 1000,
        ..HttpRequest::get("http://example.org/")
    };
    let response = Scripted::new(server.port, &settings())
        .send(&request)
        .unwrap();
    assert_eq!((response.body.len(), response.truncated), (1000, true));
}

#[test]
fn an_endless_body_is_cut_at_the_limit() {
    let endless = |head: &'static str, piece: &'static [u8]| {
        Server::new(move |_, stream| {
            let _ = stream.write_all(head.as_bytes());
            while stream.write_all(piece).is_ok() {}
        })
    };
    const HEAD: &str = "HTTP/1.1 200 OK\r\n\r\n";
    const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    for server in [
        endless(HEAD, &[b'x'; 4096]),
        endless(CHUNKED, b"4\r\nxxxx\r\n"),
    ] {
        let settings = WebSettings {
            bytes_max: 100_000,
            ..settings()
        };
        let response = Scripted::new(server.port, &settings)
            .get("http://example.org/")
            .unwrap();
        assert_eq!((response.body.len(), response.truncated), (100_000, true));
        let exact = HttpRequest {
            bytes_max: 7,
            ..HttpRequest::get("http://example.org/")
        };
        let response = Scripted::new(server.port, &settings).send(&exact).unwrap();
        assert_eq!(
            (response.body.as_slice(), response.truncated),
            (&b"xxxxxxx"[..], true)
        );
    }
    let members = Server::new(|_, stream| {
        let _ = stream.write_all(&gzipped(b""));
        let empty = gzip(b"");
        while stream.write_all(&empty).is_ok() {}
    });
    let request = HttpRequest {
        bytes_max: 1000,
        ..HttpRequest::get("http://example.org/")
    };
    let result = Scripted::new(members.port, &settings()).send(&request);
    assert!(result.is_err() || result.is_ok_and(|response| response.body.is_empty()));
}

#[test]
fn a_body_of_exactly_the_limit_is_whole() {
    let server = answering(b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nxxxxxxx".to_vec());
    for (bytes_max, truncated) in [(6, true), (7, false), (8, false)] {
        let request = HttpRequest {
            bytes_max,
            ..HttpRequest::get("http://example.org/")
        };
        let response = Scripted::new(server.port, &settings())
            .send(&request)
            .unwrap();
        assert_eq!(response.truncated, truncated, "{bytes_max}");
    }
}

#[test]
fn a_slow_body_meets_the_deadline() {
    let server = Server::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
        for _ in 0..500 {
            std::thread::sleep(Duration::from_millis(10));
            if stream.write_all(b"x").is_err() {
                return;
            }
        }
    });
    let request = HttpRequest {
        timeout: Duration::from_millis(150),
        ..HttpRequest::get("http://example.org/")
    };
    let err = Scripted::new(server.port, &settings())
        .send(&request)
        .unwrap_err();
    assert_eq!(err.code(), ErrorCode::Timeout);
}

#[test]
fn a_flood_of_headers_is_refused() {
    let flood = |line: &'static str| {
        Server::new(move |_, stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
            for _ in 0..200_000 {
                if stream.write_all(line.as_bytes()).is_err() {
                    return;
                }
            }
        })
    };
    for line in [
        "x-flood: yes\r\n",
        "x-no-end-of-line",
        "x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n",
    ] {
        let err = get(&flood(line)).unwrap_err();
        assert!(
            matches!(err.code(), ErrorCode::LimitExceeded | ErrorCode::ToolError),
            "{err:?}"
        );
    }
    let interim = Server::new(|_, stream| {
        for _ in 0..200_000 {
            if stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").is_err() {
                return;
            }
        }
    });
    let request = HttpRequest {
        timeout: Duration::from_millis(300),
        ..HttpRequest::get("http://example.org/")
    };
    assert!(
        Scripted::new(interim.port, &settings())
            .send(&request)
            .is_err()
    );
}

/// What is no proper answer, and the reason it is refused with.
const IMPROPER: &[&str] = &[
    "",
    "\r\n\r\n",
    "hello\r\n\r\n",
    "HTTP/1.1\r\n\r\n",
    "HTTP/1.1 999999 X\r\n\r\n",
    "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort",
    "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nx",
    "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999\r\n\r\nx",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\nx",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
    "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
];

#[test]
fn an_improper_answer_is_an_error_and_not_half_an_answer() {
    for text in IMPROPER {
        let result = get(&answering(text.as_bytes().to_vec()));
        let err = result.map(|response| response.body).expect_err(text);
        assert_eq!(err.code(), ErrorCode::ToolError, "{text:?} {err:?}");
        assert!(
            matches!(err.reason_str(), Some("http" | "network")),
            "{text:?} {err:?}"
        );
    }
    let long = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nabcdef".to_vec();
    assert_eq!(
        get(&answering(long)).unwrap().body,
        b"ab",
        "what comes after the length is not read"
    );
}

#[test]
fn bodies_that_cannot_be_read_and_answers_without_a_type_say_so() {
    let server = Server::pages(&[
        (
            "/chunks",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        ),
        (
            "/packed",
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 20\r\n\r\nthis is not packed!!",
        ),
        ("/typeless", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na"),
        (
            "/odd",
            "HTTP/1.1 200 OK\r\ncontent-type: ;;=\r\ncontent-length: 1\r\n\r\na",
        ),
    ]);
    let scripted = Scripted::new(server.port, &settings());
    for path in ["chunks", "packed"] {
        let err = scripted
            .get(&format!("http://example.org/{path}"))
            .unwrap_err();
        assert_eq!(err.reason_str(), Some("http"), "{path}: {err}");
    }
    for path in ["typeless", "odd"] {
        let request = HttpRequest {
            accept: &["text/"],
            ..HttpRequest::get(format!("http://example.org/{path}"))
        };
        let err = scripted.send(&request).unwrap_err();
        assert_eq!(err.reason_str(), Some("content_type"));
        assert!(err.message().contains("has no content type"), "{err}");
    }
}
