//! Tools: their examples against recorded answers, and their adapters through the real client against servers on loopback.

mod answers;
pub(crate) mod loopback;
mod pages;
mod services;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tool_core::capability::{HttpMethod, HttpRequest, HttpResponse, HttpService, HttpTransport};
use tool_core::{
    AnyTool, CallBudget, Capabilities, Ctx, ErrorCode, StopFlag, ToolError, Value, json, schema,
};

use super::{TOOLS, WebClient, WebSettings};

fn find(id: &str) -> &'static dyn AnyTool {
    let tools = TOOLS.iter().map(|entry| entry.tool());
    tools.into_iter().find(|tool| tool.spec().id == id).unwrap()
}

fn ctx(http: Arc<dyn HttpTransport>) -> Ctx {
    Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(Capabilities {
        http: Some(http),
        ..Capabilities::default()
    })
}

fn call(http: &Arc<dyn HttpTransport>, tool: &str, args: &str) -> Result<Value, ToolError> {
    let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
    find(tool).decode(&args)?.run(&ctx(Arc::clone(http)))
}

/// The public services, answering from memory.
struct Recorded;

impl HttpTransport for Recorded {
    fn send(&self, request: &HttpRequest, _: &StopFlag) -> Result<HttpResponse, ToolError> {
        const KNOWN: &[(&str, &str, &str)] = &[
            (
                "https://example.org/notes.txt",
                "text/plain",
                "hello world\n",
            ),
            ("https://example.org/guide", "text/html", answers::GUIDE),
            (
                "generator=search",
                "application/json",
                answers::WIKIPEDIA_SEARCH,
            ),
            (
                "exsentences=1",
                "application/json",
                answers::WIKIPEDIA_BEGINNING,
            ),
            (
                "exsectionformat=wiki",
                "application/json",
                answers::WIKIPEDIA_WHOLE,
            ),
            (
                "export.arxiv.org/api/query",
                "application/atom+xml",
                answers::ARXIV,
            ),
            (
                "api.crossref.org/works",
                "application/json",
                answers::CROSSREF,
            ),
            (
                "openlibrary.org/search.json",
                "application/json",
                answers::OPEN_LIBRARY,
            ),
            (
                "https://en.wikipedia.org/wiki/Prime_number",
                "text/html; charset=UTF-8",
                answers::ARTICLE,
            ),
        ];
        let known = KNOWN.iter().find(|(part, ..)| request.url.contains(part));
        let (kind, body) = match (request.method, known) {
            (HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch | HttpMethod::Delete, _) => {
                ("application/json", request.body.clone())
            }
            (HttpMethod::Get, Some((_, kind, body))) => (*kind, body.as_bytes().to_vec()),
            (HttpMethod::Get, None) => panic!("nothing is recorded for {}", request.url),
        };
        Ok(HttpResponse {
            status: 200,
            headers: vec![("content-type".to_owned(), kind.to_owned())],
            body,
            truncated: false,
            url: request.url.clone(),
            elapsed: Duration::from_millis(5),
        })
    }

    fn service(&self, role: &str) -> Option<HttpService> {
        WebClient::new(&WebSettings::default())
            .unwrap()
            .service(role)
    }
}

#[test]
fn examples_give_what_they_say() {
    for entry in TOOLS {
        let tool = entry.tool();
        let id = tool.spec().id;
        assert_eq!(tool.spec().fault(), None);
        for (side, document) in [
            ("argument", tool.input_schema()),
            ("result", tool.output_schema()),
        ] {
            for (name, property) in document["properties"].as_object().into_iter().flatten() {
                assert!(
                    property["description"].is_string(),
                    "{side} `{name}` of `{id}`"
                );
            }
        }
        let examples = tool.examples();
        assert!(!examples.is_empty());
        for example in examples {
            let call = tool.decode(&example.args).unwrap();
            let output = call.run(&ctx(Arc::new(Recorded))).unwrap();
            assert_eq!(output, example.output, "`{id}`, {}", example.title);
            assert_eq!(schema::check_value(&tool.input_schema(), &example.args), []);
            assert_eq!(schema::check_value(&tool.output_schema(), &output), []);
        }
    }
}

#[test]
fn reading_has_no_effects_and_sending_can_destroy() {
    for entry in TOOLS {
        let spec = entry.tool().spec();
        let sends = spec.id == "http_post";
        assert_eq!(
            (spec.read_only(), spec.destructive, spec.idempotent),
            (!sends, sends, !sends),
            "{}",
            spec.id
        );
    }
}

/// The hosts a call names, for rules.
fn hosts(tool: &str, args: &str) -> Result<Vec<String>, ToolError> {
    let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
    let keys = find(tool).decode(&args)?.resources()?;
    Ok(keys
        .iter()
        .map(|key| format!("{} {}", key.access, key.name))
        .collect())
}

#[test]
fn calls_name_the_hosts_they_are_on() {
    for (tool, args, expected) in [
        (
            "http_get",
            r#"{"url":"HTTP://Example.org:8080/x"}"#,
            &["read example.org:8080"][..],
        ),
        (
            "http_post",
            r#"{"url":"https://example.org./x"}"#,
            &["write example.org:443"],
        ),
        (
            "fetch_docs",
            r#"{"url":"http://[::1]/"}"#,
            &["read [::1]:80"],
        ),
        (
            "fetch_wikipedia",
            r#"{"title":"x","language":"de"}"#,
            &["read de.wikipedia.org"],
        ),
        (
            "search_wikipedia",
            r#"{"query":"x"}"#,
            &["read en.wikipedia.org"],
        ),
        (
            "search_arxiv",
            r#"{"query":"x"}"#,
            &["read export.arxiv.org"],
        ),
        (
            "search_papers",
            r#"{"query":"x"}"#,
            &["read api.crossref.org"],
        ),
        (
            "search_books",
            r#"{"query":"x"}"#,
            &["read openlibrary.org"],
        ),
        ("web_search", r#"{"query":"x"}"#, &[]),
        ("web_research", r#"{"query":"x"}"#, &[]),
    ] {
        assert_eq!(hosts(tool, args).unwrap(), expected, "{tool}");
    }
    for (tool, args, path) in [
        ("http_get", r#"{"url":"file:///etc/hostname"}"#, "/url"),
        ("http_get", r#"{"url":"http://0x7f.1/"}"#, "/url"),
        (
            "get_wikipedia_article",
            r#"{"title":"x","language":"evil.example/"}"#,
            "/language",
        ),
        (
            "get_wikipedia_article",
            r#"{"title":"x","language":""}"#,
            "/language",
        ),
    ] {
        let err = hosts(tool, args).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{args}"
        );
    }
}

#[test]
fn arguments_out_of_range_are_refused_before_anything_is_sent() {
    let http: Arc<dyn HttpTransport> = Arc::new(Recorded); // panics when it is asked something unknown
    let long = format!(r#"{{"query":"{}"}}"#, "x".repeat(1001));
    for (tool, args, path) in [
        ("web_search", r#"{"query":""}"#, "/query"),
        ("web_search", r#"{"query":"a\nb"}"#, "/query"),
        (
            "web_search",
            r#"{"query":"x","region":"english"}"#,
            "/region",
        ),
        (
            "web_search",
            r#"{"query":"x","max_results":21}"#,
            "/max_results",
        ),
        (
            "web_research",
            r#"{"query":"x","domain_filter":"http://x"}"#,
            "/domain_filter",
        ),
        (
            "search_papers",
            r#"{"query":"x","year_range":"soon"}"#,
            "/year_range",
        ),
        (
            "search_books",
            r#"{"query":"x","filter":"cheap"}"#,
            "/filter",
        ),
        ("search_arxiv", long.as_str(), "/query"),
        ("fetch_wikipedia", r#"{"title":"a|b"}"#, "/title"),
        (
            "fetch_wikipedia",
            r#"{"title":"x","sentences":11}"#,
            "/sentences",
        ),
        (
            "http_post",
            r#"{"url":"https://example.org/","data":{"a":1},"headers":{"Content-Type":"text/plain"}}"#,
            "/data",
        ),
        (
            "http_get",
            r#"{"url":"https://example.org/","timeout":0}"#,
            "/timeout",
        ),
        (
            "http_get",
            r#"{"url":"https://example.org/","method":"DELETE"}"#,
            "/method",
        ),
    ] {
        let err = call(&http, tool, args).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{tool} {args}"
        );
    }
}

#[test]
fn without_a_client_there_is_no_web() {
    let args = json::parse_json(r#"{"query":"x"}"#, json::JsonLimits::default()).unwrap();
    let err = find("web_search")
        .decode(&args)
        .unwrap()
        .run(&Ctx::default())
        .unwrap_err();
    assert_eq!(err.code(), ErrorCode::PreconditionFailed);
    let unset = BTreeMap::from([("crossref".to_owned(), "https://x.example".to_owned())]);
    assert!(
        WebClient::new(&WebSettings {
            services: unset,
            ..WebSettings::default()
        })
        .is_ok()
    );
}
