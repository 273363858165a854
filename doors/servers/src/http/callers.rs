//! [`HttpCallers`]: who calls, by the key of a request, or by the token of a server that started without keys.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Uri};
use journal::{OPERATOR, StateScope};
use tokio_util::sync::CancellationToken;
use tool_core::capability::Clock as _;
use tool_core::{Result, ToolError, tool_error};

use super::bucket::TokenBucket;
use super::server::HttpServer;
use crate::keys::{self, ApiKey};
use crate::mcp::{self, McpEndpoint};
use crate::queue::CallQueue;
use mathchain::CallContext;
use mathchain::clock::SystemClock;

/// How often streams and sessions look whether their keys are still valid.
const LOOK: Duration = Duration::from_millis(250);
/// Least time between two notes of the last use of a key.
const NOTED_EVERY_MS: u64 = 60_000;

/// A caller: the holder of a key, or of the token of the server.
pub(super) struct HttpCaller {
    /// `None` for the token.
    pub(super) key: Option<ApiKey>,
    /// The context of every call.
    pub(super) context: CallContext,
    /// Roles that a call may name.
    pub(super) roles: Vec<String>,
    /// Limits of a key.
    pub(super) bucket: Option<Arc<TokenBucket>>,
    /// Its turns among the calls of all.
    pub(super) queue: Arc<CallQueue>,
    /// The MCP server of this caller, so that a session belongs to who began it.
    pub(super) endpoint: McpEndpoint,
    /// Set when the key is no longer valid, or the server ends: streams and sessions end.
    pub(super) gone: CancellationToken,
    /// When the use of the key was noted last.
    noted_ms: AtomicU64,
}

pub(super) struct HttpCallers {
    /// Digest of the token, where the server started without keys.
    token: Option<blake3::Hash>,
    known: Mutex<CallerTable>,
}

struct CallerTable {
    seen: Option<keys::Seen>,
    /// The keys, and none where their file disappeared.
    keys: Vec<ApiKey>,
    callers: HashMap<String, Arc<HttpCaller>>,
}

impl HttpCallers {
    /// The callers of a server that starts: with a token where no key exists, unless it takes none.
    ///
    /// # Errors
    /// An unusable file of keys.
    pub(super) fn start(takes_token: bool) -> Result<(Self, Option<String>)> {
        let file = keys::keys_path();
        let seen = file.as_deref().and_then(keys::keys_file_state);
        let found = file.as_deref().map(keys::read_keys).transpose()?.flatten();
        let token = match &found {
            None if takes_token => Some(keys::new_secret()?),
            _ => None,
        };
        let known = CallerTable {
            seen,
            keys: found.unwrap_or_default(),
            callers: HashMap::new(),
        };
        let callers = Self {
            token: token.as_deref().map(keys::digest_of),
            known: Mutex::new(known),
        };
        Ok((callers, token))
    }

    /// The caller of a request.
    ///
    /// # Errors
    /// `policy_denied` with reason `server_key` without a valid key; an unusable file of keys.
    pub(super) fn of(
        &self,
        server: &Arc<HttpServer>,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Arc<HttpCaller>> {
        let secret = self.secret(uri, headers)?;
        self.of_secret(server, secret)
    }

    /// The caller with this key or token.
    ///
    /// # Errors
    /// As [`HttpCallers::of`].
    pub(super) fn of_secret(
        &self,
        server: &Arc<HttpServer>,
        secret: &str,
    ) -> Result<Arc<HttpCaller>> {
        let mut known = self.lock();
        let key = match self.is_token(secret) {
            true => None,
            false => {
                known.read_again()?;
                Some(self.valid(server, &known.keys, secret)?.clone())
            }
        };
        let name = key.as_ref().map(|key| key.name.clone()).unwrap_or_default();
        if let Some(caller) = known.callers.get(&name).filter(|it| it.key == key) {
            caller.note_use();
            return Ok(Arc::clone(caller));
        }
        let caller = Arc::new(HttpCaller::new(server, key));
        caller.note_use();
        if let Some(before) = known.callers.insert(name, Arc::clone(&caller)) {
            before.gone.cancel();
        }
        Ok(caller)
    }

    /// Refuses a caller whose key was revoked, changed or expired since its request was read.
    ///
    /// # Errors
    /// `policy_denied` with reason `server_key`; an unusable file of keys.
    pub(super) fn check(&self, caller: &HttpCaller) -> Result<()> {
        let mut known = self.lock();
        known.read_again()?;
        match known.is_valid(caller.key.as_ref()) {
            true => Ok(()),
            false => Err(self.refused("the key was revoked, changed or expired")),
        }
    }

    /// The valid key of a name, for work that continues after a restart; `None` for the token, as which it was accepted.
    ///
    /// # Errors
    /// `policy_denied` with reason `server_key` for none with this role in this workspace.
    pub(super) fn named(
        &self,
        server: &Arc<HttpServer>,
        name: Option<&str>,
        role: &str,
    ) -> Result<Arc<HttpCaller>> {
        let mut known = self.lock();
        let key = match name {
            None if self.token.is_some() => None,
            None => return Err(self.refused("the token of an earlier server")),
            Some(name) => {
                known.read_again()?;
                let mut keys = known.keys.iter();
                let found = keys.find(|key| key.name == name && is_in_time(key));
                let found = found.ok_or_else(|| self.refused("the key is unknown"))?;
                found.belongs_to(server.toolkit.workspace_id().as_ref())?;
                Some(found.clone())
            }
        };
        drop(known);
        let caller = Arc::new(HttpCaller::new(server, key));
        let may = caller.role(server) == role || caller.roles.iter().any(|one| one == role);
        match may {
            true => Ok(caller),
            false => Err(self.refused("the key has another role")),
        }
    }

    /// Ends streams and sessions whose keys are no longer valid, until the server ends.
    pub(super) async fn look(server: Arc<HttpServer>) {
        loop {
            tokio::select! {
                () = server.ended.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            server.callers.end_invalid();
        }
    }

    fn end_invalid(&self) {
        let mut known = self.lock();
        // A file that cannot be read answers no request, and no stream.
        let is_readable = known.read_again().is_ok();
        let mut callers = std::mem::take(&mut known.callers);
        callers.retain(|_, caller| {
            let key = caller.key.as_ref();
            let stays = known.is_valid(key) && (is_readable || key.is_none());
            if !stays {
                caller.gone.cancel();
            }
            stays
        });
        known.callers = callers;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CallerTable> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_token(&self, secret: &str) -> bool {
        let digest = keys::digest_of(secret);
        self.token
            .is_some_and(|token| keys::IS_SAME(&token, &digest))
    }

    /// The secret of a request: that of its head, or the token in its address, which a browser opens.
    fn secret<'a>(&self, uri: &'a Uri, headers: &'a HeaderMap) -> Result<&'a str> {
        let mut stated = headers.get_all(AUTHORIZATION).iter();
        match (stated.next(), stated.next()) {
            (Some(stated), None) => {
                let secret = stated.to_str().ok().and_then(|stated| {
                    let (scheme, secret) = stated.split_once(' ')?;
                    scheme
                        .eq_ignore_ascii_case("bearer")
                        .then_some(secret.trim())
                });
                secret.ok_or_else(|| self.refused("the request has no bearer key"))
            }
            (None, _) => {
                let pairs = uri.query().unwrap_or_default().split('&');
                let mut tokens = pairs.filter_map(|pair| pair.strip_prefix("token="));
                let token = tokens.next().filter(|token| self.is_token(token));
                token.ok_or_else(|| self.refused("the request has no key"))
            }
            (Some(_), Some(_)) => Err(self.refused("the request has more than one key")),
        }
    }

    fn valid<'a>(
        &self,
        server: &HttpServer,
        keys: &'a [ApiKey],
        secret: &str,
    ) -> Result<&'a ApiKey> {
        // The same answer for a key that expired, so that nothing is learnt by trying.
        let found = keys::find_key(keys, secret).filter(|key| is_in_time(key));
        let found = found.ok_or_else(|| self.refused("the key is unknown, revoked or expired"))?;
        found.belongs_to(server.toolkit.workspace_id().as_ref())?;
        Ok(found)
    }

    fn refused(&self, what: &str) -> ToolError {
        let next = match self.token {
            Some(_) => {
                "send `Authorization: Bearer TOKEN` with the token that the server printed when it started"
            }
            None => {
                "send `Authorization: Bearer KEY`; `mathchain keys create NAME --role ROLE` creates a key"
            }
        };
        tool_error!(PolicyDenied, "server_key"; "{what}"; "{next}")
    }
}

fn is_in_time(key: &ApiKey) -> bool {
    key.is_valid(SystemClock::default().unix_ms())
}

impl CallerTable {
    /// Reads the file again where it changed.
    fn read_again(&mut self) -> Result<()> {
        let Some(file) = keys::keys_path() else {
            return Ok(());
        };
        let seen = keys::keys_file_state(&file);
        if seen != self.seen {
            // A file that disappears takes every key with it, and opens nothing.
            let unusable = |err: ToolError| tool_error!(Internal, "keys"; "{}", err.message());
            self.keys = keys::read_keys(&file)
                .map_err(unusable)?
                .unwrap_or_default();
            self.seen = seen;
        }
        Ok(())
    }

    /// Whether a key is still as it was, and in time. The token is valid as long as the server.
    fn is_valid(&self, key: Option<&ApiKey>) -> bool {
        key.is_none_or(|key| self.keys.contains(key) && is_in_time(key))
    }
}

impl HttpCaller {
    pub(super) fn new(server: &Arc<HttpServer>, key: Option<ApiKey>) -> Self {
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
            Arc::new(TokenBucket::new(rate, at_once))
        });
        let queue = Arc::new(server.queue.of(key.as_ref().map_or("", |key| &key.name)));
        let context = CallContext {
            key: key.as_ref().map(|key| key.name.clone()),
            ..context
        };
        let gone = server.ended.child_token();
        let metrics = Arc::clone(&server.metrics);
        let offered = mcp::McpSettings {
            context: context.clone(),
            counted: Some(Arc::new(move |outcome| metrics.called(outcome))),
            console: server.console_address(),
            ..settings.mcp.clone()
        };
        let endpoint = McpEndpoint::new(
            Arc::clone(&server.toolkit),
            offered,
            server.calls.clone(),
            Arc::clone(&queue),
            &server.sessions,
            gone.clone(),
        );
        Self {
            key,
            context,
            roles,
            bucket,
            queue,
            endpoint,
            gone,
            noted_ms: AtomicU64::new(0),
        }
    }

    /// Notes the use of the key, about once a minute.
    fn note_use(&self) {
        let Some(key) = &self.key else { return };
        let now_ms = SystemClock::default().unix_ms();
        let before = self.noted_ms.load(Ordering::Relaxed);
        if now_ms.saturating_sub(before) >= NOTED_EVERY_MS {
            self.noted_ms.store(now_ms, Ordering::Relaxed);
            keys::note_use(key, now_ms);
        }
    }

    /// Whether it sees what a role began.
    pub(super) fn sees(&self, server: &HttpServer, role: &str) -> bool {
        let own = self.role(server);
        own == role || own == OPERATOR
    }

    /// What it sees: the objects of its role in the workspace.
    pub(super) fn scope(&self, server: &HttpServer) -> StateScope {
        server.toolkit.scope(&self.role(server))
    }

    /// The role of its calls, where they name none.
    pub(super) fn role(&self, server: &HttpServer) -> String {
        server.toolkit.caller(&self.context).who.role
    }
}
