//! The parts of a configuration that give more than a default gives.

use std::net::SocketAddr;
use std::path::Path;

use registry::model::{
    ApprovalConfig, ClusterConfig, Confinement, EngineName, HttpServerConfig, KeyVariable,
    McpServer, OpenApiService, PermissionTable, Phase, PolicyLayer, PolicyRule, RayConfig,
    RoleAgent, Schedule, SlurmConfig, Verdict, WorkspaceConfig,
};
use registry::{AgentFile, Config};
use tool_core::command::Isolation;
use tool_core::{Encode, Value, convert, json};

use super::{TrustBases, TrustItem, files};
use crate::environment;

/// Takes what is given and how it is shown.
type AddItem<'a> = &'a mut dyn FnMut(String, String);

/// Everything that a configuration gives, in a fixed order.
pub fn of_config(config: &Config, bases: &TrustBases) -> Vec<TrustItem> {
    let mut found = Vec::new();
    let mut add = |what: String, shown: String| found.push(TrustItem { what, shown });
    add_agents(config, bases, &mut add);
    add_secrets(config, &mut add);
    if is_lenient(&config.permissions) {
        let shown = format!(
            "{}\n",
            json::canonical_json(&encode_value(&config.permissions))
        );
        add("permissions".to_owned(), shown);
    }
    let rules: String = config.layers.iter().flat_map(allowing_rules).collect();
    if !rules.is_empty() {
        add("policies".to_owned(), rules);
    }
    add_programs(config, bases, &mut add);
    for schedule in &config.schedules {
        add(
            format!("schedules.{}", schedule.name),
            of_schedule(schedule),
        );
    }
    if is_patient(&config.approvals) {
        let ApprovalConfig {
            expire, fallback, ..
        } = config.approvals;
        add(
            "approvals".to_owned(),
            format!("expire: {expire}\nfallback: {fallback}\n"),
        );
    }
    let open = server_exposure(&config.server);
    if !open.is_empty() {
        add("server".to_owned(), open);
    }
    let elsewhere = cluster_exposure(&config.cluster, bases);
    if !elsewhere.is_empty() {
        add("cluster".to_owned(), elsewhere);
    }
    if !config.workspace.writable.is_empty() {
        let folders = config.workspace.writable.iter();
        let shown = folders.map(|folder| format!("programs write: {folder}\n"));
        add("workspace.writable".to_owned(), shown.collect());
    }
    let outside = outside_folders(&config.workspace, bases);
    if !outside.is_empty() {
        add("workspace".to_owned(), outside);
    }
    found
}

/// The programs and agents that pipelines, workflows and notices start.
fn add_agents(config: &Config, bases: &TrustBases, add: AddItem<'_>) {
    if !config.notify.command.is_empty() {
        let words = &config.notify.command;
        let shown = format!("command: {}\n", json_line(words));
        add(
            "notify".to_owned(),
            shown + &files::file_digest_lines(words, bases),
        );
    }
    for (name, table) in agent_tables(config) {
        let shown = format!("{}\n", json::canonical_json(&table));
        add(
            format!("cli.{name}"),
            shown + &files::file_digest_lines(&table_texts(&table), bases),
        );
    }
    for phase in config
        .phases
        .iter()
        .filter(|phase| is_trust_relevant(phase, bases))
    {
        let mut shown = format!("{}\n", json::canonical_json(&encode_value(phase)));
        if let Some(path) = outside_task_file(phase, bases) {
            shown += &format!("  {}: {}\n", path.display(), files::path_state(&path));
        }
        add(format!("phases.{}", phase.name), shown);
    }
    for (role, agent) in &config.workflow.agents {
        if starts_freely(agent) {
            let isolation = agent.isolation.map_or("", |one| one.as_str());
            let (cli, permission) = (&agent.cli.text, agent.permission);
            let profile = agent.flag_profile.as_deref().unwrap_or_default();
            let shown = format!(
                "cli: {cli}\npermission: {permission}\nisolation: {isolation}\nflag_profile: {profile}\n"
            );
            add(format!("workflow.agents.{role}"), shown);
        }
    }
    if !config.workflow.gates.is_empty() {
        let lines = config.workflow.gates.iter().map(|(agent, tools)| {
            let tools: Vec<&str> = tools.iter().map(|tool| tool.text.as_str()).collect();
            format!("{agent}: {}\n", tools.join(", "))
        });
        add("workflow.gates".to_owned(), lines.collect());
    }
}

/// The secrets of the environment that go to an address.
fn add_secrets(config: &Config, add: AddItem<'_>) {
    let models = [
        ("embeddings", &config.models.embeddings),
        ("chat", &config.models.chat),
        ("vision", &config.models.vision),
    ];
    for (name, model) in models {
        let Some(model) = model else { continue };
        if let Some(variable) = model.api_key.as_ref().and_then(KeyVariable::variable) {
            let shown = format!("endpoint: {}\napi_key: env:{variable}\n", model.endpoint);
            add(format!("models.{name}"), shown);
        }
    }
    if let Some(search) = &config.web.search
        && let Some(variable) = search.api_key.as_ref().and_then(KeyVariable::variable)
    {
        let endpoint = search.endpoint.as_deref().unwrap_or_default();
        let shown = format!(
            "provider: {}\nendpoint: {endpoint}\napi_key: env:{variable}\n",
            search.provider
        );
        add("web.search".to_owned(), shown);
    }
}

/// Programs and services that have tools, or answer for them.
fn add_programs(config: &Config, bases: &TrustBases, add: AddItem<'_>) {
    for server in config.mcp_servers.iter() {
        add(
            format!("mcp_servers.{}", server.name),
            of_server(server, bases),
        );
    }
    if let Some(python) = &config.code.python {
        let path = environment::resolve_interpreter(python, &bases.folder);
        let real = environment::real_path(&path);
        let shown = format!("python: {}\nwhich is: {}\n", path.display(), real.display());
        add("code".to_owned(), shown);
    }
    if config.symbolic.sympy {
        let shown = "sympy: Python answers symbolic tools that ask for it, in the sandbox\n";
        add("symbolic".to_owned(), shown.to_owned());
    }
    for service in config.openapi.iter() {
        add(format!("openapi.{}", service.name), of_service(service));
    }
}

/// The agent files whose rules allow what a default would ask about.
pub fn of_agents(texts: &[(String, String)]) -> Vec<TrustItem> {
    let gives = |(path, text): &(String, String)| {
        // A broken file is reported when the policy is compiled, and counts nothing.
        let file = AgentFile::parse(path, text).ok()?;
        let rules = file.head.policy.iter().flat_map(|policy| &policy.rules);
        let rules = rules.filter(|rule| rule.decision == Verdict::Allow && !is_pure(rule));
        let shown: String = rules
            .map(|rule| format!("{}\n", json::canonical_json(&encode_value(rule))))
            .collect();
        let what = format!("agents/{}", file.name);
        (!shown.is_empty()).then_some(TrustItem { what, shown })
    };
    texts.iter().filter_map(gives).collect()
}

/// The words of each program of a configuration that runs outside the sandbox, or answers calls.
pub(super) fn configured_programs(config: &Config) -> Vec<Vec<String>> {
    let mut found = vec![config.notify.command.clone()];
    found.extend(
        agent_tables(config)
            .iter()
            .map(|(_, table)| table_texts(table)),
    );
    let servers = config.mcp_servers.iter();
    found.extend(servers.map(|server| server.command.clone()));
    found
}

/// The agent command lines that the configuration writes itself, as written.
fn agent_tables(config: &Config) -> Vec<(String, Value)> {
    let written = config.cli_tables.as_object().into_iter();
    let written = written.flat_map(|tables| tables.iter());
    let mut found: Vec<(String, Value)> = written
        .map(|(name, table)| (name.to_owned(), table.clone()))
        .collect();
    for cli in &config.clis {
        if !found.iter().any(|(name, _)| *name == cli.name) {
            found.push((cli.name.clone(), encode_value(cli)));
        }
    }
    found
}

/// Every text of a value, the program first.
fn table_texts(table: &Value) -> Vec<String> {
    fn below(value: &Value, found: &mut Vec<String>) {
        if let Some(text) = value.as_str() {
            found.push(text.to_owned());
        }
        for item in value.items().unwrap_or_default().iter() {
            below(item, found);
        }
        for (name, member) in value
            .as_object()
            .into_iter()
            .flat_map(|object| object.iter())
        {
            if name != "binary" {
                below(member, found);
            }
        }
    }
    let mut found = vec![table.text("binary").unwrap_or_default().to_owned()];
    below(table, &mut found);
    found
}

fn encode_value<T: Encode>(of: &T) -> Value {
    convert::to_value(of).unwrap_or_default()
}

fn json_line(words: &[String]) -> String {
    json::to_text(&Value::from(words.to_vec()))
}

/// Whether a phase takes a border away, lets its callers change things without being asked, or has its task from elsewhere.
fn is_trust_relevant(phase: &Phase, bases: &TrustBases) -> bool {
    let mut selections = std::iter::once(&phase.tools).chain(phase.agent_tools.iter());
    phase.isolation == Some(Isolation::None)
        || selections.any(|one| one.permission > Some(Confinement::ReadOnly))
        || outside_task_file(phase, bases).is_some()
}

/// The file of the task of a phase, where it lies outside the folder of the configuration or a link leads to it.
fn outside_task_file(phase: &Phase, bases: &TrustBases) -> Option<std::path::PathBuf> {
    let named = files::lexical_path(&bases.folder.join(phase.prompt_file.as_ref()?));
    let real = environment::real_path(&named);
    (real != named || !real.starts_with(&bases.folder)).then_some(real)
}

fn starts_freely(agent: &RoleAgent) -> bool {
    agent.isolation == Some(Isolation::None) || agent.permission > Confinement::ReadOnly
}

fn is_lenient(permissions: &PermissionTable) -> bool {
    let network = &permissions.network;
    !permissions.filesystem.requires_approval
        || !permissions.shell.requires_approval
        || network.requires_approval == Some(false)
        || !network.allowed_hosts.is_empty()
        || !network.allow_private.is_empty()
}

/// Whether requests for approval, and their grants, may live longer than by default.
fn is_patient(approvals: &ApprovalConfig) -> bool {
    let own = ApprovalConfig::default();
    approvals.expire > own.expire || approvals.fallback < own.fallback
}

/// Leaves requests for approval the time of the default, or less.
pub(super) fn wait_as_usual(approvals: &mut ApprovalConfig) {
    let own = ApprovalConfig::default();
    approvals.expire = approvals.expire.min(own.expire);
    approvals.fallback = approvals.fallback.max(own.fallback);
}

/// A line for each rule of a layer that allows what a default would ask about.
fn allowing_rules(layer: &PolicyLayer) -> Vec<String> {
    let of_layer = match layer.name.as_str() {
        "" => layer.level.to_string(),
        name => format!("{} {name}", layer.level),
    };
    let rules = layer.rules.iter();
    let allow = rules.filter(|rule| rule.decision == Verdict::Allow && !is_pure(rule));
    allow
        .map(|rule| {
            format!(
                "{of_layer}: {}\n",
                json::canonical_json(&encode_value(rule))
            )
        })
        .collect()
}

/// Whether a rule names only built-in tools that reach and change nothing.
fn is_pure(rule: &PolicyRule) -> bool {
    let tools = &rule.matches.tools;
    let is_pure = |id: &str| {
        crate::built_in_tool(id).is_some_and(|tool| registry::policy::is_harmless(tool.spec()))
    };
    !tools.is_empty() && tools.iter().all(|tool| is_pure(&tool.text))
}

fn of_server(server: &McpServer, bases: &TrustBases) -> String {
    let mut shown = format!("command: {}\n", json_line(&server.command));
    let words: Vec<String> = server
        .command
        .iter()
        .chain(&server.readable)
        .cloned()
        .collect();
    shown += &files::file_digest_lines(&words, bases);
    let env = server.env.iter();
    let env: Vec<String> = env.map(|(name, value)| format!("{name}={value}")).collect();
    let effects = server.effects.as_ref().map_or("any".to_owned(), |effects| {
        let names: Vec<&str> = effects.iter().map(|one| one.as_str()).collect();
        names.join(", ")
    });
    shown += &format!(
        "sandbox: {}\nreads_workspace: {}\nreadable: {}\nenvironment: {}\neffects: {effects}\ntimeout_ms: {:?}\n",
        server.sandbox,
        server.reads_workspace,
        json_line(&server.readable),
        json_line(&env),
        server.timeout_ms,
    );
    match &server.pin {
        Some(Ok(pin)) => {
            let digest = registry::digest::of_texts([pin.text.as_str()]);
            shown += &format!("tools: list with the digest {digest}\n");
            let tools =
                registry::plugins::parse_pinned_tools(&server.name, pin).unwrap_or_default();
            for tool in &tools {
                shown += &format!("  {}: {}\n", tool.name, tool.summary());
            }
        }
        Some(Err(_)) | None => shown += "tools: not pinned\n",
    }
    shown
}

/// A service, with its document as it was read and the operations that are tools.
fn of_service(service: &OpenApiService) -> String {
    let variable = service.api_key.as_ref().and_then(KeyVariable::variable);
    let document = match &service.text {
        Some(Ok(text)) => format!("digest {}", OpenApiService::digest_of(text)),
        Some(Err(_)) | None => "cannot be read".to_owned(),
    };
    let mut shown = format!(
        "base_url: {}\napi_key: {}\napi_key_header: {}\npinned: {}\n  {}: {document}\n",
        service.base_url,
        variable.map_or_else(String::new, |variable| format!("env:{variable}")),
        service.api_key_header.as_deref().unwrap_or_default(),
        service.digest,
        service.document,
    );
    match registry::plugins::read_operations(service) {
        Ok(operations) => {
            for operation in operations {
                let (tool, method, path) = (&operation.tool, operation.method, &operation.path);
                shown += &format!("  {tool}: {method} {path}\n");
            }
        }
        Err(_) => shown += &format!("operations: {}\n", json_line(&service.operations)),
    }
    shown
}

/// A schedule, with the digest of its plan as it was read.
fn of_schedule(schedule: &Schedule) -> String {
    let plan = match &schedule.text {
        Some(Ok(text)) => format!("digest {}", registry::digest::of_texts([text.as_str()])),
        Some(Err(_)) | None => "cannot be read".to_owned(),
    };
    let keys = json::canonical_json(&encode_value(schedule));
    format!("{keys}\n  {}: {plan}\n", schedule.plan)
}

/// What lets the server answer more than this machine.
fn server_exposure(server: &HttpServerConfig) -> String {
    let mut shown = String::new();
    if !is_of_this_machine(&server.listen) {
        shown += &format!("listen: {}\n", server.listen);
    }
    if !server.hosts.is_empty() {
        shown += &format!("hosts: {}\n", json_line(&server.hosts));
    }
    if !server.origins.is_empty() {
        shown += &format!("origins: {}\n", json_line(&server.origins));
    }
    if server.behind_proxy {
        shown += "behind_proxy: true\n";
    }
    shown
}

/// What sends calls of plans to other processes.
fn cluster_exposure(cluster: &ClusterConfig, bases: &TrustBases) -> String {
    let slurm = &cluster.slurm;
    let mut shown = String::new();
    if cluster.engine != EngineName::Local {
        shown += &format!("engine: {}\n", cluster.engine);
    }
    if let Some(dir) = &cluster.dir {
        shown += &format!("dir: {dir}\n");
    }
    if *slurm != SlurmConfig::default() {
        let partition = slurm.partition.as_deref().unwrap_or_default();
        let (tasks, cpus, seconds) = (slurm.tasks, slurm.cpus, slurm.time.ms() / 1000);
        shown += &format!(
            "slurm: partition {partition:?}, {tasks} workers of {cpus} processors for {seconds} s\n"
        );
    }
    let RayConfig {
        address,
        python,
        slots,
    } = &cluster.ray;
    if let Some(address) = address {
        shown += &format!("ray: {address}\n");
    }
    if let Some(slots) = slots {
        shown += &format!("ray: {slots} slots\n");
    }
    if let Some(python) = python {
        shown += &format!("python: {python}\n");
        // A name alone is a program of the search path.
        if python.contains(std::path::is_separator) {
            let path = environment::resolve_interpreter(python, &bases.folder);
            let real = environment::real_path(&path);
            shown += &format!("which is: {}\n", real.display());
        }
    }
    shown
}

fn is_of_this_machine(address: &str) -> bool {
    let address = address.parse::<SocketAddr>();
    address.is_ok_and(|address| address.ip().is_loopback())
}

/// Leaves the server to this machine.
pub(super) fn stay_on_this_machine(server: &mut HttpServerConfig) {
    let own = HttpServerConfig::default();
    if !is_of_this_machine(&server.listen) {
        server.listen = own.listen;
    }
    server.hosts = own.hosts;
    server.origins = own.origins;
    server.behind_proxy = own.behind_proxy;
}

/// What of the workspace, and of its records, lies outside the folder of the configuration.
fn outside_folders(workspace: &WorkspaceConfig, bases: &TrustBases) -> String {
    let folders = workspace.folders().into_iter();
    let outside = folders.filter(|root| !is_inside(&root.path, &bases.folder));
    let mut shown: String = outside
        .map(|root| format!("{}: {}\n", root.access, root.path))
        .collect();
    if let Some(state) = state_outside(workspace, &bases.folder) {
        shown += &format!("state: {state}\n");
    }
    shown
}

/// The state folder, where it lies outside; it is relative to the first root.
fn state_outside<'a>(workspace: &'a WorkspaceConfig, folder: &Path) -> Option<&'a str> {
    let state = workspace.state.as_deref()?;
    let roots = workspace.folders();
    let first = folder.join(roots.first().map_or(".", |root| root.path.as_str()));
    let real = environment::real_path(&files::lexical_path(&first.join(state)));
    (!real.starts_with(folder)).then_some(state)
}

fn is_inside(path: &str, folder: &Path) -> bool {
    environment::real_path(&folder.join(path)).starts_with(folder)
}

/// Leaves roots inside the folder of the configuration alone, or the folder itself.
pub(super) fn stay_inside(workspace: &mut WorkspaceConfig, folder: &Path) {
    if state_outside(workspace, folder).is_some() {
        workspace.state = None;
    }
    let mut roots = workspace.folders();
    roots.retain(|root| is_inside(&root.path, folder));
    workspace.root = None;
    workspace.roots = (!roots.is_empty()).then_some(roots);
}
