//! Redirects: each hop passes every check, and takes along what the next host may see.

use std::io::Write;

use tool_core::capability::{HostJudge, HttpMethod, HttpRequest};
use tool_core::{ErrorCode, ToolError};

use super::super::WebSettings;
use super::{Scripted, settings, texts};
use crate::web::tests::loopback::{Server, page};

/// Sends `/N/LOCATION` on with status N, and answers everything else.
fn sending_on() -> Server {
    Server::new(|request, stream| {
        let rest = request.path().trim_start_matches('/');
        let text = match rest.split_once('/') {
            Some((status, location)) if status.starts_with('3') => format!(
                "HTTP/1.1 {status} Over There\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n"
            )
            .into_bytes(),
            _ => page("text/plain", b"there"),
        };
        let _ = stream.write_all(&text);
    })
}

#[test]
fn redirects_on_the_same_host_are_followed() {
    let server = sending_on();
    let scripted = Scripted::new(server.port, &settings());
    for (path, url) in [
        ("301//b", "http://example.org/b"),
        ("302/http://example.org/c?d=e#f", "http://example.org/c?d=e"),
        ("303/http://example.org/g", "http://example.org/g"),
        ("307/http://www.example.org/h", "http://www.example.org/h"),
        ("308//307//i", "http://example.org/i"),
    ] {
        let response = scripted.get(&format!("http://example.org/{path}")).unwrap();
        assert_eq!(
            (response.url.as_str(), response.body.as_slice()),
            (url, &b"there"[..])
        );
    }
    let away = scripted.get("http://example.org/304/x").unwrap();
    assert_eq!(away.status, 304, "not every status of that kind leads on");
}

#[test]
fn a_redirect_to_another_host_needs_a_listing() {
    let server = sending_on();
    let get = |settings: &WebSettings, any_host: bool, to: &str| {
        let scripted = Scripted::new(server.port, settings);
        let url = format!("http://example.org/302/{to}");
        scripted.send(&HttpRequest {
            any_host,
            ..HttpRequest::get(url)
        })
    };
    let err = get(&settings(), false, "http://other.example/?token=s3cret").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::PolicyDenied, Some("redirect"))
    );
    assert!(err.message().contains("`http://other.example/`") && !err.message().contains("s3cret"));
    let listing = WebSettings {
        allowed_hosts: texts(&["other.example"]),
        ..settings()
    };
    assert_eq!(
        get(&listing, false, "http://other.example/")
            .unwrap()
            .status,
        200
    );
    assert_eq!(
        get(&settings(), true, "http://other.example/")
            .unwrap()
            .status,
        200
    );
    let denying = WebSettings {
        deny_hosts: texts(&["other.example"]),
        ..listing
    };
    for any_host in [false, true] {
        let err = get(&denying, any_host, "http://other.example/").unwrap_err();
        assert_eq!(err.reason_str(), Some("host"));
    }
    let only = WebSettings {
        only_hosts: Some(texts(&["example.org"])),
        ..settings()
    };
    assert_eq!(
        get(&only, true, "http://other.example/")
            .unwrap_err()
            .reason_str(),
        Some("host")
    );
}

#[test]
fn the_rules_on_a_call_hold_for_every_hop() {
    let server = sending_on();
    let listing = WebSettings {
        allowed_hosts: texts(&["other.example"]),
        ..settings()
    };
    let scripted = Scripted::new(server.port, &listing);
    let judged = |url: &str, any_host: bool| {
        scripted.send(&HttpRequest {
            any_host,
            hosts: HostJudge::new(|host| {
                if host != "other.example" {
                    return Ok(());
                }
                let err = ToolError::new(ErrorCode::PolicyDenied, "a rule says no");
                Err(err.reason("host").hint("ask elsewhere"))
            }),
            ..HttpRequest::get(url)
        })
    };
    for any_host in [false, true] {
        let err = judged(
            "http://example.org/302/http://OTHER.example./?token=s3cret",
            any_host,
        )
        .unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str(), err.hint_str()),
            (
                ErrorCode::PolicyDenied,
                Some("redirect"),
                Some("ask elsewhere")
            )
        );
        let message = err.message();
        assert!(
            message.contains("redirects to `http://other.example/`: a rule says no")
                && !message.contains("s3cret"),
            "{message}"
        );
    }
    let err = judged("http://other.example/", true).unwrap_err();
    assert_eq!(err.reason_str(), Some("host"), "the first hop too");
    assert_eq!(server.seen().len(), 2, "the denied host saw nothing");
    assert_eq!(
        judged("http://example.org/302//b", false).unwrap().status,
        200
    );
}

#[test]
fn where_every_use_asks_a_listing_opens_no_redirect() {
    let server = sending_on();
    let asking = WebSettings {
        allowed_hosts: texts(&["other.example"]),
        follow_listed: false,
        ..settings()
    };
    let scripted = Scripted::new(server.port, &asking);
    let err = scripted
        .get("http://example.org/302/http://other.example/")
        .unwrap_err();
    assert_eq!(err.reason_str(), Some("redirect"));
    let same = scripted.get("http://example.org/302/http://www.example.org/");
    assert_eq!(same.unwrap().status, 200);
}

#[test]
fn a_redirect_to_what_is_not_public_is_refused() {
    let server = sending_on();
    for (to, reason) in [
        ("http://127.0.0.1/", "address"),
        ("http://169.254.169.254/latest/meta-data/", "address"),
        ("http://[::1]/", "address"),
        ("http://2130706433/", "address"),
        ("http://0x7f.1/", "address"),
        ("//10.0.0.1/", "address"),
        ("http://example.org:22/", "port"),
        ("file:///etc/hostname", "url"),
        ("http://user:pw@example.org/", "url"),
        ("http://[bad/", "redirect"),
    ] {
        let scripted = Scripted::new(server.port, &settings());
        let request = HttpRequest {
            any_host: true,
            ..HttpRequest::get(format!("http://example.org/302/{to}"))
        };
        let err = scripted.send(&request).unwrap_err();
        assert_eq!(err.reason_str(), Some(reason), "{to}: {err:?}");
        let dials = scripted
            .log()
            .iter()
            .filter(|line| line.starts_with("dial"))
            .count();
        assert_eq!(dials, 1, "{to}");
    }
    let answers: &[&[&str]] = &[&["93.184.215.14"], &["192.168.0.1"]];
    let scripted = Scripted::answering(server.port, &settings(), answers);
    let err = scripted.get("http://example.org/302//again").unwrap_err();
    assert_eq!(
        err.reason_str(),
        Some("address"),
        "the name led elsewhere the second time"
    );
}

#[test]
fn a_circle_ends() {
    let server = Server::new(|request, stream| {
        let next = if request.path() == "/a" { "/b" } else { "/a" };
        let _ = write!(
            stream,
            "HTTP/1.1 302 X\r\nlocation: {next}\r\ncontent-length: 0\r\n\r\n"
        );
    });
    let scripted = Scripted::new(server.port, &settings());
    let err = scripted.get("http://example.org/a").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::ToolError, Some("redirect"))
    );
    assert_eq!(server.paths(), ["/a", "/b", "/a", "/b", "/a", "/b"]);
    let none = HttpRequest {
        redirects_max: 0,
        ..HttpRequest::get("http://example.org/a")
    };
    assert!(scripted.send(&none).is_err());
}

#[test]
fn another_host_sees_no_secrets_of_the_first() {
    let server = sending_on();
    let scripted = Scripted::new(server.port, &settings());
    let headers = [
        ("Authorization", "Bearer canary"),
        ("Cookie", "session=canary"),
        ("X-Api-Key", "canary"),
        ("Accept", "text/plain"),
    ];
    let request = |to: &str| HttpRequest {
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        any_host: true,
        ..HttpRequest::get(format!("http://example.org/302/{to}"))
    };
    scripted.send(&request("http://other.example/")).unwrap();
    let seen = server.seen();
    assert_eq!(seen[0].header("authorization"), Some("Bearer canary"));
    assert!(
        !format!("{:?}", seen[1]).contains("canary"),
        "{:?}",
        seen[1]
    );
    assert_eq!(seen[1].header("accept"), Some("text/plain"));
    scripted.send(&request("/same")).unwrap();
    assert_eq!(
        server.seen()[3].header("authorization"),
        Some("Bearer canary")
    );
}

#[test]
fn what_was_sent_follows_only_on_the_same_host() {
    let server = sending_on();
    let listing = WebSettings {
        allowed_hosts: texts(&["other.example"]),
        ..settings()
    };
    let scripted = Scripted::new(server.port, &listing);
    let post = |path: &str| {
        scripted.send(&HttpRequest {
            method: HttpMethod::Post,
            headers: vec![("content-type".to_owned(), "text/x".to_owned())],
            body: b"data".to_vec(),
            ..HttpRequest::get(format!("http://example.org/{path}"))
        })
    };
    post("303//b").unwrap();
    post("302/http://other.example/b").unwrap();
    post("307//b").unwrap();
    let second = |index: usize| {
        let seen = &server.seen()[index];
        (
            seen.line.split(' ').next().unwrap().to_owned(),
            seen.body.clone(),
            seen.header("content-type").map(str::to_owned),
        )
    };
    assert_eq!(second(1), ("GET".to_owned(), Vec::new(), None));
    assert_eq!(second(3), ("GET".to_owned(), Vec::new(), None));
    assert_eq!(
        second(5),
        (
            "POST".to_owned(),
            b"data".to_vec(),
            Some("text/x".to_owned())
        )
    );
    let err = post("308/http://other.example/b").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::PolicyDenied, Some("redirect"))
    );
    assert_eq!(server.seen().len(), 7);
}
