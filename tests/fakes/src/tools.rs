//! Tools of a few lines: the macro that declares one, and the twelve that cases of policy are about.

use tool_core::{
    Access, BoundedInteger, Caller, Capability, Category, Ctx, Determinism, Effect, EffectReach,
    ErasedTool, Finite, Input, Permission, RandomSeed, ResourceKind, ResourceTemplate, Spec,
    Syntax, TextInput, Tool, ToolError, Value, json, tool_entry,
};

/// Declares a tool with its arguments, fields of its spec, and a function of the arguments and the context.
///
/// The first form names existing types (the output is any value where none is named); the second one declares them by their fields.
#[macro_export]
macro_rules! tool {
    ($(#[$meta:meta])* $vis:vis $name:ident($args:ty) { $($field:ident: $value:expr),* $(,)? } = $run:expr) => {
        $(#[$meta])*
        #[derive(tool_core::Encode, tool_core::Decode, tool_core::Describe)]
        #[value(transparent)]
        $vis struct $name($args);
        $crate::tool!(@impl $name, $args, $crate::tool_core::Value, { title: "a fake", $($field: $value,)* ..$crate::tool_core::Spec::pure() }, $run);
    };
    ($vis:vis $name:ident, $id:literal, { $($spec:tt)* }, $args:ident { $($(#[$meta:meta])* $field:ident: $ty:ty),* $(,)? },
     $output:ident { $($out:ident: $out_ty:ty),* $(,)? }, |$arg:pat_param, $ctx:pat_param| $body:block) => {
        #[derive(tool_core::Encode, tool_core::Decode, tool_core::Describe)]
        #[value(transparent)]
        $vis struct $name($args);
        /// A tool of the tests.
        #[derive(Debug, tool_core::Encode, tool_core::Decode, tool_core::Describe)]
        #[value(deny_unknown_fields)]
        $vis struct $args { $($(#[$meta])* $field: $ty),* }
        #[derive(Debug, tool_core::Encode, tool_core::Describe)]
        $vis struct $output { $($out: $out_ty),* }
        $crate::tool!(@impl $name, $args, $output, { id: $id, title: $id, $($spec)* }, |$arg, $ctx| $body);
    };
    (@impl $name:ident, $args:ty, $output:ty, { $($spec:tt)* }, $run:expr) => {
        impl $crate::tool_core::Tool for $name {
            const SPEC: $crate::tool_core::Spec = $crate::tool_core::Spec { $($spec)* };
            type Output = $output;
            fn run(args: Self, ctx: &$crate::tool_core::Ctx) -> Result<$output, $crate::tool_core::ToolError> {
                let run: fn($args, &$crate::tool_core::Ctx) -> Result<$output, $crate::tool_core::ToolError> = $run;
                run(args.0, ctx)
            }
        }
    };
}

/// Declares types of arguments.
macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident { $($(#[$meta:meta])* $field:ident: $ty:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[allow(missing_docs, reason = "fields of tests say what they are by their name")]
        #[derive(Debug, tool_core::Encode, tool_core::Decode, tool_core::Describe)]
        #[value(deny_unknown_fields)]
        pub struct $name { $($(#[$meta])* pub $field: $ty),* }
    )*};
}

arguments! {
    /// No arguments.
    NoArgs {}
    /// A path.
    PathArgs { path: String }
    /// Content for a path.
    WriteArgs { path: String, #[value(default)] content: String, #[value(default)] overwrite: bool }
    /// A command line.
    CommandArgs { command: String }
    /// A program and its arguments.
    ArgvArgs { argv: Vec<String> }
    /// A page.
    UrlArgs { url: String }
    /// Perhaps a number.
    QueryArgs { #[value(default)] x: Option<Finite> }
    /// A number.
    NumberArgs { x: Finite, #[value(default)] count: Option<BoundedInteger<1, 100>> }
    /// A text, inline or from a file.
    TextArgs { #[value(default)] text: Option<Input<TextInput>> }
    /// A seed.
    SeedArgs { #[value(default)] seed: Option<RandomSeed> }
    /// Any value.
    AnyArgs { value: Value }
}

const fn at_path(access: Access) -> ResourceTemplate {
    ResourceTemplate {
        kind: ResourceKind::Path,
        pointer: "/path",
        access,
    }
}

/// The resource of a tool that reads the file `path`.
pub const READS_PATH: &[ResourceTemplate] = &[at_path(Access::Read)];
/// The resource of a tool that writes the file `path`.
pub const WRITES_PATH: &[ResourceTemplate] = &[at_path(Access::Write)];

const FILES: &[Permission] = &[Permission::Filesystem];
const SHELL: &[Permission] = &[Permission::Shell];
const NETWORK: &[Permission] = &[Permission::Network];

fn done<A>(_: A, _: &Ctx) -> Result<Value, ToolError> {
    Ok(Value::from("done"))
}

tool!(ListDir(PathArgs) { id: "list_dir", category: Category::System, permissions: FILES, capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS_PATH } = done);
tool!(ReadFile(PathArgs) { id: "read_file", category: Category::System, permissions: FILES, capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS_PATH }
    = |args, ctx| ctx.files()?.read(&args.path, 1 << 20).map(|content| Value::from(String::from_utf8_lossy(&content.bytes).into_owned())));
tool!(SearchFiles(PathArgs) { id: "search_files", category: Category::System, permissions: FILES, capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS_PATH, syntax: &[("/path", Syntax::Tree)] } = done);
tool!(EditFile(PathArgs) { id: "edit_file", category: Category::System, effects: &[Effect::ModifiesFiles], permissions: FILES, capabilities: &[Capability::FilesWrite], destructive: true, determinism: Determinism::External, resources: WRITES_PATH } = done);
tool!(RunShell(ArgvArgs) { id: "run_shell", category: Category::Code, effects: &[Effect::LocalExec, Effect::ModifiesFiles], permissions: SHELL, capabilities: &[Capability::Spawn], determinism: Determinism::External, callers: &[Caller::Direct], syntax: &[("/argv", Syntax::Shell)] } = done);
tool!(
    /// `run_shell` that takes a command line.
    pub RunCommand(CommandArgs) { id: "run_shell", category: Category::Code, effects: &[Effect::LocalExec, Effect::ModifiesFiles], permissions: SHELL, capabilities: &[Capability::Spawn], determinism: Determinism::External, callers: &[Caller::Direct], syntax: &[("/command", Syntax::Shell)] } = done);
tool!(RawExec(ArgvArgs) { id: "raw_exec", category: Category::System, tags: &["raw-exec"], effects: &[Effect::LocalExec], permissions: SHELL, capabilities: &[Capability::Spawn], determinism: Determinism::External, syntax: &[("/argv", Syntax::Shell)] } = done);
tool!(WebFetch(UrlArgs) { id: "web_fetch", category: Category::Web, effects: &[Effect::NetworkAccess], permissions: NETWORK, capabilities: &[Capability::Http], determinism: Determinism::External, syntax: &[("/url", Syntax::Url)] } = done);
tool!(WebSearch(QueryArgs) { id: "web_search", category: Category::Web, effects: &[Effect::NetworkAccess], permissions: NETWORK, capabilities: &[Capability::Http], determinism: Determinism::External } = done);
tool!(QueryDb(QueryArgs) { id: "query_db", category: Category::Data, capabilities: &[Capability::State], determinism: Determinism::External } = done);
tool!(Calculate(NumberArgs) { id: "calculate", category: Category::Math } = |args, _| Ok(Value::from(2.0 * args.x.get())));
tool!(Plot(TextArgs) { id: "plot", category: Category::Math } = |args, ctx| match args.text {
    Some(text) => Ok(Value::from(text.load(ctx)?.to_string())),
    None => Ok(Value::Null),
});

/// Writes a file; only replacing an existing one is destructive.
impl Tool for WriteArgs {
    const SPEC: Spec = Spec {
        id: "write_file",
        title: "a fake",
        category: Category::System,
        effects: &[Effect::ModifiesFiles],
        permissions: FILES,
        capabilities: &[Capability::FilesWrite],
        destructive: true,
        determinism: Determinism::External,
        resources: WRITES_PATH,
        ..Spec::pure()
    };
    type Output = Value;

    fn run(args: WriteArgs, ctx: &Ctx) -> Result<Value, ToolError> {
        let mode = tool_core::capability::WriteMode::Overwrite;
        ctx.files()?
            .write(&args.path, args.content.as_bytes(), mode)?;
        Ok(Value::from("written"))
    }

    fn narrow(args: &WriteArgs) -> EffectReach {
        EffectReach {
            destructive: args.overwrite,
            ..EffectReach::of(&Self::SPEC)
        }
    }
}

/// The twelve tools that cases of policy are about.
pub static TWELVE: &[ErasedTool] = &[
    tool_entry::<ListDir>(),
    tool_entry::<ReadFile>(),
    tool_entry::<SearchFiles>(),
    tool_entry::<WriteArgs>(),
    tool_entry::<EditFile>(),
    tool_entry::<RunShell>(),
    tool_entry::<WebFetch>(),
    tool_entry::<WebSearch>(),
    tool_entry::<QueryDb>(),
    tool_entry::<Calculate>(),
    tool_entry::<Plot>(),
    tool_entry::<RawExec>(),
];

/// Calls a tool of a family with arguments as JSON.
///
/// # Errors
/// Those of the tool.
pub fn call(family: &[ErasedTool], ctx: &Ctx, tool: &str, args: &str) -> Result<Value, ToolError> {
    let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
    let mut tools = family.iter().map(|entry| entry.tool());
    let found = tools.find(|found| found.spec().id == tool).unwrap();
    found.decode(&args)?.run(ctx)
}
