//! `mathchain setup CLIENT`: registers this program as an MCP server in the configuration of a client.
//!
//! The file keeps its comments, order and layout. What changes is shown and written after a yes; the file before stays beside it as a copy.

mod clients;
mod entry;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use self::clients::{CLIENTS, McpClient};
use super::prelude::*;
use super::{asking, export, words};
use mathchain_servers::people::changes;

/// Role of a client that names none: it reads, computes and searches; what it changes asks.
const ROLE: &str = "worker_general";

/// What an approval proves.
const PROOF: &str = "An approval at a terminal shows that a terminal was there, not that a person typed: a client with a shell of its own can open one. Where that matters, let a key approve (docs/policy.md, \"Approvers\").\n";

#[derive(Debug, Args)]
#[command(
    after_help = "Without a terminal the file is changed only with --yes. Examples:
  mathchain setup claude-code --dry-run
  mathchain setup cursor --role worker_math --dry-run
  mathchain setup codex --catalog search --dry-run"
)]
pub(super) struct SetupCommand {
    /// Client that starts the server
    #[arg(value_name = "CLIENT", value_parser = client_parser())]
    client: &'static McpClient,
    /// Name of the server in the client
    #[arg(long, default_value = "mathchain", value_name = "NAME", value_parser = parse_server_name)]
    name: String,
    /// Role of the client's calls; `operator`, the person at the terminal, only where it is named
    #[arg(long, default_value = ROLE, value_name = "ROLE", add = complete::complete_roles())]
    role: String,
    /// Catalogue of tools that the client sees: `full`, `core` or `search`
    #[arg(long, value_name = "CATALOG", value_parser = export::catalogue_parser())]
    catalog: Option<registry::offer::Catalog>,
    /// Change the configuration of the user, not that of the current folder, where the client has both
    #[arg(long)]
    user: bool,
    /// Print the changed file; write nothing
    #[arg(long)]
    dry_run: bool,
    /// Change the file without asking
    #[arg(short, long)]
    yes: bool,
}

fn client_parser() -> impl clap::builder::TypedValueParser<Value = &'static McpClient> {
    let find = |text: String| CLIENTS.iter().find(|client| client.name == text);
    PossibleValuesParser::new(CLIENTS.iter().map(McpClient::possible))
        .try_map(move |text| find(text).ok_or("no such client"))
}

/// Names that every client takes.
fn parse_server_name(text: &str) -> Result<String, String> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    match (1..=64).contains(&text.len()) && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("expected 1 to 64 letters, digits, `-` and `_`".to_owned()),
    }
}

/// Registers this program in the configuration of a client.
pub(super) fn register_program(global: &GlobalArgs, setup: &SetupCommand) -> Result<ExitCode> {
    if setup.role != ROLE {
        // An unknown role is an error now, not when the client starts.
        let toolkit = open::read_only(global, false)?;
        let caller = toolkit.caller(&CallContext::default().role(&setup.role));
        toolkit.dispatcher().visible(&caller)?;
    }
    let place = configuration_place(setup)?;
    let shown = place.path.display();
    let before = read_optional_text(&place.path)?;
    let text = before.as_deref().unwrap_or_default();
    let server = server_command(global, setup, place.is_shared);
    let after = setup.client.form.set(text, &setup.name, &server);
    let after = after.map_err(|fault| {
        tool_error!(InvalidRequest, "client"; "`{shown}` cannot be changed: {fault}";
            "mend the file, or add the entry by hand: `mathchain setup {} --dry-run` in an empty folder prints one", setup.client.name)
    })?;
    let difference = changes::unified_diff(text, &after);
    let data = |copy: Option<&str>| {
        object! {
            "path" => shown.to_string(), "changed" => difference.is_some(),
            "content" => after.as_str(), "copy" => copy,
        }
    };
    if setup.dry_run {
        write_stderr(&format!("{shown} would contain:\n"));
        return output::print_data(global, &data(None), || after.clone());
    }
    let Some(difference) = &difference else {
        return output::print_data(global, &data(None), || format!("{shown} is up to date\n"));
    };
    if !setup.yes && !asking::confirm_file_change(&place.path, difference)? {
        return Err(tool_error!(
            ApprovalDeclined,
            "`{shown}` is as it was: the change was declined"
        ));
    }
    if read_optional_text(&place.path)? != before {
        return Err(
            tool_error!(Conflict, "changed"; "`{shown}` changed meanwhile, and is as it is now";
            "run the command again"),
        );
    }
    let copy = write_with_copy(&place.path, before.as_deref(), &after)?;
    let copy = copy.map(|copy| copy.display().to_string());
    output::print_data(global, &data(copy.as_deref()), || {
        let copy = copy
            .as_ref()
            .map(|copy| format!("; the file before is {copy}"));
        let copy = copy.unwrap_or_default();
        let role = &setup.role;
        format!(
            "wrote {shown}{copy}\nrestart the client, or let it reload its servers; its calls have the role `{role}`\n{PROOF}"
        )
    })
}

/// The text of a file; `None` where there is none.
fn read_optional_text(path: &Path) -> Result<Option<String>> {
    match std::fs::symlink_metadata(path) {
        Err(err) if err.kind() == ErrorKind::NotFound => Ok(None),
        _ => environment::read_named(path).map(Some),
    }
}

/// Refuses a file of a project that a link leads to: whoever wrote the project chose where it leads.
fn without_links(file: &Path) -> Result<()> {
    let parts = file.ancestors().filter(|part| !part.as_os_str().is_empty());
    match parts.into_iter().find(|part| part.is_symlink()) {
        None => Ok(()),
        Some(link) => Err(
            tool_error!(PreconditionFailed, "link"; "`{}` is a link, which may lead to any file", link.display();
            "change its target by hand: --dry-run in an empty folder prints the entry"),
        ),
    }
}

/// The file to change.
struct SetupFile {
    path: PathBuf,
    /// Whether others read the file, since it belongs to a project.
    is_shared: bool,
}

fn configuration_place(setup: &SetupCommand) -> Result<SetupFile> {
    let client = setup.client;
    match client.of_project {
        Some(file) if !setup.user => {
            let path = PathBuf::from(file);
            without_links(&path)?;
            Ok(SetupFile {
                path,
                is_shared: true,
            })
        }
        _ => {
            let home = environment::home_folder().ok_or_else(|| {
                tool_error!(PreconditionFailed, "environment"; "HOME names no folder"; "set HOME to an absolute path")
            })?;
            Ok(SetupFile {
                // The user's own links are followed, and the prompt names the file that they lead to.
                path: environment::real_path(&home.join(client.of_user)),
                is_shared: false,
            })
        }
    }
}

/// The program and arguments that start the server.
fn server_command(global: &GlobalArgs, setup: &SetupCommand, is_shared: bool) -> Vec<String> {
    let absolute = |path: &PathBuf| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        path.display().to_string()
    };
    let catalog = setup.catalog.map(|catalog| catalog.as_str().to_owned());
    let options = [
        ("--config", global.config.as_ref().map(absolute)),
        ("--workspace", global.workspace.as_ref().map(absolute)),
        ("--role", Some(setup.role.clone())),
        ("--catalog", catalog),
    ];
    let options = options
        .into_iter()
        .filter_map(|(name, value)| Some([name.to_owned(), value?]));
    let fixed = [
        program_path(is_shared),
        "serve".to_owned(),
        "--mcp".to_owned(),
    ];
    fixed.into_iter().chain(options.flatten()).collect()
}

/// The path of this program; in a file that others read, its name alone where the search path leads to it.
fn program_path(is_shared: bool) -> String {
    let own = words::program_path();
    let searched = environment::read_variable("PATH").unwrap_or_default();
    let found = std::env::split_paths(&searched)
        .map(|folder| folder.join("mathchain"))
        .find(|path| path.is_file());
    let is_same =
        found.is_some_and(|found| environment::real_path(&found) == environment::real_path(&own));
    match is_same && is_shared {
        true => "mathchain".to_owned(),
        false => own.display().to_string(),
    }
}

/// Writes the file after a copy of what was there; the path of the copy.
fn write_with_copy(path: &Path, before: Option<&str>, after: &str) -> Result<Option<PathBuf>> {
    let failed = |err| io::cannot_write(path, &err);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let copy = before.map(|before| {
        let mut copy = path.as_os_str().to_owned();
        copy.push(".before-mathchain");
        let copy = PathBuf::from(copy);
        // The file may hold secrets of other servers.
        io::replace_file(&copy, before.as_bytes(), io::FileReaders::Owner).map(|()| copy)
    });
    let copy = copy.transpose().map_err(failed)?;
    io::replace_file(path, after.as_bytes(), io::FileReaders::AsBefore).map_err(failed)?;
    Ok(copy)
}
