//! One live process of a plugin, and the calls that wait for it. It has no thread: one of the waiting calls reads and delivers
//! messages to the others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tool_core::capability::Clock;
use tool_core::command::ProcessExit;
use tool_core::conversation::{LineWaitResult, ProcessConversation};
use tool_core::json::{self, JsonLimits};
use tool_core::{Ctx, ErrorCode, Reason, StopFlag, ToolError, Value, tool_error};

use super::message::{self, PluginMessage};
use super::outside;
use super::process::{LOOK, ProcessLaunch, ProcessProtocol};

/// Time that a cancelled call has to answer before its process is killed.
const GRACE: Duration = Duration::from_millis(200);
/// Maximum length of standard error in a crash report, in characters.
const SAID_MAX: usize = 400;

/// One live process.
pub(super) struct LiveProcess {
    pub(super) who: String,
    speech: ProcessProtocol,
    pub(super) talk: Box<dyn ProcessConversation>,
    line_bytes_max: usize,
    inbox: Mutex<ReplyInbox>,
    changed: Condvar,
}

#[derive(Default)]
struct ReplyInbox {
    next_id: i64,
    waiting: BTreeMap<i64, ReplySlot>,
    /// Cancelled calls that may still be answered.
    given_up: BTreeSet<i64>,
    listening: bool,
    /// Whether further calls are refused because one overran its deadline.
    retired: bool,
    dead: Option<ToolError>,
}

#[derive(Default)]
struct ReplySlot {
    result: Option<Result<Value, ToolError>>,
    progress: Option<(f64, String)>,
}

/// Whether requests of the process are answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplyMode {
    Sent,
    /// It may read nothing any more, and nothing ends the wait for it.
    Dropped,
}

impl LiveProcess {
    pub(super) fn new(launch: &ProcessLaunch, talk: Box<dyn ProcessConversation>) -> Self {
        Self {
            who: launch.who(),
            speech: launch.speech.clone(),
            talk,
            line_bytes_max: launch.command.limits.stdout_bytes,
            inbox: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn inbox(&self) -> MutexGuard<'_, ReplyInbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_dead(&self) -> bool {
        self.inbox().dead.is_some()
    }

    pub(super) fn is_usable(&self) -> bool {
        let inbox = self.inbox();
        inbox.dead.is_none() && !inbox.retired
    }

    pub(super) fn call(
        &self,
        tool: &str,
        args: &Value,
        ctx: &Ctx,
        clock: &dyn Clock,
    ) -> Result<Value, ToolError> {
        let id = {
            let mut inbox = self.inbox();
            inbox.next_id += 1;
            let id = inbox.next_id;
            inbox.waiting.insert(id, ReplySlot::default());
            id
        };
        let line = json::to_text(&self.request(id, tool, args)?);
        if line.len() > self.line_bytes_max {
            self.inbox().waiting.remove(&id);
            let (found, most) = (line.len(), self.line_bytes_max);
            let error = tool_error!(
                LimitExceeded,
                "the arguments have {found} bytes, {} takes {most}",
                self.who
            );
            return Err(error.reason("line"));
        }
        if let Err(err) = self.talk.send(&line, ctx.stop()) {
            // A part of the line may be on its way; whatever the process said before it ended tells more.
            self.die(match err.is(Reason::Ended) {
                true => self.crash(None, "when it was called"),
                false => err,
            });
        }
        let answer = self.answer(id, ctx);
        let is_stop =
            |err: &ToolError| matches!(err.code(), ErrorCode::Timeout | ErrorCode::Cancelled);
        match answer.as_ref().is_err_and(is_stop) && ctx.stop().is_set() {
            true => self.give_up(id, ctx.stop(), clock),
            false => drop(self.inbox().waiting.remove(&id)),
        }
        answer
    }

    /// Waits for the answer to a call.
    fn answer(&self, id: i64, ctx: &Ctx) -> Result<Value, ToolError> {
        loop {
            let mut inbox = self.inbox();
            if let Some(slot) = inbox.waiting.get_mut(&id) {
                if let Some(result) = slot.result.take() {
                    return result;
                }
                if let Some((fraction, words)) = slot.progress.take() {
                    drop(inbox);
                    ctx.progress(fraction, || words);
                    continue;
                }
            }
            if let Some(err) = &inbox.dead {
                return Err(err.clone());
            }
            ctx.check()?;
            self.listen_or_wait(inbox, ctx.stop(), ReplyMode::Sent);
        }
    }

    /// One waiting call reads for a moment; the others wait for its messages.
    fn listen_or_wait(
        &self,
        mut inbox: MutexGuard<'_, ReplyInbox>,
        stop: &StopFlag,
        replies: ReplyMode,
    ) {
        if inbox.listening {
            drop(self.changed.wait_timeout(inbox, LOOK));
            return;
        }
        inbox.listening = true;
        drop(inbox);
        let heard = self.talk.receive(LOOK, stop);
        let mut inbox = self.inbox();
        inbox.listening = false;
        let mut reply = None;
        let fault = match heard {
            Ok(LineWaitResult::Silence) => None,
            Ok(LineWaitResult::Line(line)) => match self.parse(&line) {
                Ok(PluginMessage::Reply(message)) => {
                    reply = Some(message);
                    None
                }
                Ok(message) => self.hand_over(&mut inbox, message).err(),
                Err(err) => Some(err),
            },
            Ok(LineWaitResult::Ended(exit)) => Some(self.crash(exit, "during a call")),
            Err(_) if stop.is_set() => None,
            Err(err) => Some(err),
        };
        if let Some(fault) = fault {
            // Whatever was asked of it may have been done.
            inbox.dead.get_or_insert(fault.may_have_happened());
            self.talk.kill();
        }
        self.changed.notify_all();
        drop(inbox);
        if let Some(reply) = reply.filter(|_| replies == ReplyMode::Sent)
            && let Err(err) = self.talk.send(&json::to_text(&reply), stop)
        {
            // The next line would be the rest of this one.
            self.die(err);
        }
    }

    fn hand_over(&self, inbox: &mut ReplyInbox, message: PluginMessage) -> Result<(), ToolError> {
        match message {
            PluginMessage::Result { id, result } => match inbox.waiting.get_mut(&id) {
                Some(slot) if slot.result.is_none() => slot.result = Some(result),
                _ if inbox.given_up.remove(&id) => {}
                _ => return Err(self.not_pending("answered", id)),
            },
            PluginMessage::Progress {
                id,
                fraction,
                words,
            } => match inbox.waiting.get_mut(&id) {
                Some(slot) => slot.progress = Some((fraction, words)),
                None if inbox.given_up.contains(&id) => {}
                None => return Err(self.not_pending("reported progress of", id)),
            },
            PluginMessage::Hello(_) => return Err(self.protocol("greeted twice")),
            PluginMessage::Changed => inbox.retired = true,
            PluginMessage::Reply(_) | PluginMessage::Other => {}
        }
        Ok(())
    }

    fn not_pending(&self, did: &str, id: i64) -> ToolError {
        self.protocol(&format!("{did} call {id}, which is not pending"))
    }

    /// Cancels a call. A process that does not answer in time is killed: at once when it runs no other call, else after the last of
    /// those.
    fn give_up(&self, id: i64, stop: &StopFlag, clock: &dyn Clock) {
        {
            let mut inbox = self.inbox();
            inbox.waiting.remove(&id);
            if inbox.dead.is_some() {
                return;
            }
            inbox.given_up.insert(id);
        }
        let told = self.talk.send(&json::to_text(&self.cancellation(id)), stop);
        let begun = clock.monotonic();
        let calm = StopFlag::new();
        while told.is_ok() {
            let inbox = self.inbox();
            if inbox.dead.is_some() || !inbox.given_up.contains(&id) {
                return;
            }
            if clock.monotonic().saturating_sub(begun) > GRACE {
                break;
            }
            self.listen_or_wait(inbox, &calm, ReplyMode::Dropped);
        }
        let mut inbox = self.inbox();
        inbox.retired = true;
        if inbox.waiting.is_empty() {
            drop(inbox);
            self.talk.kill();
        }
    }

    fn die(&self, err: ToolError) {
        self.inbox().dead.get_or_insert(err.may_have_happened());
        self.talk.kill();
        self.changed.notify_all();
    }

    fn request(&self, id: i64, tool: &str, args: &Value) -> Result<Value, ToolError> {
        match &self.speech {
            ProcessProtocol::Plugin(_) | ProcessProtocol::Worker(_) => {
                Ok(message::call_message(id, tool, args))
            }
            ProcessProtocol::Mcp(pinned) => {
                let known = pinned.iter().find(|one| one.local == tool);
                let known =
                    known.ok_or_else(|| tool_error!(Internal, "no pinned tool `{tool}`"))?;
                Ok(outside::call_request(id, &known.name, args))
            }
        }
    }

    fn cancellation(&self, id: i64) -> Value {
        match &self.speech {
            ProcessProtocol::Plugin(_) | ProcessProtocol::Worker(_) => message::cancel_message(id),
            ProcessProtocol::Mcp(_) => outside::cancel_notification(id),
        }
    }

    pub(super) fn parse(&self, line: &str) -> Result<PluginMessage, ToolError> {
        let value = self.value(line)?;
        let read = match &self.speech {
            ProcessProtocol::Plugin(_) | ProcessProtocol::Worker(_) => PluginMessage::read(&value),
            ProcessProtocol::Mcp(_) => outside::read_server_message(&value),
        };
        read.map_err(|fault| self.odd(line, &format!(": {fault}")))
    }

    /// The JSON of a line.
    pub(super) fn value(&self, line: &str) -> Result<Value, ToolError> {
        let limits = JsonLimits {
            bytes_max: self.line_bytes_max,
            ..JsonLimits::default()
        };
        let read = json::parse_json(line, limits);
        read.map_err(|err| self.odd(line, &format!(", which is no JSON: {}", err.message)))
    }

    fn odd(&self, line: &str, fault: &str) -> ToolError {
        let shown: String = line.chars().take(120).collect();
        self.protocol(&format!("sent `{shown}`{fault}"))
    }

    fn protocol(&self, what: &str) -> ToolError {
        message::protocol_error(&self.who, what)
            .hint("standard output is for the protocol only; print to standard error")
    }

    pub(super) fn crash(&self, exit: Option<ProcessExit>, when: &str) -> ToolError {
        let how = match exit {
            Some(ProcessExit::Status(status)) => format!("ended with status {status}"),
            Some(ProcessExit::Signal(signal)) => format!("was ended by signal {signal}"),
            None => "ended".to_owned(),
        };
        let said = self.talk.stderr();
        let said = said.trim();
        let skipped = said.chars().count().saturating_sub(SAID_MAX);
        let tail: String = said.chars().skip(skipped).collect();
        let (mark, tail) = (
            if tail.is_empty() { "" } else { ": " },
            tail.replace('\n', " | "),
        );
        let who = &self.who;
        tool_error!(ToolError, "{who} {how} {when}{mark}{tail}")
            .reason("plugin_crashed")
            .may_have_happened()
    }
}
