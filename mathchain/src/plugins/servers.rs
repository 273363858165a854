//! The processes of MCP servers that the configuration names.

use std::path::{Path, PathBuf};

use registry::model::McpServer;
use registry::plugins::{PinnedTool, ProcessLaunch, ProcessProtocol};
use tool_core::capability::Spawner;
use tool_core::command::{CommandAccess, Isolation, SandboxCommand};
use tool_core::{Result, tool_error};

use super::{LIFE, LINE_BYTES_MAX, STDERR_BYTES_MAX};
use crate::environment;

/// Address space of one process: runtimes reserve far more than they use, which is limited by itself.
const ADDRESSES_BYTES_MAX: u64 = 256 << 30;
/// Maximum number of calls at a time.
const CONCURRENCY: usize = 8;

/// How a server is started; `folder` is that of the configuration.
///
/// # Errors
/// A program that is not found, a variable that is not set.
pub fn server_launch(
    server: &McpServer,
    folder: &Path,
    pinned: Vec<PinnedTool>,
    spawner: &dyn Spawner,
) -> Result<ProcessLaunch> {
    let (argv, mut readable) = command_line(server, folder, spawner)?;
    readable.extend(
        server
            .readable
            .iter()
            .map(|path| resolve_config_path(folder, path)),
    );
    let mut command = SandboxCommand::new(argv);
    command.readable = readable;
    command.isolation = server.sandbox;
    command.environment = server_variables(server)?;
    command.workspace = match server.reads_workspace {
        true => CommandAccess::Read,
        false => CommandAccess::None,
    };
    command.limits.wall = LIFE;
    command.limits.cpu = LIFE;
    command.limits.memory_bytes = ADDRESSES_BYTES_MAX;
    command.limits.open_files = 1024;
    command.limits.stdout_bytes = LINE_BYTES_MAX;
    command.limits.stderr_bytes = STDERR_BYTES_MAX;
    Ok(ProcessLaunch {
        name: server.name.clone(),
        command,
        speech: ProcessProtocol::Mcp(pinned),
        concurrency: CONCURRENCY,
    })
}

/// A path of the configuration: `./` is its folder.
fn resolve_config_path(folder: &Path, path: &str) -> PathBuf {
    folder.join(path.strip_prefix("./").unwrap_or(path))
}

/// The command line, and what the process needs to read.
fn command_line(
    server: &McpServer,
    folder: &Path,
    spawner: &dyn Spawner,
) -> Result<(Vec<String>, Vec<PathBuf>)> {
    let (mut words, mut readable) = (Vec::new(), Vec::new());
    for (index, word) in server.command.iter().enumerate() {
        if word.starts_with("./") || (index == 0 && word.contains('/')) {
            let path = resolve_config_path(folder, word);
            words.push(path.display().to_string());
            if index == 0 {
                // An interpreter of a virtual environment needs the one that it was made from.
                readable.extend(host_sandbox::sandbox::program_dependencies(&path));
            }
            readable.push(path);
        } else if index > 0 {
            words.push(word.clone());
        } else if let Some(found) = spawner.find(word) {
            words.push(found.path);
            readable.extend(found.readable);
        } else {
            let name = &server.name;
            return Err(tool_error!(PreconditionFailed, "not_found";
                "the program `{word}` of the MCP server `{name}` is not found";
                "install it, or name it with its path"));
        }
    }
    Ok((words, readable))
}

fn server_variables(server: &McpServer) -> Result<Vec<(String, String)>> {
    let mut variables = match server.sandbox {
        Isolation::None => environment::of_user(),
        Isolation::Offline | Isolation::Network => Vec::new(),
    };
    for (name, value) in &server.env {
        let value = match McpServer::variable(value) {
            None => value.clone(),
            Some(source) => environment::read_secret(source).ok_or_else(|| {
                let server = &server.name;
                tool_error!(PreconditionFailed, "environment";
                    "the MCP server `{server}` needs the variable `{source}`, which is not set";
                    "set it where mathchain is started")
            })?,
        };
        variables.retain(|(known, _)| known != name);
        variables.push((name.clone(), value));
    }
    Ok(variables)
}
