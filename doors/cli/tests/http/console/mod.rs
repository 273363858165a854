//! The console: its pages as a browser asks for them, with real sockets.

mod attacks;
mod deciding;
mod pages;
mod sessions;

use std::io::Write as _;

use serde_json::Value as Json;

use super::client::{Reply, Server, read};
use crate::support::Place;

/// Largest page, in bytes.
const PAGE_BYTES_MAX: usize = 60_000;

/// A console, and a browser that is signed in.
pub(crate) struct Browser {
    server: std::sync::Arc<Server>,
    cookie: String,
}

/// A server with pages, and the link that it printed.
pub(crate) fn console_with(command: std::process::Command) -> (Server, String) {
    let (server, said) = Server::of_saying(command);
    let link = said.iter().find_map(|line| line.strip_prefix("open "));
    let link = link.unwrap_or_else(|| panic!("no link in {said:?}"));
    let path = link.split_once("/console/").expect("a path").1;
    (server, format!("/console/{path}"))
}

impl Browser {
    /// Starts `mathchain console` at a terminal, and opens its link.
    pub(crate) fn at_terminal(place: &Place) -> Self {
        Self::of(place.command_at_terminal(&["console"]))
    }

    pub(crate) fn of(command: std::process::Command) -> Self {
        let (server, link) = console_with(command);
        let opened = server.get(&link, &[]);
        let cookie = cookie_of(opened.expect(200));
        Self {
            server: std::sync::Arc::new(server),
            cookie,
        }
    }

    /// Signs in with a key at a server.
    pub(crate) fn with_key(server: &std::sync::Arc<Server>, key: &str) -> Self {
        let sent = sign_in(server, key);
        let cookie = cookie_of(sent.expect(303));
        Self {
            server: std::sync::Arc::clone(server),
            cookie,
        }
    }

    fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.port)
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.server.get(path, &[("Cookie", &self.cookie)])
    }

    /// A page, which is whole, small and bound.
    #[track_caller]
    pub(crate) fn page(&self, path: &str) -> String {
        let reply = self.get(path);
        check_fields(reply.expect(200));
        assert!(
            reply.body.len() < PAGE_BYTES_MAX,
            "{path}: {} bytes",
            reply.body.len()
        );
        assert!(
            reply.body.starts_with("<!DOCTYPE html>") && reply.body.ends_with("</html>"),
            "{path}"
        );
        reply.body
    }

    /// The token that every form of the signed-in browser carries.
    #[track_caller]
    pub(crate) fn token(&self) -> String {
        let page = self.get("/console/policy");
        let name = "name=\"form_token\" value=\"";
        let rest = page.expect(200).body.split_once(name).expect("a form").1;
        rest.split('"').next().expect("a token").to_owned()
    }

    /// Sends a form as its page does.
    pub(crate) fn send(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let token = self.token();
        self.send_as(
            path,
            &[&[("form_token", &*token)], fields].concat(),
            &[("Origin", &self.origin())],
        )
    }

    /// Sends a form with these fields of the head beside the cookie.
    pub(crate) fn send_as(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        head: &[(&str, &str)],
    ) -> Reply {
        let head = [&[("Cookie", &*self.cookie)], head].concat();
        post_form(&self.server, path, fields, &head)
    }
}

/// Sends a form.
pub(crate) fn post_form(
    server: &Server,
    path: &str,
    fields: &[(&str, &str)],
    head: &[(&str, &str)],
) -> Reply {
    let body: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
        .collect();
    let body = body.join("&");
    let length = body.len().to_string();
    let stated = [
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Content-Length", &*length),
    ];
    let head = server.head("POST", path, &[&stated, head].concat());
    let mut stream = server.connect();
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
    read(&mut stream)
}

pub(crate) fn sign_in(server: &Server, key: &str) -> Reply {
    let origin = format!("http://127.0.0.1:{}", server.port);
    post_form(
        server,
        "/console/sign-in",
        &[("key", key)],
        &[("Origin", &origin)],
    )
}

pub(crate) fn encoded(text: &str) -> String {
    let of = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(of).collect()
}

#[track_caller]
fn cookie_of(reply: &Reply) -> String {
    let field = reply
        .field("set-cookie")
        .unwrap_or_else(|| panic!("{reply:?}"));
    field.split(';').next().expect("a pair").to_owned()
}

/// What every answer of the console says to a browser.
#[track_caller]
pub(crate) fn check_fields(reply: &Reply) {
    let policy = reply.field("content-security-policy").unwrap_or_default();
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(
            policy.split("; ").any(|one| one == part),
            "{part} in {policy}"
        );
    }
    assert_eq!(reply.field("referrer-policy"), Some("same-origin"));
    assert_eq!(reply.field("x-content-type-options"), Some("nosniff"));
    assert!(
        reply
            .field("cache-control")
            .is_some_and(|it| it.contains("no-store") || it.contains("immutable"))
    );
    // Nothing in a page may act or look by itself, but for the two files that it names.
    let kind = reply.field("content-type").unwrap_or_default();
    if !kind.starts_with("text/html") {
        return;
    }
    for tag in tags_of(&reply.body) {
        for word in tag.split_ascii_whitespace() {
            let name = word.split('=').next().unwrap_or(word);
            let acts =
                name.starts_with("on") || matches!(name, "style" | "<style" | "srcdoc" | "<base");
            assert!(!acts, "{name} in {tag} of {}", reply.body);
        }
    }
    assert!(!reply.body.contains("=\"javascript:"), "{}", reply.body);
}

/// The tags of a page, without the values of their attributes.
fn tags_of(page: &str) -> Vec<String> {
    let starts = page.split('<').skip(1);
    let without_values = |tag: &str| {
        let outside: Vec<&str> = tag.split('"').step_by(2).collect();
        let outside = outside.join("");
        format!("<{}", outside.split('>').next().unwrap_or_default())
    };
    starts.map(without_values).collect()
}

/// A key with a role.
#[track_caller]
pub(crate) fn key(place: &Place, args: &[&str]) -> String {
    let made = place.run(&[&["keys", "create"], args].concat(), "");
    let key = made.expect_code(0).at("/key");
    key.as_str().expect("a key").to_owned()
}

/// The id in the answer of a call that waits for an approval.
#[track_caller]
pub(crate) fn approval_of(place: &Place, tool: &str, args: &Json) -> String {
    let asked = place.run(&["call", tool], &args.to_string());
    let id = asked.expect_code(4).at("/metadata/approval_id");
    id.as_str().expect("an id").to_owned()
}
