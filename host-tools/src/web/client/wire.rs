//! Connections: names are resolved once, every address is checked, and only a checked address is dialled.
//!
//! ureq uses this resolver and connector, which check the deadline and the stop flag at least every 20 ms.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};

use super::target::NetworkRules;
use crate::prelude::*;

/// Maximum time between two checks of the deadline and the stop flag.
const SLICE: Duration = Duration::from_millis(20);
/// Connection timeout per address.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Maximum addresses tried per host.
const ADDRESSES_MAX: usize = 4;

/// The network of this machine.
pub(super) trait NetworkStack: Send + Sync {
    /// Resolves a name.
    fn addresses(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
    /// Connects to an address.
    fn dial(&self, address: SocketAddr, timeout: Duration) -> io::Result<TcpStream>;
}

/// The network of the system.
pub(super) struct SystemNetwork;

impl NetworkStack for SystemNetwork {
    fn addresses(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok((host, port).to_socket_addrs()?.collect())
    }

    fn dial(&self, address: SocketAddr, timeout: Duration) -> io::Result<TcpStream> {
        TcpStream::connect_timeout(&address, timeout)
    }
}

/// Shared state of one exchange.
pub(super) struct HttpExchange {
    pub(super) rules: Arc<NetworkRules>,
    pub(super) net: Arc<dyn NetworkStack>,
    pub(super) stop: StopFlag,
    pub(super) deadline: Instant,
    /// The first fault here; more precise than the error of ureq.
    pub(super) fault: Mutex<Option<ToolError>>,
}

impl HttpExchange {
    /// Checks the stop flag and the deadline.
    ///
    /// # Errors
    /// `cancelled` or `timeout`.
    pub(super) fn check(&self) -> Result<()> {
        self.stop.check()?;
        if Instant::now() < self.deadline {
            return Ok(());
        }
        Err(tool_error!(Timeout, "network";
            "the server did not answer in time"; "raise `timeout`, or try again later"))
    }

    /// Waits, unless stopped.
    ///
    /// # Errors
    /// As [`HttpExchange::check`].
    pub(super) fn wait(&self, duration: Duration) -> Result<()> {
        let end = Instant::now() + duration;
        loop {
            self.check()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(SLICE));
        }
    }

    /// Takes the recorded fault.
    pub(super) fn take_fault(&self) -> Option<ToolError> {
        self.fault
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    pub(super) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn fail(&self, error: ToolError) -> Error {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault.get_or_insert(error);
        Error::ConnectionFailed
    }

    fn check_or_fail(&self) -> Result<(), Error> {
        self.check().map_err(|err| self.fail(err))
    }

    /// Runs uninterruptible work on its own thread, and waits at most until the deadline or a stop.
    fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<io::Result<T>, Error> {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new().name("dial".to_owned());
        let run = move || drop(sender.send(work())); // the receiver may be gone
        if let Err(err) = thread.spawn(run) {
            return Ok(Err(err));
        }
        loop {
            match receiver.recv_timeout(SLICE) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => self.check_or_fail()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Err(io::Error::other("the thread ended")));
                }
            }
        }
    }
}

/// The exchange of a resolver, connector or transport.
#[derive(Clone)]
pub(super) struct SharedExchange(pub Arc<HttpExchange>);

impl fmt::Debug for SharedExchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shared")
    }
}

fn connection_error(reason: Reason, message: String) -> ToolError {
    tool_error!(ToolError, reason; "{message}"; "check the host name and the network connection")
}

impl Resolver for SharedExchange {
    fn resolve(&self, uri: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let wire = &self.0;
        wire.check_or_fail()?;
        let host = uri.host().unwrap_or_default();
        let secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse();
        let found = match literal {
            Ok(address) => Ok(vec![SocketAddr::new(address, port)]),
            Err(_) => {
                let (net, name) = (Arc::clone(&wire.net), host.to_owned());
                wire.aside(move || net.addresses(&name, port))?
            }
        };
        let found = match found {
            Ok(found) if found.is_empty() => Err("no addresses".to_owned()),
            found => found.map_err(|err| err.to_string()),
        };
        let found = found.map_err(|why| {
            let message = format!("could not resolve host `{host}`: {why}");
            wire.fail(connection_error(Reason::Dns, message))
        })?;
        (wire.rules.addresses(host, &found)).map_err(|err| wire.fail(err))?;
        let mut checked = self.empty();
        found
            .into_iter()
            .take(ADDRESSES_MAX)
            .for_each(|address| checked.push(address));
        Ok(checked)
    }
}

impl Connector for SharedExchange {
    type Out = ExchangeSocket;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        _: Option<()>,
    ) -> Result<Option<ExchangeSocket>, Error> {
        let wire = &self.0;
        let host = details.uri.host().unwrap_or_default();
        let mut last = None;
        for address in &details.addrs {
            wire.check_or_fail()?;
            // Checked again: no address is dialled without a check, whatever resolved it.
            let address = *address;
            (wire.rules.address(host, address)).map_err(|err| wire.fail(err))?;
            let (net, wait) = (Arc::clone(&wire.net), wire.left().min(CONNECT_MAX));
            if wait.is_zero() {
                continue;
            }
            match wire.aside(move || net.dial(address, wait))? {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    let (wire, config) = (self.clone(), details.config);
                    let (input, output) = (config.input_buffer_size(), config.output_buffer_size());
                    return Ok(Some(ExchangeSocket {
                        wire,
                        stream,
                        buffers: LazyBuffers::new(input, output),
                    }));
                }
                Err(err) => last = Some(err),
            }
        }
        wire.check_or_fail()?;
        let why = last.map_or_else(String::new, |err| format!(": {err}"));
        let message = format!("could not connect to `{host}`{why}");
        Err(wire.fail(connection_error(Reason::Connect, message)))
    }
}

/// A connection that checks the deadline and the stop flag while it waits.
pub(super) struct ExchangeSocket {
    wire: SharedExchange,
    stream: TcpStream,
    buffers: LazyBuffers,
}

impl fmt::Debug for ExchangeSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Socket")
    }
}

impl ExchangeSocket {
    /// Maximum wait of the next system call.
    fn slice(&self) -> Result<Duration, Error> {
        self.wire.0.check_or_fail()?;
        Ok(self.wire.0.left().clamp(Duration::from_millis(1), SLICE))
    }
}

fn is_temporary(err: &io::Error) -> bool {
    matches!(
        err.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

impl Transport for ExchangeSocket {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
        let mut sent = 0;
        while sent < amount {
            let slice = self.slice()?;
            self.stream.set_write_timeout(Some(slice))?;
            match self.stream.write(&self.buffers.output()[sent..amount]) {
                Ok(0) => return Err(io::Error::from(ErrorKind::WriteZero).into()),
                Ok(count) => sent += count,
                Err(err) if is_temporary(&err) => {}
                Err(err) => return Err(err.into()),
            }
        }
        Ok(())
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        loop {
            let slice = self.slice()?;
            self.stream.set_read_timeout(Some(slice))?;
            match self.stream.read(self.buffers.input_append_buf()) {
                Ok(count) => {
                    self.buffers.input_appended(count);
                    return Ok(count > 0);
                }
                Err(err) if is_temporary(&err) => {}
                Err(err) => return Err(err.into()),
            }
        }
    }

    fn is_open(&mut self) -> bool {
        false // one exchange, one connection
    }
}
