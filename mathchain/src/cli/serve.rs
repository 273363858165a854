//! `mathchain serve --jsonl`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use registry::{Answer, Unattended};
use tool_core::{StopFlag, ToolError};

use super::args::{Global, Serve};
use super::signals::Closing;
use super::{call, complain, exit, human, jsonl, session, stdout};
use crate::{Context, Toolkit};

/// Answers lines until the input ends.
pub(super) fn serve(global: &Global, serve: &Serve) -> Result<ExitCode, ToolError> {
    let toolkit = serve.caller.open(global)?;
    for role in serve.roles.iter().map(Some).chain([serve.role.as_ref()]) {
        // An unknown name is found now, not at the first line.
        let caller = toolkit.caller(&serve.caller.context(role.cloned()));
        toolkit.dispatcher().visible(&caller)?;
    }
    let stop = StopFlag::new();
    let closing =
        Closing::on_signal(&stop).map_err(|err| jsonl::failed("signals cannot be heard", &err))?;
    let door = jsonl::Door {
        roles: serve.roles.clone(),
        workers: serve.workers.map_or_else(
            || std::thread::available_parallelism().map_or(2, usize::from),
            usize::from,
        ),
        line_bytes_max: usize::try_from(toolkit.config().limits.max_input_bytes)
            .unwrap_or(usize::MAX),
        stop: stop.clone(),
        closing,
        format: global.format(),
    };
    let files = session::watched(global)?;
    let done = StopFlag::new();
    let answered = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&toolkit, &files, &done));
        let answered = answer(&toolkit, serve, &door);
        done.cancel();
        watcher.thread().unpark();
        answered
    });
    call::close(&toolkit);
    match answered {
        Ok(_) => Ok(exit::of_stop(&stop).into()),
        Err(err) => Err(err),
    }
}

/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Reads plugins, configuration and the files it names, agents and recorded rules again when their files change, until the door closes.
fn watch(toolkit: &Toolkit, files: &[PathBuf], done: &StopFlag) {
    let mut seen = None;
    while !done.is_set() {
        let now = Some(toolkit.generations().seen(files));
        if now == seen {
            std::thread::park_timeout(LOOK);
            continue;
        }
        // The first time too: files may have changed since they were read for the start.
        seen = now;
        match toolkit.reload() {
            Ok(reloaded) if reloaded.is_any() => {
                complain(&format!("reloaded: {}\n", reloaded.to_value()))
            }
            Ok(_) => {}
            Err(err) => complain(&format!(
                "not reloaded, what held before stays: {}",
                human::error(&err)
            )),
        }
    }
}

fn answer(toolkit: &Toolkit, serve: &Serve, door: &jsonl::Door) -> Result<bool, ToolError> {
    // `--roles` bounds the door: a line without a role has the first of them.
    let default_role = serve.role.clone().or_else(|| serve.roles.first().cloned());
    let stdin = door.closing.stdin();
    let stdin = stdin.map_err(|err| jsonl::failed("stdin cannot be read", &err))?;
    jsonl::serve(
        door,
        // As much at a time as a pipe holds.
        std::io::BufReader::with_capacity(64 << 10, stdin),
        stdout(),
        |line, stop| {
            let unanswered = match toolkit.config().unattended {
                Unattended::Deny => Answer::Nobody,
                Unattended::Pending => Answer::Ask,
            };
            let context = Context {
                answer: unanswered,
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
