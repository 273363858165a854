//! [`Callers`]: who calls, by the key of a request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use tool_core::capability::Clock as _;
use tool_core::{Result, ToolError, tool_error};

use super::bucket::Bucket;
use super::server::Server;
use crate::Context;
use crate::clock::SystemClock;
use crate::keys::{self, Key};
use crate::mcp::{self, Endpoint};
use crate::queue::Queue;

/// A caller: the holder of a key, or whoever reaches a server without keys.
pub(super) struct Caller {
    pub(super) key: Option<Key>,
    /// The context of every call.
    pub(super) context: Context,
    /// Roles that a call may name.
    pub(super) roles: Vec<String>,
    /// Limits of a key.
    pub(super) bucket: Option<Arc<Bucket>>,
    /// Its turns among the calls of all.
    pub(super) queue: Arc<Queue>,
    /// The MCP server of this caller, so that a session belongs to who began it.
    pub(super) endpoint: Endpoint,
}

#[derive(Default)]
pub(super) struct Callers(Mutex<Known>);

#[derive(Default)]
struct Known {
    seen: Option<keys::Seen>,
    /// The keys; `None` where none was ever created.
    keys: Option<Vec<Key>>,
    callers: HashMap<String, Arc<Caller>>,
}

impl Callers {
    /// The caller of a request.
    ///
    /// # Errors
    /// `policy_denied` with reason `server_key` without a valid key where one is needed; an unusable file of keys.
    pub(super) fn of(&self, server: &Arc<Server>, headers: &HeaderMap) -> Result<Arc<Caller>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.read_again()?;
        let key = match &known.keys {
            None => None,
            Some(keys) => Some(valid(keys, headers)?.clone()),
        };
        let name = key.as_ref().map(|key| key.name.clone()).unwrap_or_default();
        if let Some(caller) = known.callers.get(&name).filter(|it| it.key == key) {
            return Ok(Arc::clone(caller));
        }
        let caller = Arc::new(Caller::new(server, key));
        known.callers.insert(name, Arc::clone(&caller));
        Ok(caller)
    }
}

impl Known {
    /// Reads the file again where it changed.
    fn read_again(&mut self) -> Result<()> {
        let Some(file) = keys::file() else {
            return Ok(());
        };
        let seen = keys::seen(&file);
        if seen != self.seen {
            // A file that disappears takes every key with it, and opens nothing.
            let unusable = |err: ToolError| tool_error!(Internal, "keys"; "{}", err.message());
            let read = keys::read(&file).map_err(unusable)?;
            self.keys = match (read, self.keys.is_some()) {
                (None, true) => Some(Vec::new()),
                (read, _) => read,
            };
            self.seen = seen;
        }
        Ok(())
    }
}

fn valid<'a>(keys: &'a [Key], headers: &HeaderMap) -> Result<&'a Key> {
    let refused = |what: &str| -> ToolError {
        tool_error!(PolicyDenied, "server_key"; "{what}"; "send `Authorization: Bearer KEY`; `mathchain keys create NAME --role ROLE` creates a key")
    };
    let mut stated = headers.get_all(AUTHORIZATION).iter();
    let (Some(stated), None) = (stated.next(), stated.next()) else {
        return Err(refused("the request has no key"));
    };
    let secret = stated.to_str().ok().and_then(|stated| {
        let (scheme, secret) = stated.split_once(' ')?;
        scheme
            .eq_ignore_ascii_case("bearer")
            .then_some(secret.trim())
    });
    let secret = secret.ok_or_else(|| refused("the request has no bearer key"))?;
    let found = keys::find(keys, secret);
    let now_ms = SystemClock::default().unix_ms();
    // The same answer for a key that expired, so that nothing is learnt by trying.
    let found = found.filter(|key| key.is_valid(now_ms));
    found.ok_or_else(|| refused("the key is unknown, revoked or expired"))
}

impl Caller {
    fn new(server: &Arc<Server>, key: Option<Key>) -> Self {
        let settings = &server.settings;
        let (context, roles) = match &key {
            None => (settings.mcp.context.clone(), settings.roles.clone()),
            Some(key) => {
                let context = settings.mcp.context.clone().role(key.role.clone());
                (context, vec![key.role.clone()])
            }
        };
        let bucket = key.as_ref().map(|_| {
            let (rate, at_once) = (settings.rate_per_second, settings.requests_at_once);
            Arc::new(Bucket::new(rate, at_once))
        });
        let queue = Arc::new(server.queue.of(key.as_ref().map_or("", |key| &key.name)));
        let offered = mcp::Settings {
            context: context.clone(),
            ..settings.mcp.clone()
        };
        let endpoint = Endpoint::new(
            Arc::clone(&server.toolkit),
            offered,
            server.calls.clone(),
            Arc::clone(&queue),
            &server.sessions,
            server.ended.clone(),
        );
        Self {
            key,
            context,
            roles,
            bucket,
            queue,
            endpoint,
        }
    }

    /// The role of its calls, where they name none.
    pub(super) fn role(&self, server: &Server) -> String {
        server.toolkit.caller(&self.context).who.role
    }
}
