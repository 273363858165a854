//! Receipts of single records: the record, its place in the hash chain, and a signature by the key of the user who issued it.
//!
//! A receipt is verified without the state: the hash follows from the record and the hash before it, and the signature covers all of it. The
//! same hash is the head that the answer of the call has (`audit.head`).

use tool_core::capability::LedgerHead;
use tool_core::{Decode, Encode, Result, Value, convert, json, tool_error};

use super::audit::{AuditFilter, hash_of_event};
use super::chain::{self, START};
use super::seal::{self, CutKey, SealPurpose};
use super::sql;
use super::state::StateStore;
use super::verify::VerificationChecks;

/// The version of the form.
const VERSION: u32 = 1;

/// A record with the evidence that it stands in the audit log of the user whose key signed it.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub struct CallReceipt {
    /// Version of this form: 1.
    pub receipt: u32,
    /// Name of the chain.
    pub session: String,
    /// Number in the chain, from 1.
    pub sequence: u64,
    /// Hash before the record, 64 hex digits.
    pub before: String,
    /// Hash of the record after it, 64 hex digits.
    pub hash: String,
    /// The record.
    pub record: Value,
    /// Time of the receipt, in milliseconds since 1970-01-01 UTC.
    pub issued_ms: u64,
    /// Public key of the issuer, 64 hex digits.
    pub key: String,
    /// Signature by that key of all the above, 128 hex digits.
    pub signature: String,
}

impl CallReceipt {
    /// Reads a receipt from JSON.
    ///
    /// # Errors
    /// `invalid_args` with reason `receipt` for any other text.
    pub fn read(text: &str) -> Result<Self> {
        let wrong = |why: String| {
            tool_error!(InvalidArgs, "receipt"; "expected a receipt: {why}";
                "`mathchain audit receipt CALL_ID` prints one")
        };
        let value = json::parse_json(text, json::JsonLimits::default());
        let value = value.map_err(|err| wrong(err.to_string()))?;
        let found: Self = convert::from_value(&value).map_err(|err| wrong(err.message))?;
        match found.receipt {
            VERSION => Ok(found),
            other => Err(wrong(format!(
                "its version is {other}; this program knows {VERSION}"
            ))),
        }
    }

    /// What is wrong with it; nothing for a receipt that one of these public keys signed and that was not changed since.
    pub fn faults(&self, keys: &[String]) -> Vec<String> {
        let mut faults = Vec::new();
        let body = json::canonical_json(&self.record);
        let hash = chain::record_hash(&chain::parse_hex_hash(&self.before), &body);
        if chain::format_hex_hash(&hash) != self.hash {
            faults
                .push("the hash does not follow from the record and the hash before it".to_owned());
        }
        if !seal::is_signed(
            SealPurpose::Receipt,
            &self.signed_text(),
            &self.key,
            &self.signature,
        ) {
            faults.push("the signature does not fit: the receipt was changed".to_owned());
        }
        if !keys.contains(&self.key) {
            let key = &self.key;
            faults.push(format!(
                "it is signed by the key {key}, which is not among those given"
            ));
        }
        faults
    }

    /// The place of the record as a head, which the answer of the call has too.
    pub fn head(&self) -> LedgerHead {
        LedgerHead {
            session: self.session.clone(),
            sequence: self.sequence,
            hash: self.hash.clone(),
        }
    }

    /// The text that is signed: canonical JSON of all but the signature.
    fn signed_text(&self) -> String {
        let unsigned = Self {
            signature: String::new(),
            ..self.clone()
        };
        json::canonical_json(&convert::to_value(&unsigned).unwrap_or_default())
    }
}

impl StateStore {
    /// Issues a receipt of one record, named as in [`StateStore::audit_show`], after verifying the audit log.
    ///
    /// # Errors
    /// `invalid_args` when there is no such record; `state_unsound` when the log has faults.
    pub fn receipt(&self, name: &str, key: &CutKey, cut_keys: &[String]) -> Result<CallReceipt> {
        let found = self.audit_find_written(&AuditFilter::default(), name)?;
        let report = self.verify_with(&VerificationChecks {
            cut_keys: Some(cut_keys),
            ..VerificationChecks::default()
        })?;
        if let Some(fault) = report.faults.first() {
            let (session, sequence) = (&fault.session, fault.sequence);
            return Err(tool_error!(PreconditionFailed, "state_unsound";
                "the audit log has faults, so that no receipt is issued: {session} {sequence}: {}", fault.message;
                "`mathchain audit verify` shows all of them"));
        }
        let before = self.shared.read("read the audit log", |connection| {
            const HEADER: &str = "SELECT header FROM sessions WHERE id = ?";
            if found.sequence > 1 {
                let before = hash_of_event(connection, &found.session, found.sequence - 1)?;
                return Ok(before.unwrap_or(START));
            }
            let header: Option<String> = sql::first_row(connection, HEADER, [&found.session])?;
            Ok(chain::record_hash(&START, &header.unwrap_or_default()))
        })?;
        let mut receipt = CallReceipt {
            receipt: VERSION,
            session: found.session,
            sequence: found.sequence,
            before: chain::format_hex_hash(&before),
            hash: found.hash,
            record: found.record,
            issued_ms: self.shared.clock.unix_ms(),
            key: key.public(),
            signature: String::new(),
        };
        receipt.signature = key.sign(SealPurpose::Receipt, &receipt.signed_text());
        match receipt.faults(std::slice::from_ref(&receipt.key)).pop() {
            None => Ok(receipt),
            Some(fault) => Err(tool_error!(ToolError, "receipt";
                "no receipt of `{name}` can be issued: {fault}";
                "`mathchain audit export` has the record as it was written")),
        }
    }
}
