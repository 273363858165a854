//! `mathchain init`.

use std::io::Write;
use std::process::ExitCode;

use tool_core::{ErrorCode, ToolError};

use super::args::Init;
use super::{exit, print};
use crate::environment::CONFIG_NAMES;

/// The starter configuration; every line that is not a comment is the default.
const STARTER: &str = include_str!("starter.toml");

/// Writes the starter configuration where there is none.
pub(super) fn init(init: &Init) -> Result<ExitCode, ToolError> {
    let failed = |err: std::io::Error| {
        ToolError::new(
            ErrorCode::ToolError,
            format_args!("cannot write into `{}`: {err}", init.directory.display()),
        )
        .reason("io")
    };
    std::fs::create_dir_all(&init.directory).map_err(failed)?;
    if let Some(present) = CONFIG_NAMES
        .iter()
        .map(|name| init.directory.join(name))
        .find(|path| path.exists())
    {
        return Err(ToolError::new(
            ErrorCode::Conflict,
            format_args!("`{}` is already there", present.display()),
        )
        .hint("edit it, or name another folder"));
    }
    let path = init.directory.join(CONFIG_NAMES[0]);
    let mut file = std::fs::File::create_new(&path).map_err(failed)?;
    file.write_all(STARTER.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(failed)?;
    print(&format!(
        "wrote {}; `mathchain doctor` checks it\n",
        path.display()
    ));
    Ok(exit::OK.into())
}
