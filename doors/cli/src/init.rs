//! `mathchain init`: a starter configuration, or starter agents.

use std::path::{Path, PathBuf};

use super::prelude::*;
use super::trust;
use mathchain::environment::{AGENTS_FOLDER, CONFIG_NAMES};

#[derive(Debug, Args)]
pub(super) struct InitCommand {
    /// Folder to write to; agents go beside the nearest configuration by default
    #[arg(default_value = ".")]
    pub directory: PathBuf,
    /// Write starter agents to `agents/` instead of a configuration
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

/// Writes the starter configuration or the starter agents; existing files are an error.
pub(super) fn write_starter_files(global: &GlobalArgs, init: &InitCommand) -> Result<ExitCode> {
    let folder = &init.directory;
    if init.agents {
        // Agents are read from beside the configuration, which may be further up.
        let folder = match folder.as_os_str() == "." {
            true => open::project_folder(global)?,
            false => folder.clone(),
        };
        let folder = folder.join(AGENTS_FOLDER);
        let files = AGENTS.map(|(name, text)| (folder.join(format!("{name}.md")), text));
        let mut paths = files.iter().map(|(path, _)| path.clone());
        let present = paths.find(|path| path.exists());
        write_all(&folder, present, &files)?;
        write_stdout("check them with `mathchain agents check`\n");
    } else {
        let mut paths = CONFIG_NAMES.iter().map(|name| folder.join(name));
        let present = paths.find(|path| path.exists());
        let file = folder.join(CONFIG_NAMES[0]);
        write_all(folder, present, &[(file.clone(), STARTER)])?;
        trust::trust_folder(&GlobalArgs {
            config: Some(file),
            ..global.clone()
        })?;
        write_stdout("check it with `mathchain check`\n");
    }
    Ok(exit::OK.into())
}

/// Writes new files, unless one is `present` already.
fn write_all(folder: &Path, present: Option<PathBuf>, files: &[(PathBuf, &str)]) -> Result<()> {
    if let Some(present) = present {
        return Err(tool_error!(Conflict; "`{}` exists", present.display();
            "edit it, or choose another folder"));
    }
    let failed = |err| io::cannot_write(folder, &err);
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (path, text) in files {
        io::write_new(path, text).map_err(failed)?;
        write_stdout(&format!("wrote {}\n", path.display()));
    }
    Ok(())
}
