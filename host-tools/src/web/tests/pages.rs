//! Pages through the real client, against a server on loopback.

use std::sync::Arc;

use tool_core::capability::{HttpRequest, HttpResponse, HttpService, HttpTransport};
use tool_core::{ErrorCode, StopFlag, ToolError, Value, json};

use super::answers;
use super::loopback::page;
use super::services::{JSON, Place};
use super::{ctx, find};

/// Three pages about one subject, one of them away.
fn research(path: &str, port: &str) -> Vec<u8> {
    let hit = |name: &str| {
        format!(
            r#"{{"url":"http://127.0.0.1:{port}/{name}","title":"{name}","content":"A snippet about {name} that has some words of its own."}}"#
        )
    };
    let body = |text: &str| {
        page(
            "text/html",
            format!("<title>t</title><p>{text}</p>").as_bytes(),
        )
    };
    match path {
        "/a" => body(
            "Tides are caused by the gravity of the moon and the sun. My cat sleeps on the warm window sill.",
        ),
        "/b" => body(
            "Ocean tides rise and fall because the gravity of the moon pulls the water. Bread needs flour, salt, yeast and patience.",
        ),
        "/c" => b"HTTP/1.1 404 None\r\ncontent-length: 0\r\n\r\n".to_vec(),
        _ => page(
            JSON,
            format!(
                r#"{{"query":"x","results":[{},{},{},{}]}}"#,
                hit("a"),
                hit("b"),
                hit("c"),
                hit("d")
            )
            .as_bytes(),
        ),
    }
}

#[test]
fn research_reads_pages_and_quotes_them_with_their_source() {
    let port = Arc::new(std::sync::OnceLock::<String>::new());
    let there = Arc::clone(&port);
    let place = Place::with("searxng", move |path| research(path, there.get().unwrap()));
    port.set(place.server.port.to_string()).unwrap();
    let args = r#"{"query":"what causes tides","max_results":4,"max_pages":3,"sentences":2}"#;
    let output = place.call("web_research", args).unwrap();
    let text = |pointer: &str| {
        output
            .pointer(pointer)
            .and_then(|value| value.as_str().map(str::to_owned))
    };
    let base = format!("http://127.0.0.1:{}", place.server.port);
    assert_eq!(
        text("/summary/0/text").as_deref(),
        Some("Tides are caused by the gravity of the moon and the sun.")
    );
    assert_eq!(text("/summary/0/source"), Some(format!("{base}/a")));
    assert_eq!(text("/metadata/provider").as_deref(), Some("searxng"));
    assert_eq!(text("/metadata/method").as_deref(), Some("textrank"));
    assert_eq!(
        output
            .pointer("/metadata/pages")
            .and_then(|pages| pages.as_i64()),
        Some(2)
    );
    let read: Vec<bool> = (0..4)
        .filter_map(|index| output.pointer(&format!("/sources/{index}/read"))?.as_bool())
        .collect();
    assert_eq!(read, [true, true, false, false]);
    assert!(text("/sources/2/error").unwrap().contains("404"));
    assert_eq!(text("/sources/3/error"), None, "it was not tried");
    let mut paths = place.server.paths()[1..].to_vec();
    paths.sort();
    assert_eq!(paths, ["/a", "/b", "/c"]);
    let none = place
        .call(
            "web_research",
            r#"{"query":"x","domain_filter":"wikipedia.org"}"#,
        )
        .unwrap();
    assert_eq!(
        none.pointer("/sources")
            .and_then(|list| list.items())
            .map(|list| list.len()),
        Some(0)
    );
}

#[test]
fn pages_become_text_and_everything_else_is_refused() {
    let place = Place::with("wikipedia", |path| match path {
        "/page" => page("text/html", answers::GUIDE.as_bytes()),
        "/text" => page("text/plain", "äöü <b>as it is</b>".as_bytes()),
        "/latin" => page("text/html; charset=iso-8859-1", b"<p>gr\xfc\xdfe</p>"),
        "/picture" => page("image/png", b"\x89PNG"),
        _ => b"HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n".to_vec(),
    });
    let base = format!("http://127.0.0.1:{}", place.server.port);
    let fetch = |path: &str, more: &str| {
        place.call("fetch_docs", &format!(r#"{{"url":"{base}{path}"{more}}}"#))
    };
    let text = |value: &Value| value.get("text").and_then(Value::as_str).map(str::to_owned);
    let found = fetch("/page", "").unwrap();
    assert_eq!(text(&found).as_deref(), Some("# Start\nRead the manual."));
    assert_eq!(
        found
            .pointer("/links/0/url")
            .and_then(|url| url.as_str().map(str::to_owned)),
        Some(format!("{base}/manual"))
    );
    let cut = fetch("/text", r#","max_chars":2"#).unwrap();
    assert_eq!(
        (
            text(&cut).as_deref(),
            cut.get("truncated").and_then(Value::as_bool)
        ),
        (Some("äö"), Some(true))
    );
    assert_eq!(
        text(&fetch("/text", "").unwrap()).as_deref(),
        Some("äöü <b>as it is</b>")
    );
    assert_eq!(
        text(&fetch("/latin", "").unwrap()).as_deref(),
        Some("grüße")
    );
    assert_eq!(
        fetch("/picture", "").unwrap_err().reason_str(),
        Some("content_type")
    );
    assert_eq!(fetch("/gone", "").unwrap_err().reason_str(), Some("status"));
}

#[test]
fn requests_carry_what_was_asked_and_results_say_what_came() {
    let place = Place::with("wikipedia", |path| {
        match path {
        "/bytes" => page("application/octet-stream", &[0, 159, 146, 150]),
        "/gone" => b"HTTP/1.1 404 None\r\ncontent-type: text/plain\r\nx-a: 1\r\nx-a: 2\r\ncontent-length: 4\r\n\r\nlost".to_vec(),
        _ => page("text/plain; charset=utf-8", "ok ✓".as_bytes()),
    }
    });
    let base = format!("http://127.0.0.1:{}", place.server.port);
    let get = |path: &str, more: &str| {
        place
            .call("http_get", &format!(r#"{{"url":"{base}{path}"{more}}}"#))
            .unwrap()
    };
    let member =
        |value: &Value, key: &str| value.get(key).map(ToString::to_string).unwrap_or_default();
    let bytes = get("/bytes", "");
    assert_eq!(
        (member(&bytes, "body"), member(&bytes, "body_encoding")),
        ("\"AJ+Slg==\"".to_owned(), "\"base64\"".to_owned())
    );
    let gone = get("/gone", "");
    assert_eq!(
        (member(&gone, "status_code"), member(&gone, "body")),
        ("404".to_owned(), "\"lost\"".to_owned())
    );
    assert_eq!(
        gone.pointer("/headers/x-a")
            .and_then(|value| value.as_str().map(str::to_owned)),
        Some("1, 2".to_owned())
    );
    let cut = get("/", r#","max_bytes":4,"headers":{"X-Token":"abc"}"#);
    assert_eq!(
        (member(&cut, "body"), member(&cut, "truncated")),
        ("\"ok \"".to_owned(), "true".to_owned())
    );
    assert_eq!(place.server.seen()[2].header("x-token"), Some("abc"));
    let post = |args: &str| {
        place
            .call("http_post", &format!(r#"{{"url":"{base}/in"{args}}}"#))
            .unwrap();
        let seen = place.server.seen().pop().unwrap();
        (
            String::from_utf8(seen.body.clone()).unwrap(),
            seen.header("content-type").map(str::to_owned),
        )
    };
    let json = Some("application/json".to_owned());
    assert_eq!(
        post(r#","data":{"a":[1,2],"b":null}"#),
        (r#"{"a":[1,2],"b":null}"#.to_owned(), json.clone())
    );
    assert_eq!(
        post(r#","data":{}"#),
        ("{}".to_owned(), json.clone()),
        "an empty object is a body"
    );
    assert_eq!(post(r#","data":"text""#), ("\"text\"".to_owned(), json));
    assert_eq!(
        post(r#","data":"a=b","headers":{"Content-Type":"application/x-www-form-urlencoded"}"#),
        (
            "a=b".to_owned(),
            Some("application/x-www-form-urlencoded".to_owned())
        )
    );
    assert_eq!(post(""), (String::new(), None));
}

/// The key goes with what the caller says a server can tell apart, and stands for itself where the caller gives one.
#[test]
fn a_repeatable_request_carries_the_name_of_its_call() {
    struct Keys(std::sync::Mutex<Vec<Option<String>>>);
    impl HttpTransport for Keys {
        fn send(&self, request: &HttpRequest, _: &StopFlag) -> Result<HttpResponse, ToolError> {
            let key = request.headers.iter();
            let key = key.filter(|(name, _)| name.eq_ignore_ascii_case("idempotency-key"));
            self.0
                .lock()
                .unwrap()
                .push(key.map(|(_, value)| value.clone()).next());
            Err(ToolError::new(ErrorCode::ToolError, "seen"))
        }

        fn service(&self, _: &str) -> Option<HttpService> {
            None
        }
    }
    let keys = Arc::new(Keys(std::sync::Mutex::default()));
    let run = |args: &str, idempotent: bool| {
        let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
        let call = find("http_post").decode(&args).unwrap();
        assert_eq!(call.reach().idempotent, idempotent);
        let http = Arc::clone(&keys) as Arc<dyn HttpTransport>;
        let _ = call.run(&ctx(http).with_idempotency_key("run-step"));
    };
    let url = r#""url":"https://example.org/in""#;
    run(&format!("{{{url}}}"), false);
    run(&format!(r#"{{{url},"repeatable":true}}"#), true);
    run(
        &format!(r#"{{{url},"repeatable":true,"headers":{{"Idempotency-Key":"mine"}}}}"#),
        true,
    );
    let seen = keys.0.lock().unwrap();
    let seen: Vec<_> = seen.iter().map(Option::as_deref).collect();
    assert_eq!(seen, [None, Some("run-step"), Some("mine")]);
}
