//! The adapters through the real client, against a server on loopback that answers in the services' forms.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use tool_core::capability::HttpTransport;
use tool_core::{ErrorCode, ToolError, Value};

use super::super::client::WebSearchSettings;
use super::super::{WebClient, WebSettings};
use super::loopback::{Server, page};
use super::{answers, call};

/// A server, and a client whose services are all there.
pub(super) struct Place {
    pub(super) server: Server,
    http: Arc<dyn HttpTransport>,
}

impl Place {
    /// Answers any path with one content.
    fn answering(kind: &'static str, body: &'static str) -> Self {
        Self::with("wikipedia", move |_| page(kind, body.as_bytes()))
    }

    pub(super) fn with(provider: &str, answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let server =
            Server::new(move |request, stream| drop(stream.write_all(&answer(request.path()))));
        let here = format!("127.0.0.1:{}", server.port);
        let base = format!("http://{here}");
        let names = ["wikipedia", "arxiv", "crossref", "openlibrary"];
        let settings = WebSettings {
            allow_private: vec![here],
            backoff: Duration::from_millis(1),
            timeout: Duration::from_secs(20),
            services: names
                .iter()
                .map(|name| ((*name).to_owned(), base.clone()))
                .collect::<BTreeMap<_, _>>(),
            search: WebSearchSettings {
                provider: provider.to_owned(),
                endpoint: (provider != "wikipedia").then_some(base),
                api_key: (provider == "brave").then(|| "canary-key".to_owned()),
            },
            ..WebSettings::default()
        };
        Self {
            server,
            http: Arc::new(WebClient::new(&settings).unwrap()),
        }
    }

    pub(super) fn call(&self, tool: &str, args: &str) -> Result<Value, ToolError> {
        call(&self.http, tool, args)
    }

    fn asked(&self) -> String {
        self.server.paths().concat()
    }
}

pub(super) const JSON: &str = "application/json; charset=utf-8";

#[test]
fn every_service_is_asked_in_its_own_way() {
    for (tool, args, kind, answer, asked) in [
        (
            "search_wikipedia",
            r#"{"query":"prime & co","max_results":2}"#,
            JSON,
            answers::WIKIPEDIA_SEARCH,
            "/w/api.php?action=query&format=json&formatversion=2&generator=search&gsrsearch=prime+%26+co&gsrlimit=2",
        ),
        (
            "fetch_wikipedia",
            r#"{"title":"Euler's number"}"#,
            JSON,
            answers::WIKIPEDIA_BEGINNING,
            "&titles=Euler%27s+number&redirects=1",
        ),
        (
            "get_wikipedia_article",
            r#"{"title":"Twin prime"}"#,
            JSON,
            answers::WIKIPEDIA_WHOLE,
            "&exsectionformat=wiki",
        ),
        (
            "search_arxiv",
            r#"{"query":"a b"}"#,
            "application/atom+xml",
            answers::ARXIV,
            "/api/query?search_query=all%3Aa+AND+all%3Ab&start=0&max_results=10",
        ),
        (
            "search_papers",
            r#"{"query":"x","year_range":"2018-"}"#,
            JSON,
            answers::CROSSREF,
            "&filter=from-pub-date%3A2018",
        ),
        (
            "search_books",
            r#"{"query":"x","filter":"free_ebooks"}"#,
            JSON,
            answers::OPEN_LIBRARY,
            "/search.json?q=x+ebook_access%3Apublic&limit=10",
        ),
        (
            "search_books",
            r#"{"query":"x","filter":"ebooks"}"#,
            JSON,
            answers::OPEN_LIBRARY,
            "&has_fulltext=true",
        ),
    ] {
        let place = Place::answering(kind, answer);
        place
            .call(tool, args)
            .unwrap_or_else(|err| panic!("{tool}: {err:?}"));
        assert!(place.asked().contains(asked), "{tool}: {}", place.asked());
    }
}

#[test]
fn providers_of_a_search_are_told_apart_and_named() {
    let check = |provider: &str, answer: &'static str, args: &str, asked: &str, titles: &[&str]| {
        let place = Place::with(provider, move |_| page(JSON, answer.as_bytes()));
        let output = place.call("web_search", args).unwrap();
        assert_eq!(
            output.get("provider").and_then(Value::as_str),
            Some(provider)
        );
        let results = output
            .get("results")
            .and_then(Value::items)
            .unwrap_or_default();
        let found: Vec<&str> = results
            .iter()
            .filter_map(|hit| hit.get("title")?.as_str())
            .collect();
        assert_eq!(found, titles, "{provider}");
        assert!(place.asked().contains(asked), "{}", place.asked());
        let key = place.server.seen()[0]
            .header("x-subscription-token")
            .map(str::to_owned);
        assert_eq!(key.is_some(), provider == "brave");
        assert!(!output.to_string().contains("canary"));
        results
    };
    let plain = r#"{"query":"primes"}"#;
    let german = r#"{"query":"primes","region":"de-de","max_results":1}"#;
    let hits = check(
        "searxng",
        answers::SEARXNG,
        plain,
        "/search?q=primes&format=json&language=all",
        &["One", "Two & more"],
    );
    assert_eq!(
        hits[0].get("snippet").and_then(Value::as_str),
        Some("First hit")
    );
    check(
        "searxng",
        answers::SEARXNG,
        german,
        "&language=de-DE",
        &["One"],
    );
    check(
        "brave",
        answers::BRAVE,
        plain,
        "/res/v1/web/search?q=primes&count=10",
        &["One", "Two"],
    );
    check(
        "brave",
        answers::BRAVE,
        german,
        "&country=DE&search_lang=de",
        &["One"],
    );
    check("brave", answers::BRAVE_NOTHING, plain, "/res/v1", &[]);
    check(
        "wikipedia",
        answers::WIKIPEDIA_SEARCH,
        plain,
        "&gsrsearch=primes",
        &["Prime number", "Twin prime"],
    );
    check(
        "wikipedia",
        answers::WIKIPEDIA_NOTHING,
        plain,
        "/w/api.php",
        &[],
    );
}

#[test]
fn a_title_that_is_not_there_is_told_from_a_fault() {
    let place = Place::answering(JSON, answers::WIKIPEDIA_MISSING);
    for tool in ["fetch_wikipedia", "get_wikipedia_article"] {
        let err = place.call(tool, r#"{"title":"Nope"}"#).unwrap_err();
        assert_eq!(
            (err.reason_str(), err.path()),
            (Some("not_found"), Some("/title"))
        );
    }
    let place = Place::answering(JSON, answers::WIKIPEDIA_ERROR);
    let err = place
        .call("search_wikipedia", r#"{"query":"x"}"#)
        .unwrap_err();
    assert!(err.message().contains("Unrecognized value"), "{err}");
    let place = Place::answering("application/atom+xml", answers::ARXIV_ERROR);
    let err = place
        .call("search_arxiv", r#"{"query":"id:1234.12345"}"#)
        .unwrap_err();
    assert!(err.message().contains("incorrect id format"), "{err}");
}

#[test]
fn answers_of_another_form_are_errors() {
    const TOOLS: [(&str, &str); 7] = [
        ("search_wikipedia", r#"{"query":"x"}"#),
        ("fetch_wikipedia", r#"{"title":"x"}"#),
        ("search_papers", r#"{"query":"x"}"#),
        ("search_books", r#"{"query":"x"}"#),
        ("web_search", r#"{"query":"x"}"#),
        ("web_research", r#"{"query":"x"}"#),
        ("search_arxiv", r#"{"query":"x"}"#),
    ];
    for (kind, body) in [
        (JSON, "[]"),
        (JSON, "\"text\""),
        (
            JSON,
            "{\"query\":{\"pages\":{}},\"message\":3,\"docs\":null}",
        ),
        (JSON, "{\"a\":1,\"a\":2}"),
        (JSON, "<html>sign in</html>"),
        ("text/html", "<html>sign in</html>"),
        ("application/atom+xml", "<feed"),
        ("application/atom+xml", "<rss></rss>"),
        (
            "application/atom+xml",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><feed>&b;</feed>",
        ),
    ] {
        let place = Place::answering(kind, body);
        for (tool, args) in TOOLS {
            let err = place.call(tool, args).expect_err(body);
            assert_eq!(err.code(), ErrorCode::ToolError, "{tool} {body}: {err:?}");
            assert!(
                matches!(err.reason_str(), Some("answer" | "content_type")),
                "{tool} {body}: {err:?}"
            );
        }
    }
}

#[test]
fn a_feed_of_any_depth_ends() {
    let deep = format!("<feed>{}", "<a>".repeat(100_000));
    let wide = format!("<feed>{}</feed>", "<a/>".repeat(300_000));
    for body in [deep, wide] {
        let place = Place::with("wikipedia", move |_| {
            page("application/atom+xml", body.as_bytes())
        });
        let err = place.call("search_arxiv", r#"{"query":"x"}"#).unwrap_err();
        assert_eq!(err.reason_str(), Some("answer"));
    }
}

#[test]
fn the_status_of_a_service_becomes_an_error_with_a_next_step() {
    for (head, reason, hint) in [
        ("401 No", "status", "key"),
        ("404 None", "status", "query"),
        ("429 Slow", "rate_limit", "later"),
        ("500 Broken", "status", "later"),
    ] {
        let place = Place::with("wikipedia", move |_| {
            format!("HTTP/1.1 {head}\r\ncontent-type: text/html\r\ncontent-length: 0\r\n\r\n")
                .into_bytes()
        });
        let err = place.call("search_papers", r#"{"query":"x"}"#).unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::ToolError, Some(reason))
        );
        assert!(err.hint_str().unwrap().contains(hint), "{head}: {err:?}");
    }
}

#[test]
fn a_service_that_is_away_is_named() {
    let place = Place::answering(JSON, "{}");
    let Place { server, http } = place;
    drop(server);
    let err = call(&http, "search_books", r#"{"query":"x"}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::ToolError, Some("connect"))
    );
    assert!(err.hint_str().unwrap().contains("network connection"));
}

#[test]
fn a_key_that_is_missing_is_asked_for() {
    let settings = WebSettings {
        search: WebSearchSettings {
            provider: "brave".to_owned(),
            endpoint: None,
            api_key: None,
        },
        ..WebSettings::default()
    };
    let http: Arc<dyn HttpTransport> = Arc::new(WebClient::new(&settings).unwrap());
    let err = call(&http, "web_search", r#"{"query":"x"}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::PreconditionFailed, Some("no_provider"))
    );
}
