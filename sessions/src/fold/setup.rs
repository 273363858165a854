//! The beginning of a session, and its settings.

use tool_core::{ErrorCode, Result, ToolError};

use super::super::event::{
    FactsSet, OverrideScope, OverridesSet, SessionOpened, WorkspaceChanged, WorkspaceStatus,
};
use super::super::limits::NAMES_MAX;
use super::super::state::{ScopeOverrides, SessionStatus};
use super::{SessionFold, check_event_name, conflict_error, invalid_event_error};

impl SessionFold<'_> {
    pub(super) fn opened(&mut self, opened: &SessionOpened) -> Result<()> {
        check_event_name("/session", &opened.session)?;
        for (place, fact) in opened.facts.iter().enumerate() {
            if fact.starts_with("workspace=") {
                let message = "the workspace is opened by `workspace.changed`";
                return Err(invalid_event_error(&format!("/facts/{place}"), message));
            }
        }
        let state = &mut self.state;
        state.session.clone_from(&opened.session);
        state.status = SessionStatus::Open;
        state.facts = opened.facts.iter().cloned().collect();
        let caller = &mut state.caller;
        caller.role.clone_from(&opened.role);
        caller.agent.clone_from(&opened.agent);
        caller.phase.clone_from(&opened.phase);
        caller.task.clone_from(&opened.task);
        caller.toolset.clone_from(&opened.toolset);
        caller.profile.clone_from(&opened.profile);
        self.look().map(drop)
    }

    pub(super) fn registry_set(&mut self, generation: Option<&str>) -> Result<()> {
        let found = self.look()?.generation;
        match generation {
            Some(wanted) if wanted != found => {
                let message = format_args!("the registry is `{found}`");
                Err(conflict_error("generation", message).at("/generation"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn overrides_set(&mut self, set: &OverridesSet) -> Result<()> {
        let count = set.enable.len() + set.disable.len() + set.force.len();
        if count > NAMES_MAX {
            let message = format_args!("{count} names; the limit is {NAMES_MAX}");
            return Err(ToolError::new(ErrorCode::LimitExceeded, message).reason("names"));
        }
        let names = ScopeOverrides {
            enable: set.enable.clone(),
            disable: set.disable.clone(),
            force: set.force.clone(),
        };
        match set.scope {
            OverrideScope::Session => self.state.caller.session = names,
            OverrideScope::Run => {
                self.running()?;
                self.state.caller.run = names;
            }
        }
        self.look().map(drop)
    }

    pub(super) fn facts_set(&mut self, set: &FactsSet) -> Result<()> {
        use registry::policy::{NO_WEB, READ_ONLY};
        for (fact, holds) in [(READ_ONLY, set.read_only), (NO_WEB, set.no_web)] {
            match holds {
                Some(true) => drop(self.state.contexts.insert(fact.to_owned())),
                Some(false) => drop(self.state.contexts.remove(fact)),
                None => {}
            }
        }
        Ok(())
    }

    pub(super) fn workspace_changed(&mut self, changed: &WorkspaceChanged) -> Result<()> {
        check_event_name("/id", &changed.id)?;
        let workspace = &mut self.state.workspace;
        let ready = workspace.status == Some(WorkspaceStatus::Ready);
        let known = workspace.id.as_deref() == Some(changed.id.as_str());
        if changed.status == WorkspaceStatus::Ready {
            if ready {
                let open = workspace.id.as_deref().unwrap_or_default();
                let message = format_args!("the workspace `{open}` is open");
                return Err(conflict_error("workspace_open", message).hint("close it first"));
            }
            workspace.opened += 1;
            workspace.path = Some(changed.path.clone().unwrap_or_else(|| ".".to_owned()));
        } else if known && ready {
            workspace.path = None;
        } else {
            let message = format_args!("no workspace `{}` is open", changed.id);
            return Err(conflict_error("no_workspace", message).at("/id"));
        }
        workspace.id = Some(changed.id.clone());
        workspace.status = Some(changed.status);
        Ok(())
    }
}
