//! Three-line tools and a world of their own, for the tests of this crate.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::capability::{
    Alarm, ApprovalRequest, ApprovalState, Approvals, Arrays, Backups, Change, Clock, Durability,
    FileContent, FileInfo, Files, Kept, Ledger, LedgerHead, Notice, Notices, WriteMode,
};
use tool_core::input::InputKind;
use tool_core::{
    Capabilities, Capability, Category, Ctx, Determinism, Effect, Entry, ErrorCode, Example, Input,
    Permission, Reach, Reason, ResourceId, ResourceKind, ResourceTemplate, Seed, Source, Spec,
    StopFlag, Syntax, Text, Tool, ToolError, Value, entry,
};

use crate::catalogue::Catalogue;
use crate::dispatch::{Answer, CallRequest, CallerContext, Dispatcher, Host};
use crate::model::Principal;
use crate::model::{Config, Limits};
use crate::policy::Policy;

/// No arguments.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Nothing {}

/// A path.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PathArgs {
    /// The path.
    pub path: String,
}

/// What to write where.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct WriteArgs {
    /// The path.
    pub path: String,
    /// The text.
    #[serde(default)]
    pub content: String,
    /// Whether what is there is replaced.
    #[serde(default)]
    pub overwrite: bool,
}

/// A program.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ArgvArgs {
    /// The program and its arguments.
    pub argv: Vec<String>,
}

/// A page.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct UrlArgs {
    /// The URL.
    pub url: String,
}

/// A number.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct NumberArgs {
    /// The number.
    pub x: tool_core::Finite,
    /// A second one.
    #[serde(default)]
    pub count: Option<tool_core::Bounded<1, 100>>,
}

/// A text, inline or from a file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TextArgs {
    /// The text.
    pub text: Input<Text>,
}

/// A seed.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SeedArgs {
    /// The seed.
    #[serde(default)]
    pub seed: Option<Seed>,
}

/// Any value.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct AnyArgs {
    /// The value.
    pub value: Value,
}

/// Defines a fake tool: name, arguments, spec fields, what it does.
macro_rules! fake {
    ($name:ident($args:ty) { $($field:ident: $value:expr),* $(,)? } = $run:expr) => {
        pub(crate) struct $name;
        impl Tool for $name {
            const SPEC: Spec = Spec { title: "a fake", $($field: $value,)* ..Spec::pure() };
            type Args = $args;
            type Output = Value;
            fn run(args: $args, ctx: &Ctx) -> Result<Value, ToolError> {
                let run: fn($args, &Ctx) -> Result<Value, ToolError> = $run;
                run(args, ctx)
            }
            fn examples() -> Vec<Example<$args, Value>> {
                Vec::new()
            }
        }
    };
}
pub(crate) use fake;

const READS: &[ResourceTemplate] = &[ResourceTemplate {
    kind: ResourceKind::Path,
    pointer: "/path",
    access: tool_core::Access::Read,
}];
const WRITES: &[ResourceTemplate] = &[ResourceTemplate {
    kind: ResourceKind::Path,
    pointer: "/path",
    access: tool_core::Access::Write,
}];

fn ok<A>(_: A, _: &Ctx) -> Result<Value, ToolError> {
    Ok(Value::from("done"))
}

fake!(ListDir(PathArgs) { id: "list_dir", category: Category::System, permissions: &[Permission::Filesystem], capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS } = ok);
fake!(ReadFile(PathArgs) { id: "read_file", category: Category::System, permissions: &[Permission::Filesystem], capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS }
    = |args, ctx| ctx.files()?.read(&args.path, 1 << 20).map(|content| Value::from(String::from_utf8_lossy(&content.bytes).into_owned())));
fake!(SearchFiles(PathArgs) { id: "search_files", category: Category::System, permissions: &[Permission::Filesystem], capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS, syntax: &[("/path", Syntax::Tree)] } = ok);
fake!(EditFile(PathArgs) { id: "edit_file", category: Category::System, effects: &[Effect::ModifiesFiles], permissions: &[Permission::Filesystem], capabilities: &[Capability::FilesWrite], destructive: true, determinism: Determinism::External, resources: WRITES } = ok);
fake!(RunShell(ArgvArgs) { id: "run_shell", category: Category::Code, effects: &[Effect::LocalExec, Effect::ModifiesFiles], permissions: &[Permission::Shell], capabilities: &[Capability::Spawn], determinism: Determinism::External, callers: &[tool_core::Caller::Direct], syntax: &[("/argv", Syntax::Shell)] } = ok);
fake!(RawExec(ArgvArgs) { id: "raw_exec", category: Category::System, tags: &["raw-exec"], effects: &[Effect::LocalExec], permissions: &[Permission::Shell], capabilities: &[Capability::Spawn], determinism: Determinism::External, syntax: &[("/argv", Syntax::Shell)] } = ok);
fake!(WebFetch(UrlArgs) { id: "web_fetch", category: Category::Web, effects: &[Effect::NetworkAccess], permissions: &[Permission::Network], capabilities: &[Capability::Http], determinism: Determinism::External, syntax: &[("/url", Syntax::Url)] } = ok);
fake!(WebSearch(NumberArgs) { id: "web_search", category: Category::Web, effects: &[Effect::NetworkAccess], permissions: &[Permission::Network], capabilities: &[Capability::Http], determinism: Determinism::External } = ok);
fake!(QueryDb(Nothing) { id: "query_db", category: Category::Data, capabilities: &[Capability::State], determinism: Determinism::External } = ok);
fake!(Calculate(NumberArgs) { id: "calculate", category: Category::Math } = |args, _| Ok(Value::from(2.0 * args.x.get())));
fake!(Plot(TextArgs) { id: "plot", category: Category::Math } = |args, ctx| Ok(Value::from(args.text.load(ctx)?.to_string())));

/// Writes; only replacing what is there destroys.
pub(crate) struct WriteFile;
impl Tool for WriteFile {
    const SPEC: Spec = Spec {
        id: "write_file",
        title: "a fake",
        category: Category::System,
        effects: &[Effect::ModifiesFiles],
        permissions: &[Permission::Filesystem],
        capabilities: &[Capability::FilesWrite],
        destructive: true,
        determinism: Determinism::External,
        resources: WRITES,
        ..Spec::pure()
    };
    type Args = WriteArgs;
    type Output = Value;
    fn run(args: WriteArgs, ctx: &Ctx) -> Result<Value, ToolError> {
        ctx.files()?
            .write(&args.path, args.content.as_bytes(), WriteMode::Overwrite)?;
        Ok(Value::from("written"))
    }
    fn examples() -> Vec<Example<WriteArgs, Value>> {
        Vec::new()
    }
    fn narrow(args: &WriteArgs) -> Reach {
        Reach {
            destructive: args.overwrite,
            ..Reach::of(&Self::SPEC)
        }
    }
}

/// The universe of twelve that the policy cases are about.
pub(crate) static TWELVE: &[Entry] = &[
    entry::<ListDir>(),
    entry::<ReadFile>(),
    entry::<SearchFiles>(),
    entry::<WriteFile>(),
    entry::<EditFile>(),
    entry::<RunShell>(),
    entry::<WebFetch>(),
    entry::<WebSearch>(),
    entry::<QueryDb>(),
    entry::<Calculate>(),
    entry::<Plot>(),
    entry::<RawExec>(),
];

pub(crate) fn twelve() -> Catalogue {
    Catalogue::new(&[TWELVE]).unwrap()
}

/// A clock that advances a millisecond with every look, and alarms that ring at once when they are for one millisecond.
#[derive(Default)]
pub(crate) struct FakeClock(AtomicUsize);

struct Silent;
impl Alarm for Silent {}

impl Clock for FakeClock {
    fn unix_ms(&self) -> u64 {
        1_800_000_000_000
    }
    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed) as u64)
    }
    fn alarm(&self, after: Duration, stop: StopFlag) -> Box<dyn Alarm> {
        if after <= Duration::from_millis(1) {
            stop.time_out();
        }
        Box::new(Silent)
    }
}

/// Files in memory; a link is a path that means another.
#[derive(Default)]
pub(crate) struct FakeFiles {
    pub files: Mutex<BTreeMap<String, Vec<u8>>>,
    pub links: Mutex<BTreeMap<String, String>>,
}

impl Files for FakeFiles {
    fn read(&self, path: &str, _: u64) -> Result<FileContent, ToolError> {
        let path = self.identity(path)?.path;
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = files.get(&path).cloned().ok_or_else(|| {
            ToolError::new(ErrorCode::ToolError, format_args!("no file `{path}`"))
                .reason(Reason::NotFound)
        })?;
        Ok(FileContent {
            info: info(&path, bytes.len()),
            bytes,
            truncated: false,
        })
    }
    fn write(&self, path: &str, content: &[u8], _: WriteMode) -> Result<FileInfo, ToolError> {
        let path = self.identity(path)?.path;
        self.files
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.clone(), content.to_vec());
        Ok(info(&path, content.len()))
    }
    fn change(&self, changes: &[Change]) -> Result<Vec<FileInfo>, ToolError> {
        let create = |change: &Change| match change {
            Change::Create { path, content, .. } => self.write(path, content, WriteMode::Create),
            _ => Err(ToolError::new(ErrorCode::Internal, "not used")),
        };
        changes.iter().map(create).collect()
    }
    fn list(
        &self,
        _: &str,
        _: bool,
        _: usize,
        _: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool), ToolError> {
        Ok((Vec::new(), false))
    }
    fn identity(&self, path: &str) -> Result<ResourceId, ToolError> {
        let parts = crate::policy::components(path).ok_or_else(|| {
            ToolError::new(
                ErrorCode::InvalidArgs,
                format_args!("`{path}` leaves the workspace"),
            )
            .reason("path")
        })?;
        let plain = parts.join("/");
        for (link, target) in self
            .links
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
        {
            if let Some(rest) = plain.strip_prefix(link.as_str()) {
                return Ok(ResourceId::parse(&format!("{target}{rest}")));
            }
        }
        Ok(ResourceId::parse(&plain))
    }
}

fn info(path: &str, size: usize) -> FileInfo {
    FileInfo {
        path: path.to_owned(),
        kind: tool_core::capability::FileKind::File,
        size: size as u64,
        modified_s: 0.0,
        mode: 0o644,
    }
}

impl Arrays for FakeFiles {
    fn open(&self, source: &Source, _: InputKind, _: u64) -> Result<Value, ToolError> {
        let Source::File(path) = source else {
            return Err(ToolError::new(ErrorCode::InvalidArgs, "no artifacts here"));
        };
        self.read(path, 1 << 20)
            .map(|content| Value::from(String::from_utf8_lossy(&content.bytes).into_owned()))
    }
}

/// An audit in memory.
#[derive(Default)]
pub(crate) struct FakeLedger {
    pub records: Mutex<Vec<(Value, Durability)>>,
    /// Refuses everything.
    pub broken: bool,
    /// Panics on everything.
    pub panics: bool,
}

impl Ledger for FakeLedger {
    fn record(&self, record: &Value, durability: Durability) -> Result<LedgerHead, ToolError> {
        assert!(!self.panics, "the ledger panics");
        if self.broken {
            return Err(ToolError::new(ErrorCode::ToolError, "the disk is full"));
        }
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.push((record.clone(), durability));
        Ok(LedgerHead {
            session: "test".to_owned(),
            sequence: records.len() as u64,
            hash: "0".repeat(64),
        })
    }
}

/// Approvals in memory: by digest, whether granted.
#[derive(Default)]
pub(crate) struct FakeApprovals {
    pub requests: Mutex<Vec<ApprovalRequest>>,
    pub granted: Mutex<BTreeMap<String, Result<String, ApprovalState>>>,
}

impl FakeApprovals {
    /// A person answers the newest request.
    pub(crate) fn answer(&self, answer: Result<&str, ApprovalState>) {
        let digest = self.requests.lock().unwrap().last().unwrap().digest.clone();
        self.granted
            .lock()
            .unwrap()
            .insert(digest, answer.map(str::to_owned));
    }
}

impl Approvals for FakeApprovals {
    fn settle(&self, request: &ApprovalRequest, _: &Value) -> Result<ApprovalState, ToolError> {
        match self.granted.lock().unwrap().remove(&request.digest) {
            Some(Ok(by)) => Ok(ApprovalState::Consumed {
                id: "a1".to_owned(),
                approved_by: by,
            }),
            Some(Err(state)) => Ok(state),
            None => {
                let mut requests = self.requests.lock().unwrap();
                requests.push(request.clone());
                Ok(ApprovalState::Pending(format!("a{}", requests.len())))
            }
        }
    }
}

/// Copies of files, in memory.
#[derive(Default)]
pub(crate) struct FakeBackups {
    pub kept: Mutex<Vec<(String, Vec<String>)>>,
    /// Refuses everything.
    pub broken: AtomicBool,
}

impl Backups for FakeBackups {
    fn keep(&self, call_id: &str, paths: &[String]) -> Result<Vec<Kept>, ToolError> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(ToolError::new(ErrorCode::ToolError, "the disk is full"));
        }
        let mut kept = self.kept.lock().unwrap();
        kept.push((call_id.to_owned(), paths.to_vec()));
        let one = |path: &String| Kept {
            id: format!("b{}", kept.len()),
            path: path.clone(),
            digest: "0".repeat(64),
            bytes: 5,
        };
        Ok(paths.iter().map(one).collect())
    }
}

/// What a person was told, in memory.
#[derive(Default)]
pub(crate) struct FakeNotices {
    pub told: Mutex<Vec<Notice>>,
    /// Refuses everything.
    pub broken: AtomicBool,
}

impl Notices for FakeNotices {
    fn notify(&self, notice: &Notice) -> Result<String, ToolError> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(ToolError::new(ErrorCode::ToolError, "the disk is full"));
        }
        let mut told = self.told.lock().unwrap();
        told.push(notice.clone());
        Ok(format!("n{}", told.len()))
    }
}

/// A dispatcher over a world in memory.
pub(crate) struct World {
    pub files: Arc<FakeFiles>,
    pub ledger: Arc<FakeLedger>,
    pub approvals: Arc<FakeApprovals>,
    pub backups: Arc<FakeBackups>,
    pub notices: Arc<FakeNotices>,
    pub dispatcher: Dispatcher,
}

impl World {
    pub(crate) fn new(families: &[&[Entry]], config: &str) -> Self {
        Self::build(families, config, FakeLedger::default(), Limits::default())
    }

    pub(crate) fn build(
        families: &[&[Entry]],
        config: &str,
        ledger: FakeLedger,
        limits: Limits,
    ) -> Self {
        Self::of(Catalogue::new(families).unwrap(), config, ledger, limits)
    }

    pub(crate) fn with_plugins(
        families: &[&[Entry]],
        plugins: &[Arc<dyn tool_core::AnyTool>],
        config: &str,
    ) -> Self {
        let catalogue = Catalogue::with_plugins(families, plugins).unwrap();
        Self::of(catalogue, config, FakeLedger::default(), Limits::default())
    }

    fn of(catalogue: Catalogue, config: &str, ledger: FakeLedger, limits: Limits) -> Self {
        let mut files = FakeFiles::default();
        files
            .links
            .get_mut()
            .unwrap()
            .insert("out/link".to_owned(), "secret".to_owned());
        for (path, content) in [("data/a.txt", "alpha"), ("secret/key", "hidden")] {
            files
                .files
                .get_mut()
                .unwrap()
                .insert(path.to_owned(), content.as_bytes().to_vec());
        }
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
        let (ledger, approvals) = (Arc::new(ledger), Arc::new(FakeApprovals::default()));
        let (backups, notices) = (
            Arc::new(FakeBackups::default()),
            Arc::new(FakeNotices::default()),
        );
        let host = Host {
            clock: Arc::new(FakeClock::default()),
            capabilities: Capabilities {
                files: Some(Arc::clone(&files) as Arc<dyn Files>),
                ..Capabilities::default()
            },
            arrays: Some(Arc::clone(&files) as Arc<dyn Arrays>),
            ledger: Some(Arc::clone(&ledger) as Arc<dyn Ledger>),
            approvals: Some(Arc::clone(&approvals) as Arc<dyn Approvals>),
            backups: Some(Arc::clone(&backups) as Arc<dyn Backups>),
            notices: Some(Arc::clone(&notices) as Arc<dyn Notices>),
            results: None,
            answers: None,
            witness: None,
            workspace: None,
            chains: None,
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

    pub(crate) fn call(&self, role: &str, tool: &str, args: &str) -> tool_core::Outcome {
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
        chain: None,
        answer: Answer::Ask,
        origin: Default::default(),
    }
}

pub(crate) fn request(role: &str, tool: &str, args: &str) -> CallRequest {
    CallRequest {
        tool: tool.to_owned(),
        args: tool_core::json::parse(args, tool_core::json::Limits::default()).unwrap(),
        context: context(role),
        seed: Seed::DEFAULT,
        timeout_ms: None,
        stop: StopFlag::new(),
        progress: None,
    }
}
