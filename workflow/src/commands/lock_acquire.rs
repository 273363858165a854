//! `lock:acquire`: files are reserved for a chain.

use tool_core::{JsonExample, Spec, Syntax, examples};

use super::command::{
    CHANGES, Command, CommandTool, DecisionResult, DraftResult, EventDraft, ExampleStep, args,
};
use super::ownership::check_lock_holder;
use super::text;
use crate::actor::{DecisionContext, EventOrigin, EventTime};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::governance::collide;
use crate::limits::{LOCK_MS_DEFAULT, LOCK_MS_MAX};
use crate::state::{ChainLock, TaskChain, WorkflowState};

args! {
    /// Lock files for a chain; its lock before, if any, is replaced.
    LockAcquire {
        /// Id of the chain.
        chain_id: String,
        /// Patterns of the files; those of the chain and its tasks where absent.
        patterns: Option<Vec<String>>,
        /// How long, in milliseconds, at most 30 days; 24 hours where absent.
        ttl_ms: Option<i64>,
    }
}

define_event! {
    /// A chain locked files.
    LockAcquired = "lock.acquired" {
        /// The chain.
        chain: String,
        /// Patterns of the files.
        patterns: Vec<String>,
        /// When the lock ends by itself.
        expires: EventTime,
    }
}

impl Command for LockAcquire {
    const ID: &'static str = "lock:acquire";

    /// # Errors
    /// Unknown chain, no patterns, a pattern that cannot be read, a time out of range.
    fn draft_event(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DraftResult {
        let chain = state.chain(&self.chain_id)?;
        let patterns = self.wanted_patterns(chain)?;
        if patterns.is_empty() {
            return Err(WorkflowFault::Missing { field: "patterns" });
        }
        text::check_patterns("patterns", &patterns)?;
        let length = self.ttl_ms.unwrap_or(LOCK_MS_DEFAULT);
        check_length(length)?;
        Ok(EventDraft::new(LockAcquired {
            chain: chain.id.clone(),
            patterns,
            expires: EventTime(context.now.0.saturating_add(length)),
        }))
    }

    fn may(
        &self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
    ) -> Result<(), WorkflowFault> {
        check_lock_holder(state, context, &self.chain_id)
    }

    /// Who holds the files is told before what else they collide with.
    ///
    /// # Errors
    /// Those of the draft, a lock of another principal, a pattern that overlaps the lock of another chain.
    fn decide(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DecisionResult {
        let draft = self.draft_event(state, context)?;
        self.may(state, context)?;
        Ok(vec![draft.accept(state, context)?])
    }
}

impl LockAcquire {
    /// The patterns given, else those of the chain and its tasks.
    fn wanted_patterns(&self, chain: &TaskChain) -> Result<Vec<String>, WorkflowFault> {
        if let Some(patterns) = &self.patterns {
            return text::check_text_list("patterns", Some(patterns));
        }
        let tasks = chain.tasks.iter().flat_map(|task| &task.brief.file_scope);
        let mut all: Vec<String> = chain.file_scope.iter().chain(tasks).cloned().collect();
        all.sort();
        all.dedup();
        text::check_text_list("patterns", Some(&all))
    }
}

/// Whether a lock may be held so long, in milliseconds.
fn check_length(length: i64) -> Result<(), WorkflowFault> {
    if (1..=LOCK_MS_MAX).contains(&length) {
        return Ok(());
    }
    let expected = format!("1 to {LOCK_MS_MAX}");
    Err(WorkflowFault::invalid(
        "ttlMs",
        expected,
        &length.to_string(),
    ))
}

impl EventData for LockAcquired {
    fn may_follow(
        &self,
        state: &WorkflowState,
        origin: EventOrigin<'_>,
    ) -> Result<(), WorkflowFault> {
        state.chain(&self.chain)?;
        check_length(self.expires.0.saturating_sub(origin.time.0))?;
        let held = state.locks_at(origin.time).map(ChainLock::held);
        collide::check_lock_overlap(&self.chain, &self.patterns, held)
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        let lock = ChainLock {
            chain: self.chain.clone(),
            patterns: self.patterns.clone(),
            holder: origin.actor.principal.clone(),
            acquired: origin.time,
            expires: self.expires,
        };
        // Locks that have expired go when another is taken: the fold has no clock of its own.
        state.locks.retain(|_, lock| lock.expires > origin.time);
        state.locks.insert(self.chain.clone(), lock);
    }
}

impl CommandTool for LockAcquire {
    const SPEC: Spec = Spec {
        syntax: &[("/patterns", Syntax::Pattern)],
        ..CHANGES
    }
    .with_name(Self::ID, "Lock files for a chain");
    const STEP: ExampleStep = ExampleStep::new(12, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "files of a chain": r##"{"chainId": "CHAIN-001-parser", "patterns": ["src/parser/**"]}"## => r##"{"id": "CHAIN-001-parser", "status": "held", "events": [{"number": 13, "type": "lock.acquired", "reason": null, "data": {"chain": "CHAIN-001-parser", "patterns": ["src/parser/**"], "expires": 1795789172962}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::LockAcquire;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for LockAcquire {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task todo",
                "ann/impl",
                r#"$chain,"patterns":["src/**"]"#,
                "lock.acquired",
            ),
            accepted(
                r#"task todo; ann/impl lock:acquire $chain,"patterns":["a"]"#,
                "ann/impl",
                r#"$chain,"patterns":["b"]"#,
                "lock.acquired",
            ),
            refused(
                r#"task todo; ann/impl lock:acquire $chain,"patterns":["a"]"#,
                "bob/impl",
                r#"$chain,"patterns":["a"]"#,
                "`ann` holds the lock",
            ),
            refused(
                r#"task todo; ann/impl lock:acquire $chain,"patterns":["src/b.rs"]; pat chain:create $request,"title":"Other","fileScope":["src/**"]"#,
                "bob/impl",
                r#""chainId":"CHAIN-002-other""#,
                "`src/**` overlaps `src/b.rs`",
            ),
            refused("task todo", "ann/impl", "$chain", "missing `patterns`"),
            refused(
                "task todo",
                "ann/impl",
                r#"$chain,"patterns":["a"],"ttlMs":0"#,
                "`ttlMs`: expected 1 to 2592000000",
            ),
        ];
    }
}
