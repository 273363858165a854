//! `mathchain artifacts`: large values of runs, listed and written to files.

use std::io::Write;
use std::path::{Path, PathBuf};

use journal::StoredArtifact;
use journal::artifacts::ArtifactKind;

use super::folders::FolderArgs;
use super::prelude::*;
use super::when;

#[derive(Debug, Subcommand)]
pub(super) enum ArtifactsCommand {
    /// List artifacts, newest first
    #[command(after_help = "Example:
  mathchain artifacts list --run 3f2a")]
    List {
        /// Only artifacts that this run refers to
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Only artifacts created since: age or local date, such as 7d or 2026-01-01
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        #[command(flatten)]
        folders: FolderArgs,
        /// Maximum number of rows
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Show shape, type and summary, and the runs that refer to the artifact
    #[command(after_help = "Example:
  mathchain artifacts show b3:9c41     # any unique prefix of at least four digits")]
    Show {
        /// Handle, or a unique prefix
        handle: String,
    },
    /// Write the verified content: an array as an .npy file, anything else as JSON
    #[command(after_help = "Examples:
  mathchain artifacts get b3:9c41 --to samples.npy
  mathchain artifacts get b3:77d0 | jq .")]
    Get {
        /// Handle, or a unique prefix
        handle: String,
        /// File to write instead of stdout
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
        /// Replace an existing file
        #[arg(long, requires = "to")]
        force: bool,
    },
}

/// Lists artifacts, shows one, or writes one out.
pub(super) fn run_artifacts_command(
    global: &GlobalArgs,
    artifacts: &ArtifactsCommand,
) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let state = &*open::state_to_read(global, &toolkit)?;
    match artifacts {
        ArtifactsCommand::List {
            run,
            since,
            folders,
            limit,
        } => {
            let since_ms = since.as_deref().map(when::unix_ms).transpose()?;
            let run = run.as_deref().map(|run| state.run(run)).transpose()?;
            let run = run.as_ref().map(|run| run.id.as_str());
            let mut listed = match folders.of(&toolkit).filter(|_| run.is_none()) {
                Some(here) => state.artifacts_of(&here, *limit as usize)?,
                None => state.artifacts(run, *limit as usize)?,
            };
            // The newest come first.
            listed.retain(|one| since_ms.is_none_or(|since_ms| since_ms <= one.created_ms));
            let none = folders.none(&toolkit, "no artifacts");
            output::print_list(global, &listed, artifact_value, &none, artifact_line)
        }
        ArtifactsCommand::Show { handle } => {
            output::print_record(global, &artifact_value(&state.artifact_named(handle)?))
        }
        ArtifactsCommand::Get { handle, to, force } => {
            let found = state.artifact_named(handle)?;
            let bytes = match found.handle.kind {
                ArtifactKind::Npy { .. } => state.bytes(&found.handle)?,
                // The value as it was, without the forms that only the store knows.
                ArtifactKind::Json { .. } | ArtifactKind::Small => {
                    let mut text = json::to_text(&state.value(&found.handle)?);
                    text.push('\n');
                    text.into_bytes()
                }
            };
            write_artifact(&bytes, to.as_deref(), *force)
        }
    }
}

fn write_artifact(bytes: &[u8], to: Option<&Path>, force: bool) -> Result<ExitCode> {
    let failed = |err| tool_error!(ToolError, "io"; "cannot write the artifact: {err}"; "write it to a file with --to");
    match to {
        Some(path) => {
            output::to_file(path, force, |out| out.write_all(bytes).map_err(failed))?;
        }
        None => output::WhileRead(output::standard_output())
            .write_all(bytes)
            .map_err(failed)?,
    }
    Ok(exit::OK.into())
}

/// The handle, its time of creation, and the runs that refer to it.
pub(super) fn artifact_value(artifact: &StoredArtifact) -> Value {
    let handle = artifact.handle.to_value();
    let mut data = handle.as_object().cloned().unwrap_or_default();
    data.insert("created_ms", artifact.created_ms);
    data.insert("runs", artifact.runs.clone());
    Value::Object(data.into())
}

/// One line of a list.
pub(super) fn artifact_line(artifact: &StoredArtifact) -> String {
    let kind = match &artifact.handle.kind {
        ArtifactKind::Npy { shape, summary, .. } => {
            let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
            format!("<f8 {}  {summary}", extents.join(" x "))
        }
        ArtifactKind::Json { .. } => "JSON".to_owned(),
        ArtifactKind::Small => "small value".to_owned(),
    };
    let (hash, bytes) = (&artifact.handle.hash, artifact.handle.bytes());
    let (created, size) = (
        human::format_local_time(artifact.created_ms),
        human::format_byte_size(bytes),
    );
    format!("{hash}  {created}  {size:>10}  {kind}\n")
}
