//! How a session begins and ends.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use super::super::client::Server;
use super::{Browser, check_fields, console_with, key, sign_in};
use crate::support::Place;

#[test]
fn the_link_opens_one_session_once() {
    let place = Place::new();
    let (server, link) = console_with(place.command_at_terminal(&["console"]));
    // A look at the head, as programs that preview links do, takes nothing.
    assert_eq!(
        server
            .raw(
                server
                    .head("HEAD", &link, &[("Connection", "close")])
                    .as_bytes()
            )
            .status,
        403
    );
    for wrong in [
        "/console/open",
        "/console/open?ticket=",
        "/console/open?ticket=mathchain_0",
        &link[..link.len() - 1],
    ] {
        check_fields(server.get(wrong, &[]).expect(403));
    }
    let opened = server.get(&link, &[]);
    check_fields(opened.expect(200));
    let cookie = opened.field("set-cookie").expect("a cookie").to_owned();
    let name = format!("mathchain_console_{}=mathchain_", server.port);
    assert!(cookie.starts_with(&name), "{cookie}");
    for part in [
        "Path=/console",
        "HttpOnly",
        "SameSite=Strict",
        "Max-Age=43200",
    ] {
        assert!(
            cookie.split("; ").any(|one| one == part),
            "{part} in {cookie}"
        );
    }
    assert!(!cookie.contains("Secure"), "no TLS: {cookie}");
    let again = server.get(&link, &[]);
    assert!(again.expect(403).field("set-cookie").is_none());
    let pair = cookie.split(';').next().expect("a pair");
    let inbox = server.get("/console", &[("Cookie", pair)]);
    assert!(
        inbox.expect(200).body.contains("operator"),
        "{}",
        inbox.body
    );
    // Others of the browser's cookies stand before it.
    let several = format!("a=b; mathchain_console_{}=x; {pair}", server.port);
    server.get("/console", &[("Cookie", &several)]).expect(200);
    // A cookie opens pages, and nothing of the interface for programs.
    server.get("/v1/runs", &[("Cookie", pair)]).expect(401);
}

#[test]
fn without_a_session_pages_lead_to_the_sign_in_and_forms_are_refused() {
    let place = Place::new();
    let (server, _) = console_with(place.command_at_terminal(&["console"]));
    for path in [
        "/console",
        "/console/",
        "/console/runs",
        "/console/tools/calculate",
        "/console/nothing",
    ] {
        let sent = server.get(path, &[]);
        check_fields(sent.expect(303));
        assert_eq!(sent.field("location"), Some("/console/sign-in"), "{path}");
    }
    check_fields(server.get("/console/live", &[]).expect(401));
    let origin = format!("http://127.0.0.1:{}", server.port);
    for path in [
        "/console/decide",
        "/console/answer",
        "/console/runs/abcd/cancel",
        "/console/audit/verify",
        "/console/sign-out",
    ] {
        let sent = super::post_form(&server, path, &[], &[("Origin", &origin)]);
        check_fields(sent.expect(401));
    }
    check_fields(server.get("/console/sign-in", &[]).expect(200));
    // No token was made: programs need a key.
    assert_eq!(server.token, None);
    server.get("/v1/tools", &[]).expect(401);
}

#[test]
fn a_server_without_a_console_has_no_pages() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    assert_eq!(server.get("/console", &[]).expect(404).reason(), "no_path");
}

#[test]
fn signing_out_ends_the_session() {
    let place = Place::new();
    let browser = Browser::at_terminal(&place);
    let sent = browser.send("/console/sign-out", &[]);
    let cookie = sent.expect(303).field("set-cookie").expect("a cookie");
    assert!(cookie.contains("Max-Age=0"), "{cookie}");
    browser.get("/console").expect(303);
}

#[test]
fn a_key_signs_in_and_its_end_ends_session_and_stream() {
    let place = Place::new();
    let made = key(&place, &["ann", "--role", "worker_math"]);
    let metrics = key(&place, &["metrics", "--metrics-only"]);
    let server = Arc::new(Server::with(
        &place,
        &["--http", "127.0.0.1:0", "--console"],
    ));
    for wrong in ["", "x", &made[1..], &metrics] {
        let sent = sign_in(&server, wrong);
        assert!(matches!(sent.status, 401 | 403), "{sent:?}");
        assert!(sent.field("set-cookie").is_none());
        check_fields(&sent);
    }
    // There is no link of a terminal.
    server.get("/console/open?ticket=", &[]).expect(403);
    let browser = Browser::with_key(&server, &made);
    let page = browser.page("/console");
    assert!(
        page.contains("ann") && page.contains("worker_math"),
        "{page}"
    );
    assert!(!page.contains(&made));
    let mut stream = server.connect();
    let head = server.head("GET", "/console/live", &[("Cookie", &browser.cookie)]);
    stream.write_all(head.as_bytes()).expect("writes");
    let mut begun = [0; 64];
    assert!(stream.read(&mut begun).expect("a stream") > 0);
    place.run(&["keys", "revoke", "ann"], "").expect_code(0);
    let mut rest = Vec::new();
    // It ends, which the time limit of the socket would not let it do otherwise.
    stream.read_to_end(&mut rest).expect("the end");
    browser.get("/console").expect(303);
}

#[test]
fn the_stream_tells_that_something_was_recorded() {
    let place = Place::new();
    let browser = Browser::at_terminal(&place);
    let mut stream = browser.server.connect();
    let head = browser
        .server
        .head("GET", "/console/live", &[("Cookie", &browser.cookie)]);
    stream.write_all(head.as_bytes()).expect("writes");
    let mut told = String::new();
    let mut part = [0; 256];
    let mut wait_for = |words: &str| {
        while !told.contains(words) {
            let count = stream.read(&mut part).expect("more");
            assert!(count > 0, "ended: {told}");
            told.push_str(&String::from_utf8_lossy(&part[..count]));
        }
    };
    wait_for("event: here");
    place
        .run(&["call", "calculate"], r#"{"expression":"6*7"}"#)
        .expect_code(0);
    wait_for("event: changed");
}

#[test]
fn an_address_of_other_machines_is_refused() {
    let place = Place::new();
    let refused = place.run_as_typed(&["console", "--listen", "0.0.0.0:0"], "");
    assert!(
        refused.expect_code(2).stderr.contains("serve --http"),
        "{}",
        refused.stderr
    );
}
