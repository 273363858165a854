//! Outcome of a run from its records.

use registry::{READABLE_BYTES, fold_large_data};
use tool_core::{CallOutcome, ErrorCode, OutcomeStatus, ToolError, Value, fields, object};

use journal::artifacts::ArtifactHandle;
use journal::{RunRecord, RunState, StateStore};

/// Recorded end of a run.
pub struct RecordedOutcome {
    /// The record of the run; absent where it ended before one was written.
    record: Option<Value>,
    /// Handle of the outputs.
    outputs: Option<ArtifactHandle>,
}

impl RecordedOutcome {
    /// Reads the records of a run.
    ///
    /// # Errors
    /// When the records cannot be read.
    pub fn of(state: &StateStore, run: &RunRecord) -> Result<Self, ToolError> {
        let records = state.run_records(&run.id)?;
        let mut record = records.iter().rev();
        let record = record.find(|record| record.text("kind") == Some("chain"));
        let record = record.map(|record| state.with_lists(record));
        let outputs = record
            .as_ref()
            .and_then(|record| ArtifactHandle::from_value(record.get("outputs")?));
        Ok(Self { record, outputs })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.record.as_ref()?.get(key)
    }

    /// The recorded outputs; `null` where there are none.
    ///
    /// # Errors
    /// When the outputs are missing or damaged.
    pub(crate) fn outputs(&self, state: &StateStore) -> Result<Value, ToolError> {
        let outputs = self.outputs.as_ref().map(|handle| state.value(handle));
        Ok(outputs.transpose()?.unwrap_or_default())
    }

    /// The outputs as shown: handles in place of large arrays, and of everything where it cannot be read.
    pub fn shown(&self, state: &StateStore) -> Value {
        match self.outputs(state) {
            Ok(outputs) => fold_large_data(&outputs, READABLE_BYTES, &mut |array| {
                state
                    .handle_of(array)
                    .as_ref()
                    .map(ArtifactHandle::to_value)
            }),
            Err(_) => {
                let handle = self.outputs.as_ref().map(ArtifactHandle::to_value);
                handle.unwrap_or_default()
            }
        }
    }

    /// The recorded error.
    pub(crate) fn error(&self, run: &RunRecord) -> ToolError {
        let text = |key: &str| self.record.as_ref()?.text(key);
        let code = text("error_code").and_then(ErrorCode::parse);
        let cancelled = (run.state == RunState::Cancelled).then_some(ErrorCode::Cancelled);
        let code = code.or(cancelled).unwrap_or(ErrorCode::ToolError);
        let ended = || format!("the run ended: {}", run.state.as_str());
        let mut error = ToolError::new(code, text("error").map_or_else(ended, str::to_owned));
        if let Some(reason) = text("error_reason") {
            error = error.reason(reason.to_owned());
        }
        match text("error_hint") {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

/// Recorded outcome of a run that has ended, as the answer to a request that does not run it.
///
/// # Errors
/// When its records cannot be read.
pub fn ended_run_outcome(state: &StateStore, run: &RunRecord) -> Result<CallOutcome, ToolError> {
    let again = "the run had ended before: this is its recorded answer, and nothing was called";
    let outcome = outcome_of(state, run)?;
    Ok(CallOutcome {
        warnings: vec![again.to_owned()],
        metadata: fields! { "recorded" => true },
        ..outcome
    })
}

/// Recorded outcome of a run, with its warnings.
///
/// # Errors
/// When its records cannot be read.
pub fn outcome_of(state: &StateStore, run: &RunRecord) -> Result<CallOutcome, ToolError> {
    let recorded = RecordedOutcome::of(state, run)?;
    let answer = object! {
        "chain_id" => &*run.id,
        "status" => match run.state {
            RunState::Succeeded => "success",
            state => state.as_str(),
        },
        "outputs" => recorded.shown(state),
    };
    let status = match run.state {
        RunState::Succeeded => OutcomeStatus::Success(answer),
        _ => OutcomeStatus::Error(recorded.error(run).evidence(answer)),
    };
    let warnings = recorded.get("warnings").and_then(Value::items);
    let warnings = warnings.unwrap_or_default();
    let warnings = warnings.iter().filter_map(Value::as_str).map(str::to_owned);
    let mut metadata = fields! { "run_state" => run.state.as_str() };
    for key in ["waves", "mode_used", "fallback_reason"] {
        metadata.insert_some(key, recorded.get(key).cloned());
    }
    Ok(CallOutcome {
        status,
        effects: Vec::new(),
        warnings: warnings.collect(),
        metadata,
    })
}
