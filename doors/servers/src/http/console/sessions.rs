//! [`ConsoleSessions`]: who is signed in. A session is held by the server alone; the browser has a random name of it in a cookie.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use tokio_util::sync::CancellationToken;
use tool_core::Result;

use super::super::callers::HttpCaller;
use super::super::server::HttpServer;
use crate::keys;

/// Longest time between the start and the opening of the link.
const TICKET_TIME: Duration = Duration::from_secs(10 * 60);
/// Longest session.
const SESSION_TIME: Duration = Duration::from_secs(12 * 60 * 60);
/// Longest time without a request; an open page counts, as its stream is looked at.
const IDLE_TIME: Duration = Duration::from_secs(2 * 60 * 60);
/// Sessions at a time; the one that was idle for longest ends for another.
const SESSIONS_MAX: usize = 256;
/// Most cookies of one name that are looked at.
const COOKIES_MAX: usize = 8;

/// Who signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionOrigin {
    /// The user at the terminal, by the link.
    Terminal,
    /// The holder of a key.
    Key,
}

/// One signed-in browser.
pub(super) struct ConsoleSession {
    pub(super) origin: SessionOrigin,
    pub(super) caller: Arc<HttpCaller>,
    /// Stands in every form, which no other page can read.
    pub(super) form_token: String,
    begun: Instant,
    used: Mutex<Instant>,
    /// What the next page says first.
    told: Mutex<Option<String>>,
    /// Set when it ends: its streams end.
    pub(super) gone: CancellationToken,
}

/// The sessions of a server, and the link that begins one.
#[derive(Default)]
pub(in super::super) struct ConsoleSessions {
    ticket: Mutex<Option<(blake3::Hash, Instant)>>,
    open: Mutex<HashMap<blake3::Hash, Arc<ConsoleSession>>>,
}

impl ConsoleSessions {
    /// Makes the secret of a link that opens once; an earlier one opens no more.
    ///
    /// # Errors
    /// Without random bytes.
    pub(in super::super) fn new_ticket(&self) -> Result<String> {
        let secret = keys::new_secret()?;
        *lock_state(&self.ticket) = Some((keys::digest_of(&secret), Instant::now()));
        Ok(secret)
    }

    /// Whether the link opens a session; it does so once.
    pub(super) fn take_ticket(&self, secret: &str) -> bool {
        let mut ticket = lock_state(&self.ticket);
        let digest = keys::digest_of(secret);
        let fits = ticket.as_ref().is_some_and(|(expected, made)| {
            keys::IS_SAME(expected, &digest) && made.elapsed() < TICKET_TIME
        });
        if fits {
            *ticket = None;
        }
        fits
    }

    /// Begins a session; gives the value of its cookie.
    ///
    /// # Errors
    /// Without random bytes.
    pub(super) fn begin(&self, origin: SessionOrigin, caller: Arc<HttpCaller>) -> Result<String> {
        let secret = keys::new_secret()?;
        let now = Instant::now();
        let session = ConsoleSession {
            origin,
            gone: caller.gone.child_token(),
            caller,
            form_token: keys::new_secret()?,
            begun: now,
            used: Mutex::new(now),
            told: Mutex::default(),
        };
        let mut open = lock_state(&self.open);
        open.retain(|_, session| session.is_open());
        if open.len() >= SESSIONS_MAX {
            let oldest = open.iter().min_by_key(|(_, one)| *lock_state(&one.used));
            if let Some((oldest, _)) = oldest {
                let oldest = *oldest;
                end_session(open.remove(&oldest));
            }
        }
        open.insert(keys::digest_of(&secret), Arc::new(session));
        Ok(secret)
    }

    /// The session of a request, as long as its key is valid.
    pub(super) fn of_request(
        &self,
        server: &HttpServer,
        headers: &HeaderMap,
    ) -> Option<Arc<ConsoleSession>> {
        let (digest, session) = self.find(server, headers)?;
        let is_valid = session.is_open() && server.callers.check(&session.caller).is_ok();
        if !is_valid {
            end_session(lock_state(&self.open).remove(&digest));
            return None;
        }
        session.note_use();
        Some(session)
    }

    /// Ends the session of a request.
    pub(super) fn end(&self, server: &HttpServer, headers: &HeaderMap) {
        if let Some((digest, _)) = self.find(server, headers) {
            end_session(lock_state(&self.open).remove(&digest));
        }
    }

    /// Several cookies of one name may come, of other servers of this machine too: cookies know no ports.
    fn find(
        &self,
        server: &HttpServer,
        headers: &HeaderMap,
    ) -> Option<(blake3::Hash, Arc<ConsoleSession>)> {
        let name = cookie_name(server);
        let texts = headers.get_all(COOKIE).iter();
        let texts = texts.filter_map(|text| text.to_str().ok());
        let pairs = texts.flat_map(|text| text.split(';'));
        let values = pairs.filter_map(|pair| {
            let (found, value) = pair.trim().split_once('=')?;
            (found == name).then_some(value)
        });
        let open = lock_state(&self.open);
        let mut digests = values.take(COOKIES_MAX).map(keys::digest_of);
        digests.find_map(|digest| Some((digest, Arc::clone(open.get(&digest)?))))
    }
}

/// The name of the cookie, which differs for servers of one machine.
pub(super) fn cookie_name(server: &HttpServer) -> String {
    format!("mathchain_console_{}", server.address.port())
}

/// The field that sets the cookie, or removes it where there is no value.
pub(super) fn cookie_field(server: &HttpServer, value: Option<&str>) -> String {
    let name = cookie_name(server);
    let encrypted = server.settings.tls.is_some() || server.settings.behind_proxy;
    let secure = if encrypted { "; Secure" } else { "" };
    let (value, seconds) = match value {
        Some(value) => (value, SESSION_TIME.as_secs()),
        None => ("", 0),
    };
    format!("{name}={value}; Path=/console; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

fn end_session(session: Option<Arc<ConsoleSession>>) {
    if let Some(session) = session {
        session.gone.cancel();
    }
}

impl ConsoleSession {
    fn is_open(&self) -> bool {
        self.begun.elapsed() < SESSION_TIME
            && lock_state(&self.used).elapsed() < IDLE_TIME
            && !self.gone.is_cancelled()
    }

    pub(super) fn note_use(&self) {
        *lock_state(&self.used) = Instant::now();
    }

    /// Whether a form carries the token of this sign-in.
    pub(super) fn is_own_form(&self, token: &str) -> bool {
        let (own, found) = (&self.form_token, token);
        keys::IS_SAME(&keys::digest_of(own), &keys::digest_of(found))
    }

    /// Says something on the next page.
    pub(super) fn tell(&self, text: String) {
        *lock_state(&self.told) = Some(text);
    }

    pub(super) fn take_told(&self) -> Option<String> {
        lock_state(&self.told).take()
    }
}

fn lock_state<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_opens_once_and_a_newer_one_replaces_it() {
        let sessions = ConsoleSessions::default();
        assert!(!sessions.take_ticket(""));
        let first = sessions.new_ticket().unwrap();
        let second = sessions.new_ticket().unwrap();
        assert!(!sessions.take_ticket(&first));
        assert!(!sessions.take_ticket(&second[1..]));
        assert!(sessions.take_ticket(&second));
        assert!(!sessions.take_ticket(&second));
    }

    #[test]
    fn a_ticket_that_is_too_old_opens_nothing() {
        let sessions = ConsoleSessions::default();
        let secret = sessions.new_ticket().unwrap();
        let Some(long_ago) = Instant::now().checked_sub(TICKET_TIME) else {
            return; // the machine has just started
        };
        *lock_state(&sessions.ticket) = Some((keys::digest_of(&secret), long_ago));
        assert!(!sessions.take_ticket(&secret));
    }
}
