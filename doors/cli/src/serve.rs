//! `mathchain serve`: JSON lines, the Model Context Protocol, or HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use registry::offer::Catalog;
use registry::{ApprovalAnswer, Principal, Unattended};

use mathchain_servers::http::ConsoleAccess;

use super::prelude::*;
use super::signals::ServerClosing;
use super::worker::EngineArgs;
use super::{export, jsonl};

#[derive(Debug, Args)]
#[command(
    after_help = "Each line is {\"id\":...,\"tool\":NAME,\"args\":{...},\"role\":NAME?,\"traceparent\":TEXT?}; each answer carries the id, and answers may arrive in another order. `traceparent` names the client span that the call belongs to (docs/observability.md).
Examples:
  mathchain serve --mcp --role worker_math
  mathchain serve --http 127.0.0.1:8931 --role worker_general     # prints the token that requests need
  printf '%s\\n' '{\"id\":1,\"tool\":\"statistics\",\"args\":{\"data\":[1,2,3]}}' | mathchain serve --jsonl
  mathchain serve --jsonl --agent tester --phase audit --task bugfix"
)]
pub(super) struct ServeCommand {
    /// Read and write one JSON object a line
    #[arg(long, required_unless_present_any = ["mcp", "http"])]
    pub jsonl: bool,
    /// Serve one client of the Model Context Protocol (docs/mcp.md)
    #[arg(long, conflicts_with = "jsonl")]
    pub mcp: bool,
    /// Serve MCP clients and a JSON interface at this address; without one, at `server.listen` (docs/http.md)
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, conflicts_with_all = ["jsonl", "mcp"])]
    pub http: Option<Option<SocketAddr>>,
    /// A proxy in front of the HTTP server terminates TLS
    #[arg(long, requires = "http")]
    pub behind_proxy: bool,
    /// Serve the pages of the console too, for people who sign in with keys (docs/console.md)
    #[arg(long, requires = "http")]
    pub console: bool,
    /// Join the client to the server that a pipeline started for its agent, through this folder
    #[cfg(target_os = "linux")]
    #[arg(long, hide = true, value_name = "FOLDER", requires = "mcp")]
    pub through: Option<PathBuf>,
    /// Answer as an agent that a call started
    #[arg(long = "as", hide = true, value_name = "CALLER", requires = "mcp", value_parser = parse_heir)]
    pub heir: Option<Box<Principal>>,
    /// Tools that an MCP client lists: `full`, `core` or `search`; every visible tool can be called; by default `core`
    #[arg(long, value_name = "CATALOG", value_parser = export::catalogue_parser())]
    pub catalog: Option<Catalog>,
    /// Largest result that an MCP client is sent; more is cut to a summary with handles
    #[arg(long, value_name = "BYTES", default_value_t = RESULT_BYTES, value_parser = clap::value_parser!(u64).range(1024..))]
    pub result_bytes: u64,
    /// Roles that a request may ask for
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "ROLE,...",
        conflicts_with = "mcp"
    )]
    pub roles: Vec<String>,
    /// Role of calls that name none; overrides the configuration's
    #[arg(long)]
    pub role: Option<String>,
    /// Toolset of the configuration that replaces the selection
    #[arg(long, value_name = "TOOLSET", help_heading = "Caller")]
    pub toolset: Option<String>,
    #[command(flatten)]
    pub caller: CallerArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Maximum number of calls to run in parallel
    #[arg(long, alias = "workers", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
}

/// Largest result that an MCP client is sent.
const RESULT_BYTES: u64 = 16_384;

/// What the program around this library offers beside.
static EXTRA: std::sync::OnceLock<Arc<dyn mathchain_servers::ServerExtension>> =
    std::sync::OnceLock::new();

/// Offers MCP clients this beside; the first setting is kept.
pub(super) fn offer_extra(extra: Arc<dyn mathchain_servers::ServerExtension>) {
    let _ = EXTRA.set(extra);
}

/// Answers lines until the input ends.
pub(super) fn run_serve_command(global: &GlobalArgs, serve: &ServeCommand) -> Result<ExitCode> {
    let console = serve.console.then_some(ConsoleAccess::Keys);
    answer_until_end(global, serve, console)
}

/// Answers until the input ends or a signal comes; with pages for people over HTTP.
pub(super) fn answer_until_end(
    global: &GlobalArgs,
    serve: &ServeCommand,
    mut console: Option<ConsoleAccess>,
) -> Result<ExitCode> {
    #[cfg(target_os = "linux")]
    if let Some(folder) = &serve.through {
        return mathchain::agent_host::join_exchange(folder).map(|()| exit::OK.into());
    }
    serve.caller.check_facts()?;
    if serve.engine.wanted().is_some() && serve.http.is_none() {
        return Err(
            tool_error!(InvalidArgs, "engine"; "`--engine` of `serve` is for plans over HTTP";
            "`serve --http --engine ...`, or `mathchain run PLAN --engine ...`"),
        );
    }
    let toolkit = serve.caller.open(global)?;
    for role in serve.roles.iter().map(Some).chain([serve.role.as_ref()]) {
        // An unknown name is an error now, not at the first line.
        let caller = toolkit.caller(&serve.context(role.cloned()));
        toolkit.dispatcher().visible(&caller)?;
    }
    let stop = StopFlag::new();
    let closing = ServerClosing::on_signal(&stop)
        .map_err(|err| jsonl::stream_error("cannot handle signals", &err))?;
    let door = jsonl::JsonlSettings {
        roles: serve.roles.clone(),
        workers: jsonl::worker_count(serve.threads),
        line_bytes_max: jsonl::line_bytes_max(&toolkit),
        stop: stop.clone(),
        closing,
        format: global.format(),
    };
    let files = open::watched_paths(global)?;
    let done = StopFlag::new();
    let toolkit = Arc::new(toolkit);
    if let Some(extra) = EXTRA.get() {
        extra.opened(&toolkit)?;
    }
    let answered = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch_files(&toolkit, &files, &done));
        let answered = match (serve.mcp, serve.http) {
            (true, _) => answer_client(&toolkit, serve, &door).map(|()| true),
            (_, Some(address)) => {
                let pages = console.take();
                answer_requests(global, &toolkit, serve, &door, (address, pages)).map(|()| true)
            }
            _ => answer_lines(&toolkit, serve, &door),
        };
        done.cancel();
        watcher.thread().unpark();
        answered
    });
    answer::close_audit(&toolkit);
    answered.map(|_| exit::of_stop(&stop).into())
}

/// Interval at which files are checked for changes.
const POLL: Duration = Duration::from_millis(500);

/// Reloads configuration, agents, recorded rules and plugins when their files change, until the server stops.
fn watch_files(toolkit: &Toolkit, files: &[PathBuf], done: &StopFlag) {
    let mut seen = None;
    while !done.is_set() {
        let now = Some(toolkit.generations().seen(files));
        if now == seen {
            std::thread::park_timeout(POLL);
            continue;
        }
        // Also the first time: files may have changed since the toolkit was opened.
        seen = now;
        match toolkit.reload() {
            Ok(reloaded) if !reloaded.is_any() => {}
            Ok(reloaded) => write_stderr(&format!("reloaded: {}\n", reloaded.to_value())),
            Err(err) => write_stderr(&format!(
                "not reloaded, the previous generation stays in force: {}",
                human::render_error(&err)
            )),
        }
    }
}

fn answer_lines(
    toolkit: &Toolkit,
    serve: &ServeCommand,
    door: &jsonl::JsonlSettings,
) -> Result<bool> {
    // `--roles` bounds every line: without a role it has the first of them.
    let default_role = serve.role.clone().or_else(|| serve.roles.first().cloned());
    let stdin = door.closing.stdin();
    let stdin = stdin.map_err(|err| jsonl::stream_error("cannot read stdin", &err))?;
    jsonl::serve_lines(
        door,
        // The capacity of a pipe.
        std::io::BufReader::with_capacity(64 << 10, stdin),
        standard_output(),
        |line, stop, progress| {
            let unanswered = match toolkit.config().approvals.unattended {
                Unattended::Deny => ApprovalAnswer::Unattended,
                Unattended::Pending => ApprovalAnswer::Ask,
            };
            let context = CallContext {
                answer: unanswered,
                reader: answer::answer_reader(door.format),
                stop: stop.child(),
                client_id: line.id,
                trace: line.trace,
                progress,
                ..serve.context(line.role.or_else(|| default_role.clone()))
            };
            toolkit.call_with(&context, &line.tool, &line.args)
        },
    )
}

/// Reads the caller that `spawn_agent` gives to the server of its agent.
fn parse_heir(text: &str) -> std::result::Result<Box<Principal>, String> {
    let value =
        tool_core::json::parse_json(text, Default::default()).map_err(|err| err.to_string())?;
    let role = value.text("role").ok_or("a caller has a `role`")?;
    Ok(Box::new(Principal::from_value(role, &value)))
}

impl ServeCommand {
    /// Serves over HTTP at an address, as a caller.
    pub(super) fn over_http(listen: SocketAddr, role: Option<String>, caller: CallerArgs) -> Self {
        Self {
            jsonl: false,
            mcp: false,
            http: Some(Some(listen)),
            behind_proxy: false,
            console: false,
            #[cfg(target_os = "linux")]
            through: None,
            heir: None,
            catalog: None,
            result_bytes: RESULT_BYTES,
            roles: Vec::new(),
            role,
            toolset: None,
            caller,
            engine: EngineArgs::default(),
            threads: None,
        }
    }

    /// The context of a call with this role.
    fn context(&self, role: Option<String>) -> CallContext {
        if let Some(heir) = &self.heir {
            return CallContext {
                role: Some(heir.role.clone()),
                agent: heir.agent.clone(),
                spawned: heir.spawned.clone(),
                phase: heir.phase.clone(),
                permission: heir.permission,
                task: heir.task.clone(),
                overrides: heir.run.clone(),
                layers: heir.layers.clone(),
                ..CallContext::default()
            };
        }
        CallContext {
            toolset: self.toolset.clone(),
            ..self.caller.context(role)
        }
    }
}

impl ServeCommand {
    /// The threads of a server whose calls may wait for something else than a processor.
    fn workers(&self) -> usize {
        self.threads
            .map_or_else(|| 4 * jsonl::worker_count(None), usize::from)
    }

    /// The role of calls with the token of an HTTP server: the one that was asked for, else that of the agent, else the default of the
    /// configuration, else the narrowest that it names. It is the operator's only where that was asked for.
    fn role_of_token(&self, toolkit: &Toolkit) -> Result<Option<String>> {
        /// Pure tools alone, where the configuration names no role.
        const NARROW: &str = "worker_math";
        if let Some(asked) = self.role.as_ref().or_else(|| self.roles.first()) {
            return Ok(Some(asked.clone()));
        }
        let usual = toolkit.caller(&self.context(None)).who.role;
        if usual != journal::OPERATOR {
            return Ok(None);
        }
        let mut narrowest: Option<(usize, String)> = None;
        for role in toolkit.config().roles.iter() {
            let name = &role.name;
            let caller = toolkit.caller(&self.context(Some(name.to_owned())));
            let dispatcher = toolkit.dispatcher();
            let tools = dispatcher.visible(&caller)?;
            let count = tools.iter().filter(|tool| tool.hidden.is_none()).count();
            let is_narrower = narrowest.as_ref().is_none_or(|(least, _)| count < *least);
            if *name != journal::OPERATOR && is_narrower {
                narrowest = Some((count, name.to_owned()));
            }
        }
        let narrowest = narrowest.map_or_else(|| NARROW.to_owned(), |(_, name)| name);
        Ok(Some(narrowest))
    }
    fn offered(
        &self,
        role: Option<String>,
        catalog: Catalog,
        line_bytes_max: usize,
    ) -> mathchain_servers::mcp::McpSettings {
        mathchain_servers::mcp::McpSettings {
            context: self.context(role),
            catalog: self.catalog.unwrap_or(catalog),
            line_bytes_max,
            result_bytes_max: self.result_bytes,
            counted: None,
            console: None,
            extra: EXTRA.get().cloned(),
        }
    }
}
fn answer_client(
    toolkit: &Arc<Toolkit>,
    serve: &ServeCommand,
    door: &jsonl::JsonlSettings,
) -> Result<()> {
    let settings = serve.offered(serve.role.clone(), Catalog::default(), door.line_bytes_max);
    let closing = door.closing.clone();
    mathchain_servers::mcp::serve_stdio(
        toolkit.clone(),
        settings,
        serve.workers(),
        &door.stop,
        move || closing.wait(),
    )
}
fn answer_requests(
    global: &GlobalArgs,
    toolkit: &Arc<Toolkit>,
    serve: &ServeCommand,
    door: &jsonl::JsonlSettings,
    (address, console): (Option<SocketAddr>, Option<ConsoleAccess>),
) -> Result<()> {
    let config = toolkit.config().server.clone();
    let base = open::project_folder(global)?;
    let listen = match address {
        Some(address) => address,
        None => config.listen.parse().map_err(|_| {
            tool_error!(InvalidRequest at "/server/listen"; "expected an address with a port, found `{}`", config.listen;
                "write `listen = \"127.0.0.1:8931\"`")
        })?,
    };
    // The link of a console is for the user at the terminal, whose role is that of any command.
    let role = match &console {
        Some(ConsoleAccess::Terminal(_)) => serve.role.clone(),
        _ => serve.role_of_token(toolkit)?,
    };
    let settings = mathchain_servers::http::HttpServerSettings {
        listen,
        hosts: config.hosts,
        origins: config.origins,
        behind_proxy: config.behind_proxy || serve.behind_proxy,
        tls: config
            .tls
            .map(|tls| (base.join(tls.cert), base.join(tls.key))),
        roles: serve.roles.clone(),
        rate_per_second: config.rate_per_second,
        requests_at_once: config.requests_at_once,
        workers: serve.workers(),
        mcp: serve.offered(role, config.catalog, door.line_bytes_max),
        console,
        engine: serve.engine.wanted(),
    };
    let closing = door.closing.clone();
    let tell = |line: &str| write_stderr(&format!("{line}\n"));
    mathchain_servers::http::serve_http(toolkit.clone(), settings, &door.stop, tell, move || {
        closing.wait()
    })
}
