//! [`RuntimeFacts`]: what holds at the moment; preconditions of tools are held against it.

use tool_core::nearest::nearest_name;
use tool_core::{Spec, names};

use super::ToolSet;
use crate::catalogue::Catalogue;

names! {
    /// State of the workspace.
    #[derive(Default)]
    WorkspaceState {
        /// None exists.
        #[default]
        None = "none",
        /// Its root is open.
        Ready = "ready",
        /// It was closed.
        Closed = "closed",
        /// Its session expired.
        Expired = "expired",
        /// It could not be opened.
        Error = "error",
    }
}

/// The fact that tools with files need.
pub const WORKSPACE_READY: &str = "workspace=ready";
/// Nothing may be changed.
pub const READ_ONLY: &str = "read_only";
/// The network may not be reached.
pub const NO_WEB: &str = "no_web";
/// The workspace comes and goes: it is a session's to open and close.
pub const SESSION_OPEN: &str = "session=open";
/// Facts that hold or do not; beside `workspace=STATE`.
pub const FLAGS: [&str; 5] = [
    READ_ONLY,
    NO_WEB,
    "sandbox=ready",
    "state=ready",
    SESSION_OPEN,
];

/// What holds at the moment, such as `workspace=ready`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuntimeFacts {
    workspace: WorkspaceState,
    /// Which of [`FLAGS`], as bits.
    flags: u8,
}

impl RuntimeFacts {
    /// Adds a fact; one about the workspace takes the place of what was said of it before.
    ///
    /// # Errors
    /// What was expected, with the nearest name, for a fact that does not exist.
    pub fn add(&mut self, fact: &str) -> Result<(), String> {
        if let Some(state) = fact.strip_prefix("workspace=") {
            self.workspace = WorkspaceState::parse(state).ok_or_else(|| {
                let names: Vec<_> = WorkspaceState::ALL.iter().map(|one| one.as_str()).collect();
                let near = nearest_name(state, names.iter().copied());
                let near = near.map(|near| format!(" (did you mean `workspace={near}`?)"));
                let (near, names) = (near.unwrap_or_default(), names.join("`, `"));
                format!("no state of the workspace named `{state}`{near}; there are `{names}`")
            })?;
            return Ok(());
        }
        if let Some(flag) = FLAGS.iter().position(|flag| *flag == fact) {
            self.flags |= 1 << flag;
            return Ok(());
        }
        let near = nearest_name(fact, FLAGS.into_iter().chain([WORKSPACE_READY]));
        let near = near.map(|near| format!(" (did you mean `{near}`?)"));
        let (near, names) = (near.unwrap_or_default(), FLAGS.join("`, `"));
        Err(format!(
            "no fact named `{fact}`{near}; there are `workspace=STATE`, `{names}`"
        ))
    }

    /// With a fact of the program's own.
    ///
    /// # Panics
    /// For a fact that does not exist.
    #[must_use]
    pub fn with(mut self, fact: &str) -> Self {
        if let Err(message) = self.add(fact) {
            panic!("{message}");
        }
        self
    }

    /// All that hold, as [`RuntimeFacts::add`] takes them.
    pub fn names(&self) -> Vec<String> {
        let flags = FLAGS.into_iter().filter(|flag| self.holds(flag));
        let mut names: Vec<String> = flags.map(str::to_owned).collect();
        names.push(format!("workspace={}", self.workspace.as_str()));
        names
    }

    /// State of the workspace.
    pub fn workspace(&self) -> WorkspaceState {
        self.workspace
    }

    /// Whether a fact holds.
    pub fn holds(&self, fact: &str) -> bool {
        match fact.strip_prefix("workspace=") {
            Some(state) => self.workspace.as_str() == state,
            None => (0..)
                .zip(FLAGS)
                .any(|(bit, flag)| flag == fact && self.flags >> bit & 1 == 1),
        }
    }
}

/// The facts that a tool needs: those of its spec, and an open workspace where it uses files.
pub(super) fn runtime_needs(spec: &Spec) -> Vec<&'static str> {
    let mut needs = spec.preconditions.to_vec();
    if spec.uses_files() && !needs.contains(&WORKSPACE_READY) {
        needs.push(WORKSPACE_READY);
    }
    needs
}

/// The tools that need each fact, compiled once.
pub(super) fn compile_runtime_facts(catalogue: &Catalogue) -> Vec<(&'static str, ToolSet)> {
    let mut facts: Vec<&'static str> = catalogue
        .iter()
        .flat_map(|tool| runtime_needs(tool.spec()))
        .collect();
    facts.sort_unstable();
    facts.dedup();
    let tools = |fact| {
        ToolSet::of(catalogue.len(), |tool| {
            runtime_needs(catalogue.tool(tool).spec()).contains(&fact)
        })
    };
    facts.into_iter().map(|fact| (fact, tools(fact))).collect()
}

/// The step that makes a fact hold, for the reader of why a tool is hidden.
pub(super) fn cure_for_fact(fact: &str, facts: &RuntimeFacts) -> &'static str {
    match (fact, facts.workspace()) {
        (WORKSPACE_READY, _) if facts.holds(SESSION_OPEN) => "open it with `workspace_open`",
        (SESSION_OPEN, _) => {
            "the workspace of this door is fixed; `mathchain session` opens and closes it"
        }
        (WORKSPACE_READY, WorkspaceState::None) => {
            "open a workspace: `--workspace DIR`, or `workspace.root` in the configuration"
        }
        (WORKSPACE_READY, WorkspaceState::Closed | WorkspaceState::Expired) => {
            "open the workspace again"
        }
        (WORKSPACE_READY, _) => "`mathchain doctor` says why the workspace could not be opened",
        ("sandbox=ready", _) => "`mathchain doctor` shows what the sandbox lacks",
        ("state=ready", _) => "`mathchain doctor` shows the state folder and what is wrong with it",
        // What tools of plugins can lack.
        (fact, _) if fact.ends_with("=enabled") => {
            "`mathchain plugins enable` switches it on, `mathchain plugins list` shows it"
        }
        (fact, _) if fact.starts_with("bin:") => "install the program",
        (fact, _) if fact.starts_with("plugin ") => {
            "`mathchain plugins list` shows which plugin lacks what"
        }
        _ => "`mathchain doctor` shows what is there",
    }
}
