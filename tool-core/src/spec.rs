//! The specification of a tool: one constant for policy, planner, listings and documentation.

use crate::resource::ResourceTemplate;
use crate::value::Value;

names! {
    /// The field a tool belongs to.
    Category {
        /// Pages, search and other network sources.
        Web = "web",
        /// Tables, queries and plots.
        Data = "data",
        /// Programs: running, testing, formatting.
        Code = "code",
        /// Numerics.
        Math = "math",
        /// Files and the host.
        System = "system",
        /// Archives.
        Archive = "archive",
        /// Language and embedding models.
        Llm = "llm",
        /// Tasks, sessions and reviews.
        Workflow = "workflow",
        /// Plans and chains.
        Chain = "chain",
    }

    /// What a tool may change. A tool without any is read-only.
    Effect {
        /// Runs a program on this machine.
        LocalExec = "local_exec",
        /// Asks a language model.
        CallsLlm = "calls_llm",
        /// Creates, changes or deletes files.
        ModifiesFiles = "modifies_files",
        /// Sends something over the network.
        NetworkAccess = "network_access",
        /// Changes state of mathchain or of the host that is not a file.
        SystemState = "system_state",
    }

    /// The permission a configuration grants or makes conditional.
    Permission {
        /// Hosts and addresses.
        Network = "network",
        /// Paths.
        Filesystem = "filesystem",
        /// Programs.
        Shell = "shell",
        /// Processor time only.
        Compute = "compute",
        /// Items of workflows: requests, chains of tasks, feedback, locks.
        Workflow = "workflow",
    }

    /// Capabilities of a tool.
    Capability {
        /// Reading files in the workspace.
        FilesRead = "files_read",
        /// Writing files in the workspace.
        FilesWrite = "files_write",
        /// HTTP requests.
        Http = "http",
        /// Sandboxed processes.
        Spawn = "spawn",
        /// The time of day.
        Clock = "clock",
        /// Stored state.
        State = "state",
        /// Calling other tools.
        Calls = "calls",
        /// Language and embedding models behind configured endpoints.
        Model = "model",
        /// Reading plugins and configuration again.
        Reload = "reload",
        /// Opening and closing the workspace of a session.
        Workspaces = "workspaces",
        /// Asking the client of a direct call.
        Client = "client",
        /// The configured rules of commit messages.
        CommitRules = "commit_rules",
        /// The events of the workspace, with who makes the call.
        Events = "events",
        /// Questions to an outside computer algebra system.
        Algebra = "algebra",
    }

    /// Who may call a tool.
    Caller {
        /// A single call at a door.
        Direct = "direct",
        /// A step of a chain.
        Chain = "chain",
    }

    /// Whether the same arguments give the same result.
    Determinism {
        /// A function of the arguments.
        Pure = "pure",
        /// A function of the arguments and the seed.
        Seeded = "seeded",
        /// Depends on the world.
        External = "external",
    }

    /// The language of a text parameter. Every text that a tool reads as a language or a name has one: a value interpolated into it
    /// could change its meaning, so that plans may not build it with `$fmt`. Other texts are data.
    Syntax {
        /// A shell command or an argument vector.
        Shell = "shell",
        /// SQL.
        Sql = "sql",
        /// A path.
        Path = "path",
        /// The path of a folder whose files are used with it, at any depth.
        Tree = "tree",
        /// A URL.
        Url = "url",
        /// A mathematical expression, a unit, or a program in another language than that of the shell.
        Expression = "expression",
        /// The arguments of a program that the tool itself chooses.
        Arguments = "arguments of a program",
        /// A plan.
        Plan = "plan",
        /// A query of documents or of a search engine, in a language of its own.
        Query = "query",
        /// A pattern: names with `*` and `?`, or a regular expression.
        Pattern = "pattern",
        /// A patch: paths and changes.
        Patch = "patch",
        /// The name of a file in an archive.
        Member = "name in an archive",
        /// A path relative to a repository, which another argument names.
        Tracked = "path in a repository",
        /// The name of a branch, a remote or a commit.
        Ref = "git reference",
        /// A host, or a part of its name.
        Host = "host",
    }
}

/// The specification of a tool.
#[derive(Debug, Clone)]
pub struct Spec {
    /// Canonical name, in the domain's own spelling: `matrix_solve`, `task:submit`.
    pub id: &'static str,
    /// Contract version; grows when arguments or meaning change.
    pub version: u32,
    /// A few words for a list.
    pub title: &'static str,
    /// The field it belongs to.
    pub category: Category,
    /// Further words to select and search by.
    pub tags: &'static [&'static str],
    /// Effects of its own at most, without those of calls under [`Spec::calls_tools`].
    pub effects: &'static [Effect],
    /// Whether it calls other tools for its caller; each of these calls is decided, approved and recorded on its own, with the effects
    /// that the caller may have.
    pub calls_tools: bool,
    /// Effects that some calls do not have: [`Tool::narrow`](crate::Tool::narrow) says which.
    pub avoidable: &'static [Effect],
    /// Permissions it needs.
    pub permissions: &'static [Permission],
    /// Capabilities it uses.
    pub capabilities: &'static [Capability],
    /// Whether it can destroy existing data; [`Tool::narrow`](crate::Tool::narrow) refines it per call.
    pub destructive: bool,
    /// Whether every call needs a person's approval: no rule and no `--yes` replaces it.
    pub human_gate: bool,
    /// Whether repeating a call has no further effect.
    pub idempotent: bool,
    /// Whether the same arguments give the same result.
    pub determinism: Determinism,
    /// Who may call it.
    pub callers: &'static [Caller],
    /// Resources named by arguments, so that a planner knows them before references are resolved.
    pub resources: &'static [ResourceTemplate],
    /// JSON pointers of the arguments that an overridden [`Tool::resources`](crate::Tool::resources) reads, so that a planner knows the
    /// resources as soon as it knows these. `None` for any.
    pub keyed_by: Option<&'static [&'static str]>,
    /// JSON pointers of the arguments that hold plans or calls: references to files in them are opened by those.
    pub holds_calls: &'static [&'static str],
    /// JSON pointers of arguments that name files whose contents are answered: a call needs what reading these files needs, as one with
    /// `{"$file": path}` does.
    pub reads: &'static [&'static str],
    /// Whether it must be the only call running.
    pub exclusive: bool,
    /// Facts that must hold, such as `workspace=ready`.
    pub preconditions: &'static [&'static str],
    /// Parameters whose text is a language or a name, by JSON pointer; members below one inherit it.
    pub syntax: &'static [(&'static str, Syntax)],
    /// Longest run in milliseconds where the caller sets none; `None` leaves it to the configuration.
    pub timeout_ms: Option<u64>,
    /// Its own longest run, instead of the limit of every call: what it waits for has limits of its own.
    pub waits_ms: Option<u64>,
    /// Largest result in bytes of JSON; `None` leaves it to the configuration.
    pub output_bytes_max: Option<u64>,
    /// JSON pointer of the argument by which a caller asks for large arrays as part of the answer, where they would be artifacts.
    pub inline_if: Option<&'static str>,
    /// The specification of a call whose argument [`Spec::ENGINE`] is absent or [`Spec::NATIVE`]; this one is that of the others. See
    /// [`Spec::of_call`].
    pub native: Option<&'static Self>,
    /// Source: `builtin`, or `plugin NAME@VERSION` with the digest of its files.
    pub source: &'static str,
}

impl Spec {
    /// The argument that chooses who computes the answer.
    pub const ENGINE: &'static str = "engine";
    /// Its value for this program.
    pub const NATIVE: &'static str = "native";

    /// No effects, callable directly and in chains, a function of its arguments.
    pub const fn pure() -> Self {
        Self {
            id: "",
            version: 1,
            title: "",
            category: Category::Math,
            tags: &[],
            effects: &[],
            calls_tools: false,
            avoidable: &[],
            permissions: &[Permission::Compute],
            capabilities: &[],
            destructive: false,
            human_gate: false,
            idempotent: true,
            determinism: Determinism::Pure,
            callers: &[Caller::Direct, Caller::Chain],
            resources: &[],
            keyed_by: None,
            holds_calls: &[],
            reads: &[],
            exclusive: false,
            preconditions: &[],
            syntax: &[],
            timeout_ms: None,
            waits_ms: None,
            output_bytes_max: None,
            inline_if: None,
            native: None,
            source: "builtin",
        }
    }

    /// [`Spec::pure`] with an id and a title.
    pub const fn named(id: &'static str, title: &'static str) -> Self {
        Self::pure().with_name(id, title)
    }

    /// A tool that this program answers as `native` says, and an outside computer algebra system where the call chooses it.
    pub const fn with_engines(native: &'static Self) -> Self {
        Self {
            capabilities: &[Capability::Algebra],
            determinism: Determinism::External,
            native: Some(native),
            ..*native
        }
    }

    /// The specification of a call with these arguments: what its engine needs, where the tool has several.
    pub fn of_call(&self, args: &Value) -> &Self {
        self.of_engine(args.get(Self::ENGINE))
    }

    /// The specification of calls with this engine; `None` for calls that choose none.
    pub fn of_engine(&self, engine: Option<&Value>) -> &Self {
        let is_native = match engine {
            None | Some(Value::Null) => true,
            Some(engine) => engine.as_str() == Some(Self::NATIVE),
        };
        self.native.filter(|_| is_native).unwrap_or(self)
    }

    /// Whether the same arguments give the same result, in words.
    pub fn determinism_in_words(&self) -> String {
        match self.native {
            Some(native) => format!(
                "{} with `{}: {}`, else {}",
                native.determinism,
                Self::ENGINE,
                Self::NATIVE,
                self.determinism
            ),
            None => self.determinism.to_string(),
        }
    }

    /// A declaration that several tools share, with the id and the title of one.
    pub const fn with_name(self, id: &'static str, title: &'static str) -> Self {
        Self { id, title, ..self }
    }

    /// Sets the category; [`Category::Math`] where none is set.
    pub const fn category(self, category: Category) -> Self {
        Self { category, ..self }
    }

    /// Sets the tags.
    pub const fn tags(self, tags: &'static [&'static str]) -> Self {
        Self { tags, ..self }
    }

    /// Sets the parameters whose text is a language or a name.
    pub const fn syntax(self, syntax: &'static [(&'static str, Syntax)]) -> Self {
        Self { syntax, ..self }
    }

    /// Makes the result a function of the seed too.
    pub const fn seeded(self) -> Self {
        let determinism = Determinism::Seeded;
        Self {
            determinism,
            ..self
        }
    }

    /// Raises the limit of the result to 256 MiB, for tools whose result is arrays.
    pub const fn large(self) -> Self {
        let output_bytes_max = Some(256 << 20);
        Self {
            output_bytes_max,
            ..self
        }
    }

    /// Whether it has no effects of its own; its calls of other tools are decided on their own.
    pub const fn read_only(&self) -> bool {
        self.effects.is_empty()
    }

    /// Whether a call changes nothing at all, nested calls included.
    pub const fn changes_nothing(&self) -> bool {
        self.read_only() && !self.calls_tools
    }

    /// Whether it reads or writes files of the workspace.
    pub fn uses_files(&self) -> bool {
        let files = [Capability::FilesRead, Capability::FilesWrite];
        files.iter().any(|one| self.capabilities.contains(one))
    }

    /// The name for MCP and model providers: `:` and `.` become `_`.
    pub fn wire_name(&self) -> String {
        wire_name(self.id)
    }

    /// The fault in it, if any: malformed ids and titles, and contradictory claims.
    pub fn fault(&self) -> Option<String> {
        let (id, wire) = (self.id, self.wire_name());
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let starts = wire.starts_with(|first: char| first.is_ascii_lowercase());
        if !wire.bytes().all(plain) || wire.len() > 48 || !starts {
            let form = "[a-z][a-z0-9_]{0,47}";
            return Some(format!(
                "the id `{id}` does not give a wire name of the form {form}"
            ));
        }
        let nested = self.capabilities.contains(&Capability::Calls);
        let lacks = |effect: &Effect| !self.effects.contains(effect);
        let faults = [
            (
                self.title.is_empty() || self.callers.is_empty() || self.version == 0,
                "lacks a title, a caller or a version",
            ),
            (
                self.destructive && self.read_only(),
                "is declared destructive and has no effects",
            ),
            (
                self.human_gate && self.read_only(),
                "needs a person's approval and has no effects",
            ),
            (
                self.calls_tools && !nested,
                "is declared to call other tools and lacks the capability",
            ),
            (
                self.avoidable.iter().any(lacks),
                "can do without an effect that it does not have",
            ),
            (
                !self.read_only() && self.determinism == Determinism::Pure,
                "has effects and is declared a function of its arguments",
            ),
        ];
        let fault = faults.into_iter().find(|(is_faulty, _)| *is_faulty);
        fault.map(|(_, what)| format!("`{id}` {what}"))
    }
}

/// The wire spelling of a canonical id.
pub fn wire_name(id: &str) -> String {
    id.replace([':', '.'], "_")
}
