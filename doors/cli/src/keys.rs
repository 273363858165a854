//! `mathchain keys`: keys of the HTTP server.

use std::path::PathBuf;

use registry::UnitDuration;
use tool_core::capability::Clock as _;

use super::prelude::*;
use mathchain::clock::SystemClock;
use mathchain::{approvers, approvers::authenticate_approver};
use mathchain_servers::keys::{self, ApiKey, KeyWorkspace};

#[derive(Debug, Subcommand)]
pub(super) enum KeysCommand {
    /// Make a key and print it; it is shown only once
    #[command(
        after_help = "The key belongs to the workspace of the current folder: servers of other folders refuse it (docs/http.md).
Examples:
  mathchain keys create ci --role worker_math --expires 90d
  mathchain keys create reviewer --role review --approve
  mathchain keys create prometheus --metrics-only"
    )]
    Create {
        /// Name of the key
        name: String,
        /// Role of every call with the key
        #[arg(long, value_name = "ROLE", required_unless_present = "metrics_only", add = complete::complete_roles())]
        role: Option<String>,
        /// Let it read `/metrics` and nothing else
        #[arg(long, conflicts_with_all = ["role", "approve"])]
        metrics_only: bool,
        /// Age at which the key expires, such as `90d`; without it, it never does
        #[arg(long, value_name = "AGE")]
        expires: Option<String>,
        /// Let its holder approve and decline calls of other roles; needs a terminal, or an approver's key
        #[arg(long)]
        approve: bool,
        /// Allow `--approve` as the approver whose key is in this file
        #[arg(long, value_name = "FILE", requires = "approve")]
        key: Option<PathBuf>,
    },
    /// List keys with their workspaces and last use, without their secrets
    List,
    /// Move a key to the workspace of the current folder
    #[command(after_help = "Example:
  mathchain keys bind ci               # a key that was created before keys had workspaces, or for a folder that was copied")]
    Bind {
        /// Name of the key
        name: String,
    },
    /// Revoke a key: servers refuse it from their next request on
    Revoke {
        /// Name of the key
        name: String,
    },
}

/// Creates, lists or revokes keys.
pub(super) fn run_keys_command(global: &GlobalArgs, keys: &KeysCommand) -> Result<ExitCode> {
    match keys {
        KeysCommand::Create {
            name,
            role,
            metrics_only,
            expires,
            approve,
            key,
        } => {
            let toolkit = open::open_toolkit(global)?;
            if let Some(role) = role {
                let context = CallContext::default().role(role.clone());
                toolkit.dispatcher().visible(&toolkit.caller(&context))?;
            }
            if *approve {
                authenticate_approver(key.as_deref(), toolkit.config().approvals.from)?;
                if key.is_none() {
                    approvers::at_terminal(None)?;
                }
            }
            let wanted = ApiKey {
                name: name.clone(),
                role: role.clone().unwrap_or_default(),
                approves: *approve,
                created_ms: 0,
                expires_ms: None,
                digest: String::new(),
                workspace: Some(current_key_workspace(&toolkit)?),
                metrics_only: *metrics_only,
            };
            create_key(global, wanted, expires.as_deref())
        }
        KeysCommand::List => {
            let listed = match keys::keys_path() {
                Some(file) => keys::read_keys(&file)?.unwrap_or_default(),
                None => Vec::new(),
            };
            output::print_list(global, &listed, key_value, "no keys", key_line)
        }
        KeysCommand::Bind { name } => {
            let bound = keys::bind_key(name, current_key_workspace(&open::open_toolkit(global)?)?)?;
            output::print_data(global, &key_value(&bound), || key_line(&bound))
        }
        KeysCommand::Revoke { name } => {
            let revoked = keys::revoke_key(name)?;
            output::print_data(global, &key_value(&revoked), || format!("revoked {name}\n"))
        }
    }
}

/// The workspace of the current folder.
fn current_key_workspace(toolkit: &Toolkit) -> Result<KeyWorkspace> {
    let here = toolkit.workspace_id().ok_or_else(|| {
        tool_error!(PreconditionFailed, "workspace"; "there is no workspace, to which a key would belong";
            "run the command in the folder of the server")
    })?;
    Ok(here.into())
}

fn create_key(global: &GlobalArgs, wanted: ApiKey, expires: Option<&str>) -> Result<ExitCode> {
    let name = &wanted.name;
    let word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || name.len() > 64 || !name.bytes().all(word) {
        return Err(
            tool_error!(InvalidArgs, "name"; "expected letters, digits, `-`, `_` and `.`, at most 64, found `{name}`";
            "mathchain keys create ci --role worker_math"),
        );
    }
    let now_ms = SystemClock::default().unix_ms();
    let age = |text: &str| {
        UnitDuration::parse(text).ok_or_else(|| {
            tool_error!(InvalidArgs, "time"; "`{text}` is no age"; "write `90d`, `24h` or `30min`")
        })
    };
    let age = expires.map(age).transpose()?;
    let (key, secret) = keys::create_key(ApiKey {
        created_ms: now_ms,
        expires_ms: age.map(|age| now_ms.saturating_add(age.ms())),
        ..wanted
    })?;
    let mut data = key_value(&key).as_object().cloned().unwrap_or_default();
    data.insert("key", secret.as_str());
    output::print_data(global, &data.into(), || {
        let root = key.workspace.as_ref().map_or("", |it| &it.root);
        write_stderr(&format!(
            "this key is shown once, only its digest is stored; servers of {root} accept it as `Authorization: Bearer KEY`\n"
        ));
        format!("{secret}\n")
    })
}

/// A key without its digest.
fn key_value(key: &ApiKey) -> Value {
    object! {
        "name" => key.name.as_str(),
        "role" => (!key.metrics_only).then_some(key.role.as_str()),
        "approves" => key.approves,
        "metrics_only" => key.metrics_only,
        "workspace" => key.workspace.as_ref().map(|it| it.root.as_str()),
        "created_ms" => key.created_ms,
        "expires_ms" => key.expires_ms,
        "last_used_ms" => keys::last_used_ms(key),
    }
}

fn key_line(key: &ApiKey) -> String {
    let name = &key.name;
    let what = match key.metrics_only {
        true => "metrics only".to_owned(),
        false => format!("`{}`", key.role),
    };
    let approves = if key.approves { ", approves" } else { "" };
    let expires = key.expires_ms.map_or_else(
        || "never expires".to_owned(),
        |ms| format!("expires {}", human::format_local_time(ms)),
    );
    let used = keys::last_used_ms(key).map_or_else(
        || "never used".to_owned(),
        |ms| format!("last used {}", human::format_local_time(ms)),
    );
    let created = human::format_local_time(key.created_ms);
    let place = match &key.workspace {
        Some(workspace) => format!("in {}", workspace.root),
        None => format!("of no workspace, refused: `mathchain keys bind {name}`"),
    };
    format!("{name}  {what}{approves}, created {created}, {expires}, {used}\n    {place}\n")
}
