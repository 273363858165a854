//! [`TicketPacker`]: which calls form a ticket, and what becomes of tickets. Events and moments in, tickets out: no threads, no files, no clock.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tool_core::{Result, ToolError, tool_error};

use super::calls::{CallGroup, RemoteOutcome, WaitingCall};
use super::costs::{CostMoments, EngineTickets, TicketCosts};
use super::executor::{TicketEvent, TicketId};
use super::ticket::answers_of_text;
use super::{ClusterSettings, NONDETERMINISTIC};

/// Most calls on one ticket.
pub(super) const CALLS_MAX: usize = 1_000;
/// Most memory of the arguments on one ticket, in bytes.
const ARGS_BYTES_MAX: u64 = 64 << 20;
/// Tickets for each slot: one is computed while the next waits.
const TICKETS_PER_SLOT: usize = 2;
/// Calls that are out for each slot at most, beyond the least number: the head has a thread for each.
const CALLS_PER_SLOT: usize = 64;
/// Copies of a ticket at most, and refusals of one at most.
const COPIES_MAX: u32 = 3;
/// A ticket is submitted once more when it takes so many times the expected time, and this long at least.
const STRAGGLER_TIMES: f64 = 3.0;
const STRAGGLER_LEAST: Duration = Duration::from_secs(3);
/// Time beyond that of its calls after which a ticket is given up.
const TICKET_GRACE: Duration = Duration::from_secs(30);

/// Calls that wait and tickets that are out.
pub(super) struct TicketPacker {
    settings: ClusterSettings,
    slots: usize,
    queues: BTreeMap<CallGroup, VecDeque<Arc<WaitingCall>>>,
    open: BTreeMap<u64, OpenTicket>,
    ended: BTreeMap<u64, EndedTicket>,
    speeds: BTreeMap<CallGroup, GroupSpeed>,
    newest: u64,
    alarm: Option<ToolError>,
    is_closed: bool,
    /// Why no worker can compute.
    without_workers: Option<EngineStandstill>,
    /// Why no ticket can be submitted.
    without_tickets: Option<EngineStandstill>,
    pub(super) warnings: Vec<String>,
    costs: BTreeMap<usize, TicketCosts>,
}

/// A time in which nothing can be computed elsewhere.
struct EngineStandstill {
    since: Instant,
    why: String,
    /// Whether it lasted too long: calls wait no longer, until it ends.
    is_given_up: bool,
}

/// A ticket that has no result yet.
struct OpenTicket {
    group: CallGroup,
    calls: Vec<Arc<WaitingCall>>,
    body: Arc<str>,
    copies: Vec<TicketCopy>,
    refusals: u32,
}

/// A submitted copy.
struct TicketCopy {
    number: u32,
    submitted: Instant,
    /// Since when a worker computes it.
    started: Option<Instant>,
}

/// A ticket whose first result counted.
struct EndedTicket {
    digest: String,
    node: String,
    is_whole: bool,
}

/// Measured duration of the calls of a group.
#[derive(Default)]
struct GroupSpeed {
    elapsed_ms: f64,
    calls: usize,
}

/// Calls that form a ticket.
pub(super) struct CallPack {
    pub(super) number: u64,
    pub(super) group: CallGroup,
    pub(super) calls: Vec<Arc<WaitingCall>>,
}

/// A copy of a ticket to be submitted.
pub(super) struct TicketCopyText {
    pub(super) id: TicketId,
    pub(super) tool: &'static str,
    pub(super) body: Arc<str>,
}

impl EngineStandstill {
    /// Notes that a standstill began or lasts. One in which nothing waits has not begun.
    fn go_on(place: &mut Option<Self>, why: String, is_idle: bool, now: Instant) {
        let before = place.take().filter(|before| before.is_given_up || !is_idle);
        *place = Some(match before {
            Some(before) => Self { why, ..before },
            None => Self {
                since: now,
                why,
                is_given_up: false,
            },
        });
    }
}

impl TicketPacker {
    pub(super) fn new(settings: ClusterSettings) -> Self {
        Self {
            settings,
            slots: 0,
            queues: BTreeMap::new(),
            open: BTreeMap::new(),
            ended: BTreeMap::new(),
            speeds: BTreeMap::new(),
            newest: 0,
            alarm: None,
            is_closed: false,
            without_workers: None,
            without_tickets: None,
            warnings: Vec::new(),
            costs: BTreeMap::new(),
        }
    }

    /// What the tickets of each step cost so far.
    pub(super) fn costs(&self) -> &BTreeMap<usize, TicketCosts> {
        &self.costs
    }

    /// Tickets that are out, and those that have a result.
    pub(super) fn tickets(&self) -> EngineTickets {
        EngineTickets {
            out: self.open.len() as u64,
            done: self.ended.len() as u64,
            ..EngineTickets::default()
        }
    }

    /// The alarm that ends the run.
    pub(super) fn alarm(&self) -> Option<&ToolError> {
        self.alarm.as_ref()
    }

    /// Whether nothing waits and nothing is out.
    pub(super) fn is_idle(&self) -> bool {
        self.open.is_empty() && self.queues.is_empty()
    }

    /// Takes a call that is ready.
    pub(super) fn add(&mut self, call: Arc<WaitingCall>, now: Instant) {
        if let Some(alarm) = &self.alarm {
            return call.answer(RemoteOutcome::Failed(alarm.clone()));
        }
        let ended = self.is_closed.then(|| "the engine has ended".to_owned());
        match ended.or_else(|| self.given_up(now)) {
            Some(why) => call.answer(RemoteOutcome::Unplaced(why)),
            None => self.queues.entry(call.group).or_default().push_back(call),
        }
    }

    /// Notes how many calls the workers compute at a time, or why they cannot be reached.
    pub(super) fn note_slots(&mut self, found: Result<usize>, now: Instant) {
        let why = match found {
            Ok(slots @ 1..) => {
                (self.slots, self.without_workers) = (slots, None);
                return;
            }
            Ok(0) => "the engine has no worker".to_owned(),
            Err(err) => err.message().to_owned(),
        };
        self.slots = 0;
        let is_idle = self.is_idle();
        EngineStandstill::go_on(&mut self.without_workers, why, is_idle, now);
    }

    /// Notes whether a copy could be submitted; otherwise it is due again.
    pub(super) fn note_submission(&mut self, id: TicketId, submitted: Result<()>, now: Instant) {
        let Err(err) = submitted else {
            self.without_tickets = None;
            if let Some(ticket) = self.open.get(&id.number) {
                let costs = self.costs.entry(ticket.group.step).or_default();
                costs.sent(ticket.body.len());
            }
            return;
        };
        if let Some(ticket) = self.open.get_mut(&id.number) {
            ticket.copies.retain(|copy| copy.number != id.copy);
        }
        let why = err.message().to_owned();
        EngineStandstill::go_on(&mut self.without_tickets, why, false, now);
    }

    /// Why calls are no longer held for workers.
    fn given_up(&mut self, now: Instant) -> Option<String> {
        let wait = self.settings.wait;
        let standstills = [&mut self.without_workers, &mut self.without_tickets];
        let mut standstills = standstills.into_iter().flatten();
        standstills.find_map(|one| {
            one.is_given_up |= now.saturating_duration_since(one.since) >= wait;
            let seconds = wait.as_secs_f64();
            one.is_given_up
                .then(|| format!("{}, for {seconds} s", one.why))
        })
    }

    /// Learns what happened to a ticket; gives the copies that no longer count.
    pub(super) fn learn(&mut self, event: TicketEvent, now: Instant) -> Vec<TicketId> {
        match event {
            TicketEvent::Started { id, .. } => self.set_started(id, Some(now)),
            TicketEvent::Returned { id } => self.set_started(id, None),
            TicketEvent::Refused { id, node, why } => return self.refused(id, &node, &why),
            TicketEvent::Done {
                id,
                node,
                body,
                digest,
                elapsed_ms,
                is_whole,
            } => {
                let ended = EndedTicket {
                    digest,
                    node,
                    is_whole,
                };
                return self.done(id, ended, &body, (elapsed_ms, now));
            }
        }
        Vec::new()
    }

    fn set_started(&mut self, id: TicketId, at: Option<Instant>) {
        let ticket = self.open.get_mut(&id.number);
        let copies = ticket.into_iter().flat_map(|ticket| &mut ticket.copies);
        for copy in copies.filter(|copy| copy.number == id.copy) {
            copy.started = at;
        }
    }

    /// The first result counts; another one that differs is an alarm.
    fn done(
        &mut self,
        id: TicketId,
        ended: EndedTicket,
        body: &str,
        (elapsed_ms, now): (f64, Instant),
    ) -> Vec<TicketId> {
        if let Some(first) = self.ended.get(&id.number) {
            if first.is_whole && ended.is_whole && first.digest != ended.digest {
                self.raise_alarm(id.number, first.node.clone(), &ended.node);
            }
            return Vec::new();
        }
        let Some(ticket) = self.open.get(&id.number) else {
            return Vec::new(); // it was given up
        };
        let answers = match answers_of_text(body, ticket.calls.len()) {
            Ok(answers) => answers,
            Err(err) => return self.refused(id, &ended.node, err.message()),
        };
        let Some(ticket) = self.open.remove(&id.number) else {
            return Vec::new();
        };
        let speed = self.speeds.entry(ticket.group).or_default();
        speed.elapsed_ms += elapsed_ms;
        speed.calls += ticket.calls.len();
        let copy = ticket.copies.iter().find(|copy| copy.number == id.copy);
        let moments = CostMoments {
            submitted: copy.map_or(now, |copy| copy.submitted),
            started: copy.and_then(|copy| copy.started),
            ended: now,
        };
        let costs = self.costs.entry(ticket.group.step).or_default();
        costs.received(ticket.calls.len(), body.len(), elapsed_ms, moments);
        for (call, answer) in ticket.calls.iter().zip(answers) {
            call.answer(RemoteOutcome::Computed {
                output: answer.output,
                warnings: answer.warnings,
                notes: answer.notes,
                node: ended.node.clone(),
            });
        }
        self.ended.insert(id.number, ended);
        let others = ticket.copies.iter().filter(|copy| copy.number != id.copy);
        others
            .map(|copy| TicketId {
                copy: copy.number,
                ..id
            })
            .collect()
    }

    /// One computation of a tool gave two results: nothing of it can be believed.
    fn raise_alarm(&mut self, number: u64, first: String, second: &str) {
        let alarm = tool_error!(Internal, NONDETERMINISTIC;
            "ticket {number} was computed to different results on the nodes `{first}` and `{second}`";
            "run the plan without an engine, and compare the two nodes: one of them computes wrongly, or the tool is at fault");
        self.alarm = Some(alarm.clone());
        for call in self.take_all() {
            call.answer(RemoteOutcome::Failed(alarm.clone()));
        }
    }

    fn refused(&mut self, id: TicketId, node: &str, why: &str) -> Vec<TicketId> {
        self.warnings
            .push(format!("the node `{node}` refused ticket {id}: {why}"));
        let Some(ticket) = self.open.get_mut(&id.number) else {
            return Vec::new();
        };
        ticket.copies.retain(|copy| copy.number != id.copy);
        ticket.refusals += 1;
        if ticket.refusals < COPIES_MAX {
            return Vec::new(); // it is submitted again
        }
        let error = tool_error!(ToolError, "ticket_refused";
            "the workers refused a ticket {COPIES_MAX} times, the last on `{node}`: {why}";
            "run the plan without an engine, or look at that node");
        self.end_ticket(id.number, &RemoteOutcome::Failed(error))
    }

    /// Ends a ticket with one outcome for all of its calls; gives the copies that are out.
    fn end_ticket(&mut self, number: u64, outcome: &RemoteOutcome) -> Vec<TicketId> {
        let Some(ticket) = self.open.remove(&number) else {
            return Vec::new();
        };
        for call in &ticket.calls {
            call.answer(outcome.clone());
        }
        let copies = ticket.copies.iter();
        copies
            .map(|copy| TicketId {
                number,
                copy: copy.number,
            })
            .collect()
    }

    /// All calls that have no answer.
    fn take_all(&mut self) -> Vec<Arc<WaitingCall>> {
        let queued = std::mem::take(&mut self.queues).into_values().flatten();
        let open = std::mem::take(&mut self.open).into_values();
        queued.chain(open.flat_map(|ticket| ticket.calls)).collect()
    }

    /// Answers calls that were stopped or whose deadline passed, and those that no worker will compute; gives the tickets of which nothing
    /// is wanted any more.
    pub(super) fn look(&mut self, now: Instant) -> Vec<TicketId> {
        for queue in self.queues.values_mut() {
            queue.retain(|call| !call.is_over(now));
        }
        self.queues.retain(|_, queue| !queue.is_empty());
        let mut gone = Vec::new();
        for (&number, ticket) in &self.open {
            // All of them: each learns of its own stop.
            let over = ticket.calls.iter().filter(|call| call.is_over(now)).count();
            if over == ticket.calls.len() {
                gone.push(number);
            }
        }
        let stopped = || RemoteOutcome::Unplaced("it was stopped".to_owned());
        let mut withdrawn: Vec<TicketId> = Vec::new();
        for number in gone {
            withdrawn.extend(self.end_ticket(number, &stopped()));
        }
        if let Some(why) = self.given_up(now) {
            let open: Vec<u64> = self.open.keys().copied().collect();
            let outcome = RemoteOutcome::Unplaced(why);
            for number in open {
                withdrawn.extend(self.end_ticket(number, &outcome));
            }
            for call in self.take_all() {
                call.answer(outcome.clone());
            }
        }
        withdrawn
    }

    /// Number of calls that fill all slots with tickets of the wanted length, or as many as are worth their threads.
    pub(super) fn calls_wanted(&self) -> usize {
        let groups = self.queues.keys();
        let groups = groups.chain(self.open.values().map(|ticket| &ticket.group));
        let longest = groups.map(|group| calls_of_ticket(&self.settings, self.speeds.get(group)));
        let longest = longest.max().unwrap_or(1);
        self.slots
            .saturating_mul((TICKETS_PER_SLOT * longest).min(CALLS_PER_SLOT))
    }

    /// The next calls that form a ticket. As many as take the time of a ticket, and no more than leave some for every slot; first one each,
    /// until the time is known.
    pub(super) fn next_pack(&mut self) -> Option<CallPack> {
        let most = self.slots * TICKETS_PER_SLOT;
        let free = most.checked_sub(self.open.len()).filter(|free| *free > 0)?;
        let (&group, queue) = self.queues.iter_mut().next()?;
        let wanted = calls_of_ticket(&self.settings, self.speeds.get(&group));
        let share = queue.len().div_ceil(free).max(1);
        let mut calls = Vec::new();
        let mut bytes = 0;
        while calls.len() < wanted.min(share) {
            let size = queue.front().map_or(0, |call| call.args.memory_bytes());
            if !calls.is_empty() && bytes + size > ARGS_BYTES_MAX {
                break;
            }
            let Some(call) = queue.pop_front() else { break };
            bytes += size;
            calls.push(call);
        }
        if queue.is_empty() {
            self.queues.remove(&group);
        }
        self.newest += 1;
        Some(CallPack {
            number: self.newest,
            group,
            calls,
        })
    }

    /// Notes a ticket whose first copy is to be submitted.
    pub(super) fn open(&mut self, pack: CallPack, body: Arc<str>) {
        let ticket = OpenTicket {
            group: pack.group,
            calls: pack.calls,
            body,
            copies: Vec::new(),
            refusals: 0,
        };
        self.open.insert(pack.number, ticket);
    }

    /// The copies that are to be submitted now: of tickets without one, of those that take too long where slots are free, and of those
    /// whose worker exceeds the time of their calls. A ticket that exceeds it again is given up.
    pub(super) fn due_copies(&mut self, now: Instant) -> (Vec<TicketCopyText>, Vec<TicketId>) {
        let has_free_slots = self.queues.is_empty() && self.open.len() < self.slots;
        let (mut due, mut late) = (Vec::new(), Vec::new());
        for (&number, ticket) in &mut self.open {
            let started = ticket.copies.iter().filter_map(|copy| copy.started);
            let elapsed = started
                .max()
                .map(|started| now.saturating_duration_since(started));
            let calls = ticket.calls.len();
            let timeout = Duration::from_millis(ticket.group.budget.timeout_ms);
            let longest = timeout * u32::try_from(calls).unwrap_or(u32::MAX) + TICKET_GRACE;
            let is_late = elapsed.is_some_and(|elapsed| elapsed > longest);
            let expected = self.speeds.get(&ticket.group).map(|speed| {
                let ms = speed.elapsed_ms / speed.calls.max(1) as f64 * calls as f64;
                Duration::from_secs_f64(ms * STRAGGLER_TIMES / 1e3).max(STRAGGLER_LEAST)
            });
            let straggles = elapsed
                .zip(expected)
                .is_some_and(|(took, most)| took > most);
            let newest = ticket.copies.iter().map(|copy| copy.number).max();
            let again = match ticket.copies.len() {
                0 => true,
                1 => is_late || (has_free_slots && straggles),
                _ => false,
            };
            if again {
                let copy = newest.unwrap_or(ticket.refusals) + 1;
                let started = None;
                ticket.copies.push(TicketCopy {
                    number: copy,
                    submitted: now,
                    started,
                });
                due.push(TicketCopyText {
                    id: TicketId { number, copy },
                    tool: ticket.group.tool,
                    body: Arc::clone(&ticket.body),
                });
            } else if is_late {
                late.push(number);
            }
        }
        let timed_out = tool_error!(Timeout; "no worker computed the call within its deadline";
            "raise `timeout_ms`, or ask for less");
        let outcome = RemoteOutcome::Failed(timed_out);
        let late = late.into_iter();
        let withdrawn = late.flat_map(|number| self.end_ticket(number, &outcome));
        (due, withdrawn.collect())
    }

    /// Ends everything: the run is over.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        for call in self.take_all() {
            call.answer(RemoteOutcome::Unplaced("the run is over".to_owned()));
        }
    }
}

/// Number of calls that take the time of a ticket; one until their time is known.
fn calls_of_ticket(settings: &ClusterSettings, speed: Option<&GroupSpeed>) -> usize {
    speed.map_or(1, |speed| {
        let one_ms = speed.elapsed_ms / speed.calls.max(1) as f64;
        let target_ms = settings.ticket.as_secs_f64() * 1e3;
        ((target_ms / one_ms.max(1e-3)) as usize).clamp(1, CALLS_MAX)
    })
}
