//! What a tool says about itself: one constant, from which policy, planner, listings and documentation are computed.

use crate::resource::ResourceTemplate;

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
}

names! {
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
}

names! {
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
    }
}

names! {
    /// What of the world exists for a tool.
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
    }
}

names! {
    /// Who may call a tool.
    Caller {
        /// A single call at a door.
        Direct = "direct",
        /// A step of a chain.
        Chain = "chain",
    }
}

names! {
    /// Whether the same arguments give the same result.
    Determinism {
        /// A function of the arguments.
        Pure = "pure",
        /// A function of the arguments and the seed.
        Seeded = "seeded",
        /// Depends on the world.
        External = "external",
    }
}

names! {
    /// What text in a parameter is read as. Every text of a tool that is read as a language or a name has one: a value put into such
    /// a text could change its meaning, so that plans may not put it together with `$fmt`. Other texts are data.
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
        /// A patch: paths, and what changes there.
        Patch = "patch",
        /// The name of a file in an archive.
        Member = "name in an archive",
        /// A host, or a part of its name.
        Host = "host",
    }
}

/// What a tool says about itself.
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
    /// The most it may change itself; what [`Spec::hands_on`] adds to that is not counted.
    pub effects: &'static [Effect],
    /// Whether it calls other tools for its caller: each of these calls is decided, approved and recorded by itself, and may change
    /// what its caller may.
    pub hands_on: bool,
    /// Effects that some calls do not have: [`Tool::narrow`](crate::Tool::narrow) says which.
    pub avoidable: &'static [Effect],
    /// Permissions it needs.
    pub permissions: &'static [Permission],
    /// What of the world it is given.
    pub capabilities: &'static [Capability],
    /// Whether it can destroy what was there before: the most it can do; see [`Tool::narrow`](crate::Tool::narrow).
    pub destructive: bool,
    /// Whether doing it twice is the same as doing it once.
    pub idempotent: bool,
    /// Whether the same arguments give the same result.
    pub determinism: Determinism,
    /// Who may call it.
    pub callers: &'static [Caller],
    /// Resources its arguments name; with these a planner knows them before references are resolved.
    pub resources: &'static [ResourceTemplate],
    /// Where [`Tool::resources`](crate::Tool::resources) is written out: the arguments that it looks at, by JSON pointer, so that a
    /// planner knows the resources as soon as it knows these. `None` where it may look at any.
    pub keyed_by: Option<&'static [&'static str]>,
    /// Whether it must be the only call running.
    pub exclusive: bool,
    /// Facts that must hold, such as `workspace=ready`.
    pub preconditions: &'static [&'static str],
    /// Parameters whose text is read as a language or a name, by JSON pointer; what lies below one is read as it is.
    pub syntax: &'static [(&'static str, Syntax)],
    /// Longest run in milliseconds where the caller sets none; `None` leaves it to the configuration.
    pub timeout_ms: Option<u64>,
    /// Largest result in bytes of JSON; `None` leaves it to the configuration.
    pub output_bytes_max: Option<u64>,
    /// Where it comes from: `builtin`, or `plugin NAME@VERSION` with the digest of what it consists of.
    pub source: &'static str,
}

impl Spec {
    /// No effects, callable directly and in chains, a function of its arguments.
    pub const fn pure() -> Self {
        Self {
            id: "",
            version: 1,
            title: "",
            category: Category::Math,
            tags: &[],
            effects: &[],
            hands_on: false,
            avoidable: &[],
            permissions: &[Permission::Compute],
            capabilities: &[],
            destructive: false,
            idempotent: true,
            determinism: Determinism::Pure,
            callers: &[Caller::Direct, Caller::Chain],
            resources: &[],
            keyed_by: None,
            exclusive: false,
            preconditions: &[],
            syntax: &[],
            timeout_ms: None,
            output_bytes_max: None,
            source: "builtin",
        }
    }

    /// As [`Spec::pure`], and a function of the seed too.
    pub const fn seeded() -> Self {
        Self {
            determinism: Determinism::Seeded,
            ..Self::pure()
        }
    }

    /// Whether it changes nothing itself: what decides on a call, which leaves the calls that it makes to their own decisions.
    pub const fn read_only(&self) -> bool {
        self.effects.is_empty()
    }

    /// Whether nothing changes by calling it: what its callers are told.
    pub const fn changes_nothing(&self) -> bool {
        self.read_only() && !self.hands_on
    }

    /// The name for MCP and model providers: `:` and `.` become `_`.
    pub fn wire_name(&self) -> String {
        wire_name(self.id)
    }

    /// What is wrong with it, if anything: ids, titles, and claims that contradict each other.
    pub fn fault(&self) -> Option<String> {
        let wire = self.wire_name();
        let lower = wire
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !lower || wire.len() > 48 || !wire.starts_with(|first: char| first.is_ascii_lowercase())
        {
            return Some(format!(
                "the id `{}` does not give a wire name of the form [a-z][a-z0-9_]{{0,47}}",
                self.id
            ));
        }
        if self.title.is_empty() || self.callers.is_empty() || self.version == 0 {
            return Some(format!(
                "`{}` lacks a title, a caller or a version",
                self.id
            ));
        }
        if self.destructive && self.read_only() {
            return Some(format!(
                "`{}` says it is destructive and has no effects",
                self.id
            ));
        }
        if self.hands_on && !self.capabilities.contains(&Capability::Calls) {
            return Some(format!(
                "`{}` says it calls other tools and lacks the capability",
                self.id
            ));
        }
        if (self.avoidable.iter()).any(|effect| !self.effects.contains(effect)) {
            return Some(format!(
                "`{}` can do without an effect that it does not have",
                self.id
            ));
        }
        if !self.read_only() && self.determinism == Determinism::Pure {
            return Some(format!(
                "`{}` has effects and says it is a function of its arguments",
                self.id
            ));
        }
        None
    }
}

/// The wire spelling of a canonical id.
pub fn wire_name(id: &str) -> String {
    id.replace([':', '.'], "_")
}
