//! What comes from outside: forms of other pages, names of other hosts, and text that would like to be markup.

use serde_json::json;

use super::{Browser, approval_of, check_fields, encoded};
use crate::support::Place;

/// Text that is markup, script and an attribute at once.
const HOSTILE: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>";

/// The paths to which forms are sent.
const FORMS: [&str; 6] = [
    "/console/decide",
    "/console/answer",
    "/console/sign-out",
    "/console/audit/verify",
    "/console/tools/calculate",
    "/console/runs/0000/cancel",
];

#[test]
fn a_form_without_the_token_of_its_session_is_refused() {
    let place = Place::new();
    let browser = Browser::at_terminal(&place);
    let origin = browser.origin();
    let own = browser.token();
    let last = if own.ends_with('0') { '1' } else { '0' };
    let wrong = format!("{}{last}", &own[..own.len() - 1]);
    for path in FORMS {
        for fields in [
            &[][..],
            &[("form_token", "")],
            &[("form_token", &*wrong)],
            &[("form_token", &*own), ("form_token", &*own)],
        ] {
            let sent = browser.send_as(path, fields, &[("Origin", &origin)]);
            check_fields(sent.expect(403));
        }
        // Another kind of body, which pages of other sites can send without being asked.
        let text = browser.server.head(
            "POST",
            path,
            &[
                ("Cookie", &browser.cookie),
                ("Origin", &origin),
                ("Content-Type", "text/plain"),
                ("Content-Length", "0"),
            ],
        );
        browser.server.raw(text.as_bytes()).expect(415);
    }
    browser.get("/console").expect(200);
}

#[test]
fn a_form_of_another_page_is_refused() {
    let place = Place::new();
    let browser = Browser::at_terminal(&place);
    let own = browser.token();
    let port = browser.server.port;
    for origin in [
        "null",
        "http://evil.example",
        &format!("http://localhost:{port}"),
        &format!("https://127.0.0.1:{port}"),
        &format!("http://127.0.0.1:{}", port ^ 1),
        &format!("http://127.0.0.1:{port}.evil.example"),
    ] {
        for path in FORMS {
            let sent = browser.send_as(path, &[("form_token", &own)], &[("Origin", origin)]);
            check_fields(sent.expect(403));
        }
        // Nor may such a page read, or sign somebody in.
        let read = [("Cookie", &*browser.cookie), ("Origin", origin)];
        browser.server.get("/console", &read).expect(403);
        super::post_form(
            &browser.server,
            "/console/sign-in",
            &[("key", "x")],
            &[("Origin", origin)],
        )
        .expect(403);
    }
    let head = [
        ("Origin", &*browser.origin()),
        ("Sec-Fetch-Site", "cross-site"),
    ];
    browser
        .send_as("/console/decide", &[("form_token", &own)], &head)
        .expect(403);
    browser
        .send_as("/console/decide", &[("form_token", &own)], &[])
        .expect(403);
    browser.get("/console").expect(200);
}

#[test]
fn a_name_that_leads_here_is_no_name_of_the_server() {
    let place = Place::new();
    let browser = Browser::at_terminal(&place);
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
    ] {
        let fields = [("Host", host), ("Cookie", &*browser.cookie)];
        check_fields(browser.server.get("/console", &fields).expect(403));
    }
}

#[test]
fn hostile_text_is_text_on_every_page() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"ask\"\nreason = \"<script>alert(3)</script>\"\n");
    let path = format!("{HOSTILE}.txt").replace('/', "_");
    let args = json!({"path": path, "content": format!("{HOSTILE}\n{HOSTILE}\u{202e}")});
    let asked = approval_of(&place, "write_file", &args);
    // A plan whose results, inputs and outputs are hostile, and one that fails with such an error.
    place.write("p.json", &json!({"version": 1, "id": "p", "inputs": {"text": {"type": "string"}}, "steps": [
        {"id": "a", "tool": "json_query", "args": {"data": {"k": {HOSTILE: {"$ref": "inputs.text"}}}, "query": "@"}},
        {"id": "b", "tool": "json_query", "args": {"data": [{HOSTILE: HOSTILE}, {HOSTILE: 1}], "query": "@"}},
        {"id": "c", "tool": "json_query", "args": {"data": HOSTILE, "query": HOSTILE}, "on_error": "continue"}],
        "outputs": {"all": {"$ref": "b"}}}).to_string());
    let input = format!("text={HOSTILE}");
    let ran = place.run(&["run", "p.json", "--input", &input], "");
    let run = ran.at("/metadata/chain_id");
    let run = run.as_str().expect("an id");
    let browser = Browser::at_terminal(&place);
    let hostile = encoded(HOSTILE);
    let mut pages = vec![
        "/console".to_owned(),
        format!("/console/approvals/{asked}"),
        format!("/console?q={hostile}"),
        format!("/console/runs?q={hostile}&state={hostile}&page={hostile}"),
        format!("/console/runs/{run}?open=a&open=b&open=c&open={hostile}&only={hostile}"),
        format!("/console/runs/{run}/compare?with={run}"),
        format!("/console/plans?run={run}"),
        format!("/console/tools?q={hostile}"),
        format!(
            "/console/tools/json_query?args={}",
            encoded(&json!({"data": HOSTILE, "query": HOSTILE}).to_string())
        ),
        format!("/console/audit?tool={hostile}&role={hostile}&status={hostile}"),
        "/console/audit".to_owned(),
        "/console/artifacts".to_owned(),
        "/console/workflows".to_owned(),
        format!("/console/policy?q={hostile}"),
        format!("/console/policy?role=operator&tool={hostile}&args={hostile}"),
        format!("/console/policy?role={hostile}&tool=calculate"),
    ];
    pages.extend(["/console/runs", "/console/tools", "/console/policy"].map(str::to_owned));
    let is_clean = |text: &str, path: &str| {
        let lower = text.to_lowercase();
        for markup in ["<script>", "<img src=x", "alert(1)</script>", "\u{202e}"] {
            assert!(!lower.contains(markup), "{markup} at {path}: {text}");
        }
        // The one script of a page is the file of the console.
        assert_eq!(lower.matches("<script").count(), 1, "{path}");
    };
    for path in &pages {
        is_clean(&browser.page(path), path);
    }
    for path in [
        format!("/console/approvals/{hostile}"),
        format!("/console/runs/{hostile}"),
        format!("/console/tools/{hostile}"),
        format!("/console/artifacts/{hostile}"),
        format!("/console/audit/{hostile}"),
        format!("/console/{hostile}"),
    ] {
        let reply = browser.get(&path);
        assert!((400..500).contains(&reply.status), "{path}: {reply:?}");
        check_fields(&reply);
        is_clean(&reply.body, &path);
    }
    // The result of a call, an error of one, and arguments that are given back.
    for args in [
        json!({"data": {HOSTILE: [HOSTILE]}, "query": "@"}),
        json!({"data": 1, "query": HOSTILE}),
    ] {
        let reply = browser.send("/console/tools/json_query", &[("args", &args.to_string())]);
        check_fields(&reply);
        is_clean(&reply.body, "try");
        assert!(reply.body.contains("&lt;script&gt;"), "{}", reply.body);
    }
    let inbox = browser.page("/console");
    assert!(
        inbox.contains("\\u{202e}") && inbox.contains("&lt;script&gt;alert(3)"),
        "{inbox}"
    );
}
