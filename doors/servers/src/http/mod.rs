//! The HTTP server: one adapter around `axum` and `hyper`, which no other folder names beside the types of requests in `mcp`.
//!
//! Read [`serve_http`] first: `connections` accepts clients, `guard` checks every request before its body is read, `routes` names the paths.
//! Nothing here decides anything about a call: it passes the dispatcher, with the role of its key or the caller that the start names.

mod addresses;
mod approvals;
mod artifacts;
mod begun;
mod body;
mod bucket;
mod callers;
mod calls;
mod chains;
mod connections;
mod console;
mod events;
mod guard;
mod home;
mod metrics;
mod newest_event;
mod once;
pub mod openapi;
mod overdue;
mod patient;
mod pipelines;
mod places;
mod recorded;
mod reply;
mod routes;
mod schedules;
mod server;
mod submitted_pipelines;
mod tls;
mod tools;

use std::sync::Arc;

use tool_core::{Result, StopFlag, tool_error};

use crate::{keys, mcp};
use callers::HttpCallers;
pub use console::{ConsoleAccess, LinkReceiver, TerminalAccess};
use mathchain::Toolkit;
use server::HttpServer;
pub use server::HttpServerSettings;

/// Threads beside those of calls: lists, records, resources.
const OTHER_THREADS: usize = 8;

/// Serves clients until `closed` returns; then requests on their way are answered.
///
/// # Errors
/// `precondition_failed` with reason `exposed` for an address beyond this machine without keys and TLS; `invalid_request` with reason `tls`
/// for an unusable certificate; `io` where the address cannot be used.
pub fn serve_http(
    toolkit: Arc<Toolkit>,
    settings: HttpServerSettings,
    stop: &StopFlag,
    tell: impl Fn(&str) + Send + Sync + 'static,
    closed: impl FnOnce() + Send + 'static,
) -> Result<()> {
    require_safe_address(&settings)?;
    let tls = match &settings.tls {
        Some((cert, key)) => Some(tls::tls_acceptor(cert, key)?),
        None => None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(settings.workers + OTHER_THREADS)
        .thread_stack_size(mcp::CALL_STACK_BYTES)
        .thread_name("call")
        .build();
    let runtime =
        runtime.map_err(|err| tool_error!(ToolError, "io"; "cannot start the server: {err}"))?;
    let serve = async {
        let address = settings.listen;
        let bound =
            listen_on_address(address).and_then(|socket| Ok((socket.local_addr()?, socket)));
        let (address, socket) = bound.map_err(|err| {
            tool_error!(ToolError, "io"; "cannot listen on {address}: {err}"; "choose another address: `mathchain serve --http ADDRESS:PORT`")
        })?;
        // The console of a terminal is opened by its link, and programs need a key.
        let has_link = (settings.console.as_ref()).is_some_and(|one| one.terminal().is_some());
        let (callers, token) = HttpCallers::start(!has_link)?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let role = toolkit.caller(&settings.mcp.context).who.role;
        let server = HttpServer::new(toolkit, settings, address, stop.child(), callers);
        let server = Arc::new(server);
        if let Some(token) = token {
            tell(&format!(
                "no key exists, so requests need the token of this server: `Authorization: Bearer {token}`, or open {scheme}://{address}/?token={token}\nits role is `{role}`; `--role ROLE` names another"
            ));
        }
        let access = server.settings.console.as_ref();
        if let Some(access) = access.and_then(ConsoleAccess::terminal) {
            // What its runs and tries ask is decided by the person who looks, in this process.
            if let Some(state) = server.toolkit.state() {
                state.act_for_approver();
            }
            let ticket = server.console.new_ticket()?;
            (access.opened)(&format!(
                "{scheme}://{address}/console/open?ticket={ticket}"
            ));
        }
        tell(&format!("listening on {scheme}://{address}"));
        let tell: schedules::Teller = Arc::new(tell);
        tokio::spawn(HttpCallers::look(Arc::clone(&server)));
        if !has_link {
            // A console that is opened to look continues nothing by itself.
            tokio::spawn(overdue::deny_overdue(Arc::clone(&server)));
            tokio::spawn(schedules::run_schedules(
                Arc::clone(&server),
                Arc::clone(&tell),
            ));
            tokio::spawn(chains::take_up(Arc::clone(&server), move |line: &str| {
                tell(line);
            }));
        }
        connections::accept_clients(server, socket, tls, closed).await
    };
    let served = mcp::on_call_stack(|| runtime.block_on(serve))?;
    // A call that does not stop must not hold the process.
    runtime.shutdown_background();
    served
}

/// Listens at an address.
fn listen_on_address(address: std::net::SocketAddr) -> std::io::Result<tokio::net::TcpListener> {
    /// Clients that wait to be accepted; of more, each tries again after a second.
    const WAITING: u32 = 4096;
    let socket = match address {
        std::net::SocketAddr::V4(_) => tokio::net::TcpSocket::new_v4(),
        std::net::SocketAddr::V6(_) => tokio::net::TcpSocket::new_v6(),
    }?;
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

/// Refuses an address beyond this machine unless requests need keys and are encrypted.
fn require_safe_address(settings: &HttpServerSettings) -> Result<()> {
    let keys = match keys::keys_path() {
        Some(file) => keys::read_keys(&file)?,
        None => None,
    };
    if settings.listen.ip().is_loopback() && !settings.behind_proxy {
        return Ok(());
    }
    let is_encrypted = settings.tls.is_some() || settings.behind_proxy;
    let missing = match (keys, is_encrypted) {
        (None, _) => "there is no key; `mathchain keys create NAME --role ROLE` creates one",
        (_, false) => {
            "the server speaks no TLS; set `server.tls`, or put a proxy with TLS in front and pass `--behind-proxy`"
        }
        (Some(_), true) => return Ok(()),
    };
    let address = settings.listen;
    Err(
        tool_error!(PreconditionFailed, "exposed"; "`{address}` may be reached from other machines: {missing}";
        "or listen on 127.0.0.1"),
    )
}
