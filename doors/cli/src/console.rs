//! `mathchain console`: pages for the user at the terminal, opened by a link that works once.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use mathchain_servers::http::{ConsoleAccess, TerminalAccess};

use super::prelude::*;
use super::serve::{self, ServeCommand};
use mathchain::approvers::authenticate_approver;

#[derive(Debug, Args)]
#[command(
    after_help = "Prints a link, which opens one browser, once, within ten minutes; Ctrl-C ends the server and every session.
Examples:
  mathchain console --open
  mathchain console --listen 127.0.0.1:8940 --key ~/.config/approver.key   # decide as an approver
For other people and machines: mathchain serve --http ADDRESS:PORT --console, and a key for each person (docs/console.md)"
)]
pub(super) struct ConsoleCommand {
    /// Address of this machine and port; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Open the link in the browser of the desktop
    #[arg(long)]
    open: bool,
    /// Decide as the approver whose key is in this file (`approvers.toml` in the user's configuration folder)
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Role of the pages; overrides the configuration's
    #[arg(long)]
    role: Option<String>,
    #[command(flatten)]
    caller: CallerArgs,
}

/// Serves the pages until a signal comes.
pub(super) fn run_console_command(
    global: &GlobalArgs,
    console: &ConsoleCommand,
) -> Result<ExitCode> {
    let ConsoleCommand { listen, open, .. } = *console;
    if !listen.ip().is_loopback() {
        return Err(
            tool_error!(InvalidArgs, "exposed"; "`{listen}` may be reached from other machines, and the console of a terminal is for its user";
            "`mathchain serve --http {listen} --console` serves people who sign in with keys"),
        );
    }
    if let Some(key) = &console.key {
        let toolkit = open::open_toolkit_quietly(global)?;
        // A wrong key is an error now, not at the first decision.
        authenticate_approver(Some(key), toolkit.config().approvals.from)?;
    }
    let opened = move |link: &str| {
        write_stderr(&format!("open {link}\n"));
        if open && let Err(err) = open_in_browser(link) {
            write_stderr(&format!("no browser was opened: {err}\n"));
        }
    };
    let serve = ServeCommand::over_http(listen, console.role.clone(), console.caller.clone());
    let access = ConsoleAccess::Terminal(TerminalAccess {
        opened: Box::new(opened),
        approver_key: console.key.clone(),
    });
    serve::answer_until_end(global, &serve, Some(access))
}

/// Opens a page of a file that only this user reads and that leads to the link: other users see the arguments of programs.
fn open_in_browser(link: &str) -> std::io::Result<()> {
    let folder = environment::read_variable("XDG_RUNTIME_DIR").map(PathBuf::from);
    let folder = folder
        .filter(|folder| folder.is_dir())
        .unwrap_or_else(std::env::temp_dir);
    let name = format!("mathchain-console-{}.html", std::process::id());
    let file = folder.join(name);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = std::fs::remove_file(&file);
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url={link}\"><title>mathchain</title><a href=\"{link}\">Open the console</a>\n"
    );
    options.open(&file)?.write_all(page.as_bytes())?;
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(&file);
    for stream in [Command::stdin, Command::stdout, Command::stderr] {
        stream(&mut command, Stdio::null());
    }
    let mut child = command.spawn()?;
    // The link opens once, so that the page is worth nothing afterwards.
    std::thread::spawn(move || {
        let _ = child.wait();
        std::thread::sleep(std::time::Duration::from_secs(60));
        let _ = std::fs::remove_file(&file);
    });
    Ok(())
}
