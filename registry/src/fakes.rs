//! A dispatcher over a world in memory, for the tests of this crate.

use std::sync::Arc;
use std::time::Duration;

use fakes::{
    MemoryApprovals, MemoryBackups, MemoryFiles, MemoryLedger, MemoryNotices, TWELVE, TestClock,
};
use tool_core::capability::WorkspaceFiles;
use tool_core::{Capabilities, ErasedTool, RandomSeed, StopFlag, Value};

use crate::catalogue::Catalogue;
use crate::dispatch::{CallRequest, CallerContext, DispatchHost, Dispatcher};
use crate::model::Principal;
use crate::model::{CallLimits, Config};
use crate::policy::Policy;

pub(crate) fn twelve() -> Catalogue {
    Catalogue::new(&[TWELVE]).unwrap()
}

/// A dispatcher over a world in memory.
pub(crate) struct World {
    pub files: Arc<MemoryFiles>,
    pub ledger: Arc<MemoryLedger>,
    pub approvals: Arc<MemoryApprovals>,
    pub backups: Arc<MemoryBackups>,
    pub notices: Arc<MemoryNotices>,
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
            ..DispatchHost::bare(TestClock::ticking(
                1_800_000_000_000,
                Duration::from_millis(1),
            ))
        };
        Self {
            files,
            ledger,
            approvals,
            backups,
            notices,
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
    }
}
