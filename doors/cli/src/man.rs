//! `mathchain man`: manual pages made from the help.

use std::path::PathBuf;

use clap::{Command, CommandFactory as _};

use super::Cli;
use super::prelude::*;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mathchain man | man -l -
  mathchain man audit list | man -l -
  mathchain man --dir ~/.local/share/man/man1")]
pub(super) struct ManCommand {
    /// Command whose page is printed; by default the page of the program
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Write one page for each command to this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
}

/// Prints one page, or writes all of them.
pub(super) fn print_manual(man: &ManCommand) -> Result<ExitCode> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    if let Some(folder) = &man.dir {
        let written =
            std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(root, folder));
        written.map_err(|err| io::cannot_write(folder, &err))?;
        return Ok(exit::OK.into());
    }
    let mut found = &root;
    for word in &man.command {
        let below = found.find_subcommand(word);
        found = below.ok_or_else(|| {
            let name = found.get_name();
            let error = tool_error!(InvalidRequest, "`{name}` has no command `{word}`");
            let names = found.get_subcommands().map(Command::get_name);
            output::suggest_nearest_name(error, word, names, "see `mathchain help`")
        })?;
    }
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(found.clone()).render(&mut text);
    rendered.map_err(|err| ToolError::new(ErrorCode::Internal, err))?;
    write_stdout(&String::from_utf8_lossy(&text));
    Ok(exit::OK.into())
}
