//! `mathchain audit`: the record of every call, listed, verified and exported.

use std::io::Write;
use std::path::PathBuf;

use journal::{AuditFilter, AuditRecord, ChainCut, StateStore, VerificationChecks, parse_head};

use super::folders::FolderArgs;
use super::prelude::*;
use super::{receipt, when};
use mathchain::audit_key;

/// What a record may have as its status.
const STATUSES: [&str; 3] = ["success", "error", "pending_approval"];

#[derive(Debug, Subcommand)]
pub(super) enum AuditCommand {
    /// List the newest records
    #[command(after_help = "Examples:
  mathchain audit list --tool write_file --since 7d
  mathchain audit list --role worker_math --status error --json")]
    List {
        #[command(flatten)]
        wanted: AuditFilterArgs,
        #[command(flatten)]
        folders: FolderArgs,
        /// Maximum number of rows
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Show one record
    Show {
        /// Call id, or audit session and sequence number as SESSION:N
        record: String,
    },
    /// Verify every hash chain, and the stored values that runs refer to
    #[command(
        after_help = "Detects a changed byte, a missing record and removed newest records. Every answer carries a head: `audit.head` in its metadata, `audit ...` on stderr.
Examples:
  mathchain audit verify
  mathchain audit verify --no-values          # records alone: the time does not grow with stored values
  mathchain audit verify --head SESSION:N:HASH"
    )]
    Verify {
        /// Head published earlier, SESSION:N:HASH, that must still exist; repeatable
        #[arg(long = "head", value_name = "HEAD")]
        heads: Vec<String>,
        /// Public key of another user whose cuts are accepted, 64 hex digits; repeatable
        #[arg(long = "cut-key", value_name = "KEY")]
        cut_keys: Vec<String>,
        /// Skip the values that runs refer to
        #[arg(long)]
        no_values: bool,
    },
    /// Print a signed receipt of one record, with its place in the hash chain
    #[command(
        after_help = "The audit log is verified first. The receipt verifies without it, by the public key alone: `audit verify --json` shows the key as `cut_key`, and docs/state.md what a receipt proves.
Examples:
  mathchain audit receipt CALL_ID > receipt.json
  mathchain audit verify-receipt receipt.json --key KEY"
    )]
    Receipt {
        /// Call id, or audit session and sequence number as SESSION:N
        #[arg(value_name = "CALL_ID")]
        record: String,
    },
    /// Verify a receipt by a public key, without any state
    VerifyReceipt {
        /// File with the receipt; `-` reads stdin
        file: PathBuf,
        /// Public key of the user who issued it, 64 hex digits; repeatable. Without it, this user's
        #[arg(long = "key", value_name = "KEY")]
        keys: Vec<String>,
    },
    /// Write all records, or those that match, as JSON Lines
    #[command(
        after_help = "Without filters the lines also have the sessions and links with which every hash can be verified.
Examples:
  mathchain audit export --to audit.jsonl
  mathchain audit export --tool write_file --since 2026-01-01 | jq .record
  mathchain audit export --format csv --since yesterday --to audit.csv"
    )]
    Export {
        #[command(flatten)]
        wanted: AuditFilterArgs,
        /// `jsonl`: everything; `csv`: a table with a row for each record
        #[arg(long, value_enum, default_value_t)]
        format: AuditLayout,
        /// File to write instead of stdout
        #[arg(long, alias = "out", value_name = "FILE")]
        to: Option<PathBuf>,
        /// Replace an existing file
        #[arg(long, requires = "to")]
        force: bool,
    },
}

/// The layout of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum AuditLayout {
    #[default]
    Jsonl,
    Csv,
}

/// The columns of a table of records: members of the record, after those of its chain.
const COLUMNS: [&str; 16] = [
    "kind",
    "event",
    "tool",
    "role",
    "agent",
    "status",
    "decision",
    "reason",
    "approval_id",
    "approved_by",
    "effects",
    "resources",
    "error_code",
    "error",
    "args_digest",
    "event_data",
];

/// Writes records as CSV (RFC 4180), oldest first.
fn write_audit_csv(
    state: &StateStore,
    filter: &AuditFilter,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let records = state.audit_matching(filter, usize::MAX);
    let records = records.map_err(|err| std::io::Error::other(err.message().to_owned()))?;
    write!(out, "time,session,sequence,hash")?;
    for column in COLUMNS {
        write!(out, ",{column}")?;
    }
    write!(out, "\r\n")?;
    for one in records.iter().rev() {
        let time = one.record.get("recorded_ms").and_then(Value::as_i64);
        let time = human::format_local_time(time.unwrap_or(0).unsigned_abs());
        write!(
            out,
            "{},{},{},{}",
            csv_cell(&time),
            csv_cell(&one.session),
            one.sequence,
            one.hash
        )?;
        for column in COLUMNS {
            let text = match one.record.get(column) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text.to_string(),
                Some(other) => json::to_text(other),
            };
            write!(out, ",{}", csv_cell(&text))?;
        }
        write!(out, "\r\n")?;
    }
    Ok(())
}

/// A cell, in quotes where it needs them; one that a spreadsheet would take for a formula begins with an apostrophe.
fn csv_cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

/// Which records are wanted.
#[derive(Debug, Args)]
pub(super) struct AuditFilterArgs {
    /// Only records of this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// Only records of this role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Only records with this status, such as success, error or pending_approval
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Only records since: age or local date, such as 24h, yesterday or 2026-11-23T16:40
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
}

impl AuditFilterArgs {
    /// The filter; `None` where everything is wanted.
    ///
    /// # Errors
    /// `invalid_args` with the nearest name for one that neither a record nor the configuration has.
    fn filter(&self, toolkit: &Toolkit, state: &StateStore) -> Result<Option<AuditFilter>> {
        let dispatcher = toolkit.dispatcher();
        let tools = || dispatcher.catalogue().ids().map(str::to_owned).collect();
        let roles = || {
            let roles = dispatcher.policy().roles();
            roles.map(|(name, _)| name.to_owned()).collect()
        };
        let statuses = || STATUSES.iter().map(|name| (*name).to_owned()).collect();
        require_known_name(state, "tool", self.tool.as_deref(), tools)?;
        require_known_name(state, "role", self.role.as_deref(), roles)?;
        require_known_name(state, "status", self.status.as_deref(), statuses)?;
        let filter = AuditFilter {
            tool: self.tool.clone(),
            role: self.role.clone(),
            status: self.status.clone(),
            since_ms: self.since.as_deref().map(when::unix_ms).transpose()?,
            folder: None,
        };
        Ok((filter != AuditFilter::default()).then_some(filter))
    }
}

/// Refuses a name that is nowhere known: a misspelt filter would find nothing.
fn require_known_name(
    state: &StateStore,
    member: &str,
    wanted: Option<&str>,
    names: impl FnOnce() -> Vec<String>,
) -> Result<()> {
    let Some(wanted) = wanted else {
        return Ok(());
    };
    let mut names = names();
    if names.iter().any(|name| name == wanted) {
        return Ok(());
    }
    names.extend(state.audit_names(member)?);
    if names.iter().any(|name| name == wanted) {
        return Ok(());
    }
    let error = tool_error!(InvalidArgs, "unknown_filter"; "no record has the {member} `{wanted}`");
    let names = names.iter().map(String::as_str);
    Err(output::suggest_nearest_name(
        error,
        wanted,
        names,
        "`mathchain audit list` shows the newest records",
    ))
}

/// Reads or verifies the audit.
pub(super) fn run_audit_command(global: &GlobalArgs, audit: &AuditCommand) -> Result<ExitCode> {
    // A receipt is verified without state and configuration.
    if let AuditCommand::VerifyReceipt { file, keys } = audit {
        return receipt::verify_receipt(global, file, keys);
    }
    let toolkit = open::open_toolkit(global)?;
    let state = &*open::state_to_read(global, &toolkit)?;
    match audit {
        AuditCommand::Receipt { record } => receipt::print_receipt(state, record),
        AuditCommand::VerifyReceipt { file, keys } => receipt::verify_receipt(global, file, keys),
        AuditCommand::List {
            wanted,
            folders,
            limit,
        } => {
            let filter = AuditFilter {
                folder: folders.of(&toolkit),
                ..wanted.filter(&toolkit, state)?.unwrap_or_default()
            };
            let records = state.audit_matching(&filter, *limit as usize)?;
            let none = folders.none(&toolkit, "no records");
            output::print_list(global, &records, plain_value, &none, |one| {
                folders.line(audit_record_line(one), one.folder.as_deref())
            })
        }
        AuditCommand::Show { record } => {
            output::print_record(global, &plain_value(&state.audit_show(record)?))
        }
        AuditCommand::Verify {
            heads,
            cut_keys,
            no_values,
        } => verify_audit(global, state, (heads, cut_keys), !no_values),
        AuditCommand::Export {
            wanted,
            format,
            to,
            force,
        } => {
            let filter = wanted.filter(&toolkit, state)?;
            let write = |out: &mut dyn Write| match &filter {
                _ if *format == AuditLayout::Csv => {
                    let filter = filter.clone().unwrap_or_default();
                    write_audit_csv(state, &filter, out)
                        .map_err(|err| tool_error!(ToolError, "io"; "{err}"))?;
                    Ok(0)
                }
                Some(filter) => state.export_matching(filter, out),
                None => state.export(None, out),
            };
            match to {
                Some(path) => {
                    output::to_file(path, *force, |out| write(out).map(drop))?;
                }
                None => {
                    write(&mut output::WhileRead(output::standard_output()))?;
                }
            }
            Ok(exit::OK.into())
        }
    }
}

fn verify_audit(
    global: &GlobalArgs,
    state: &StateStore,
    (heads, keys): (&[String], &[String]),
    values: bool,
) -> Result<ExitCode> {
    let published = heads.iter().map(|head| parse_head(head));
    let published = published.collect::<Result<Vec<_>, _>>()?;
    let found = state.verify_with(&VerificationChecks {
        published: &published,
        values,
        cut_keys: Some(&audit_key::trusted_cut_keys(keys)?),
    })?;
    let cut_key = audit_key::load_cut_key()?.map(|key| key.public());
    let head = found.head.as_ref().map(ToString::to_string);
    let data = object! {
        "sound" => found.is_sound(),
        "sessions" => found.sessions,
        "records" => found.records,
        "values" => found.values,
        "cut" => found.cut.as_ref().map(plain_value),
        "cut_key" => cut_key,
        "head" => head.clone(),
        "faults" => plain_value(&found.faults),
    };
    output::print_data(global, &data, || {
        let values = match found.values {
            Some(values) => format!(", {}", count_phrase(values, "value")),
            None => "; values not checked".to_owned(),
        };
        let verdict = ["NOT SOUND", "sound"][usize::from(found.is_sound())];
        let records = count_phrase(found.records, "record");
        let sessions = count_phrase(found.sessions, "audit session");
        let mut text = format!("{records} in {sessions}{values}: {verdict}\n");
        if let Some(cut) = &found.cut {
            text += &cut_line(cut);
        }
        for fault in &found.faults {
            let (session, message) = (&fault.session, &fault.message);
            let _ = writeln!(text, "  {session} {}: {message}", fault.sequence);
        }
        if found
            .faults
            .iter()
            .any(|fault| fault.message.contains("not this user's"))
        {
            text += "  `--cut-key KEY` accepts cuts of a user whose public key you know\n";
        }
        if let Some(head) = head {
            text += &format!(
                "head {head}\n  store it elsewhere: `mathchain audit verify --head {head}` later also detects removed newest records\n"
            );
        }
        text
    })?;
    Ok(exit::of_check(found.is_sound()))
}

fn cut_line(cut: &ChainCut) -> String {
    let (first, last) = (
        human::format_local_time(cut.first_ms),
        human::format_local_time(cut.last_ms),
    );
    let (records, sessions) = (
        count_phrase(cut.records, "record"),
        count_phrase(cut.sessions, "chain"),
    );
    let pruned = human::format_local_time(cut.pruned_ms);
    let mut text = format!(
        "verified from the cut of {pruned}, which removed {records} in {sessions}, from {first} to {last}"
    );
    if cut.earlier_records > 0 {
        let earlier = count_phrase(cut.earlier_records, "record");
        let _ = write!(text, "; earlier cuts removed {earlier}");
    }
    text.push('\n');
    text
}

fn audit_record_line(record: &AuditRecord) -> String {
    let find = |key: &str| record.record.get(key).and_then(Value::as_str);
    let text = |key: &str| find(key).unwrap_or("-");
    let event = find("event").or(find("kind")).unwrap_or("-");
    let (tool, role, status) = (text("tool"), text("role"), text("status"));
    let (session, sequence) = (&record.session, record.sequence);
    let recorded = record.record.get("recorded_ms").and_then(Value::as_i64);
    let time = human::format_local_time(recorded.unwrap_or(0).unsigned_abs());
    format!("{time}  {event:8} {tool:24} {role:16} {status:16} {session}:{sequence}\n")
}
