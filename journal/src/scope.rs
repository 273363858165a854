//! [`StateScope`]: whose objects a caller sees. Queries for a caller take it, so that the id of an object of another workspace or role is the
//! id of none.

use registry::WorkspaceId;

/// The role that sees the objects of every role.
pub const OPERATOR: &str = "operator";

/// The workspace and the role whose runs, approvals, records and values a caller sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateScope {
    place: ScopeWorkspace,
    /// `None` for every role.
    role: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum ScopeWorkspace {
    /// Every workspace of the state.
    #[default]
    Every,
    /// What was made without a workspace.
    Nowhere,
    One(WorkspaceId),
}

/// The parameters of the conditions below: role, whether every workspace, its identity, its root.
pub(super) type Params<'a> = (Option<&'a str>, bool, Option<&'a str>, Option<&'a str>);

/// Selects rows of `runs`; the parameters are the first four.
pub(super) const OF_RUNS: &str = "(?1 IS NULL OR role = ?1)
    AND (?2 OR CASE WHEN json_valid(who) THEN who ->> '$.workspace.id' END IS ?3
            OR CASE WHEN json_valid(who) THEN who ->> '$.workspace.root' END IS ?4)";

/// Selects rows of `answers`; the parameters are the first four.
pub(super) const OF_ANSWERS: &str = "(?1 IS NULL OR role = ?1)
    AND (?2 OR folder IN (SELECT number FROM folders WHERE id = ?3 OR root = ?4) OR (?3 IS NULL AND folder IS NULL))";

impl StateScope {
    /// What a role sees in a workspace: the operator sees every role.
    pub fn new(workspace: Option<WorkspaceId>, role: &str) -> Self {
        Self {
            role: (role != OPERATOR).then(|| role.to_owned()),
            ..Self::workspace(workspace)
        }
    }

    /// Every role of a workspace.
    pub fn workspace(workspace: Option<WorkspaceId>) -> Self {
        Self {
            place: workspace.map_or(ScopeWorkspace::Nowhere, ScopeWorkspace::One),
            role: None,
        }
    }

    /// What a role sees in any workspace.
    pub(super) fn role(role: &str) -> Self {
        Self {
            place: ScopeWorkspace::Every,
            ..Self::new(None, role)
        }
    }

    /// Whether it excludes nothing.
    pub(super) fn is_everything(&self) -> bool {
        self.place == ScopeWorkspace::Every && self.role.is_none()
    }

    /// The role; `None` for every one.
    pub(super) fn of_role(&self) -> Option<&str> {
        self.role.as_deref()
    }

    /// The workspace, where it is one.
    pub(super) fn folder(&self) -> Option<&WorkspaceId> {
        match &self.place {
            ScopeWorkspace::One(workspace) => Some(workspace),
            _ => None,
        }
    }

    pub(super) fn params(&self) -> Params<'_> {
        let (every, one) = match &self.place {
            ScopeWorkspace::Every => (true, None),
            ScopeWorkspace::Nowhere => (false, None),
            ScopeWorkspace::One(workspace) => (false, Some(workspace)),
        };
        let (id, root) = one.map(|one| (&*one.id, &*one.root)).unzip();
        (self.role.as_deref(), every, id, root)
    }
}
