//! The twelve neutral tools that the cases of `tests/conformance/` are about, and a world for them.

use std::sync::Arc;
use std::time::Duration;

use registry::{Catalogue, Dispatcher, Host, Limits, LoadErrors, Policy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::capability::{Alarm, Clock};
use tool_core::tool::ErasedExample;
use tool_core::{
    Access, AnyTool, Call, Caller, Capabilities, Capability, Category, Ctx, Determinism, Effect,
    Entry, ErrorCode, Example, Permission, Reach, ResourceKind, ResourceTemplate, Spec, StopFlag,
    Syntax, Tool, ToolError, Value, entry,
};

/// No arguments.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArgs {}

/// A place.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PathArgs {
    /// The path.
    pub(crate) path: String,
}

/// A new file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteArgs {
    /// The path.
    pub(crate) path: String,
    /// The text.
    #[serde(default)]
    pub(crate) content: String,
    /// Whether what is there is replaced.
    #[serde(default)]
    pub(crate) overwrite: bool,
}

/// A text for the shell.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandArgs {
    /// The text.
    pub(crate) command: String,
}

/// A program.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArgvArgs {
    /// The program and its arguments.
    pub(crate) argv: Vec<String>,
}

/// A page.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UrlArgs {
    /// The address.
    pub(crate) url: String,
}

/// Numbers.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NumberArgs {
    /// A number.
    pub(crate) x: tool_core::Finite,
    /// How often.
    #[serde(default)]
    pub(crate) count: Option<tool_core::Bounded<1, 100>>,
}

macro_rules! neutral {
    ($name:ident($args:ty) { $($field:ident: $value:expr),* $(,)? }) => {
        struct $name;
        impl Tool for $name {
            const SPEC: Spec = Spec { title: "neutral", $($field: $value,)* ..Spec::pure() };
            type Args = $args;
            type Output = Value;
            fn run(args: $args, _: &Ctx) -> Result<Value, ToolError> {
                tool_core::convert::to_value(&args)
                    .map_err(|err| ToolError::new(ErrorCode::Internal, err))
            }
            fn examples() -> Vec<Example<$args, Value>> {
                Vec::new()
            }
        }
    };
}

const fn at_path(access: Access) -> ResourceTemplate {
    ResourceTemplate {
        kind: ResourceKind::Path,
        pointer: "/path",
        access,
    }
}
const READS: &[ResourceTemplate] = &[at_path(Access::Read)];
const WRITES: &[ResourceTemplate] = &[at_path(Access::Write)];

neutral!(ListDir(PathArgs) { id: "list_dir", category: Category::System, permissions: &[Permission::Filesystem], capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS });
neutral!(ReadFile(PathArgs) { id: "read_file", category: Category::System, permissions: &[Permission::Filesystem], capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS });
neutral!(SearchFiles(PathArgs) { id: "search_files", category: Category::System, permissions: &[Permission::Filesystem], capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS, syntax: &[("/path", Syntax::Tree)] });
neutral!(EditFile(PathArgs) { id: "edit_file", category: Category::System, effects: &[Effect::ModifiesFiles], permissions: &[Permission::Filesystem], capabilities: &[Capability::FilesWrite], destructive: true, determinism: Determinism::External, resources: WRITES });
neutral!(RunShell(CommandArgs) { id: "run_shell", category: Category::Code, effects: &[Effect::LocalExec, Effect::ModifiesFiles], permissions: &[Permission::Shell], capabilities: &[Capability::Spawn], determinism: Determinism::External, callers: &[Caller::Direct], syntax: &[("/command", Syntax::Shell)] });
neutral!(RawExec(ArgvArgs) { id: "raw_exec", category: Category::System, tags: &["raw-exec"], effects: &[Effect::LocalExec], permissions: &[Permission::Shell], capabilities: &[Capability::Spawn], determinism: Determinism::External, syntax: &[("/argv", Syntax::Shell)] });
neutral!(WebFetch(UrlArgs) { id: "web_fetch", category: Category::Web, effects: &[Effect::NetworkAccess], permissions: &[Permission::Network], capabilities: &[Capability::Http], determinism: Determinism::External, syntax: &[("/url", Syntax::Url)] });
neutral!(WebSearch(NoArgs) { id: "web_search", category: Category::Web, effects: &[Effect::NetworkAccess], permissions: &[Permission::Network], capabilities: &[Capability::Http], determinism: Determinism::External });
neutral!(QueryDb(NoArgs) { id: "query_db", category: Category::Data, capabilities: &[Capability::State], determinism: Determinism::External });
neutral!(Calculate(NumberArgs) { id: "calculate", category: Category::Math });
neutral!(Plot(NoArgs) { id: "plot", category: Category::Math });

/// Writes; only replacing what is there destroys.
struct WriteFile;
impl Tool for WriteFile {
    const SPEC: Spec = Spec {
        id: "write_file",
        title: "neutral",
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
    fn run(_: WriteArgs, _: &Ctx) -> Result<Value, ToolError> {
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

static TWELVE: &[Entry] = &[
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

/// A tool that a case describes beside the twelve; it takes no arguments.
struct Described(Spec);

impl AnyTool for Described {
    fn spec(&self) -> &Spec {
        &self.0
    }
    fn description(&self) -> String {
        "A tool of one case.".to_owned()
    }
    fn input_schema(&self) -> tool_core::schema::Schema {
        serde_json::json!({"type": "object", "properties": {}, "additionalProperties": false})
    }
    fn output_schema(&self) -> tool_core::schema::Schema {
        serde_json::json!(true)
    }
    fn examples(&self) -> Vec<ErasedExample> {
        Vec::new()
    }
    fn decode(&self, args: &Value) -> Result<Box<dyn Call>, ToolError> {
        DescribedCall::check(args, self.0.clone())
    }
}

/// A call of a described tool.
struct DescribedCall(Value, Spec);

impl DescribedCall {
    fn check(args: &Value, spec: Spec) -> Result<Box<dyn Call>, ToolError> {
        match args
            .as_object()
            .is_some_and(|object| object.iter().next().is_none())
        {
            true => Ok(Box::new(Self(args.clone(), spec))),
            false => Err(ToolError::new(
                ErrorCode::InvalidArgs,
                "expected no arguments",
            )),
        }
    }
}

impl Call for DescribedCall {
    fn args(&self) -> &Value {
        &self.0
    }
    fn sources(&self) -> &[tool_core::input::SourceRef] {
        &[]
    }
    fn resources(&self) -> Result<Vec<tool_core::ResourceKey>, ToolError> {
        Ok(Vec::new())
    }
    fn reach(&self) -> Reach {
        Reach::of(&self.1)
    }
    fn run(self: Box<Self>, _: &Ctx) -> Result<Value, ToolError> {
        Ok(self.0)
    }
}

/// A spec from the words of a case: `{id, category, effects, destructive}`.
fn spec(described: &Value) -> Spec {
    let text = |key: &str| described.get(key).and_then(Value::as_str);
    // Specs are static everywhere else; a handful of short names may stay for the time of the test.
    let id: &'static str = text("id").expect("an id").to_owned().leak();
    let effects: Vec<Effect> = described
        .get("effects")
        .and_then(Value::items)
        .unwrap_or_default()
        .iter()
        .map(|name| Effect::parse(name.as_str().expect("a name")).expect("an effect"))
        .collect();
    let category = text("category").map_or(Category::System, |name| {
        Category::parse(name).expect("a category")
    });
    Spec {
        id,
        title: "described",
        category,
        effects: effects.leak(),
        destructive: described.get("destructive").and_then(Value::as_bool) == Some(true),
        determinism: Determinism::External,
        ..Spec::pure()
    }
}

/// The twelve, and what a case describes beside them.
pub(crate) fn catalogue(described: &[Value]) -> Result<Catalogue, LoadErrors> {
    let more: Vec<Arc<dyn AnyTool>> = described
        .iter()
        .map(|tool| Arc::new(Described(spec(tool))) as Arc<dyn AnyTool>)
        .collect();
    Catalogue::with_plugins(&[TWELVE], &more)
}

struct Silent;
impl Alarm for Silent {}

/// A clock that stands.
struct Standing;

impl Clock for Standing {
    fn unix_ms(&self) -> u64 {
        1_800_000_000_000
    }
    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
    fn alarm(&self, _: Duration, _: StopFlag) -> Box<dyn Alarm> {
        Box::new(Silent)
    }
}

/// A dispatcher without files, audit and approvals: what only needs a decision is answered, and nothing has effects.
pub(crate) fn dispatcher(catalogue: Catalogue, policy: Policy) -> Dispatcher {
    let host = Host {
        clock: Arc::new(Standing),
        capabilities: Capabilities::default(),
        arrays: None,
        ledger: None,
        approvals: None,
        backups: None,
        notices: None,
        results: None,
        answers: None,
        witness: None,
        workspace: None,
        chains: None,
    };
    Dispatcher::new(
        Arc::new(catalogue),
        Arc::new(policy),
        Limits::default(),
        host,
    )
    .with_facts(registry::policy::Facts::default().with(registry::policy::WORKSPACE_READY))
}
