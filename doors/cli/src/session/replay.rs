//! `mathchain session replay LOG`.

use std::io::{self, BufRead, BufReader};
use std::path::Path;

use sessions::{LogReplay, LogReplayResult, Record, StateDocument};
use tool_core::json::JsonLimits;

use super::super::jsonl;
use super::super::prelude::*;

/// Maximum length of a line: a log has the output of each call twice.
const LINE_BYTES_MAX: usize = 1 << 30;

/// Replays a log, verifies every line, and prints the final state.
pub(super) fn replay_log(global: &GlobalArgs, log: &Path) -> Result<ExitCode> {
    let replayed = if log == Path::new("-") {
        fold_log(io::stdin().lock())?
    } else {
        let file = std::fs::File::open(log).map_err(|err| unreadable_log_error(log, &err))?;
        fold_log(BufReader::with_capacity(64 << 10, file))?
    };
    if replayed.state.events == 0 {
        return Err(tool_error!(InvalidRequest, "log";
            "the log `{}` has no event", log.display();
            "write one with `mathchain session < events.jsonl > session.log`"));
    }
    if !replayed.complete {
        write_stderr(
            "warning: the log has no final state: it is truncated, or its session still runs\n",
        );
    }
    compare_registry_generations(global, &replayed);
    let state = Record::from(StateDocument::of(&replayed.state)?);
    output::print_json_line(&state.to_value()?);
    Ok(exit::OK.into())
}

fn unreadable_log_error(log: &Path, err: &io::Error) -> ToolError {
    mathchain::io::cannot_read(format_args!("the log `{}`", log.display()), err)
}

fn fold_log(mut input: impl BufRead) -> Result<LogReplayResult> {
    let mut replay = LogReplay::default();
    let mut number = 0;
    loop {
        number += 1;
        let read = jsonl::read_line(&mut input, number, LINE_BYTES_MAX);
        let Some(line) = read.map_err(|err| unreadable_log_error(Path::new("-"), &err))? else {
            break;
        };
        let bytes = line.bytes.ok_or_else(
            || tool_error!(LimitExceeded; "line {number} is longer than {LINE_BYTES_MAX} bytes"),
        )?;
        let limits = JsonLimits {
            bytes_max: LINE_BYTES_MAX,
            ..JsonLimits::default()
        };
        let line = json::parse_bytes(&bytes, limits)
            .map_err(|err| tool_error!(InvalidRequest, "log"; "line {number} of the log: {err}"))?;
        replay.line(number, &line)?;
    }
    Ok(replay.finish()?)
}

/// Notes each registry generation of the log that is not in force here. The state does not depend on it.
fn compare_registry_generations(global: &GlobalArgs, replayed: &LogReplayResult) {
    let Ok(toolkit) = open::open_toolkit(global) else {
        return;
    };
    let dispatcher = toolkit.dispatcher();
    let here = dispatcher.policy().generation();
    let others = replayed.generations.iter().filter(|used| *used != here);
    for other in others {
        write_stderr(&format!(
            "note: the log was recorded with registry generation {other}, here it is {here}; the state follows from the log alone\n"
        ));
    }
}
