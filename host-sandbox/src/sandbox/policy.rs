//! [`Policy`]: what the launcher is told. It comes first through the socket on its standard input, then what the command
//! reads; the command itself never sees either.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use tool_core::command::{Excess, Level};
use tool_core::json;

/// Longest policy taken, in bytes.
const POLICY_BYTES_MAX: u32 = 16 << 20;

/// Everything the launcher applies.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Policy {
    /// The level that must hold.
    pub level: Level,
    /// Apply everything and end, instead of becoming the command.
    pub probe: bool,
    /// The socket on standard output is what the command reads from, too: it stays and is spoken with.
    pub live: bool,
    pub argv: Vec<String>,
    /// The workspace root, absolute.
    pub workspace: Option<String>,
    /// Absolute folders in the workspace that are not seen.
    pub closed: Vec<String>,
    /// Relative to the root; or, without a workspace, not used.
    pub directory: String,
    pub scratch: String,
    /// The user and group that a launcher of root becomes.
    pub user: Option<u32>,
    /// Absolute paths that may be read besides the lists and the workspace.
    pub readable: Vec<String>,
    pub environment: Vec<(String, String)>,
    pub cpu_s: u64,
    pub memory_bytes: u64,
    pub tree_memory_bytes: u64,
    pub file_bytes: u64,
    pub scratch_bytes: u64,
    pub scratch_entries: u64,
    pub processes: u64,
    pub open_files: u64,
    /// After this the launcher ends the command even when nobody outside does.
    pub wall_ms: u64,
}

impl Policy {
    /// Writes the policy and what the command reads.
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

    /// Reads the policy and what the command reads.
    pub(super) fn receive(input: &mut impl Read) -> io::Result<(Self, Vec<u8>)> {
        let mut length = [0; 4];
        input.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > POLICY_BYTES_MAX {
            return Err(io::Error::other("the policy is too long"));
        }
        let mut text = vec![0; length as usize];
        input.read_exact(&mut text)?;
        let value = json::parse_bytes(&text, json::Limits::default())
            .map_err(|err| io::Error::other(format!("{err:?}")))?;
        let policy =
            tool_core::convert::from_value(&value).map_err(|err| io::Error::other(err.message))?;
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

/// What the launcher reports, one line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Report {
    /// Everything is applied; the Landlock ABI in force, 0 for none.
    Ready { landlock: u32 },
    /// Something could not be applied; the command did not run.
    Failed {
        stage: String,
        errno: i32,
        message: String,
    },
    /// The command ended and nothing of it is left: `exit` or `signal`, its number, processor time in microseconds, and the limit
    /// for which it was killed, or `-`.
    Ended {
        signalled: bool,
        number: i32,
        cpu_us: u64,
        exceeded: Option<Excess>,
    },
}

impl Report {
    /// The line, with its end.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Ready { landlock } => format!("ready {landlock}\n"),
            Self::Failed {
                stage,
                errno,
                message,
            } => {
                let message: String = message.replace(['\n', '\r'], " ");
                format!("failed {stage} {errno} {message}\n")
            }
            Self::Ended {
                signalled,
                number,
                cpu_us,
                exceeded,
            } => {
                let kind = if *signalled { "signal" } else { "exit" };
                let exceeded = exceeded.map_or("-", Excess::as_str);
                format!("ended {kind} {number} {cpu_us} {exceeded}\n")
            }
        }
    }

    /// Reads a line.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (kind, rest) = line.split_once(' ')?;
        match kind {
            "ready" => Some(Self::Ready {
                landlock: rest.parse().ok()?,
            }),
            "failed" => {
                let mut parts = rest.splitn(3, ' ');
                Some(Self::Failed {
                    stage: parts.next()?.to_owned(),
                    errno: parts.next()?.parse().ok()?,
                    message: parts.next().unwrap_or_default().to_owned(),
                })
            }
            "ended" => {
                let mut parts = rest.split(' ');
                Some(Self::Ended {
                    signalled: parts.next()? == "signal",
                    number: parts.next()?.parse().ok()?,
                    cpu_us: parts.next()?.parse().ok()?,
                    exceeded: Excess::parse(parts.next()?),
                })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_read_back() {
        for report in [
            Report::Ready { landlock: 7 },
            Report::Failed {
                stage: "landlock".to_owned(),
                errno: 38,
                message: "not there".to_owned(),
            },
            Report::Ended {
                signalled: true,
                number: 9,
                cpu_us: 12,
                exceeded: Some(Excess::Disk),
            },
            Report::Ended {
                signalled: false,
                number: 0,
                cpu_us: 12,
                exceeded: None,
            },
        ] {
            assert_eq!(Report::parse(report.line().trim_end()), Some(report));
        }
        assert_eq!(Report::parse("nonsense"), None);
    }
}
