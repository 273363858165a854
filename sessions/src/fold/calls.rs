//! Calls: judged and planned when observed, started wave by wave, settled when they end.

use std::collections::HashSet;

use tool_core::{ErrorCode, Result, ToolError, Value, convert, json};

use super::super::batch::{CallBatch, JudgementBasis, OpenCall};
use super::super::emitted::{CallResult, CallStatus, PlanCreated, RunStatus, WaveStarted};
use super::super::event::{CallSettled, CallSettlement, CallsObserved, ObservedCall};
use super::super::limits::{
    ARGS_BYTES_MAX, CALLS_MAX, ID_BYTES_MAX, OBSERVED_MAX, OUTPUT_BYTES_MAX, WARNINGS_MAX,
    too_deep, truncate_text,
};
use super::super::tools::{Failure, Judged, PermittedVerdict};
use super::{SessionFold, conflict_error, invalid_event_error};

impl SessionFold<'_> {
    pub(super) fn calls_observed(&mut self, observed: &CallsObserved) -> Result<()> {
        let run = self.generating(observed.turn)?;
        let (run_number, turn) = (run.number, run.turn);
        if observed.calls.is_empty() {
            let message = "expected at least one call";
            return Err(invalid_event_error("/calls", message)
                .hint("send `turn.ended` for an answer without calls"));
        }
        if observed.calls.len() > OBSERVED_MAX {
            let message = format_args!(
                "{} calls in one event, at most {OBSERVED_MAX} are taken",
                observed.calls.len()
            );
            let error = ToolError::new(ErrorCode::LimitExceeded, message);
            return Err(error.reason("calls").at("/calls").hint(format!(
                "of {OBSERVED_MAX} calls {CALLS_MAX} may run in a batch: make fewer"
            )));
        }
        run.status = RunStatus::Calling;
        let basis = self.basis()?;
        let mut ids = HashSet::new();
        let mut calls = Vec::with_capacity(observed.calls.len());
        for (place, call) in observed.calls.iter().enumerate() {
            let is_new = ids.insert(call.call_id.as_str());
            let (args, unread) = match json::parse_call_arguments(&call.args, ARGS_BYTES_MAX) {
                Ok(args) => (args, None),
                Err(error) => (call.args.clone(), Some(Failure::from(&error))),
            };
            let judged = match self.shape(place, call, &args, is_new).or(unread) {
                Some(failure) => Err(failure),
                None => self.judged(&basis, &call.tool, &args),
            };
            let tool = match &judged {
                Ok(judged) => judged.id.clone(),
                Err(_) => call.tool.chars().take(ID_BYTES_MAX).collect(),
            };
            let open = OpenCall {
                call_id: call.call_id.clone(),
                tool,
                status: CallStatus::Planned,
                wave: None,
                args: registry::digest::of_value(&args),
                result: None,
                given: args,
                decision: None,
                ended: None,
            };
            calls.push((open, judged));
        }
        let state = &mut self.state;
        state.batches += 1;
        state.calls += calls.len() as u64;
        let args: Vec<Value> = (calls.iter())
            .map(|(call, _)| Value::from(call.args.as_str()))
            .collect();
        let contract = |judged: &Judged| {
            Value::array(vec![judged.version.into(), judged.digest.as_str().into()])
        };
        let contracts: Vec<Value> = (calls.iter())
            .map(|(_, found)| found.as_ref().map_or(Value::Null, contract))
            .collect();
        // A judgement of another tool than the named one means that the log was changed.
        let asked: Vec<Value> = (observed.calls.iter().zip(&calls))
            .map(|(asked, (call, _))| (asked.tool != call.tool).then_some(asked.tool.as_str()))
            .map(Value::from)
            .collect();
        let (mut batch, planned, waves) = CallBatch::new(state.batches, basis, calls);
        let plan = PlanCreated {
            batch: batch.number,
            run: run_number,
            turn,
            digest: String::new(),
            calls: planned,
            waves,
        };
        let mut described = vec![
            ("plan", convert::to_value(&plan)?),
            ("args", Value::array(args)),
            ("contracts", Value::array(contracts)),
        ];
        if asked.iter().any(|name| !name.is_null()) {
            described.push(("asked", Value::array(asked)));
        }
        let digest = registry::digest::of_value(&Value::object(described));
        batch.plan.clone_from(&digest);
        state.last_plan = Some(digest.clone());
        state.batch = Some(batch);
        self.emitted.push(PlanCreated { digest, ..plan }.into());
        Ok(())
    }

    /// The error of a call that needs no judgement.
    fn shape(
        &self,
        place: usize,
        call: &ObservedCall,
        args: &Value,
        is_new: bool,
    ) -> Option<Failure> {
        let limit = |reason: &str, message: String| {
            Some(Failure::new(ErrorCode::LimitExceeded, reason, message))
        };
        if place >= CALLS_MAX {
            let message = format!("more than {CALLS_MAX} calls in one batch");
            return limit("calls", message).map(|failure| failure.hint("make fewer at a time"));
        }
        if call.call_id.is_empty() || call.call_id.len() > ID_BYTES_MAX {
            let message = format!("expected an id of 1 to {ID_BYTES_MAX} bytes");
            let failure = Failure::new(ErrorCode::InvalidRequest, "call_id", message);
            return Some(failure);
        }
        if !is_new {
            let message = "another call of the batch has this id".to_owned();
            let failure = Failure::new(ErrorCode::InvalidRequest, "duplicate_call_id", message);
            return Some(failure.hint("give every call a unique id"));
        }
        if too_deep(args) {
            return limit("depth", "the arguments nest too deeply".to_owned());
        }
        if json::to_text(args).len() > ARGS_BYTES_MAX {
            let message = format!("the arguments have more than {ARGS_BYTES_MAX} bytes");
            return limit("args", message)
                .map(|failure| failure.hint("pass large arrays as {\"$file\": ...}"));
        }
        None
    }

    /// The current basis of judgements.
    fn basis(&self) -> Result<JudgementBasis> {
        let (who, facts) = self.standing()?;
        Ok(JudgementBasis {
            who,
            facts,
            workspace: self.state.workspace.clone(),
            registry: self.state.registry.clone(),
        })
    }

    /// Starts the next wave. If the basis has changed since its calls were judged (a closed workspace, for instance), calls that are no
    /// longer permitted are rejected.
    pub(super) fn start_wave(&mut self) -> Result<()> {
        let now = self.basis()?;
        let Some(mut batch) = self.state.batch.take() else {
            return Ok(());
        };
        if now != batch.basis {
            for call in batch.next() {
                if let Err(failure) = self.judged_again(&now, call) {
                    call.end(call.without(CallStatus::Rejected, failure));
                }
            }
        }
        if let Some((wave, calls)) = batch.start() {
            let batch = batch.number;
            self.emitted.push(WaveStarted { batch, wave, calls }.into());
        }
        self.state.batch = Some(batch);
        Ok(())
    }

    /// Judges a planned call again.
    fn judged_again(&self, basis: &JudgementBasis, call: &OpenCall) -> Result<(), Failure> {
        let judged = self.judged(basis, &call.tool, &call.given)?;
        if judged.decision == PermittedVerdict::Ask
            && call.decision == Some(PermittedVerdict::Allow)
        {
            let message = format!("`{}` now needs approval, unlike in its plan", judged.id);
            let failure = Failure::new(ErrorCode::Conflict, "decision_changed", message);
            return Err(failure.hint("send the call again, for a new plan"));
        }
        Ok(())
    }

    /// Judges a call against the offered tools and the current policy.
    fn judged(&self, basis: &JudgementBasis, tool: &str, args: &Value) -> Result<Judged, Failure> {
        let judged = self.registry.judge(&basis.who, &basis.facts, tool, args);
        let judged = judged.map_err(|error| Failure::from(&error))?;
        let offered = self.state.offered.as_ref().and_then(|offered| {
            let mut tools = offered.tools.iter();
            tools.find(|tool| tool.id == judged.id)
        });
        match offered {
            None => {
                let message = format!("`{}` was not offered in this turn", judged.id);
                let failure = Failure::new(ErrorCode::NotVisible, "not_offered", message);
                Err(failure.hint("it is offered in the next turn"))
            }
            Some(offered) if offered.digest != judged.digest => {
                let message = format!("`{}` changed since it was offered", judged.id);
                let failure = Failure::new(ErrorCode::Conflict, "tool_changed", message);
                Err(failure.hint("check its arguments again in the next turn"))
            }
            Some(_) => Ok(judged),
        }
    }

    pub(super) fn call_settled(&mut self, settled: &CallSettled) -> Result<()> {
        let none = || conflict_error("no_batch", "no batch is open");
        let batch = self.state.batch.as_mut().ok_or_else(none)?;
        let number = batch.number;
        let mut same = batch.calls.iter_mut();
        let shown: String = settled.call_id.chars().take(80).collect();
        let Some(call) = same.find(|call| call.call_id == settled.call_id) else {
            let message = format_args!("batch {number} has no call `{shown}`");
            return Err(conflict_error("unknown_call", message).at("/call_id"));
        };
        let refused = match call.status {
            CallStatus::Running => None,
            CallStatus::Planned => Some(("not_started", "has not started")),
            CallStatus::Rejected => Some(("not_started", "was rejected")),
            _ => Some(("settled", "is settled already")),
        };
        if let Some((reason, why)) = refused {
            let message = format_args!("the call `{shown}` {why}");
            return Err(conflict_error(reason, message).at("/call_id"));
        }
        let result = settlement_result(call, settled)?;
        call.end(result);
        Ok(())
    }
}

/// The result of a settlement, after checking its members for consistency.
fn settlement_result(call: &OpenCall, settled: &CallSettled) -> Result<CallResult> {
    let (output, error) = (settled.output.is_some(), settled.error.is_some());
    let (status, may_output, needs_error, needs_id) = match settled.status {
        CallSettlement::Succeeded => (CallStatus::Succeeded, true, false, false),
        CallSettlement::Failed => (CallStatus::Failed, false, true, false),
        CallSettlement::Cancelled => (CallStatus::Cancelled, false, error, false),
        CallSettlement::PendingApproval => (CallStatus::PendingApproval, false, false, true),
    };
    let has_id = settled.approval_id.is_some();
    for (path, fits, message) in [
        (
            "/output",
            may_output || !output,
            "only a successful call has an output",
        ),
        (
            "/error",
            error == needs_error,
            "a failed call has an `error`, others have none",
        ),
        (
            "/approval_id",
            has_id == needs_id,
            "only a call that waits for approval has an `approval_id`",
        ),
    ] {
        if !fits {
            return Err(invalid_event_error(path, message));
        }
    }
    if let Some(output) = &settled.output {
        let limit = |message: String| {
            let error = ToolError::new(ErrorCode::LimitExceeded, message);
            Err(error.reason("output").at("/output"))
        };
        if too_deep(output) {
            return limit("the output nests too deeply".to_owned());
        }
        if json::to_text(output).len() > OUTPUT_BYTES_MAX {
            return limit(format!("the output has more than {OUTPUT_BYTES_MAX} bytes"));
        }
    }
    let null = || (status == CallStatus::Succeeded).then_some(Value::Null);
    Ok(CallResult {
        call_id: call.call_id.clone(),
        tool: call.tool.clone(),
        status,
        output: settled.output.clone().or_else(null),
        error: settled.error.as_ref().map(Failure::cut),
        approval_id: settled.approval_id.as_deref().map(truncate_text),
        warnings: (settled.warnings.iter().take(WARNINGS_MAX))
            .map(|warning| truncate_text(warning))
            .collect(),
    })
}
