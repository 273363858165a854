//! `Idempotency-Key`: a request that is sent again under its key is answered as before and does not act again.
//!
//! The key is claimed in the state before the request acts (`journal`), so that this holds across a restart. A request whose process ended
//! before its answer was stored runs again where no record names it, and is refused else: whether it acted is unknown.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::header::HeaderValue;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use journal::{RequestClaim, StateStore};
use tool_core::{Result, Value, json, object, tool_error};

use super::callers::HttpCaller;
use super::reply;
use super::server::HttpServer;

/// The field of a request that may act once.
const FIELD: &str = "idempotency-key";
/// The field of an answer that was stored.
const REPLAYED: &str = "idempotency-replayed";
/// Most characters of a key.
const KEY_CHARS: usize = 255;

/// Keys of requests on their way, by owner, with the digest of each request.
#[derive(Default)]
pub(super) struct IdempotencyKeys(Mutex<HashMap<(String, String), String>>);

impl IdempotencyKeys {
    fn begin(&self, owner: &str, key: &str, request: &str) -> Result<()> {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match running.entry((owner.to_owned(), key.to_owned())) {
            Entry::Vacant(place) => {
                place.insert(request.to_owned());
                Ok(())
            }
            Entry::Occupied(of) if of.get() != request => Err(journal::key_reused()),
            Entry::Occupied(_) => Err(
                tool_error!(Conflict, "in_progress"; "the same request is on its way"; "send it again after `Retry-After`"),
            ),
        }
    }
}

/// A request that may act once. It is on its way until this is dropped.
pub(super) struct IdempotentRequest {
    server: Arc<HttpServer>,
    owner: String,
    key: String,
    /// Digest of path and body.
    request: String,
}

impl IdempotentRequest {
    /// The key of a request, where it has one.
    ///
    /// # Errors
    /// `invalid_request` with reason `idempotency_key` for an unusable key, `precondition_failed` without a state, `conflict` with reason
    /// `key_reused` or `in_progress` for a key of a request on its way.
    pub(super) fn of(
        server: &Arc<HttpServer>,
        caller: &HttpCaller,
        headers: &HeaderMap,
        path: &str,
        body: &[u8],
    ) -> Result<Option<Self>> {
        let mut stated = headers.get_all(FIELD).iter();
        let Some(first) = stated.next() else {
            return Ok(None);
        };
        let key = first.to_str().unwrap_or_default().trim();
        let is_plain = key.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_plain || !(1..=KEY_CHARS).contains(&key.len()) || stated.next().is_some() {
            return Err(
                tool_error!(InvalidRequest, "idempotency_key"; "expected one `Idempotency-Key` of 1 to {KEY_CHARS} printable characters";
                "a random UUID is one"),
            );
        }
        server.records()?;
        let mut parts = registry::digest::DigestParts::new();
        parts.add(path.as_bytes());
        parts.add(body);
        let (owner, key, request) = (
            request_key_owner(server, caller),
            key.to_owned(),
            parts.finish(),
        );
        server.once.begin(&owner, &key, &request)?;
        let server = Arc::clone(server);
        Ok(Some(Self {
            server,
            owner,
            key,
            request,
        }))
    }

    /// Its name in the records of what it began.
    pub(super) fn name(&self) -> String {
        journal::request_name(&self.owner, &self.key)
    }

    fn state(&self) -> Result<&Arc<StateStore>> {
        self.server.records()
    }

    /// Claims the request; gives the answer of an earlier one.
    ///
    /// # Errors
    /// `conflict` with reason `key_reused` or `outcome_unknown`; a state that cannot be written.
    pub(super) fn claim(&self) -> Result<Option<StoredAnswer>> {
        let claim = self
            .state()?
            .claim_request(&self.owner, &self.key, &self.request, None)?;
        match claim {
            RequestClaim::New => Ok(None),
            RequestClaim::Answered(text) => StoredAnswer::read(&text).map(Some),
            RequestClaim::Open => Err(
                tool_error!(Conflict, "outcome_unknown"; "a server began this request and stored no answer: it ended meanwhile, or still runs";
                "whether the request acted is unknown: look with `mathchain audit list`, and choose a new key to send it again"),
            ),
        }
    }

    /// Claims the request with its answer; gives the answer of an earlier one.
    ///
    /// # Errors
    /// As [`IdempotentRequest::claim`].
    pub(super) fn claim_with(&self, answer: &StoredAnswer) -> Result<Option<StoredAnswer>> {
        let text = answer.write();
        let claim =
            self.state()?
                .claim_request(&self.owner, &self.key, &self.request, Some(&text))?;
        match claim {
            RequestClaim::Answered(text) => StoredAnswer::read(&text).map(Some),
            RequestClaim::New | RequestClaim::Open => Ok(None),
        }
    }

    /// Stores the answer; without one the request has not acted and can be sent again. Where it cannot be stored the claim stays, so that the
    /// request does not act twice.
    pub(super) fn end(self, answer: Option<&StoredAnswer>) {
        let Ok(state) = self.state() else { return };
        let _ = match answer {
            Some(answer) => state.answer_request(&self.owner, &self.key, &answer.write()),
            None => state.release_request(&self.owner, &self.key),
        };
    }
}

impl Drop for IdempotentRequest {
    fn drop(&mut self) {
        let running = &self.server.once.0;
        let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
        running.remove(&(
            std::mem::take(&mut self.owner),
            std::mem::take(&mut self.key),
        ));
    }
}

/// Keys belong to the holder of a bearer key, or to the role of callers without one, in one workspace.
fn request_key_owner(server: &HttpServer, caller: &HttpCaller) -> String {
    let workspace = server.toolkit.workspace_id();
    let workspace = workspace.map(|workspace| workspace.id).unwrap_or_default();
    let (kind, who) = match &caller.key {
        Some(key) => ("key", key.digest.clone()),
        None => ("role", caller.role(server)),
    };
    registry::digest::of_texts([&*workspace, kind, &*who])
}

/// A stored answer.
pub(super) struct StoredAnswer {
    pub(super) status: StatusCode,
    pub(super) body: Value,
}

impl StoredAnswer {
    fn write(&self) -> String {
        let status = i64::from(self.status.as_u16());
        json::to_text(&object! { "status" => status, "body" => self.body.clone() })
    }

    fn read(text: &str) -> Result<Self> {
        let damaged = || tool_error!(Internal, "the stored answer is damaged");
        let read = mathchain::parse_json(text).map_err(|_| damaged())?;
        let members = read.as_object().ok_or_else(damaged)?;
        let status = members.get("status").and_then(Value::as_i64);
        let status = status.and_then(|status| StatusCode::from_u16(status.try_into().ok()?).ok());
        Ok(Self {
            status: status.ok_or_else(damaged)?,
            body: members.get("body").cloned().unwrap_or_default(),
        })
    }

    /// The text of a member of the body.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.body.text(name)
    }

    /// The answer again.
    pub(super) fn replayed(self) -> Response {
        let mut response = reply::advised_response(self.status, &self.body);
        let is = HeaderValue::from_static("true");
        response.headers_mut().insert(REPLAYED, is);
        response
    }
}
