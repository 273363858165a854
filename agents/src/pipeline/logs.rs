//! The output of agents: the beginning goes to the journal, the rest to a file beside the answer.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tool_core::capability::{WorkspaceFiles, WriteMode};
use tool_core::{Value, object};

/// Output of one attempt that the journal takes, in bytes.
const JOURNAL_BYTES_MAX: usize = 256 << 10;
/// Output of one attempt that the file takes, in bytes.
const FILE_BYTES_MAX: usize = 64 << 20;
/// Size of the parts that are written to the file.
const PART_BYTES: usize = 1 << 20;
/// Output that waits for the journal at most, in bytes and in time.
const WAITING_BYTES_MAX: usize = 64 << 10;
const WAITING_MAX: Duration = Duration::from_millis(300);

/// The folder and the path of a file of an agent in the workspace: `outputs/PHASE/AGENT.EXTENSION`.
pub(super) fn agent_file_path(phase: &str, agent: &str, extension: &str) -> (String, String) {
    let folder = format!("outputs/{}", plain_file_name(phase));
    let path = format!("{folder}/{}.{extension}", plain_file_name(agent));
    (folder, path)
}

/// A name of letters, digits, `.`, `_` and `-` that begins and ends with a letter or digit.
fn plain_file_name(name: &str) -> String {
    let fits = |one: char| one.is_ascii_alphanumeric() || "._-".contains(one);
    let plain: String = name
        .chars()
        .map(|one| if fits(one) { one } else { '-' })
        .collect();
    match plain.trim_matches(['-', '.', '_']) {
        "" => "unnamed".to_owned(),
        plain => plain.to_owned(),
    }
}

/// The output of one attempt.
#[derive(Default)]
struct AttemptLog {
    journalled: usize,
    /// Whether the journal has what it takes: all that follows goes to the file.
    over: bool,
    spilled: usize,
    part: String,
    /// Whether the file was begun in this attempt.
    begun: bool,
    left_out: usize,
}

/// The output of every agent that runs.
pub(super) struct AgentLogs {
    of: BTreeMap<(String, String), AttemptLog>,
    waiting: Vec<(String, String, Vec<Value>)>,
    waiting_bytes: usize,
    since: Option<Instant>,
}

impl AgentLogs {
    pub(super) fn new() -> Self {
        Self {
            of: BTreeMap::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            since: None,
        }
    }

    pub(super) fn begin(&mut self, phase: &str, agent: &str) {
        self.of
            .insert((phase.to_owned(), agent.to_owned()), AttemptLog::default());
    }

    /// Adds a line.
    pub(super) fn add(
        &mut self,
        phase: &str,
        agent: &str,
        line: String,
        files: &dyn WorkspaceFiles,
    ) {
        let Some(log) = self.of.get_mut(&(phase.to_owned(), agent.to_owned())) else {
            return;
        };
        let bytes = line.len() + 1;
        log.over |= log.journalled + bytes > JOURNAL_BYTES_MAX;
        if !log.over {
            log.journalled += bytes;
            self.wait(phase, agent, line);
            return;
        }
        if log.spilled + log.part.len() + bytes > FILE_BYTES_MAX {
            log.left_out += bytes;
            return;
        }
        log.part.push_str(&line);
        log.part.push('\n');
        if log.part.len() >= PART_BYTES {
            spill_log(log, phase, agent, files);
        }
    }

    /// Writes what is left of an agent that ended, and says where the rest of its output is.
    pub(super) fn end(&mut self, phase: &str, agent: &str, files: &dyn WorkspaceFiles) {
        let Some(mut log) = self.of.remove(&(phase.to_owned(), agent.to_owned())) else {
            return;
        };
        spill_log(&mut log, phase, agent, files);
        if log.spilled > 0 {
            let (_, path) = agent_file_path(phase, agent, "log");
            let mut text = format!("[{} more bytes of output in {path}]", log.spilled);
            if log.left_out > 0 {
                text = format!("{} [{} bytes left out]", text, log.left_out);
            }
            self.wait(phase, agent, text);
        }
    }

    fn wait(&mut self, phase: &str, agent: &str, line: String) {
        self.since.get_or_insert_with(Instant::now);
        self.waiting_bytes += line.len();
        match self
            .waiting
            .last_mut()
            .filter(|last| last.0 == phase && last.1 == agent)
        {
            Some((_, _, lines)) => lines.push(line.into()),
            None => self
                .waiting
                .push((phase.to_owned(), agent.to_owned(), vec![line.into()])),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.waiting_bytes > WAITING_BYTES_MAX
    }

    pub(super) fn is_due(&self) -> bool {
        self.since
            .is_some_and(|since| since.elapsed() > WAITING_MAX)
    }

    /// The events with the output that waits for the journal.
    pub(super) fn taken(&mut self) -> Vec<Value> {
        self.since = None;
        self.waiting_bytes = 0;
        let event = |(phase, agent, lines): (String, String, Vec<Value>)| {
            object! { "output" => object! { "phase" => phase, "agent" => agent, "lines" => Value::array(lines) } }
        };
        std::mem::take(&mut self.waiting)
            .into_iter()
            .map(event)
            .collect()
    }
}

/// Appends the waiting part to the file; one that cannot be written is left out.
fn spill_log(log: &mut AttemptLog, phase: &str, agent: &str, files: &dyn WorkspaceFiles) {
    if log.part.is_empty() {
        return;
    }
    let part = std::mem::take(&mut log.part);
    let (folder, path) = agent_file_path(phase, agent, "log");
    let mode = match log.begun {
        true => WriteMode::Append,
        false => WriteMode::Overwrite,
    };
    let written = files
        .make_folder(&folder)
        .and_then(|()| files.write(&path, part.as_bytes(), mode));
    match written {
        Ok(_) => {
            log.begun = true;
            log.spilled += part.len();
        }
        Err(_) => log.left_out += part.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        for (name, expected) in [
            ("codex", "codex"),
            ("a/b", "a-b"),
            ("../x", "x"),
            (".hidden.", "hidden"),
            ("---", "unnamed"),
            ("", "unnamed"),
            ("é", "unnamed"),
            ("a é", "a"),
        ] {
            assert_eq!(plain_file_name(name), expected, "{name}");
        }
    }
}
