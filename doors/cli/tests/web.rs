//! The web behind the one dispatcher: what asks, what is refused, what a plan and an audit see. Only loopback is reached.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use mathchain::{CallContext, PolicyLayer, Toolkit};
use tool_core::json::{JsonLimits, parse_json};
use tool_core::{ErrorCode, Value};

use crate::support::Place;

/// Answers every request with a text until the process ends; gives its port.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines();
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nset-cookie: session=canary-cookie\r\ncontent-length: 5\r\n\r\nhello",
            );
        }
    });
    port
}

fn configure(place: &Place, port: u16, more: &str) {
    place.write(
        "mathchain.toml",
        &format!(
            "version = 1\n[permissions.network]\nallowed_hosts = [\"127.0.0.1:{port}\"]\nallow_private = [\"127.0.0.1:{port}\"]\n{more}"
        ),
    );
}

#[test]
fn a_listed_host_is_read_without_asking_and_nothing_is_sent_to_it() {
    let (place, port) = (Place::new(), server());
    configure(&place, port, "");
    let args = format!(
        r#"{{"url":"http://127.0.0.1:{port}/","headers":{{"Authorization":"Basic canary-header"}}}}"#
    );
    let read = place.run(&["call", "http_get"], &args);
    assert_eq!(read.expect_code(0).at("/output/body"), Value::from("hello"));
    assert!(!read.stdout.contains("canary"), "{}", read.stdout);
    let sent = place.run(&["call", "http_post"], &args);
    assert_eq!(
        sent.expect_code(4).at("/status"),
        Value::from("pending_approval")
    );
    let listed = place.run(&["approvals", "list"], "");
    assert!(
        listed.stdout.contains("http_post") && !listed.stdout.contains("canary"),
        "{}",
        listed.stdout
    );
    place
        .run(&["call", "http_post", "--yes"], &args)
        .expect_code(0);
    let audit = place.run(&["audit", "list"], "");
    assert!(!audit.stdout.contains("canary"), "{}", audit.stdout);
}

#[test]
fn an_unlisted_host_asks_and_an_unlisted_address_is_refused_whatever_is_answered() {
    let (place, port) = (Place::new(), server());
    let here = format!(r#"{{"url":"http://127.0.0.1:{port}/"}}"#);
    let asked = place.run(&["call", "http_get"], &here);
    assert_eq!(
        asked.expect_code(4).at("/status"),
        Value::from("pending_approval")
    );
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[::ffff:a9fe:a9fe]/".to_owned(),
    ] {
        let args = format!(r#"{{"url":"{url}"}}"#);
        let refused = place.run(&["call", "http_get", "--yes"], &args);
        assert_ne!(refused.code, 0);
        assert_eq!(
            refused.at("/error/code"),
            Value::from("policy_denied"),
            "{url}"
        );
        assert_eq!(refused.at("/error/reason"), Value::from("address"), "{url}");
    }
    let odd = place.run(
        &["call", "http_get", "--yes"],
        r#"{"url":"http://2130706433/"}"#,
    );
    assert_eq!(odd.at("/error/code"), Value::from("invalid_args"));
}

#[test]
fn a_denied_host_stays_denied() {
    let (place, port) = (Place::new(), server());
    configure(&place, port, "[web]\ndeny_hosts = [\"127.0.0.1\"]\n");
    let args = format!(r#"{{"url":"http://127.0.0.1:{port}/"}}"#);
    let refused = place.run(&["call", "http_get", "--yes"], &args);
    assert_eq!(refused.at("/error/reason"), Value::from("host"));
}

#[test]
fn a_plan_reads_pages_and_works_on_them() {
    let (place, port) = (Place::new(), server());
    configure(&place, port, "");
    place.write(
        "plan.yaml",
        &format!(
            "version: 1\nid: pages\nsteps:\n- {{id: a, tool: http_get, args: {{url: 'http://127.0.0.1:{port}/a'}}}}\n- {{id: b, tool: fetch_docs, args: {{url: 'http://127.0.0.1:{port}/b'}}}}\n- {{id: q, tool: json_query, args: {{data: {{$ref: a}}, query: 'length(body)'}}}}\noutputs: {{length: {{$ref: q.result}}, text: {{$ref: b.text}}}}\n"
        ),
    );
    let run = place.run(&["run", "plan.yaml"], "");
    assert_eq!(
        run.expect_code(0).at("/output/outputs/length"),
        Value::from(5_i64)
    );
    assert_eq!(run.at("/output/outputs/text"), Value::from("hello"));
    assert_eq!(
        run.at("/metadata/fallback_to_seq"),
        Value::Bool(false),
        "{}",
        run.stdout
    );
}

/// Sends whoever asks for `/away` on to the same port under another name.
fn sending_on() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let away = lines.next().is_some_and(|line| line.contains("/away"));
            while lines.next().is_some_and(|line| !line.is_empty()) {}
            let answer = if away {
                format!(
                    "HTTP/1.1 302 Found\r\nlocation: http://localhost:{port}/\r\ncontent-length: 0\r\n\r\n"
                )
            } else {
                "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello"
                    .to_owned()
            };
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
fn a_rule_on_a_host_holds_for_redirects_to_it() {
    let (place, port) = (Place::new(), sending_on());
    let configure = |rule: &str| {
        place.write(
            "mathchain.toml",
            &format!(
                "version = 1\n[permissions.network]\nallowed_hosts = [\"127.0.0.1:{port}\", \"localhost:{port}\"]\nallow_private = [\"127.0.0.1:{port}\", \"[::1]:{port}\"]\n{rule}"
            ),
        );
    };
    let args = format!(r#"{{"url":"http://127.0.0.1:{port}/away"}}"#);
    configure("");
    let read = place.run(&["call", "http_get"], &args);
    assert_eq!(read.expect_code(0).at("/output/body"), Value::from("hello"));
    configure(
        "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"group:web\"], url = { host = \"localhost\" } }\ndecision = \"deny\"\n",
    );
    let refused = place.run(&["call", "http_get", "--yes"], &args);
    assert_eq!(refused.at("/error/code"), Value::from("policy_denied"));
    assert_eq!(refused.at("/error/reason"), Value::from("redirect"));
    assert!(
        refused
            .stdout
            .contains(&format!("http://localhost:{port}/")),
        "{}",
        refused.stdout
    );
    assert!(
        refused.stdout.contains("mathchain.toml:"),
        "{}",
        refused.stdout
    );
}

#[test]
fn without_web_texts_are_still_compared_here() {
    let toolkit = Toolkit::builder().build().expect("the built-in tools");
    let offline = CallContext::default().narrow(PolicyLayer::no_web());
    let call = |tool: &str, args: &str| {
        let args = parse_json(args, JsonLimits::default()).expect("arguments");
        toolkit.call_with(&offline, tool, &args)
    };
    for (tool, args, endpoint) in [
        (
            "embed_text",
            r#"{"text":"a sun"}"#,
            r#"{"text":"a sun","backend":"endpoint"}"#,
        ),
        (
            "similarity_search",
            r#"{"query":"sun","items":["a sun"]}"#,
            r#"{"query":"sun","items":["a sun"],"backend":"endpoint"}"#,
        ),
        (
            "classify_text",
            r#"{"text":"a sun","categories":["sun","rain"]}"#,
            r#"{"text":"a sun","categories":["sun","rain"],"backend":"endpoint"}"#,
        ),
    ] {
        let here = call(tool, args);
        assert!(here.is_success(), "{tool}: {:?}", here.err());
        let there = call(tool, endpoint);
        assert_eq!(there.code(), Some(ErrorCode::PolicyDenied), "{tool}");
    }
    for tool in ["ocr_extract", "http_get", "search_arxiv"] {
        assert_eq!(
            call(tool, "{}").code(),
            Some(ErrorCode::NotVisible),
            "{tool}"
        );
    }
}
