//! Audit record of a run, closing of a durable run, and the record of a refused plan.

use registry::{
    CallerContext, Dispatcher, READABLE_BYTES, fold_large_data, redact, truncate_value,
};
use tool_core::capability::{LedgerHead, RecordDurability};
use tool_core::{Object, ToolError, Value, fields, json, object, tool_error};

use super::{ChainResult, ChainStatus};
use crate::check::CheckedPlan;
use crate::plan::Plan;
use crate::problem::PlanProblems;
use crate::run::durable;
use journal::{Journal, LISTS_KEY};

/// Longest lists of steps and waves that are part of the record itself.
const LISTS_BYTES_MAX: usize = 256 << 10;

impl ChainResult {
    /// Writes the chain's record into the audit; a failure becomes a warning.
    pub(crate) fn record(&mut self, plan: &CheckedPlan, dispatcher: &Dispatcher) {
        let Some(ledger) = &dispatcher.host().ledger else {
            return;
        };
        let durability = match self.effects.is_empty() {
            true => RecordDurability::Batched,
            false => RecordDurability::Synced,
        };
        let (mut record, lists) = self.to_record(plan);
        match is_long(&lists) {
            // There is no run to store them in.
            true => {
                let keys: Vec<&str> = lists.iter().map(|(key, _)| key).collect();
                record.insert("left_out", keys);
            }
            false => record.extend(&lists),
        }
        match ledger.record(&Value::from(record), durability) {
            Ok(head) => self.audit = Some(head.to_value()),
            Err(err) => {
                let why = err.message();
                let warning = format!("the run is not recorded in the audit: {why}");
                self.warnings.push(warning);
            }
        }
    }

    /// Records the end or the state of a durable run. A run whose end could not be recorded has not succeeded: it stays open
    /// and can be resumed.
    pub(crate) fn close(
        &mut self,
        plan: &CheckedPlan,
        journal: &Journal,
        broken: Option<ToolError>,
        bytes_max: u64,
    ) {
        let closed = broken.map_or_else(|| self.close_with(plan, journal, bytes_max), Err);
        let why = match closed {
            Ok(head) => return self.audit = Some(head.to_value()),
            Err(err) => err,
        };
        let (run, why) = (journal.id(), why.message());
        let message = format!("the run `{run}` could not be written to its end: {why}");
        self.diagnostics.insert("success", false);
        if self.status == ChainStatus::Success {
            self.status = ChainStatus::Failed;
        }
        if self.error.is_some() {
            return self.warnings.push(message);
        }
        let hint =
            format!("`mathchain runs resume {run}` continues it; completed steps are not repeated");
        let unwritten = tool_error!(ToolError, "{message}").reason("run_not_written");
        self.error = Some(unwritten.hint(hint));
    }

    fn close_with(
        &mut self,
        plan: &CheckedPlan,
        journal: &Journal,
        bytes_max: u64,
    ) -> Result<LedgerHead, ToolError> {
        let (mut record, lists) = self.to_record(plan);
        match is_long(&lists) {
            true => record.insert(LISTS_KEY, journal.put(&lists.into())?.to_value()),
            false => record.extend(&lists),
        }
        let outputs = journal.put(&self.outputs.clone().into())?;
        record.insert("outputs", outputs.to_value());
        let shown = shorten_outputs(&self.outputs, journal, bytes_max, &mut self.warnings)?;
        self.shown = Some(shown);
        let digest = registry::digest::of_value(&self.deterministic());
        record.insert("result_digest", digest);
        journal.write(&record.into(), RecordDurability::Batched)?;
        match durable::state_of(self.status) {
            Some(state) => journal.finish(state),
            None => journal.release_lease(),
        }
    }

    /// The record with its lists, however long, for who watches.
    pub(crate) fn whole_record(&self, plan: &CheckedPlan) -> Object {
        let (mut record, lists) = self.to_record(plan);
        record.extend(&lists);
        record
    }

    /// The record, and apart from it the lists that grow with the plan.
    fn to_record(&self, plan: &CheckedPlan) -> (Object, Object) {
        let mut lists = Object::new();
        let mut record = fields! { "kind" => "chain" };
        plan.context.who.note(&mut record);
        plan.context.origin.note(&mut record);
        if self.part > 1 {
            record.insert("part", self.part);
        }
        record.insert("plan", &*plan.id);
        record.insert("plan_digest", self.plan_digest.as_str());
        record.insert("status", self.status.as_str());
        for (key, value) in self.diagnostics.iter() {
            match value {
                Value::Array(_) => lists.insert(key, value.clone()),
                _ => record.insert(key, value.clone()),
            }
        }
        if let (Some(error), Some(step)) = (&self.error, self.failed_step) {
            record.insert("failed_step", &*self.steps[step].id);
            record.insert("error_code", error.code().as_str());
            record.insert("error", redact::redact_text(error.message()).0.into_owned());
            let redacted = |words: &str| redact::redact_text(words).0.into_owned();
            record.insert_some("error_reason", error.reason_str().map(redacted));
            record.insert_some("error_hint", error.hint_str().map(redacted));
        }
        if !self.warnings.is_empty() {
            let warnings = self.warnings.iter();
            let warnings = warnings.map(|one| redact::redact_text(one).0.into_owned());
            lists.insert("warnings", warnings.collect::<Vec<_>>());
        }
        let steps = self.steps.iter().map(|step| {
            let end = &step.end;
            object! {
                "id" => &*step.id,
                "tool" => step.tool,
                "wave" => step.wave,
                "status" => end.status.as_str(),
                "real_status" => step.real_status.as_str(),
                "output_digest" => end.digest(),
                "call_id" => end.metadata.get("call_id").cloned(),
                "cause" => end.cause.map(|cause| self.steps[cause].id.to_string()),
                "defaults_used" => end.defaults_used.clone(),
            }
        });
        lists.insert("step_status", steps.collect::<Vec<_>>());
        (record, lists)
    }
}

/// Outputs as an answer has them: the largest arrays as handles, and what is beyond the limit of answers cut to handles as well.
fn shorten_outputs(
    outputs: &Object,
    journal: &Journal,
    bytes_max: u64,
    warnings: &mut Vec<String>,
) -> Result<Object, ToolError> {
    let mut keep = |value: &Value| Some(journal.put(value).ok()?.to_value());
    let shown = fold_large_data(&outputs.clone().into(), READABLE_BYTES, &mut keep);
    let cut = truncate_value(&shown, bytes_max, &mut keep);
    if cut != shown {
        let run = journal.id();
        warnings.push(format!(
            "the outputs have more than {bytes_max} bytes (limits.max_output_bytes) and are cut; `mathchain runs show {run}` names the whole"
        ));
    }
    Ok(cut.as_object().cloned().unwrap_or_default())
}

fn is_long(lists: &Object) -> bool {
    json::to_text(&lists.clone().into()).len() > LISTS_BYTES_MAX
}

/// The record of a plan that was refused.
pub(crate) fn rejection_record(
    plan: &Plan,
    context: &CallerContext,
    problems: &PlanProblems,
    unix_ms: u64,
) -> Value {
    let mut record = fields! {
        "kind" => "chain",
        "time_ms" => unix_ms,
        "chain_id" => Value::Null,
        "caller_type" => "chain",
    };
    context.who.note(&mut record);
    context.origin.note(&mut record);
    const SHOWN: usize = 50;
    let reasons = problems.list().iter().take(SHOWN).map(|problem| {
        object! {
            "reason" => problem.fault.as_str(),
            "path" => &*problem.pointer,
            "message" => &*redact::redact_text(&problem.message).0,
        }
    });
    record.extend(&fields! {
        "plan" => &*plan.id,
        "plan_digest" => plan.digest(),
        "status" => "rejected",
        "success" => false,
        "mode_requested" => plan.mode_requested().as_str(),
        "steps" => plan.steps.len(),
        "blocked_tools" => problems.blocked_tools(),
        "problems" => reasons.collect::<Vec<_>>(),
    });
    record.into()
}
