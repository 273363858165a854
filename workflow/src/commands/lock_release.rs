//! `lock:release`: the files of a chain are free, as its holder or a person says, or anybody once the lock has expired.

use tool_core::{JsonExample, Spec, examples};

use super::command::{
    CHANGES, Command, CommandTool, DecisionResult, DraftResult, EventDraft, ExampleStep, args,
};
use super::ownership::check_lock_holder;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::state::WorkflowState;

args! {
    /// Release the files of a chain.
    LockRelease {
        /// Id of the chain.
        chain_id: String,
    }
}

define_event! {
    /// A chain released its files.
    LockReleased = "lock.released" {
        /// The chain.
        chain: String,
    }
}

impl Command for LockRelease {
    const ID: &'static str = "lock:release";

    /// # Errors
    /// None.
    fn draft_event(&self, _: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let data = LockReleased {
            chain: self.chain_id.clone(),
        };
        Ok(EventDraft::new(data))
    }

    fn may(
        &self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
    ) -> Result<(), WorkflowFault> {
        check_lock_holder(state, context, &self.chain_id)
    }

    /// # Errors
    /// No lock, a lock of another principal.
    fn decide(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DecisionResult {
        self.may(state, context)?;
        Ok(vec![
            self.draft_event(state, context)?.accept(state, context)?,
        ])
    }
}

impl EventData for LockReleased {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        if state.locks.contains_key(&self.chain) {
            return Ok(());
        }
        let known = state.locks.keys().map(String::as_str);
        Err(WorkflowFault::unknown("lock", &self.chain, known))
    }

    fn apply(&self, state: &mut WorkflowState, _: EventOrigin<'_>) {
        state.locks.remove(&self.chain);
    }
}

impl CommandTool for LockRelease {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Release the files of a chain");
    const STEP: ExampleStep = ExampleStep::new(13, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "files are free": r##"{"chainId": "CHAIN-001-parser"}"## => r##"{"id": "CHAIN-001-parser", "status": "released", "events": [{"number": 14, "type": "lock.released", "reason": null, "data": {"chain": "CHAIN-001-parser"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::LockRelease;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for LockRelease {
        const CASES: &'static [CommandCase] = &[
            accepted(
                r#"task todo; ann/impl lock:acquire $chain,"patterns":["a"]"#,
                "ann/impl",
                "$chain",
                "lock.released",
            ),
            accepted(
                r#"task todo; ann/impl lock:acquire $chain,"patterns":["a"]"#,
                "pat",
                "$chain",
                "lock.released",
            ),
            refused(
                r#"task todo; ann/impl lock:acquire $chain,"patterns":["a"]"#,
                "bob/impl",
                "$chain",
                "`ann` holds the lock",
            ),
            refused(
                "task todo",
                "ann/impl",
                "$chain",
                "no lock has the id `CHAIN-001-parser`",
            ),
        ];
    }
}
