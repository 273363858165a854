//! Answers: to an approval, a gate, feedback or a question.

use std::path::Path;

use journal::{StateStore, WITHOUT_KEY};

use super::super::approvals;
use super::super::prelude::*;
use super::{ApproverKeyArgs, notices};
use mathchain::approvers::{self, authenticate_approver};
use mathchain::waiting::{WaitingEntry, WaitingGate};
use mathchain_servers::people::answers;
use mathchain_servers::people::waiting::collect_waiting;

/// Longest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 64 << 10;

#[derive(Debug, Args)]
pub(super) struct AnswerCommand {
    /// Id, or a unique prefix of that of an approval or question
    id: String,
    /// The answer
    text: String,
    /// Option of feedback that has some
    #[arg(long, value_name = "LABEL")]
    option: Option<String>,
    /// Why; needed where the answer gives a workflow up
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    key: ApproverKeyArgs,
}

/// Answers one entry.
pub(super) fn answer_entry(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    answer: &AnswerCommand,
) -> Result<ExitCode> {
    if answer.text.trim().is_empty() || answer.text.len() > ANSWER_BYTES_MAX {
        return Err(tool_error!(InvalidArgs;
            "an answer has 1 to {ANSWER_BYTES_MAX} bytes, found {}", answer.text.len()));
    }
    toolkit.check_origin()?;
    let state = open::require_state(toolkit)?;
    let all = collect_waiting(state, toolkit, None)?;
    let mut found: Vec<WaitingEntry> = all
        .into_iter()
        .filter(|one| one.is_called(&answer.id))
        .collect();
    if found.len() > 1 {
        return Err(
            tool_error!(InvalidArgs, "id"; "`{}` names several entries", answer.id; "give the whole id, as `mathchain inbox` lists it"),
        );
    }
    if !matches!(found.first(), Some(WaitingEntry::Feedback { .. }))
        && let Some(option) = &answer.option
    {
        return Err(
            tool_error!(InvalidArgs, "option"; "`--option {option}` is for feedback with options";
            "the answer to a gate is the option itself"),
        );
    }
    if !matches!(found.first(), Some(WaitingEntry::Gate(_))) && answer.reason.is_some() {
        return Err(tool_error!(InvalidArgs, "reason"; "`--reason` is for gates"));
    }
    match found.pop() {
        Some(WaitingEntry::Approval(approval)) => {
            let decide = approvals::DecideCommand {
                id: approval.id.clone(),
                key: answer.key.key.clone(),
            };
            match yes_or_no(&answer.text)? {
                true => approvals::approve_requests(global, &decide.into()),
                false => approvals::deny_request(global, &decide),
            }
        }
        Some(WaitingEntry::Gate(gate)) => satisfy_gate(global, toolkit, answer, &gate),
        Some(WaitingEntry::Feedback { workflow, item }) => {
            // An answer that is the label of an option chooses it.
            let labels = item.context.options.iter().map(|option| &option.label);
            let mut labels = labels.filter(|label| label.eq_ignore_ascii_case(answer.text.trim()));
            let option = answer.option.clone().or_else(|| labels.next().cloned());
            let person = identify_person(toolkit, answer.key.key.as_deref())?;
            let outcome = answers::respond_to_feedback(
                toolkit,
                &workflow,
                &item.id,
                &answer.text,
                option.as_deref(),
                person,
            );
            super::answer_of(toolkit, global, &outcome)
        }
        None => {
            let key = answer.key.key.as_deref();
            let by = identify_answerer(toolkit, state, &answer.id, &answer.text, key)?;
            let replied = state.answer(&answer.id, &answer.text, &by)?;
            state.close()?;
            let found = state.notice(&replied.call_id)?;
            output::print_data(global, &notices::notice_value(&found), || {
                notices::render_notice(&found)
            })
        }
    }
}

/// Who answers: of the gate of a pipeline a person, who is not of the process group that waits; anyone at the command line otherwise.
///
/// # Errors
/// `policy_denied` where no person answers a gate; `invalid_args` for another answer than `yes` or `no`.
fn identify_answerer(
    toolkit: &Toolkit,
    state: &StateStore,
    id: &str,
    text: &str,
    key: Option<&Path>,
) -> Result<String> {
    let (found, answers) = state.notice(id)?;
    if found.kind != "gate" {
        return match key {
            Some(key) => authenticate_approver(Some(key), toolkit.config().approvals.from),
            None => Ok(WITHOUT_KEY.to_owned()),
        };
    }
    if !matches!(text, "yes" | "no") {
        return Err(
            tool_error!(InvalidArgs, "gate"; "expected `yes` or `no` for a gate, found `{text}`"),
        );
    }
    if !answers.is_empty() {
        return Err(
            tool_error!(Conflict, "gate"; "the gate `{}` has its answer", found.id;
            "`mathchain inbox show` shows it"),
        );
    }
    let by = authenticate_approver(key, toolkit.config().approvals.from)?;
    if key.is_none() {
        let pipeline = state.pipeline(&found.call_id)?;
        approvers::at_terminal(pipeline.requester_group)?;
    }
    Ok(by)
}

/// The person who answers: at a terminal, or with an approver's key, as at a gate. Whoever else answers is the role.
///
/// # Errors
/// Those of the key.
fn identify_person(toolkit: &Toolkit, key: Option<&Path>) -> Result<Option<String>> {
    let from = toolkit.config().approvals.from;
    let is_person = key.is_some()
        || (from == registry::ApprovalsFrom::Terminal && approvers::at_terminal(None).is_ok());
    is_person
        .then(|| authenticate_approver(key, from))
        .transpose()
}

fn yes_or_no(text: &str) -> Result<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "yes" | "y" => Ok(true),
        "no" | "n" => Ok(false),
        _ => Err(tool_error!(InvalidArgs, "answer"; "expected `yes` or `no`, found `{text}`")),
    }
}

/// Satisfies a gate as a person: the call files a request, which the person at this terminal, or the holder of the key, grants at once.
fn satisfy_gate(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    answer: &AnswerCommand,
    gate: &WaitingGate,
) -> Result<ExitCode> {
    let text = answer.text.trim();
    let option = match gate.options.is_empty() {
        true if yes_or_no(text)? => None,
        true => {
            return Err(
                tool_error!(InvalidArgs, "answer"; "a gate without options is satisfied by `yes`";
                "give the workflow up with `mathchain call workflow:discard --workflowId {} --reason TEXT`", gate.workflow),
            );
        }
        false => Some(answer.text.as_str()),
    };
    let by = approvers::authenticate_approver(
        answer.key.key.as_deref(),
        toolkit.config().approvals.from,
    )?;
    if answer.key.key.is_none() {
        approvers::at_terminal(None)?;
    }
    let state = open::require_state(toolkit)?;
    let outcome = answers::satisfy_gate(
        toolkit,
        state,
        &gate.workflow,
        option,
        answer.reason.as_deref(),
        &by,
    )?;
    super::answer_of(toolkit, global, &outcome)
}
