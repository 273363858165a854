//! `mathchain audit list|show|verify|export`.

use std::process::ExitCode;

use chain_runtime::counted;
use clap::Subcommand;
use journal::{AuditRecord, State, parse_head};
use tool_core::{ToolError, Value};

use super::args::Global;
use super::{WhileRead, exit, human, print_data, session, stdout};

#[derive(Debug, Subcommand)]
pub(super) enum Audit {
    /// List the newest records
    List {
        /// How many
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Show one record
    Show {
        /// Call id, or session and number as SESSION:N
        record: String,
    },
    /// Check every hash chain and the values that runs refer to; finds a changed byte, a missing record, a cut tail
    #[command(
        after_help = "Every answer has a head: `audit.head` in its metadata, the line `audit ...` for a reader.
Examples:
  mathchain audit verify
  mathchain audit verify --no-values          # records alone: as quick whatever runs keep
  mathchain audit verify --head SESSION:N:HASH"
    )]
    Verify {
        /// A head published earlier, SESSION:N:HASH, that must still be there; repeatable
        #[arg(long = "head", value_name = "HEAD")]
        heads: Vec<String>,
        /// Leave the values that runs refer to unread
        #[arg(long)]
        no_values: bool,
    },
    /// Write all records as JSON Lines
    Export,
}

/// Reads or verifies the audit.
pub(super) fn audit(global: &Global, audit: &Audit) -> Result<ExitCode, ToolError> {
    let toolkit = session::open(global)?;
    let state = &*session::state_to_read(global, &toolkit)?;
    match audit {
        Audit::List { limit } => {
            let records = state.audit_list(None, *limit as usize)?;
            print_data(
                global,
                &Value::array(records.iter().map(value).collect()),
                || records.iter().map(line).collect(),
            );
        }
        Audit::Show { record } => {
            let found = state.audit_show(record)?;
            print_data(global, &value(&found), || human::value(&value(&found)));
        }
        Audit::Verify { heads, no_values } => return verify(global, state, heads, !no_values),
        Audit::Export => {
            state.export(&mut WhileRead(stdout()))?;
        }
    }
    Ok(exit::OK.into())
}

fn verify(
    global: &Global,
    state: &State,
    heads: &[String],
    values: bool,
) -> Result<ExitCode, ToolError> {
    let published = heads
        .iter()
        .map(|head| parse_head(head))
        .collect::<Result<Vec<_>, _>>()?;
    let found = state.verify_with(&published, values)?;
    let faults: Vec<Value> = found
        .faults
        .iter()
        .map(|fault| {
            Value::object([
                ("session", Value::from(fault.session.as_str())),
                ("sequence", Value::from(fault.sequence)),
                ("message", Value::from(fault.message.as_str())),
            ])
        })
        .collect();
    let head = found.head.as_ref().map(ToString::to_string);
    let data = Value::object([
        ("sound", Value::from(found.is_sound())),
        ("sessions", Value::from(found.sessions)),
        ("records", Value::from(found.records)),
        ("values", Value::from(found.values)),
        ("head", Value::from(head.clone())),
        ("faults", Value::array(faults)),
    ]);
    print_data(global, &data, || {
        let values = found.values.map_or_else(
            || "; values were not read".to_owned(),
            |values| format!(", {}", counted(values, "value")),
        );
        let mut text = format!(
            "{} in {}{values}: {}\n",
            counted(found.records, "record"),
            counted(found.sessions, "session"),
            if found.is_sound() {
                "sound"
            } else {
                "NOT SOUND"
            }
        );
        for fault in &found.faults {
            text.push_str(&format!(
                "  {} {}: {}\n",
                fault.session, fault.sequence, fault.message
            ));
        }
        if let Some(head) = head {
            text.push_str(&format!("head {head}\n  keep it elsewhere; `mathchain audit verify --head {head}` later finds even a cut tail\n"));
        }
        text
    });
    Ok(if found.is_sound() {
        exit::OK
    } else {
        exit::TOOL_ERROR
    }
    .into())
}

fn value(record: &AuditRecord) -> Value {
    Value::object([
        ("session", Value::from(record.session.as_str())),
        ("sequence", Value::from(record.sequence)),
        ("hash", Value::from(record.hash.as_str())),
        ("record", record.record.clone()),
    ])
}

fn line(record: &AuditRecord) -> String {
    let found = |key: &str| record.record.get(key).and_then(Value::as_str);
    let text = |key: &str| found(key).unwrap_or("-").to_owned();
    format!(
        "{}:{:<5} {:8} {:24} {:16} {}\n",
        record.session,
        record.sequence,
        found("event").or(found("kind")).unwrap_or("-"),
        text("tool"),
        text("role"),
        text("status")
    )
}
