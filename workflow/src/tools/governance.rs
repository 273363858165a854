//! `governance:check`: what the rules of the project and the locks of chains say about changes of files.

use std::sync::Arc;

use tool_core::capability::{CallerIdentity, EventLog};
use tool_core::{
    Capability, Ctx, Decode, Describe, Encode, JsonExample, Result, Spec, Syntax, Tool, ToolError,
    tool_error,
};

use super::views::views;
use super::{READS, examples, log};
use crate::EventTime;
use crate::governance::{self, Action, Governance, Ruling, collide};
use crate::limits::LIST_MAX;
use crate::roles;
use crate::state::{ChainLock, WorkflowState};

/// The files of rules, in the order in which they are tried.
const FILES: [&str; 2] = ["governance.yaml", "choragen.governance.yaml"];

/// Ask what the project's rules on files and the locks of chains say about changes.
///
/// The rules are in `governance.yaml` in the workspace (or `choragen.governance.yaml`, as earlier systems have it): a denial holds first, then
/// `approve` asks a person, then `allow`; what no rule allows is denied. Without a file of rules only locks restrict.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct GovernanceCheck {
    /// Paths of files, 1 to 256, relative to the workspace.
    files: Vec<String>,
    /// What happens to them; `modify` where absent.
    action: Option<Action>,
    /// The role that would change them; that of the caller where absent.
    for_role: Option<String>,
    /// The chain that is worked on: its own lock is no obstacle.
    chain_id: Option<String>,
}

views! {
    /// What the rules say.
    Rulings {
        /// The strictest ruling of all.
        ruling: Ruling,
        /// The file of rules; none where there is no such file.
        rules: Option<String>,
        /// One for each file, in order.
        files: Vec<FileRuling>,
    }

    /// What the rules say about a file.
    FileRuling {
        /// The path.
        path: String,
        /// The ruling.
        ruling: Ruling,
        /// Why.
        reason: String,
    }
}

impl Tool for GovernanceCheck {
    const SPEC: Spec = Spec {
        capabilities: &[Capability::Events, Capability::Clock],
        syntax: &[("/files", Syntax::Pattern)],
        ..READS
    }
    .with_name("governance:check", "Check rules and locks of files");
    type Output = Rulings;
    const EXAMPLES: &'static [JsonExample] = examples::GovernanceCheck;

    fn run(args: Self, ctx: &Ctx) -> Result<Rulings> {
        if args.files.is_empty() || args.files.len() > LIST_MAX {
            let count = args.files.len();
            return Err(ToolError::invalid(
                "/files",
                format_args!("expected 1 to {LIST_MAX} paths, found {count}"),
            ));
        }
        let log = ctx.events()?;
        let now = ctx.clock()?.unix_ms();
        let rules = ProjectRules::read(log, now)?;
        if let Some(chain) = &args.chain_id {
            rules.state.chain(chain)?;
        }
        let role = args.for_role.as_deref().unwrap_or(&ctx.identity()?.role);
        let who = FileChanger {
            role: roles::find_role(role).map_or(role, |role| role.name),
            principal: None,
            chain: args.chain_id.as_deref(),
        };
        let action = args.action.unwrap_or(Action::Modify);
        let mut files = Vec::with_capacity(args.files.len());
        for (number, path) in args.files.iter().enumerate() {
            let invalid = |message: String| ToolError::invalid(format!("/files/{number}"), message);
            let (ruling, reason) = rules.on(&who, action, path).map_err(invalid)?;
            files.push(FileRuling {
                path: path.clone(),
                ruling,
                reason,
            });
        }
        let strictest = files.iter().max_by_key(|file| file.ruling);
        Ok(Rulings {
            ruling: strictest.map_or(Ruling::Allow, |file| file.ruling),
            rules: rules.file.map(|(name, _)| name.to_owned()),
            files,
        })
    }
}

/// Who changes files.
struct FileChanger<'a> {
    role: &'a str,
    /// Holds its own locks.
    principal: Option<&'a str>,
    /// The chain it works on, whose lock is no obstacle.
    chain: Option<&'a str>,
}

/// The rules of the project, and the locks at a time.
struct ProjectRules {
    file: Option<(&'static str, Governance)>,
    state: Arc<WorkflowState>,
    now: EventTime,
}

impl ProjectRules {
    fn read(log: &dyn EventLog, now_ms: u64) -> Result<Self> {
        let mut file = None;
        for name in FILES {
            if let Some(text) = log.read(name)? {
                let rules = governance::read_governance(name, &text).map_err(|errors| {
                    tool_error!(InvalidRequest, "governance"; "{}", errors.with_keys(); "repair `{name}`: until then no ruling is given")
                })?;
                file = Some((name, rules));
                break;
            }
        }
        Ok(Self {
            file,
            state: log::load_state(log)?,
            now: EventTime(i64::try_from(now_ms).unwrap_or(i64::MAX)),
        })
    }

    /// The ruling on a change, and its reason.
    fn on(
        &self,
        who: &FileChanger<'_>,
        action: Action,
        path: &str,
    ) -> std::result::Result<(Ruling, String), String> {
        let parts = governance::split_workspace_path(path)?;
        let locks = self.state.locks_at(self.now);
        let locks = locks.filter(|lock| who.principal != Some(lock.holder.as_str()));
        let held = collide::find_lock_holder(who.chain, &parts, locks.map(ChainLock::held));
        let rules = self.file.as_ref().map(|(_, rules)| rules);
        let (ruling, reason) = match rules {
            Some(rules) => {
                let decided = rules.decide(Some(who.role), action, path)?;
                (decided.ruling, decided.reason)
            }
            None => (
                Ruling::Allow,
                "the project has no rules on files".to_owned(),
            ),
        };
        let Some(held) = held.filter(|_| ruling != Ruling::Deny) else {
            return Ok((ruling, reason));
        };
        let warns = rules.is_some_and(|rules| rules.on_collision == governance::OnCollision::Warn);
        let (chain, until) = (held.chain, held.until);
        let ruling = if warns { Ruling::Ask } else { Ruling::Deny };
        let reason = format!("chain `{chain}` has locked it until {until}");
        Ok((ruling, reason))
    }
}

/// What the rules of the project and the locks of chains say about the files that a call of a tool changes: the strictest ruling with its
/// reason; `None` where all may be. `below` says that the call changes what is below its paths too.
///
/// A role that the rules do not name is asked where they would deny it for that alone, if it is `operator`: a person works there.
///
/// # Errors
/// Rules that cannot be read.
pub fn govern_files(
    log: &dyn EventLog,
    identity: &CallerIdentity,
    now_ms: u64,
    tool: &str,
    (paths, below): (&[&str], bool),
) -> Result<Option<(Ruling, String)>> {
    // These write to the repository, and no file of the workspace.
    if ["git:commit", "git:push"].contains(&tool) {
        return Ok(None);
    }
    let rules = ProjectRules::read(log, now_ms)?;
    if rules.file.is_none() && rules.state.locks_at(rules.now).next().is_none() {
        return Ok(None);
    }
    let actor = log::resolve_actor(identity);
    let own = rules.state.agents().get(&actor.principal);
    let role = roles::find_role(&actor.role).map_or(actor.role.as_str(), |role| role.name);
    let who = FileChanger {
        role,
        principal: Some(&actor.principal),
        chain: own.and_then(|agent| agent.chain.as_deref()),
    };
    let actions: &[Action] = match tool {
        "delete_file" => &[Action::Delete],
        "apply_patch" => &[Action::Create, Action::Modify, Action::Delete],
        _ => &[Action::Modify],
    };
    let mut strictest: Option<(Ruling, String)> = None;
    // A person works as an operator whom the rules do not name.
    let unnamed = (rules.file.as_ref()).is_some_and(|(_, rules)| rules.names_no(role));
    let denied = match role == "operator" && unnamed {
        true => Ruling::Ask,
        false => Ruling::Deny,
    };
    for path in paths {
        // What lies in another root than the first has an absolute name. No lock is about it, and no rule allows it.
        if path.starts_with('/') {
            if rules.file.is_some() {
                let reason = format!(
                    "`{path}`: the rules on files are about the first root alone, and allow nothing in another"
                );
                strictest = stricter_ruling(strictest, (denied, reason));
            }
            continue;
        }
        if below {
            let reason = format!("the rules on files cannot tell what changes below `{path}`");
            strictest = stricter_ruling(strictest, (Ruling::Ask, reason));
        }
        let is_new = tool != "delete_file" && log.read(path).is_ok_and(|found| found.is_none());
        let actions = if is_new { &[Action::Create] } else { actions };
        for action in actions {
            let (mut ruling, reason) = match rules.on(&who, *action, path) {
                Ok(found) => found,
                Err(message) => (Ruling::Deny, message),
            };
            if ruling == Ruling::Deny {
                ruling = denied;
            }
            strictest = stricter_ruling(strictest, (ruling, format!("`{path}`: {reason}")));
        }
    }
    Ok(strictest.filter(|(ruling, _)| *ruling != Ruling::Allow))
}

fn stricter_ruling(
    found: Option<(Ruling, String)>,
    other: (Ruling, String),
) -> Option<(Ruling, String)> {
    match found {
        Some(found) if found.0 >= other.0 => Some(found),
        _ => Some(other),
    }
}
