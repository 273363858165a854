//! Results of calls: redaction, handles for large arrays, and the limits on answers.

use tool_core::{Determinism, ToolError, Value};

use super::LocatedCall;
use crate::dispatch::AnswerReader;
use crate::dispatch::cut::truncate_value;
use crate::dispatch::ended::{CallEnd, CallEndReport};
use crate::dispatch::fold::{READABLE_BYTES, fold_large_data};
use crate::dispatch::limits::{self, OutputExcess};
use crate::dispatch::panic;
use crate::dispatch::trail::CallTrail;
use crate::policy::PolicyDecision;
use crate::redact;

/// The role with access to every stored value.
const OPERATOR: &str = "operator";

/// Redacts a result and applies the output limits; `opened` says whether the arguments opened files or stored values. After an effect, a large result is cut and never an error.
pub(super) fn settle_result(
    located: &LocatedCall<'_>,
    decision: &PolicyDecision,
    output: Value,
    (reader, opened): (Option<AnswerReader>, bool),
    trail: &CallTrail,
) -> Result<CallEndReport, ToolError> {
    let spec = located.tool().spec();
    let obligations = decision.obligations;
    let limits = located.dispatcher.limits;
    let direct = reader.is_some();
    let has_acted = direct && (spec.calls_tools || !trail.effects.is_empty());
    let mut excess = limits::beyond_rule(&output, obligations);
    if !direct {
        excess = limits::beyond_memory(&output, limits).or(excess);
    }
    // What came from the world may hold secrets, whichever tool hands it on: one that found it there, or a pure one that was given a file or
    // a stored value. What it computed of plain arguments came from the caller. Between steps of a chain nothing is changed unless a
    // rule says so.
    let is_native = spec.native.is_some() && !trail.is_outside;
    let reads_world =
        direct && ((spec.determinism == Determinism::External && !is_native) || opened);
    let (whole, redacted) = match obligations.redact || reads_world {
        true => redact::redact_value(&output),
        false => (output, 0),
    };
    let mut ended = CallEndReport {
        redacted,
        ..CallEndReport::with(CallEnd::Success(Value::Null))
    };
    if redacted > 0 {
        let warning = format!("redacted {redacted} secrets from the result");
        ended.warnings.push(warning);
    }
    let mut output = whole.clone();
    if let (Some(reader), None) = (reader, &excess) {
        output = fold_result_data(located, &whole, reader, trail, &mut ended);
        excess = limits::beyond_answer(&output, spec, limits);
    }
    if let Some(excess) = excess {
        if !has_acted {
            return Err(excess.error(located.tool()));
        }
        output = shorten_result(located, &whole, &excess, trail, &mut ended);
    }
    ended.ending = CallEnd::Success(output);
    Ok(ended)
}

/// The answer with handles for the arrays and tables that are too large for its reader.
fn fold_result_data(
    located: &LocatedCall<'_>,
    whole: &Value,
    reader: AnswerReader,
    trail: &CallTrail,
    ended: &mut CallEndReport,
) -> Value {
    let (most, _) = limits::of_answer(located.tool().spec(), located.dispatcher.limits);
    let most = match reader {
        AnswerReader::Program => most,
        AnswerReader::Model => most.min(READABLE_BYTES),
    };
    let (mut arrays, mut tables) = (0, 0);
    let output = fold_large_data(whole, most, &mut |part| {
        let handle = store_result_part(located, located.caller.role(), part, trail)?;
        match part.as_numbers() {
            Some(_) => arrays += 1,
            None => tables += 1,
        }
        Some(handle)
    });
    if arrays > 0 {
        let arrays = phrase_artifacts(arrays, "array");
        ended.warnings.push(format!(
            "{arrays}: pass the handle on as data, or write the numbers with `mathchain artifacts get HANDLE --to FILE`"
        ));
    }
    if tables > 0 {
        let tables = phrase_artifacts(tables, "table");
        ended.warnings.push(format!(
            "{tables}: pass the handle on as a table, or write it with `write_table` (CSV, Parquet, ...)"
        ));
    }
    output
}

fn phrase_artifacts(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun} is an artifact"),
        _ => format!("{count} {noun}s are artifacts"),
    }
}

/// Stores a part of a result for a role, and gives its handle; `None` where there is no store or it fails.
fn store_result_part(
    located: &LocatedCall<'_>,
    role: &str,
    value: &Value,
    trail: &CallTrail,
) -> Option<Value> {
    let answers = located.dispatcher.host.answers.as_deref()?;
    if trail.is_brief {
        // A file is written, by a thread that may wait for it.
        trail.outlasted.set(true);
        return None;
    }
    let kept = panic::catch_panic(trail.call_id(), || {
        answers.keep(trail.call_id(), role, value)
    });
    kept.ok()?.ok()
}

/// Cuts a large result, stores the whole, and puts its handle into the answer.
fn shorten_result(
    located: &LocatedCall<'_>,
    output: &Value,
    excess: &OutputExcess,
    trail: &CallTrail,
    ended: &mut CallEndReport,
) -> Value {
    // What a rule keeps from a role is the operator's to look at.
    let role = match excess.is_obliged {
        true => OPERATOR,
        false => located.caller.role(),
    };
    let mut keep = |value: &Value| store_result_part(located, role, value, trail);
    let whole = keep(output);
    let OutputExcess {
        bytes, limit, name, ..
    } = excess;
    let name_of = |handle: &Value| {
        let name = handle.get("$artifact").or_else(|| handle.get("$value"))?;
        name.as_str().map(str::to_owned)
    };
    let rest = match whole.as_ref().and_then(name_of) {
        Some(hash) => {
            format!("the whole is the artifact {hash} (`mathchain artifacts get {hash}`)")
        }
        None => "the rest could not be stored".to_owned(),
    };
    ended.warnings.push(format!(
        "the result has {bytes} bytes, the limit is {limit} ({name}): truncated; {rest}"
    ));
    ended.notes.insert("cut", true);
    if let Some(whole) = whole {
        ended.notes.insert("whole_output", whole);
    }
    truncate_value(output, *limit, &mut keep)
}
