//! `mathchain artifacts list|show|get`.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use journal::Artifact;
use journal::artifacts::Kind;
use tool_core::{ErrorCode, ToolError, Value, json};

use super::args::Global;
use super::{exit, human, print_data, session, stdout};

#[derive(Debug, Subcommand)]
pub(super) enum Artifacts {
    /// List them, newest first
    #[command(after_help = "Example:
  mathchain artifacts list --run 3f2a")]
    List {
        /// Only those that a run refers to
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// How many
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Show shape, type, summary, and the runs that refer to it
    #[command(after_help = "Example:
  mathchain artifacts show b3:9c41     # any unique beginning, at least four digits")]
    Show {
        /// Handle, or its beginning
        handle: String,
    },
    /// Write the content, verified: an array as an .npy file that NumPy opens, anything else as JSON
    #[command(after_help = "Examples:
  mathchain artifacts get b3:9c41 --to samples.npy
  mathchain artifacts get b3:77d0 | jq .")]
    Get {
        /// Handle, or its beginning
        handle: String,
        /// File to make, which must not be there yet; without it stdout
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
}

/// Lists large values, and writes them out.
pub(super) fn artifacts(global: &Global, artifacts: &Artifacts) -> Result<ExitCode, ToolError> {
    let toolkit = session::open(global)?;
    let state = &*session::state_to_read(global, &toolkit)?;
    match artifacts {
        Artifacts::List { run, limit } => {
            let run = run.as_deref().map(|run| state.run(run)).transpose()?;
            let run = run.as_ref().map(|run| run.id.as_str());
            let listed = state.artifacts(run, *limit as usize)?;
            let data = Value::array(listed.iter().map(value).collect());
            print_data(global, &data, || {
                if listed.is_empty() {
                    return "no artifacts\n".to_owned();
                }
                listed.iter().map(line).collect()
            });
        }
        Artifacts::Show { handle } => {
            let found = state.artifact_named(handle)?;
            print_data(global, &value(&found), || human::value(&value(&found)));
        }
        Artifacts::Get { handle, to } => {
            let found = state.artifact_named(handle)?;
            let bytes = match found.handle.kind {
                Kind::Npy { .. } => state.bytes(&found.handle)?,
                // The value as it was, without the forms that only the store knows.
                Kind::Json { .. } | Kind::Small => {
                    let mut text = json::to_text(&state.value(&found.handle)?);
                    text.push('\n');
                    text.into_bytes()
                }
            };
            write(&bytes, to.as_deref())?;
        }
    }
    Ok(exit::OK.into())
}

fn write(bytes: &[u8], to: Option<&Path>) -> Result<(), ToolError> {
    let Some(path) = to else {
        // A reader that goes away early wants no more.
        return match stdout().write_all(bytes) {
            Err(err) if err.kind() != io::ErrorKind::BrokenPipe => {
                Err(failed("stdout", &err, "write to a file with --to"))
            }
            _ => Ok(()),
        };
    };
    let written = File::create_new(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|err| {
        let hint = if err.kind() == io::ErrorKind::AlreadyExists {
            "choose another name: what is there is never replaced"
        } else {
            "choose a file in a folder that you can write"
        };
        failed(&path.display().to_string(), &err, hint)
    })
}

fn failed(what: &str, err: &io::Error, hint: &str) -> ToolError {
    ToolError::new(
        ErrorCode::ToolError,
        format_args!("cannot write `{what}`: {err}"),
    )
    .reason("io")
    .hint(hint)
}

/// The handle, when it was made, and who refers to it.
pub(super) fn value(artifact: &Artifact) -> Value {
    let handle = artifact.handle.to_value();
    let mut data = handle.as_object().cloned().unwrap_or_default();
    data.insert("created_ms", artifact.created_ms);
    data.insert("runs", artifact.runs.clone());
    Value::Object(data.into())
}

/// One line of a list.
pub(super) fn line(artifact: &Artifact) -> String {
    let what = match &artifact.handle.kind {
        Kind::Npy { shape, summary, .. } => {
            let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
            format!("<f8 {}  {summary}", extents.join(" x "))
        }
        Kind::Json { .. } => "JSON".to_owned(),
        Kind::Small => "small value".to_owned(),
    };
    format!(
        "{}  {:10} bytes  {what}\n",
        artifact.handle.hash,
        artifact.handle.bytes()
    )
}
