//! A dispatcher over a world in memory, for the tests of this crate.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fakes::{
    MemoryApprovals, MemoryBackups, MemoryFiles, MemoryLedger, MemoryNotices, TWELVE, TestClock,
};
use tool_core::capability::{Clock as _, WorkspaceFiles};
use tool_core::{Capabilities, ErasedTool, ErrorCode, RandomSeed, StopFlag, ToolError, Value};

use crate::catalogue::Catalogue;
use crate::dispatch::{
    CallCounts, CallRequest, CallerContext, CountedCall, DispatchHost, Dispatcher,
};
use crate::model::Principal;
use crate::model::{CallLimits, Config};
use crate::policy::{LimitClaim, LimitUse, Policy};

pub(crate) fn twelve() -> Catalogue {
    Catalogue::new(&[TWELVE]).unwrap()
}

/// Counts of limited calls in memory.
pub(crate) struct MemoryCounts {
    clock: Arc<TestClock>,
    /// Counter, call, amount and time.
    rows: Mutex<Vec<(String, String, f64, u64)>>,
    /// Refuses every access.
    pub broken: AtomicBool,
    /// Shows empty windows before calls, as if others took the places in between.
    pub is_late: AtomicBool,
}

impl MemoryCounts {
    fn new(clock: Arc<TestClock>) -> Self {
        Self {
            clock,
            rows: Mutex::default(),
            broken: AtomicBool::default(),
            is_late: AtomicBool::default(),
        }
    }

    /// Number of counted calls.
    pub(crate) fn len(&self) -> usize {
        self.rows.lock().unwrap().len()
    }

    fn check(&self) -> Result<(), ToolError> {
        match self.broken.load(Ordering::Relaxed) {
            true => Err(ToolError::new(ErrorCode::ToolError, "the disk is full")),
            false => Ok(()),
        }
    }

    fn found(&self, rows: &[(String, String, f64, u64)], claims: &[LimitClaim]) -> Vec<LimitUse> {
        let now_ms = self.clock.unix_ms();
        let window = |claim: &LimitClaim| {
            let held = rows.iter().filter(|(counter, _, _, time_ms)| {
                *counter == claim.counter && time_ms + claim.window_ms() > now_ms
            });
            let held: Vec<(u64, f64)> = held.map(|row| (row.3, row.2)).collect();
            let used = held.iter().fold(0.0, |used, (_, amount)| used + amount);
            let free_ms = claim.free_at(used, held);
            LimitUse { used, free_ms }
        };
        claims.iter().map(window).collect()
    }
}

impl CallCounts for MemoryCounts {
    fn used(&self, claims: &[LimitClaim]) -> Result<Vec<LimitUse>, ToolError> {
        self.check()?;
        let rows = self.rows.lock().unwrap();
        match self.is_late.load(Ordering::Relaxed) {
            true => Ok(self.found(&[], claims)),
            false => Ok(self.found(&rows, claims)),
        }
    }

    fn count(
        &self,
        call_id: &str,
        claims: &[LimitClaim],
        approved: bool,
    ) -> Result<CountedCall, ToolError> {
        self.check()?;
        let mut rows = self.rows.lock().unwrap();
        let found = self.found(&rows, claims);
        let is_counted = claims
            .iter()
            .zip(&found)
            .all(|(claim, found)| claim.has_room(found) || approved && claim.asks_beyond());
        let now_ms = self.clock.unix_ms();
        for claim in claims.iter().filter(|_| is_counted) {
            rows.push((
                claim.counter.clone(),
                call_id.to_owned(),
                claim.amount,
                now_ms,
            ));
        }
        Ok(CountedCall { found, is_counted })
    }

    fn give_back(&self, call_id: &str) -> Result<(), ToolError> {
        self.check()?;
        self.rows.lock().unwrap().retain(|row| row.1 != call_id);
        Ok(())
    }
}

/// A dispatcher over a world in memory.
pub(crate) struct World {
    pub files: Arc<MemoryFiles>,
    pub ledger: Arc<MemoryLedger>,
    pub approvals: Arc<MemoryApprovals>,
    pub backups: Arc<MemoryBackups>,
    pub notices: Arc<MemoryNotices>,
    pub counts: Arc<MemoryCounts>,
    /// Its date stands still, and its monotonic time advances with every look.
    pub clock: Arc<TestClock>,
    pub dispatcher: Dispatcher,
}

impl World {
    pub(crate) fn new(families: &[&[ErasedTool]], config: &str) -> Self {
        Self::build(
            families,
            config,
            MemoryLedger::default(),
            CallLimits::default(),
        )
    }

    pub(crate) fn build(
        families: &[&[ErasedTool]],
        config: &str,
        ledger: MemoryLedger,
        limits: CallLimits,
    ) -> Self {
        Self::of(Catalogue::new(families).unwrap(), config, ledger, limits)
    }

    pub(crate) fn with_plugins(
        families: &[&[ErasedTool]],
        plugins: &[Arc<dyn tool_core::AnyTool>],
        config: &str,
    ) -> Self {
        let catalogue = Catalogue::with_plugins(families, plugins).unwrap();
        Self::of(
            catalogue,
            config,
            MemoryLedger::default(),
            CallLimits::default(),
        )
    }

    fn of(catalogue: Catalogue, config: &str, ledger: MemoryLedger, limits: CallLimits) -> Self {
        let files = MemoryFiles::default();
        files.link("out/link", "secret");
        files.put("data/a.txt", "alpha");
        files.put("secret/key", "hidden");
        let files = Arc::new(files);
        let catalogue = Arc::new(catalogue);
        let config = if config.is_empty() {
            Config::default()
        } else {
            Config::parse("mathchain.toml", config).unwrap_or_else(|err| panic!("{err}"))
        };
        let policy = Arc::new(
            Policy::compile(&catalogue, &config, &[]).unwrap_or_else(|err| panic!("{err}")),
        );
        let (ledger, approvals) = (Arc::new(ledger), Arc::new(MemoryApprovals::default()));
        let (backups, notices) = (
            Arc::new(MemoryBackups::default()),
            Arc::new(MemoryNotices::default()),
        );
        let clock = TestClock::ticking(1_800_000_000_000, Duration::from_millis(1));
        let counts = Arc::new(MemoryCounts::new(Arc::clone(&clock)));
        let host = DispatchHost {
            capabilities: Capabilities {
                files: Some(Arc::clone(&files) as Arc<dyn WorkspaceFiles>),
                ..Capabilities::default()
            },
            arrays: Some(Arc::clone(&files) as _),
            ledger: Some(Arc::clone(&ledger) as _),
            approvals: Some(Arc::clone(&approvals) as _),
            backups: Some(Arc::clone(&backups) as _),
            notices: Some(Arc::clone(&notices) as _),
            counts: Some(Arc::clone(&counts) as _),
            ..DispatchHost::bare(Arc::clone(&clock) as _)
        };
        Self {
            files,
            ledger,
            approvals,
            backups,
            notices,
            counts,
            clock,
            dispatcher: Dispatcher::new(catalogue, policy, limits, host),
        }
    }

    pub(crate) fn call(&self, role: &str, tool: &str, args: &str) -> tool_core::CallOutcome {
        self.dispatcher.call(request(role, tool, args))
    }

    /// The newest audit record.
    pub(crate) fn last(&self) -> Value {
        self.ledger
            .records
            .lock()
            .unwrap()
            .last()
            .unwrap()
            .0
            .clone()
    }

    pub(crate) fn audited(&self) -> usize {
        self.ledger.records.lock().unwrap().len()
    }
}

pub(crate) fn context(role: &str) -> CallerContext {
    CallerContext {
        who: Principal::role(role),
        ..CallerContext::default()
    }
}

pub(crate) fn request(role: &str, tool: &str, args: &str) -> CallRequest {
    CallRequest {
        tool: tool.to_owned(),
        args: tool_core::json::parse_json(args, tool_core::json::JsonLimits::default()).unwrap(),
        context: context(role),
        seed: RandomSeed::DEFAULT,
        timeout_ms: None,
        stop: StopFlag::new(),
        progress: None,
        client: None,
        remote: None,
    }
}
