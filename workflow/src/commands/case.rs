//! Cases of a command, in its own file, as data: `crate::tests::commands` runs them all, and records which transitions they take.

/// A call in a small project, and what comes of it.
///
/// `given` is how the project begins (`new`, `task STATUS`, or `workflow TEMPLATE STATUS`; see `crate::tests::world`), followed by calls
/// `ACTOR COMMAND ARGUMENTS`, each after `; `. Arguments are the members of a JSON object; `$request`, `$chain`, `$task`, `$workflow` and
/// `$feedback` stand for the ids of the one item of each kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandCase {
    pub(crate) given: &'static str,
    pub(crate) by: &'static str,
    pub(crate) args: &'static str,
    pub(crate) outcome: CaseOutcome,
}

/// What comes of a case.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CaseOutcome {
    /// These types of events, in order, with spaces between them.
    Accepted(&'static str),
    /// A refusal whose message, with its hint in brackets, has this text.
    Refused(&'static str),
}

/// A command with cases; every command of the list has some.
pub(crate) trait CommandCases {
    const CASES: &'static [CommandCase];
}

pub(crate) const fn accepted(
    given: &'static str,
    by: &'static str,
    args: &'static str,
    events: &'static str,
) -> CommandCase {
    let outcome = CaseOutcome::Accepted(events);
    CommandCase {
        given,
        by,
        args,
        outcome,
    }
}

pub(crate) const fn refused(
    given: &'static str,
    by: &'static str,
    args: &'static str,
    told: &'static str,
) -> CommandCase {
    let outcome = CaseOutcome::Refused(told);
    CommandCase {
        given,
        by,
        args,
        outcome,
    }
}
