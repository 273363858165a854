//! Audit, approvals, backups, notifications and state in memory.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tool_core::capability::{
    ApprovalRequest, ApprovalState, ApprovalStore, AuditLedger, BackupCopy, BackupStore,
    LedgerHead, Notification, NotificationLog, RecordDurability, ToolStateStore,
};
use tool_core::{ErrorCode, ToolError, Value};

fn full() -> ToolError {
    ToolError::new(ErrorCode::ToolError, "the disk is full")
}

fn no_digest() -> String {
    "0".repeat(64)
}

/// An audit log in memory.
#[derive(Default)]
pub struct MemoryLedger {
    /// The records so far.
    pub records: Mutex<Vec<(Value, RecordDurability)>>,
    /// Refuses every record.
    pub broken: bool,
    /// Panics at every record.
    pub panics: bool,
}

impl MemoryLedger {
    /// The records so far, without their durability.
    #[must_use]
    pub fn values(&self) -> Vec<Value> {
        let records = self.records.lock().unwrap();
        records.iter().map(|(record, _)| record.clone()).collect()
    }
}

impl AuditLedger for MemoryLedger {
    fn record(
        &self,
        record: &Value,
        durability: RecordDurability,
    ) -> Result<LedgerHead, ToolError> {
        assert!(!self.panics, "the ledger panics");
        if self.broken {
            return Err(full());
        }
        let mut records = self.records.lock().unwrap();
        records.push((record.clone(), durability));
        Ok(LedgerHead {
            session: "test".to_owned(),
            sequence: records.len() as u64,
            hash: no_digest(),
        })
    }
}

/// Approvals in memory.
#[derive(Default)]
pub struct MemoryApprovals {
    /// The requests so far.
    pub requests: Mutex<Vec<ApprovalRequest>>,
    /// Answers by the digest of their request: the user who approved, or another state.
    pub granted: Mutex<BTreeMap<String, Result<String, ApprovalState>>>,
}

impl MemoryApprovals {
    /// Answers the newest request.
    pub fn answer(&self, answer: Result<&str, ApprovalState>) {
        let digest = self.requests.lock().unwrap().last().unwrap().digest.clone();
        let mut granted = self.granted.lock().unwrap();
        granted.insert(digest, answer.map(str::to_owned));
    }
}

impl ApprovalStore for MemoryApprovals {
    fn settle(&self, request: &ApprovalRequest, _: &Value) -> Result<ApprovalState, ToolError> {
        if let Some(edited) = &request.edited {
            let answer = self.granted.lock().unwrap().remove(&edited.digest);
            let Some(Err(ApprovalState::Edited {
                id, approved_by, ..
            })) = answer
            else {
                return Err(ToolError::new(ErrorCode::Conflict, "the grant was used"));
            };
            return Ok(ApprovalState::Consumed { id, approved_by });
        }
        if let Some(Err(state @ ApprovalState::Edited { .. })) =
            self.granted.lock().unwrap().get(&request.digest)
        {
            return Ok(state.clone());
        }
        match self.granted.lock().unwrap().remove(&request.digest) {
            Some(Ok(by)) => Ok(ApprovalState::Consumed {
                id: "a1".to_owned(),
                approved_by: by,
            }),
            Some(Err(state)) => Ok(state),
            None => {
                let mut requests = self.requests.lock().unwrap();
                requests.push(request.clone());
                Ok(ApprovalState::Pending {
                    id: format!("a{}", requests.len()),
                    is_new: true,
                })
            }
        }
    }
}

/// Backups in memory: which paths of which call.
#[derive(Default)]
pub struct MemoryBackups {
    /// The backups so far.
    pub kept: Mutex<Vec<(String, Vec<String>)>>,
    /// Refuses every backup.
    pub broken: AtomicBool,
}

impl BackupStore for MemoryBackups {
    fn keep(&self, call_id: &str, paths: &[String]) -> Result<Vec<BackupCopy>, ToolError> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(full());
        }
        let mut kept = self.kept.lock().unwrap();
        kept.push((call_id.to_owned(), paths.to_vec()));
        let one = |path: &String| BackupCopy {
            id: format!("b{}", kept.len()),
            path: path.clone(),
            digest: no_digest(),
            bytes: 5,
        };
        Ok(paths.iter().map(one).collect())
    }
}

/// Notifications in memory.
#[derive(Default)]
pub struct MemoryNotices {
    /// The notifications so far.
    pub told: Mutex<Vec<Notification>>,
    /// Refuses every notification.
    pub broken: AtomicBool,
}

impl NotificationLog for MemoryNotices {
    fn notify(&self, notice: &Notification) -> Result<String, ToolError> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(full());
        }
        let mut told = self.told.lock().unwrap();
        told.push(notice.clone());
        Ok(format!("n{}", told.len()))
    }
}

/// State of workflow tools in memory.
#[derive(Default)]
pub struct MemoryState(Mutex<BTreeMap<String, Value>>);

impl ToolStateStore for MemoryState {
    fn get(&self, key: &str) -> Result<Option<Value>, ToolError> {
        Ok(self.0.lock().unwrap().get(key).cloned())
    }

    fn update(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Result<Value, ToolError>,
    ) -> Result<Value, ToolError> {
        let mut values = self.0.lock().unwrap();
        let value = change(values.get(key).cloned())?;
        values.insert(key.to_owned(), value.clone());
        Ok(value)
    }
}
