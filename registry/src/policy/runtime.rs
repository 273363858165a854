//! [`Facts`]: what holds at the moment; preconditions of tools are held against it.

use tool_core::nearest::nearest;
use tool_core::{Capability, Spec};

use super::ToolSet;
use crate::catalogue::Catalogue;

/// How the workspace stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WorkspaceState {
    /// There is none.
    #[default]
    None,
    /// Its root is open.
    Ready,
    /// It was closed.
    Closed,
    /// Its session ran out.
    Expired,
    /// It could not be opened.
    Error,
}

impl WorkspaceState {
    /// Every state.
    pub const ALL: [Self; 5] = [
        Self::None,
        Self::Ready,
        Self::Closed,
        Self::Expired,
        Self::Error,
    ];

    /// The spelling in facts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Ready => "ready",
            Self::Closed => "closed",
            Self::Expired => "expired",
            Self::Error => "error",
        }
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
pub struct Facts {
    workspace: WorkspaceState,
    /// Which of [`FLAGS`], as bits.
    flags: u8,
}

impl Facts {
    /// Adds a fact; one about the workspace takes the place of what was said of it before.
    ///
    /// # Errors
    /// What was expected, with the nearest name, for a fact that does not exist.
    pub fn add(&mut self, fact: &str) -> Result<(), String> {
        if let Some(state) = fact.strip_prefix("workspace=") {
            let known = WorkspaceState::ALL;
            self.workspace = known
                .into_iter()
                .find(|known| known.as_str() == state)
                .ok_or_else(|| {
                    let names = known.map(WorkspaceState::as_str);
                    let near = nearest(state, names)
                        .map(|near| format!(" (did you mean `workspace={near}`?)"));
                    format!(
                        "no state of the workspace named `{state}`{}; there are `{}`",
                        near.unwrap_or_default(),
                        names.join("`, `")
                    )
                })?;
            return Ok(());
        }
        if let Some(flag) = FLAGS.iter().position(|flag| *flag == fact) {
            self.flags |= 1 << flag;
            return Ok(());
        }
        let near = nearest(fact, FLAGS.into_iter().chain([WORKSPACE_READY]))
            .map(|near| format!(" (did you mean `{near}`?)"));
        Err(format!(
            "no fact named `{fact}`{}; there are `workspace=STATE`, `{}`",
            near.unwrap_or_default(),
            FLAGS.join("`, `")
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

    /// All that hold, as [`Facts::add`] takes them.
    pub fn names(&self) -> Vec<String> {
        let flags = FLAGS.into_iter().filter(|flag| self.holds(flag));
        let mut names: Vec<String> = flags.map(str::to_owned).collect();
        names.push(format!("workspace={}", self.workspace.as_str()));
        names
    }

    /// How the workspace stands.
    pub fn workspace(&self) -> WorkspaceState {
        self.workspace
    }

    /// Whether a fact holds.
    pub fn holds(&self, fact: &str) -> bool {
        match fact.strip_prefix("workspace=") {
            Some(state) => self.workspace.as_str() == state,
            None => FLAGS
                .iter()
                .position(|flag| *flag == fact)
                .is_some_and(|flag| self.flags >> flag & 1 == 1),
        }
    }
}

/// What a tool needs to hold: what its spec says, and an open workspace where it uses files.
pub(super) fn needs(spec: &Spec) -> Vec<&'static str> {
    let mut needs = spec.preconditions.to_vec();
    let files = spec
        .capabilities
        .iter()
        .any(|capability| matches!(capability, Capability::FilesRead | Capability::FilesWrite));
    if files && !needs.contains(&WORKSPACE_READY) {
        needs.push(WORKSPACE_READY);
    }
    needs
}

/// The tools that need each fact, compiled once.
pub(super) fn compile(catalogue: &Catalogue) -> Vec<(&'static str, ToolSet)> {
    let mut facts: Vec<&'static str> = catalogue
        .iter()
        .flat_map(|tool| needs(tool.spec()))
        .collect();
    facts.sort_unstable();
    facts.dedup();
    let tools = |fact| {
        ToolSet::of(catalogue.len(), |tool| {
            needs(catalogue.tool(tool).spec()).contains(&fact)
        })
    };
    facts.into_iter().map(|fact| (fact, tools(fact))).collect()
}

/// What makes a fact hold, for the person who reads why a tool is hidden.
pub(super) fn cure(fact: &str, facts: &Facts) -> &'static str {
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
