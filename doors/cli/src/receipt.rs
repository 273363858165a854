//! `mathchain audit receipt` and `verify-receipt`: one record with its place and a signature, verified without any state.

use std::path::Path;

use journal::{CallReceipt, StateStore};

use super::prelude::*;
use super::stdin;
use mathchain::audit_key;

/// Longest receipt: a record has at most a mebibyte.
const RECEIPT_BYTES_MAX: u64 = 4 << 20;

/// Prints a receipt of one record as a line of JSON.
pub(super) fn print_receipt(state: &StateStore, record: &str) -> Result<ExitCode> {
    let key = audit_key::existing_or_new()?;
    let receipt = state.receipt(record, &key, &audit_key::trusted_cut_keys(&[])?)?;
    output::print_json_line(&plain_value(&receipt));
    Ok(exit::OK.into())
}

/// Verifies a receipt by the keys given, or by this user's.
pub(super) fn verify_receipt(
    global: &GlobalArgs,
    file: &Path,
    keys: &[String],
) -> Result<ExitCode> {
    let receipt = CallReceipt::read(&read_receipt(file)?)?;
    let trusted = match keys {
        [] => audit_key::trusted_cut_keys(&[])?,
        keys => audit_key::public_keys(keys)?,
    };
    if trusted.is_empty() {
        return Err(tool_error!(InvalidArgs, "cut_key";
            "no public key is known: this user has none";
            "pass `--key KEY` of the user who issued the receipt, 64 hex digits"));
    }
    let faults = receipt.faults(&trusted);
    let head = receipt.head().to_string();
    let text = |member: &str| receipt.record.text(member).map(str::to_owned);
    let data = object! {
        "sound" => faults.is_empty(),
        "call_id" => text("call_id"),
        "tool" => text("tool"),
        "role" => text("role"),
        "status" => text("status"),
        "head" => head.as_str(),
        "issued_ms" => receipt.issued_ms,
        "key" => receipt.key.as_str(),
        "faults" => faults.clone(),
    };
    output::print_data(global, &data, || {
        let verdict = ["NOT SOUND", "sound"][usize::from(faults.is_empty())];
        let part = |member: &str| text(member).unwrap_or_else(|| "-".to_owned());
        let (tool, role, status) = (part("tool"), part("role"), part("status"));
        let issued = human::format_local_time(receipt.issued_ms);
        let mut lines = format!("receipt of `{tool}` as `{role}`, {status}: {verdict}\n");
        for fault in &faults {
            let _ = writeln!(lines, "  {fault}");
        }
        if faults.is_empty() {
            let _ = writeln!(lines, "  issued {issued} by the key {}", receipt.key);
            let _ = writeln!(
                lines,
                "head {head}\n  the answer of the call has it as `audit.head`"
            );
        }
        lines
    })?;
    Ok(exit::of_check(faults.is_empty()))
}

fn read_receipt(file: &Path) -> Result<String> {
    if file != Path::new("-") {
        return environment::read_named(file);
    }
    let bytes =
        stdin::read_stdin(RECEIPT_BYTES_MAX).map_err(|err| io::cannot_read("stdin", &err))?;
    if bytes.len() as u64 > RECEIPT_BYTES_MAX {
        return Err(tool_error!(LimitExceeded, "receipt";
            "a receipt has at most {RECEIPT_BYTES_MAX} bytes"; "pass the receipt alone"));
    }
    String::from_utf8(bytes).map_err(|_| {
        tool_error!(InvalidArgs, "receipt"; "expected a receipt: it is not UTF-8";
            "`mathchain audit receipt CALL_ID` prints one")
    })
}
