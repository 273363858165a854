//! What moving calls costs: bytes and time of the tickets of a run, and the tickets of all engines of this process.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tool_core::{Object, fields};

/// What tickets cost: those of a step, or of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct TicketCosts {
    tickets: u64,
    calls: u64,
    /// Bytes of the tickets, copies included.
    bytes_sent: u64,
    /// Bytes of the results that counted.
    bytes_received: u64,
    /// Time that the calls took on their workers.
    computing: Duration,
    /// Time from the submission of a ticket until a worker began it.
    waiting: Duration,
    /// Time from the beginning of a ticket until its result was here, without that of its calls.
    moving: Duration,
}

/// When a ticket was submitted, begun and answered, as the head saw it.
#[derive(Debug, Clone, Copy)]
pub(super) struct CostMoments {
    pub(super) submitted: Instant,
    /// None where the result was seen before its beginning.
    pub(super) started: Option<Instant>,
    pub(super) ended: Instant,
}

impl TicketCosts {
    /// Notes a copy of a ticket.
    pub(super) fn sent(&mut self, bytes: usize) {
        self.bytes_sent += bytes as u64;
    }

    /// Notes the result of a ticket.
    pub(super) fn received(
        &mut self,
        calls: usize,
        bytes: usize,
        elapsed_ms: f64,
        moments: CostMoments,
    ) {
        let computing = Duration::try_from_secs_f64(elapsed_ms / 1e3).unwrap_or_default();
        let CostMoments {
            submitted, ended, ..
        } = moments;
        let whole = ended.saturating_duration_since(submitted);
        let from_start = moments.started.map_or_else(
            || whole.min(computing),
            |started| ended.saturating_duration_since(started),
        );
        self.tickets += 1;
        self.calls += calls as u64;
        self.bytes_received += bytes as u64;
        self.computing += computing;
        self.waiting += whole.saturating_sub(from_start);
        self.moving += from_start.saturating_sub(computing);
    }

    /// Adds the costs of another step.
    pub(crate) fn add(&mut self, other: &Self) {
        self.tickets += other.tickets;
        self.calls += other.calls;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.computing += other.computing;
        self.waiting += other.waiting;
        self.moving += other.moving;
    }

    /// The costs as the members of a record.
    pub(crate) fn to_object(self) -> Object {
        let ms = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        fields! {
            "tickets" => self.tickets,
            "calls" => self.calls,
            "bytes_sent" => self.bytes_sent,
            "bytes_received" => self.bytes_received,
            "computing_ms" => ms(self.computing),
            "waiting_ms" => ms(self.waiting),
            "moving_ms" => ms(self.moving),
        }
    }
}

/// Tickets of an engine in this process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EngineTickets {
    /// Those that have no result yet.
    pub out: u64,
    /// Those that have one, since the process began.
    pub done: u64,
    /// Calls that were computed here although the engine was wanted, since the process began.
    pub fallen_back: u64,
}

static ENGINES: Mutex<BTreeMap<&'static str, EngineTickets>> = Mutex::new(BTreeMap::new());

fn engines() -> MutexGuard<'static, BTreeMap<&'static str, EngineTickets>> {
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The tickets of each engine that this process has used.
pub fn engine_tickets() -> BTreeMap<&'static str, EngineTickets> {
    engines().clone()
}

/// Counts what became of the tickets of one run.
pub(super) fn count_tickets(engine: &'static str, before: EngineTickets, now: EngineTickets) {
    let mut engines = engines();
    let counts = engines.entry(engine).or_default();
    counts.out = (counts.out + now.out).saturating_sub(before.out);
    counts.done = (counts.done + now.done).saturating_sub(before.done);
}

/// Counts a call that was computed here although an engine was wanted.
pub(crate) fn count_fallback(engine: &'static str) {
    engines().entry(engine).or_default().fallen_back += 1;
}
