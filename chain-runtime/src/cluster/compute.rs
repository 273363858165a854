//! The computation of one ticket, which is the same for every engine: [`compute_ticket`] from its bytes to the bytes of its results.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use registry::{digest, is_movable};
use tool_core::{AnyTool, Ctx, ErrorCode, Result, StopFlag, ToolError, Value, tool_error};

use super::executor::BuildIdentity;
use super::ticket::{CallAnswer, TicketBody, TicketCall, answers_to_text};

#[cfg(test)]
mod tests;

/// Stack of a thread that computes.
pub(super) const STACK_BYTES: usize = 16 << 20;
/// Interval between two checks of deadlines.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// The tools of a worker, by canonical name.
pub type WorkerTools = dyn Fn(&str) -> Option<&'static dyn AnyTool> + Sync;

/// A ticket as it reached a worker, with what its head said of it.
#[derive(Debug, Clone, Copy)]
pub struct TicketRequest<'a> {
    /// Canonical name of the tool.
    pub tool: &'a str,
    /// Digest of the body.
    pub digest: &'a str,
    /// The calls as exact text.
    pub body: &'a [u8],
    /// Build and processor of the head.
    pub head: &'a BuildIdentity,
}

/// The results of a ticket.
#[derive(Debug, Clone, PartialEq)]
pub struct TicketResult {
    /// The ends of the calls as exact text: equal for equal results, with nothing of time or place.
    pub body: String,
    /// The digest of the body.
    pub digest: String,
    /// Number of calls.
    pub calls: usize,
    /// Milliseconds that they took.
    pub elapsed_ms: f64,
    /// Whether every call ended by itself, so that another computation must give the same digest.
    pub is_whole: bool,
}

/// Computes one ticket with the tools of a worker, in a thread of its own. It opens nothing and keeps nothing.
///
/// # Errors
/// `precondition_failed` for a head of another build or processor, `invalid_request` for a damaged body, a tool that is not a function of
/// arguments and seed alone or of which there is another version, `cancelled` once `stop` is set.
pub fn compute_ticket(
    request: &TicketRequest<'_>,
    identity: &BuildIdentity,
    tools: &WorkerTools,
    stop: &StopFlag,
) -> Result<TicketResult> {
    if let Some(why) = identity.mismatch(request.head) {
        return Err(tool_error!(PreconditionFailed, "build"; "{why}"));
    }
    let body = std::str::from_utf8(request.body).unwrap_or_default();
    if digest::of_texts([body]) != request.digest {
        return Err(refusal("it is damaged: its digest is another"));
    }
    let (tool, body) = open_ticket(tools, request.tool, body)?;
    /// The flag of the call that is being computed, and when it is late.
    type CurrentCall = Mutex<Option<(StopFlag, Option<Instant>)>>;
    let current = CurrentCall::default();
    let timeout = Duration::from_millis(body.budget.timeout_ms);
    let began = Instant::now();
    let compute = || {
        let answers = compute_calls(tool, &body, &mut || {
            let flag = stop.child();
            let until = Instant::now().checked_add(timeout);
            *current.lock().unwrap_or_else(PoisonError::into_inner) = Some((flag.clone(), until));
            (!stop.is_set()).then_some(flag)
        });
        let cancelled = || ToolError::new(ErrorCode::Cancelled, "the ticket is no longer wanted");
        TicketResult::of_answers(&answers.ok_or_else(cancelled)?, began)
    };
    thread::scope(|scope| {
        let (ending, ended) = channel::<()>();
        let thread = thread::Builder::new().name("ticket".to_owned());
        let thread = thread.stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, move || {
            let _ending = ending;
            compute()
        });
        let thread =
            thread.map_err(|err| tool_error!(Internal, "no thread can be started: {err}"))?;
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            let current = current.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((flag, until)) = &*current
                && until.is_some_and(|until| Instant::now() >= until)
            {
                flag.time_out();
            }
        }
        let joined = thread.join();
        joined.unwrap_or_else(|_| Err(tool_error!(Internal, "the thread of a ticket failed")))
    })
}

impl TicketResult {
    pub(super) fn of_answers(answers: &[CallAnswer], began: Instant) -> Result<Self> {
        let body = answers_to_text(answers)?;
        Ok(Self {
            digest: digest::of_texts([&*body]),
            body,
            calls: answers.len(),
            elapsed_ms: began.elapsed().as_secs_f64() * 1e3,
            is_whole: answers.iter().all(|answer| ended_by_itself(&answer.output)),
        })
    }
}

/// Reads a ticket; refuses what is none, and tools that are not pure or of another version.
pub(super) fn open_ticket(
    tools: &WorkerTools,
    tool: &str,
    body: &str,
) -> Result<(&'static dyn AnyTool, TicketBody)> {
    let stated = tool;
    let tool = tools(stated).ok_or_else(|| refusal(format!("there is no tool `{stated}` here")))?;
    let spec = tool.spec();
    if !is_movable(spec.of_engine(None)) {
        let why = format!("`{stated}` is not a function of arguments and seed alone");
        return Err(refusal(why));
    }
    let body = TicketBody::parse(body)?;
    match body.tool == spec.id && body.version == spec.version {
        true => Ok((tool, body)),
        false => Err(refusal(format!("it is for another version of `{stated}`"))),
    }
}

fn refusal(why: impl Into<String>) -> ToolError {
    ToolError::new(ErrorCode::InvalidRequest, why.into()).reason("ticket")
}

/// Computes the calls of a ticket; `begin` gives the flag that stops the next one, and `None` once the ticket is no longer wanted, as this does.
pub(super) fn compute_calls(
    tool: &dyn AnyTool,
    body: &TicketBody,
    begin: &mut dyn FnMut() -> Option<StopFlag>,
) -> Option<Vec<CallAnswer>> {
    let mut answers = Vec::with_capacity(body.calls.len());
    for call in &body.calls {
        let stop = begin()?;
        let mut ctx = Ctx::new(stop.clone(), body.budget).with_seed(call.seed);
        if body.verify {
            ctx = ctx.verifying();
        }
        let answer = compute_call(tool, call, &ctx);
        let stopped = stop.check();
        if stopped.is_err_and(|err| err.code() == ErrorCode::Cancelled) {
            return None;
        }
        answers.push(answer);
    }
    Some(answers)
}

/// Computes one call; its panic is an error.
fn compute_call(tool: &dyn AnyTool, call: &TicketCall, ctx: &Ctx) -> CallAnswer {
    let compute = || {
        let decoded = tool.decode(&call.args)?;
        if !is_movable(tool.spec().of_call(decoded.args())) {
            return Err(
                tool_error!(InvalidArgs at "/engine", "engine"; "a worker answers by `native` alone"),
            );
        }
        match decoded.sources() {
            [] => decoded.run(ctx),
            _ => Err(tool_error!(
                InvalidArgs,
                "a worker opens no files and no stored values"
            )),
        }
    };
    let id = tool.spec().id;
    let panicked = |_| {
        Err(tool_error!(Internal, "panic";
            "`{id}` failed unexpectedly on a worker; this is a defect in mathchain"))
    };
    CallAnswer {
        output: catch_unwind(AssertUnwindSafe(compute)).unwrap_or_else(panicked),
        warnings: ctx.take_warnings(),
        notes: ctx.take_notes(),
    }
}

/// Whether a call ended by what it computed, and not by time or a defect.
fn ended_by_itself(output: &Result<Value>) -> bool {
    let code = output.as_ref().err().map(ToolError::code);
    !matches!(
        code,
        Some(ErrorCode::Timeout | ErrorCode::Cancelled | ErrorCode::Internal)
    )
}
