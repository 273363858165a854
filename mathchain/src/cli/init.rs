//! `mathchain init`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use tool_core::{ErrorCode, ToolError};

use super::{exit, print};
use crate::environment::{AGENTS_FOLDER, CONFIG_NAMES};

#[derive(Debug, Args)]
pub(super) struct Init {
    /// Folder to write into
    #[arg(default_value = ".")]
    pub directory: PathBuf,
    /// Write starter agents into `agents/` instead of a configuration
    #[arg(long)]
    pub agents: bool,
}

/// The starter configuration; every line that is not a comment is the default.
const STARTER: &str = include_str!("starter.toml");

/// Starter agents, each with all its tools and how to use them.
const AGENTS: [(&str, &str); 5] = [
    ("orchestrator", include_str!("agents/orchestrator.md")),
    ("planner", include_str!("agents/planner.md")),
    ("code_reviewer", include_str!("agents/code_reviewer.md")),
    ("researcher", include_str!("agents/researcher.md")),
    ("tester", include_str!("agents/tester.md")),
];

/// Writes the starter configuration, or the starter agents, where there is none.
pub(super) fn init(init: &Init) -> Result<ExitCode, ToolError> {
    if init.agents {
        return agents(&init.directory.join(AGENTS_FOLDER));
    }
    let failed = |err| failed(&init.directory, &err);
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
    write_new(&path, STARTER).map_err(failed)?;
    print(&format!(
        "wrote {}; `mathchain check` checks it\n",
        path.display()
    ));
    Ok(exit::OK.into())
}

fn agents(folder: &Path) -> Result<ExitCode, ToolError> {
    let failed = |err| failed(folder, &err);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let files = AGENTS.map(|(name, text)| (folder.join(format!("{name}.md")), text));
    if let Some((present, _)) = files.iter().find(|(path, _)| path.exists()) {
        return Err(ToolError::new(
            ErrorCode::Conflict,
            format_args!("`{}` is already there", present.display()),
        )
        .hint("edit it, or name another folder"));
    }
    for (path, text) in &files {
        write_new(path, text).map_err(failed)?;
        print(&format!("wrote {}\n", path.display()));
    }
    print("`mathchain agent check` checks them\n");
    Ok(exit::OK.into())
}

fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = std::fs::File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn failed(folder: &Path, err: &std::io::Error) -> ToolError {
    ToolError::new(
        ErrorCode::ToolError,
        format_args!("cannot write into `{}`: {err}", folder.display()),
    )
    .reason("io")
}
