//! `mathchain keys`: keys of the HTTP server.

use std::path::PathBuf;

use registry::Age;
use tool_core::capability::Clock as _;

use super::prelude::*;
use crate::clock::SystemClock;
use crate::keys::{self, Key};
use crate::{approvers, approvers::approver};

#[derive(Debug, Subcommand)]
pub(super) enum Keys {
    /// Make a key and print it; it is shown only once
    #[command(
        after_help = "As soon as a key was created, `mathchain serve --http` answers only requests with one (docs/http.md).
Examples:
  mathchain keys create ci --role worker_math --expires 90d
  mathchain keys create reviewer --role review --approve"
    )]
    Create {
        /// Name of the key
        name: String,
        /// Role of every call with the key
        #[arg(long, value_name = "ROLE", add = complete::roles())]
        role: String,
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
    /// List keys, without their secrets
    List,
    /// Revoke a key: servers refuse it from their next request on
    Revoke {
        /// Name of the key
        name: String,
    },
}

/// Creates, lists or revokes keys.
pub(super) fn keys(global: &Global, keys: &Keys) -> Result<ExitCode> {
    match keys {
        Keys::Create {
            name,
            role,
            expires,
            approve,
            key,
        } => {
            let toolkit = open::toolkit(global)?;
            let context = Context::default().role(role.clone());
            toolkit.dispatcher().visible(&toolkit.caller(&context))?;
            if *approve {
                approver(key.as_deref(), toolkit.config().approvals.from)?;
                if key.is_none() {
                    approvers::at_terminal(None)?;
                }
            }
            create(global, name, role, expires.as_deref(), *approve)
        }
        Keys::List => {
            let listed = match keys::file() {
                Some(file) => keys::read(&file)?.unwrap_or_default(),
                None => Vec::new(),
            };
            output::list(global, &listed, shown, "no keys", line)
        }
        Keys::Revoke { name } => {
            let revoked = keys::revoke(name)?;
            output::data(global, &shown(&revoked), || format!("revoked {name}\n"))
        }
    }
}

fn create(
    global: &Global,
    name: &str,
    role: &str,
    expires: Option<&str>,
    approves: bool,
) -> Result<ExitCode> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || name.len() > 64 || !name.bytes().all(word) {
        return Err(
            tool_error!(InvalidArgs, "name"; "expected letters, digits, `-`, `_` and `.`, at most 64, found `{name}`";
            "mathchain keys create ci --role worker_math"),
        );
    }
    let now_ms = SystemClock::default().unix_ms();
    let age = |text: &str| {
        Age::parse(text).ok_or_else(|| {
            tool_error!(InvalidArgs, "time"; "`{text}` is no age"; "write `90d`, `24h` or `30min`")
        })
    };
    let age = expires.map(age).transpose()?;
    let (key, secret) = keys::create(Key {
        name: name.to_owned(),
        role: role.to_owned(),
        approves,
        created_ms: now_ms,
        expires_ms: age.map(|age| now_ms.saturating_add(age.ms())),
        digest: String::new(),
    })?;
    let mut data = shown(&key).as_object().cloned().unwrap_or_default();
    data.insert("key", secret.as_str());
    output::data(global, &data.into(), || {
        complain(
            "this key is shown once and stored nowhere; send it as `Authorization: Bearer KEY`\n",
        );
        format!("{secret}\n")
    })
}

/// A key without its digest.
fn shown(key: &Key) -> Value {
    object! {
        "name" => key.name.as_str(), "role" => key.role.as_str(), "approves" => key.approves,
        "created_ms" => key.created_ms, "expires_ms" => key.expires_ms,
    }
}

fn line(key: &Key) -> String {
    let (name, role) = (&key.name, &key.role);
    let approves = if key.approves { ", approves" } else { "" };
    let expires = key.expires_ms.map_or_else(
        || "never expires".to_owned(),
        |ms| format!("expires {}", human::time(ms)),
    );
    let created = human::time(key.created_ms);
    format!("{name}  `{role}`{approves}, created {created}, {expires}\n")
}
