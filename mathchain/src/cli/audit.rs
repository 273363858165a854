//! `mathchain audit`: the record of every call, listed, verified and exported.

use journal::{AuditRecord, State, parse_head};

use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum Audit {
    /// List the newest records
    List {
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
        /// Skip the values that runs refer to
        #[arg(long)]
        no_values: bool,
    },
    /// Write all records as JSON Lines
    Export,
}

/// Reads or verifies the audit.
pub(super) fn audit(global: &Global, audit: &Audit) -> Result<ExitCode> {
    let toolkit = open::toolkit(global)?;
    let state = &*open::state_to_read(global, &toolkit)?;
    match audit {
        Audit::List { limit } => {
            let records = state.audit_list(None, *limit as usize)?;
            output::list(global, &records, plain, "no records", line)
        }
        Audit::Show { record } => output::one(global, &plain(&state.audit_show(record)?)),
        Audit::Verify { heads, no_values } => verify(global, state, heads, !no_values),
        Audit::Export => {
            state.export(None, &mut output::WhileRead(output::stdout()))?;
            Ok(exit::OK.into())
        }
    }
}

fn verify(global: &Global, state: &State, heads: &[String], values: bool) -> Result<ExitCode> {
    let published = heads.iter().map(|head| parse_head(head));
    let found = state.verify(&published.collect::<Result<Vec<_>, _>>()?, values)?;
    let head = found.head.as_ref().map(ToString::to_string);
    let data = object! {
        "sound" => found.is_sound(),
        "sessions" => found.sessions,
        "records" => found.records,
        "values" => found.values,
        "head" => head.clone(),
        "faults" => plain(&found.faults),
    };
    output::data(global, &data, || {
        let values = match found.values {
            Some(values) => format!(", {}", counted(values, "value")),
            None => "; values not checked".to_owned(),
        };
        let verdict = ["NOT SOUND", "sound"][usize::from(found.is_sound())];
        let records = counted(found.records, "record");
        let sessions = counted(found.sessions, "audit session");
        let mut text = format!("{records} in {sessions}{values}: {verdict}\n");
        for fault in &found.faults {
            let (session, message) = (&fault.session, &fault.message);
            let _ = writeln!(text, "  {session} {}: {message}", fault.sequence);
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

fn line(record: &AuditRecord) -> String {
    let find = |key: &str| record.record.get(key).and_then(Value::as_str);
    let text = |key: &str| find(key).unwrap_or("-");
    let event = find("event").or(find("kind")).unwrap_or("-");
    let (tool, role, status) = (text("tool"), text("role"), text("status"));
    let (session, sequence) = (&record.session, record.sequence);
    format!("{session}:{sequence:<5} {event:8} {tool:24} {role:16} {status}\n")
}
