//! Workers of a Ray cluster, through a driver in Python: `python/package/mathchain/ray.py`, which the head starts and speaks JSON lines with.
//!
//! | line | from | members |
//! | --- | --- | --- |
//! | hello | head | `protocol build profile slots`, before all others |
//! | `do: submit`, `withdraw` | head | `ticket`, and `tool digest body` of what is submitted; the end of the lines closes |
//! | `event: ready` or `failed` | driver | `ray address`, or `text hint`: once |
//! | `event: slots`, `warning` | driver | `count`, `text` |
//! | `event: started`, `returned`, `refused`, `done` | driver | `ticket node`, `why`, `digest elapsed_ms whole body` |
//!
//! A driver that dies is started again, and gets what is open; the results that it had not told are computed once more.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chain_runtime::cluster::{Executor, ExecutorReport, SubmittedTicket, TicketEvent, TicketId};
use registry::digest;
use registry::model::RayConfig;
use tool_core::{Result, ToolError, Value, fields, json, object, tool_error};

use super::driver::{Driver, DriverCommand, NextEvent};
use super::identity::{build_identity, python_host};

/// Version of the lines, as `PROTOCOL` of the driver.
const PROTOCOL: u32 = 1;
/// How long a driver may take until it is connected: a Ray of this machine starts first.
const START_MAX: Duration = Duration::from_secs(120);
/// Drivers of one run at most.
const DRIVERS_MAX: u32 = 3;
/// Interpreter where none is named.
const PYTHON: &str = "python3";

/// Tickets for the actors of a Ray cluster.
pub(super) struct RayExecutor {
    command: DriverCommand,
    address: Option<String>,
    state: Mutex<RayState>,
}

struct RayState {
    /// None once it has ended for good.
    driver: Option<Driver>,
    drivers: u32,
    is_ready: bool,
    slots: usize,
    /// The lines of the tickets that have no end yet, for a driver that is started again.
    open: BTreeMap<TicketId, Arc<str>>,
    failure: Option<ToolError>,
    warnings: Vec<String>,
}

impl RayExecutor {
    /// Starts a driver, and waits until it is connected.
    ///
    /// # Errors
    /// `precondition_failed` where there is no interpreter, no package, no cluster, or another build; `invalid_args` for an invalid address.
    pub(super) fn start(config: &RayConfig) -> Result<Self> {
        let identity = build_identity()?;
        let mut hello = fields! {
            "protocol" => PROTOCOL,
            "build" => identity.build.as_str(),
            "profile" => identity.profile.as_str(),
        };
        hello.insert_some("slots", config.slots);
        let mut arguments = vec!["-m".to_owned(), "mathchain.ray".to_owned()];
        if let Some(address) = &config.address {
            check_address(address)?;
            arguments.push(format!("--address={address}"));
        }
        let command = DriverCommand {
            python: interpreter(config),
            arguments,
            hello: json::to_text(&Value::from(hello)).into(),
        };
        let address = config.address.clone();
        let staying = match &address {
            Some(_) => None,
            None => Driver::staying(&command),
        };
        // One that stays may be of another build, or about to end.
        let state = staying.and_then(|driver| Self::connect(&command, driver).ok());
        let state = match state {
            Some(state) => state,
            None => Self::connect(&command, Driver::start(&command)?)?,
        };
        Ok(Self {
            command,
            address,
            state: Mutex::new(state),
        })
    }

    /// Waits until a driver is connected.
    fn connect(command: &DriverCommand, driver: Driver) -> Result<RayState> {
        let mut state = RayState {
            driver: Some(driver),
            drivers: 1,
            is_ready: false,
            slots: 0,
            open: BTreeMap::new(),
            failure: None,
            warnings: Vec::new(),
        };
        let began = Instant::now();
        while !state.is_ready {
            state.listen(command, Duration::from_millis(50), &mut Vec::new());
            if let Some(failure) = state.failure {
                return Err(failure);
            }
            if began.elapsed() > START_MAX {
                return Err(failure("it is not connected after two minutes", None));
            }
        }
        Ok(state)
    }

    fn lock(&self) -> MutexGuard<'_, RayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Executor for RayExecutor {
    fn name(&self) -> &'static str {
        "ray"
    }

    fn hint(&self) -> String {
        match &self.address {
            Some(address) => format!(
                "`ray status --address={address}` shows whether its nodes have processors that no other job holds"
            ),
            None => "`python3 -m mathchain.ray status` shows whether the Ray of this machine runs"
                .to_owned(),
        }
    }

    fn submit(&self, ticket: &SubmittedTicket<'_>) -> Result<()> {
        let line: Arc<str> = json::to_text(&object! {
            "do" => "submit",
            "ticket" => ticket.id.to_string(),
            "tool" => ticket.tool,
            "digest" => digest::of_texts([ticket.body]),
            "body" => ticket.body,
        })
        .into();
        let mut state = self.lock();
        let driver = state.driver.as_ref().ok_or_else(|| state.ended())?;
        driver.send(Arc::clone(&line));
        state.open.insert(ticket.id, line);
        Ok(())
    }

    fn poll(&self) -> Result<ExecutorReport> {
        let mut events = Vec::new();
        let mut state = self.lock();
        while state.listen(&self.command, Duration::ZERO, &mut events) {}
        // What it said before it ended counts.
        if state.driver.is_none() && events.is_empty() {
            return Err(state.ended());
        }
        Ok(ExecutorReport {
            slots: state.slots,
            events,
            warnings: std::mem::take(&mut state.warnings),
        })
    }

    fn withdraw(&self, id: TicketId) {
        let mut state = self.lock();
        if state.open.remove(&id).is_some()
            && let Some(driver) = &state.driver
        {
            let line = object! { "do" => "withdraw", "ticket" => id.to_string() };
            driver.send(json::to_text(&line).into());
        }
    }

    fn close(&self) {
        let driver = self.lock().driver.take();
        if let Some(mut driver) = driver {
            driver.end();
        }
    }
}

impl RayState {
    /// Learns the next event of the driver; whether there was one.
    fn listen(
        &mut self,
        command: &DriverCommand,
        wait: Duration,
        events: &mut Vec<TicketEvent>,
    ) -> bool {
        let Some(driver) = &mut self.driver else {
            return false;
        };
        match driver.next(wait) {
            NextEvent::None => return false,
            NextEvent::Event(event) => events.extend(self.learn(&event)),
            NextEvent::Ended(why) => self.start_again(command, &why, events),
        }
        true
    }

    /// Starts another driver after one that was connected and died.
    fn start_again(&mut self, command: &DriverCommand, why: &str, events: &mut Vec<TicketEvent>) {
        self.slots = 0;
        self.driver = None;
        let was_ready = std::mem::replace(&mut self.is_ready, false);
        if self.failure.is_none() && was_ready && self.drivers < DRIVERS_MAX {
            self.drivers += 1;
            self.warnings.push(format!(
                "the driver of Ray has ended ({why}), and another one is started"
            ));
            match Driver::start(command) {
                Err(err) => self.failure = Some(err),
                Ok(driver) => {
                    for (id, line) in &self.open {
                        driver.send(Arc::clone(line));
                        events.push(TicketEvent::Returned { id: *id });
                    }
                    self.driver = Some(driver);
                }
            }
        } else {
            let ended = || failure(&format!("it has ended: {why}"), None);
            self.failure.get_or_insert_with(ended);
        }
    }

    /// Learns one event; gives what it says of a ticket that is open.
    fn learn(&mut self, event: &Value) -> Option<TicketEvent> {
        let text = |key: &str| event.text(key).unwrap_or_default().to_owned();
        let kind = event.text("event").unwrap_or_default();
        match kind {
            "ready" => self.is_ready = true,
            "failed" => {
                let hint = event.text("hint").map(str::to_owned);
                self.failure = Some(failure(&text("text"), hint));
            }
            "slots" => {
                let count = event.get("count").and_then(Value::as_i64);
                self.slots = count.and_then(|count| count.try_into().ok()).unwrap_or(0);
            }
            "warning" => self.warnings.push(text("text")),
            _ => {
                let id = TicketId::parse(event.text("ticket").unwrap_or_default())?;
                // One that was withdrawn, or that an earlier driver had, says nothing any more.
                self.open.contains_key(&id).then_some(())?;
                let ticket = ticket_event(kind, id, event)?;
                let is_end = matches!(
                    ticket,
                    TicketEvent::Done { .. } | TicketEvent::Refused { .. }
                );
                if is_end {
                    self.open.remove(&id);
                }
                return Some(ticket);
            }
        }
        None
    }

    fn ended(&self) -> ToolError {
        let ended = || failure("it has ended", None);
        self.failure.clone().unwrap_or_else(ended)
    }
}

/// What an event says of a ticket. A result that is not what its digest says is none.
fn ticket_event(kind: &str, id: TicketId, event: &Value) -> Option<TicketEvent> {
    let text = |key: &str| event.text(key).unwrap_or_default().to_owned();
    let node = text("node");
    Some(match kind {
        "started" => TicketEvent::Started { id, node },
        "returned" => TicketEvent::Returned { id },
        "refused" => {
            let why = text("why");
            TicketEvent::Refused { id, node, why }
        }
        "done" => {
            let (body, digest) = (text("body"), text("digest"));
            if digest::of_texts([&*body]) != digest {
                let why = "its result is not what its digest says".to_owned();
                return Some(TicketEvent::Refused { id, node, why });
            }
            let elapsed_ms = event.get("elapsed_ms").and_then(Value::as_f64);
            TicketEvent::Done {
                id,
                node,
                body,
                digest,
                elapsed_ms: elapsed_ms.unwrap_or(0.0),
                is_whole: event.get("whole") == Some(&Value::Bool(true)),
            }
        }
        _ => return None,
    })
}

/// The interpreter that has the driver.
pub(super) fn interpreter(config: &RayConfig) -> PathBuf {
    let named = config.python.as_ref();
    let named = named.map(|named| match named.contains(std::path::is_separator) {
        true => std::path::absolute(named).unwrap_or_else(|_| named.into()),
        false => named.into(),
    });
    let in_use = || python_host().map(|host| host.interpreter.clone());
    named.or_else(in_use).unwrap_or_else(|| PYTHON.into())
}

/// Refuses what is no `HOST:PORT`.
pub(super) fn check_address(address: &str) -> Result<()> {
    let is_host = |host: &str| {
        let is_part = |one: char| one.is_ascii_alphanumeric() || ".-_:[]".contains(one);
        !host.is_empty() && !host.starts_with('-') && host.chars().all(is_part)
    };
    let parts = address.rsplit_once(':');
    match parts.is_some_and(|(host, port)| is_host(host) && port.parse::<u16>().is_ok()) {
        true => Ok(()),
        false => Err(tool_error!(InvalidArgs, "ray";
            "the address of a Ray cluster is `HOST:PORT`, found `{address}`";
            "`--engine ray://10.0.0.1:6379`; without an address, a Ray of this machine")),
    }
}

pub(super) fn failure(why: &str, hint: Option<String>) -> ToolError {
    let hint = hint.unwrap_or_else(|| {
        "`pip install 'mathchain[ray]'` into the interpreter that `python` in `[cluster.ray]` names".to_owned()
    });
    tool_error!(PreconditionFailed, "ray"; "the driver of Ray: {why}"; "{hint}")
}
