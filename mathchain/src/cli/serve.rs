//! `mathchain serve --jsonl`.

use std::path::PathBuf;
use std::time::Duration;

use registry::{Answer, Unattended};

use super::jsonl;
use super::prelude::*;
use super::signals::Closing;

#[derive(Debug, Args)]
#[command(
    after_help = "Each line is {\"id\":...,\"tool\":NAME,\"args\":{...},\"role\":NAME?,\"traceparent\":TEXT?}; each answer carries the id, and answers may arrive in another order. `traceparent` names the client span that the call belongs to (docs/observability.md).
Examples:
  printf '%s\\n' '{\"id\":1,\"tool\":\"statistics\",\"args\":{\"data\":[1,2,3]}}' | mathchain serve --jsonl
  mathchain serve --jsonl --agent tester --phase audit --task bugfix"
)]
pub(super) struct Serve {
    /// Read and write one JSON object a line
    #[arg(long, required = true)]
    pub jsonl: bool,
    /// Roles that a line may name
    #[arg(long, value_delimiter = ',', value_name = "ROLE,...")]
    pub roles: Vec<String>,
    /// Role of lines that name none; overrides the configuration's
    #[arg(long)]
    pub role: Option<String>,
    #[command(flatten)]
    pub caller: Caller,
    /// Maximum number of calls to run in parallel
    #[arg(long, alias = "workers", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}

/// Answers lines until the input ends.
pub(super) fn serve(global: &Global, serve: &Serve) -> Result<ExitCode> {
    serve.caller.check_facts()?;
    let toolkit = serve.caller.open(global)?;
    for role in serve.roles.iter().map(Some).chain([serve.role.as_ref()]) {
        // An unknown name is an error now, not at the first line.
        let caller = toolkit.caller(&serve.caller.context(role.cloned()));
        toolkit.dispatcher().visible(&caller)?;
    }
    let stop = StopFlag::new();
    let closing =
        Closing::on_signal(&stop).map_err(|err| jsonl::failed("cannot handle signals", &err))?;
    let door = jsonl::Door {
        roles: serve.roles.clone(),
        workers: jsonl::threads(serve.threads),
        line_bytes_max: jsonl::line_bytes_max(&toolkit),
        stop: stop.clone(),
        closing,
        format: global.format(),
    };
    let files = open::watched(global)?;
    let done = StopFlag::new();
    let answered = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&toolkit, &files, &done));
        let answered = answer_lines(&toolkit, serve, &door);
        done.cancel();
        watcher.thread().unpark();
        answered
    });
    answer::close(&toolkit);
    answered.map(|_| exit::of_stop(&stop).into())
}

/// Interval at which files are checked for changes.
const POLL: Duration = Duration::from_millis(500);

/// Reloads configuration, agents, recorded rules and plugins when their files change, until the server stops.
fn watch(toolkit: &Toolkit, files: &[PathBuf], done: &StopFlag) {
    let mut seen = None;
    while !done.is_set() {
        let now = Some(toolkit.generations().seen(files));
        if now == seen {
            std::thread::park_timeout(POLL);
            continue;
        }
        // Also the first time: files may have changed since the toolkit was opened.
        seen = now;
        match toolkit.reload() {
            Ok(reloaded) if !reloaded.is_any() => {}
            Ok(reloaded) => complain(&format!("reloaded: {}\n", reloaded.to_value())),
            Err(err) => complain(&format!(
                "not reloaded, the previous generation stays in force: {}",
                human::error(&err)
            )),
        }
    }
}

fn answer_lines(toolkit: &Toolkit, serve: &Serve, door: &jsonl::Door) -> Result<bool> {
    // `--roles` bounds every line: without a role it has the first of them.
    let default_role = serve.role.clone().or_else(|| serve.roles.first().cloned());
    let stdin = door.closing.stdin();
    let stdin = stdin.map_err(|err| jsonl::failed("cannot read stdin", &err))?;
    jsonl::serve(
        door,
        // The capacity of a pipe.
        std::io::BufReader::with_capacity(64 << 10, stdin),
        stdout(),
        |line, stop| {
            let unanswered = match toolkit.config().approvals.unattended {
                Unattended::Deny => Answer::Unattended,
                Unattended::Pending => Answer::Ask,
            };
            let context = Context {
                answer: unanswered,
                reader: answer::reader(door.format),
                stop: stop.child(),
                client_id: line.id,
                trace: line.trace,
                ..serve
                    .caller
                    .context(line.role.or_else(|| default_role.clone()))
            };
            toolkit.call_with(&context, &line.tool, &line.args)
        },
    )
}
