//! `chain:create`: ordered tasks for a request.

use tool_core::{JsonExample, Spec, Syntax, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::ids;
use crate::limits::CHAINS_MAX;
use crate::names::ChainKind;
use crate::state::check::{already_approved_fault, at_most, check_fresh_id};
use crate::state::{TaskChain, WorkflowState};

args! {
    /// Add a chain of tasks to a request.
    ChainCreate {
        /// Id of the request, such as `CR-20251206-001`.
        request_id: String,
        /// Title of the chain: one line, at most 200 bytes.
        title: String,
        /// Kind of the chain; `implementation` where absent.
        r#type: Option<ChainKind>,
        /// What it is about, as Markdown.
        description: Option<String>,
        /// Id of a chain that has to be done before tasks of this one start.
        depends_on: Option<String>,
        /// Patterns of the files it changes.
        file_scope: Option<Vec<String>>,
        /// Why it needs no design.
        skip_design: Option<String>,
    }
}

define_event! {
    /// A chain was added to a request.
    ChainCreated = "chain.created" {
        /// Id of the chain.
        chain: String,
        /// Its request.
        request: String,
        /// Its title.
        title: String;
        /// Its kind.
        kind: ChainKind,
        /// What it is about, as Markdown.
        description: String,
        /// A chain that has to be done before tasks of this one start.
        depends_on: Option<String>,
        /// Patterns of the files it changes.
        file_scope: Vec<String>,
        /// Why it needs no design.
        skip_design: Option<String>,
    }
}

impl Command for ChainCreate {
    const ID: &'static str = "chain:create";

    /// # Errors
    /// No title, a pattern that cannot be read, a limit.
    fn draft_event(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DraftResult {
        let title = text::check_title("title", &self.title)?;
        let file_scope = text::check_text_list("fileScope", self.file_scope.as_deref())?;
        text::check_patterns("fileScope", &file_scope)?;
        let number = state.chain_counter.saturating_add(1);
        let data = ChainCreated {
            chain: ids::chain_id(number, context.checkout, &ids::title_slug(&title)),
            request: self.request_id.clone(),
            title,
            kind: self.r#type.unwrap_or_default(),
            description: text::check_body("description", self.description.as_deref())?,
            depends_on: self.depends_on.clone(),
            file_scope,
            skip_design: text::optional_reason(self.skip_design.as_deref())?,
        };
        Ok(EventDraft::new(data))
    }
}

impl EventData for ChainCreated {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        check_fresh_id("chain", &self.chain, state.chains.contains_key(&self.chain))?;
        at_most("chains", state.chains.len() + 1, CHAINS_MAX)?;
        if state.open_request(&self.request)?.is_approved() {
            return Err(already_approved_fault("request", &self.request));
        }
        self.depends_on
            .iter()
            .try_for_each(|chain| state.chain(chain).map(drop))
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        let number = ids::chain_number(&self.chain).unwrap_or(0);
        state.chain_counter = state.chain_counter.max(number);
        let chain = TaskChain {
            id: self.chain.clone(),
            request: self.request.clone(),
            title: self.title.clone(),
            kind: self.kind,
            description: self.description.clone(),
            depends_on: self.depends_on.clone(),
            file_scope: self.file_scope.clone(),
            skip_design: self.skip_design.clone(),
            author: origin.actor.clone(),
            created: origin.time,
            updated: origin.time,
            reviews: Vec::new(),
            tasks: Vec::new(),
            task_counter: 0,
        };
        state.chains.insert(self.chain.clone(), chain);
    }
}

impl CommandTool for ChainCreate {
    const SPEC: Spec = Spec {
        syntax: &[("/fileScope", Syntax::Pattern)],
        ..CHANGES
    }
    .with_name(Self::ID, "Add a chain of tasks to a request");
    const STEP: ExampleStep = ExampleStep::new(1, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a chain": r##"{"requestId": "CR-20251206-001", "title": "Parser"}"## => r##"{"id": "CHAIN-001-parser", "status": "backlog", "events": [{"number": 2, "type": "chain.created", "reason": null, "data": {"chain": "CHAIN-001-parser", "request": "CR-20251206-001", "title": "Parser"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::ChainCreate;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for ChainCreate {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task todo",
                "pat",
                r#"$request,"title":"Lexer","dependsOn":"CHAIN-001-parser","fileScope":["src/**"]"#,
                "chain.created",
            ),
            refused(
                "task todo",
                "pat",
                r#"$request,"title":"Lexer","dependsOn":"CHAIN-009-x""#,
                "no chain has the id `CHAIN-009-x`",
            ),
            refused(
                "task todo",
                "pat",
                r#"$request,"title":"Lexer","fileScope":["/etc"]"#,
                "`fileScope`: expected",
            ),
            refused(
                "task done; rob/review chain:approve $chain; rob/review request:approve $request",
                "pat",
                r#"$request,"title":"Lexer""#,
                "the request `CR-20250101-001` is approved",
            ),
        ];
    }
}
