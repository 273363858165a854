//! [`SandboxPolicy`]: the restrictions that the launcher applies. It arrives first through the socket on the launcher's standard input,
//! followed by the command's standard input; the command never sees the socket.

use std::io::{self, Read, Write};
use std::time::Duration;

use tool_core::command::{CommandLimits, Excess, Isolation, Level, ProcessExit};
use tool_core::{Decode, Encode, json};

/// Maximum size of a policy in bytes.
const POLICY_BYTES_MAX: u32 = 16 << 20;

/// Sent to the launcher of a running command: it asks the processes of the command to end.
pub(super) const TERMINATE: u8 = b'T';

/// The restrictions of one command.
#[derive(Debug, Clone, Encode, Decode)]
#[value(deny_unknown_fields)]
pub(super) struct SandboxPolicy {
    /// The level to apply.
    pub level: Level,
    /// What the command is kept from.
    pub isolation: Isolation,
    /// Apply everything and exit without running the command.
    pub probe: bool,
    /// The command is interactive: the socket on standard output is its standard input too.
    pub live: bool,
    pub argv: Vec<String>,
    /// The workspace root, absolute.
    pub workspace: Option<String>,
    /// Further roots of the workspace, absolute.
    pub roots: Vec<String>,
    /// Absolute folders in the workspace that the command cannot read.
    pub closed: Vec<String>,
    /// Working folder, relative to the root or absolute in a further root; unused without a workspace.
    pub directory: String,
    pub scratch: String,
    /// The user and group that a launcher of root becomes.
    pub user: Option<UserGroup>,
    /// Folders of the workspace that the command may change, named as `directory` is.
    pub writable: Vec<String>,
    /// Files and folders in these that stay read-only; missing ones are ignored.
    pub kept: Vec<String>,
    /// Absolute folder that belongs to the command.
    pub exchange: Option<String>,
    /// Absolute paths that may be read in addition to the lists and the workspace.
    pub readable: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// The launcher ends the command on its own after the wall time.
    pub limits: CommandLimits,
}

/// A user and a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub(super) struct UserGroup {
    pub user: u32,
    pub group: u32,
}

impl SandboxPolicy {
    /// Whether the command may change folders of the workspace.
    pub(super) fn writes(&self) -> bool {
        !self.writable.is_empty()
    }

    /// Every root of the workspace.
    pub(super) fn roots(&self) -> impl Iterator<Item = &String> {
        self.workspace.iter().chain(&self.roots)
    }

    /// Writes the policy and the standard input of the command.
    pub(super) fn send(&self, out: &mut impl Write, stdin: &[u8]) -> io::Result<()> {
        let value = tool_core::convert::to_value(self).map_err(io::Error::other)?;
        let text = json::to_text(&value);
        let mut frame = Vec::with_capacity(text.len() + 12);
        frame.extend_from_slice(&(text.len() as u32).to_le_bytes());
        frame.extend_from_slice(text.as_bytes());
        frame.extend_from_slice(&(stdin.len() as u64).to_le_bytes());
        out.write_all(&frame)?;
        out.write_all(stdin)
    }

    /// Reads the policy and the standard input of the command.
    pub(super) fn receive(input: &mut impl Read) -> io::Result<(Self, Vec<u8>)> {
        let mut length = [0; 4];
        input.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > POLICY_BYTES_MAX {
            return Err(io::Error::other("the policy is too long"));
        }
        let mut text = vec![0; length as usize];
        input.read_exact(&mut text)?;
        let value = json::parse_bytes(&text, json::JsonLimits::default());
        let value = value.map_err(|err| io::Error::other(format!("{err:?}")))?;
        let policy = tool_core::convert::from_value(&value);
        let policy = policy.map_err(|err| io::Error::other(err.message))?;
        let mut length = [0; 8];
        input.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        let mut stdin = Vec::new();
        if input.take(length).read_to_end(&mut stdin)? as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok((policy, stdin))
    }
}

/// A report of the launcher: one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub(super) enum LauncherReport {
    /// Everything is applied; the Landlock ABI in force, 0 for none.
    Ready { landlock: u32 },
    /// The command did not run.
    Failed(LauncherFault),
    /// The command ended and none of its processes is left.
    Ended(CommandEnd),
}

/// A restriction that could not be applied, or a command that could not be started.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub(super) struct LauncherFault {
    pub stage: String,
    pub errno: i32,
    pub message: String,
}

impl LauncherFault {
    /// A failure of the launcher itself.
    pub(super) fn of_launcher(message: impl Into<String>) -> Self {
        Self {
            stage: "launcher".to_owned(),
            errno: 0,
            message: message.into(),
        }
    }
}

/// The end of a command: its exit, processor time, and the limit it was killed for.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub(super) struct CommandEnd {
    pub exit: ProcessExit,
    pub cpu: Duration,
    pub exceeded: Option<Excess>,
}

impl LauncherReport {
    /// The line, with its line feed.
    pub(super) fn line(&self) -> String {
        let value = tool_core::convert::to_value(self).unwrap_or_default();
        format!("{}\n", json::to_text(&value))
    }

    /// Reads a line.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let value = json::parse_json(line, json::JsonLimits::default()).ok()?;
        tool_core::convert::from_value(&value).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_read_back() {
        let ended = |exit, exceeded| {
            LauncherReport::Ended(CommandEnd {
                exit,
                cpu: Duration::from_micros(12),
                exceeded,
            })
        };
        for report in [
            LauncherReport::Ready { landlock: 7 },
            LauncherReport::Failed(LauncherFault {
                stage: "landlock".to_owned(),
                errno: 38,
                message: "not there".to_owned(),
            }),
            ended(ProcessExit::Signal(9), Some(Excess::Disk)),
            ended(ProcessExit::Status(0), None),
        ] {
            assert_eq!(
                LauncherReport::parse(report.line().trim_end()),
                Some(report)
            );
        }
        assert_eq!(LauncherReport::parse("nonsense"), None);
    }
}
