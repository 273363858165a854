//! Keys of documents act: with one taken out or changed, something else comes of the document.

use std::collections::BTreeSet;

use agents::cli::{
    AgentEnvironment, CliArgs, CliRequest, CliTool, ServerStart, translate_cli_request,
};
use registry::agents::ToolName;
use registry::document::{self, DocumentFormat};
use registry::model::CliSpec;
use registry::model::{Confinement, Verdict};
use registry::policy::{CallFacts, CountedCaller, LimitUse, WORKSPACE_READY};
use registry::{Catalogue, Config, Policy, Principal, RuntimeFacts, ToolAliases};
use tool_core::{Object, Value, json};

use crate::{keys, neutral};

/// A command line with the fields that the built-in ones leave out.
const OWN: &str = r#"
mine:
  binary: mine
  subcommand: [go]
  model: large
  model_args: [--model, "{model}"]
  flags: {fast: [--fast, --free=all]}
  managed: {--free: none}
  env: {LEVEL: "3"}
  env_policy: clean
  env_passlist: ["MY_.*"]
  prompt_via: stdin
  prompt_argv: ["{prompt}"]
  prompt_stdin: ["-"]
  mcp_name: "{server}.{tool}"
  mcp_rule: "{server}({tool})"
  native: {Look: read_file, Do: run_shell, Write: write_file}
  unenforced: warn
  visibility: {args: ["--only={visible}"]}
  approval: {allow: ["--free={allow}"]}
  sandbox:
    read-only: {args: [--ro], config: {mode: r}, unenforced: {Look: it looks around}}
    workspace-write: {args: [--rw], config: {mode: w}, unenforced: {Look: it looks around}}
    full-access: {args: [--all], config: {mode: a}, unenforced: {Look: it looks around}}
  config: {file: mine.json, variable: MINE_FILE, value: {tools: "{visible}"}}
# Its tools can be hidden one by one, and not all of them.
single:
  binary: single
  native: {Look: read_file, Do: run_shell}
  prompt_argv: ["{prompt}"]
  visibility:
    off:
      Look: {harmless: [read-only]}
      Do: {why: it is always there}
  sandbox: {read-only: {}, workspace-write: {}, full-access: {}}
"#;

/// Other values in the place of one.
fn others(value: &Value) -> Vec<Value> {
    if value.as_str().is_some() {
        return ["other", "deny", "phase", "read", "own/**", "2h", "/count"]
            .map(Value::from)
            .to_vec();
    }
    if let Some(number) = value.as_i64() {
        return vec![Value::from(number + 1)];
    }
    let items = value.items().unwrap_or_default();
    let without = |index: usize| {
        let mut items = items.clone();
        items.remove(index);
        Value::array(items)
    };
    (0..items.len()).map(without).collect()
}

/// Every document in which the value at one place of a path is missing, or is another; `*` is any name.
fn changed(value: &Value, path: &[&str]) -> Vec<Value> {
    let Some((first, rest)) = path.split_first() else {
        return others(value);
    };
    if *first == "[]" {
        let items = value.items().unwrap_or_default();
        let replaced = |index: usize, item: Value| {
            let mut items = items.clone();
            items[index] = item;
            Value::array(items)
        };
        let of = |index: usize| {
            let changed = changed(&items[index], rest).into_iter();
            changed.map(move |item| (index, item))
        };
        let all = (0..items.len()).flat_map(of);
        return all.map(|(index, item)| replaced(index, item)).collect();
    }
    let mut found = Vec::new();
    let Some(table) = value.as_object() else {
        return found;
    };
    for (name, member) in table.iter() {
        if *first != "*" && *first != name {
            continue;
        }
        let with = |member: Option<Value>| {
            let mut changed = Object::clone(table);
            match member {
                Some(member) => changed.insert(name, member),
                None => drop(changed.remove(name)),
            }
            Value::Object(changed.into())
        };
        if rest.is_empty() {
            found.push(with(None));
        }
        found.extend(
            changed(member, rest)
                .into_iter()
                .map(|member| with(Some(member))),
        );
    }
    found
}

/// The keys of the configuration below these tables of which nothing comes, whatever the document says there.
fn idle(
    document: &Value,
    tables: &[&str],
    outcome: impl Fn(&Value) -> Option<String>,
) -> BTreeSet<String> {
    let whole = outcome(document).expect("a sound document");
    let of_tables = |key: &String| {
        let first = key.split(['.', '[']).next();
        first.is_some_and(|first| tables.contains(&first))
    };
    let acts = |key: &String| {
        let spaced = key.replace("[]", ".[]");
        let path: Vec<&str> = spaced.split('.').collect();
        let mut outcomes = changed(document, &path).into_iter();
        outcomes.any(|document| outcome(&document).is_some_and(|found| found != whole))
    };
    let keys = keys::leaves("configuration").into_iter().filter(of_tables);
    keys.filter(|key| !acts(key)).collect()
}

/// What comes of a command line for every kind of request.
fn answers(cli: &CliSpec) -> Vec<Result<CliArgs, Vec<String>>> {
    let tool = |(name, verdict): &(&str, Verdict)| CliTool {
        tool: match name.starts_with("mcp__") {
            true => ToolName::External((*name).to_owned()),
            false => ToolName::Tool((*name).to_owned()),
        },
        verdict: *verdict,
        is_counted: false,
    };
    use Verdict::{Allow, Ask, Deny};
    let lists: [&[(&str, Verdict)]; 6] = [
        &[],
        &[("read_file", Allow)],
        &[("read_file", Ask)],
        &[("edit_file", Allow), ("run_shell", Ask)],
        &[
            ("write_file", Allow),
            ("edit_file", Ask),
            ("run_shell", Deny),
        ],
        &[
            ("plot", Ask),
            ("mcp__s__a", Allow),
            ("mcp__s__b", Ask),
            ("mcp__t__c", Deny),
        ],
    ];
    let mut found = Vec::new();
    let argv = ["mathchain", "serve", "--mcp"].map(str::to_owned);
    for list in lists {
        let tools: Vec<CliTool> = list.iter().map(tool).collect();
        for &permission in Confinement::ALL {
            for (max_turns, profile, prompt) in [(0, None, None), (4, Some("fast"), Some("go"))] {
                let request = CliRequest {
                    tools: Some(&tools),
                    permission,
                    permission_is_own: false,
                    reads_output: false,
                    max_turns,
                    profile,
                    prompt,
                    server: Some(ServerStart {
                        argv: &argv,
                        file: "mcp.json",
                    }),
                    words: &[],
                };
                found.push(translate_cli_request(
                    cli,
                    ToolAliases::built_in(),
                    &request,
                ));
            }
        }
    }
    found
}

/// What comes of the tables `cli`; nothing of a document that is refused.
fn started(document: &Value) -> Option<String> {
    let clis = document.get("cli").cloned().unwrap_or_default();
    let document = Value::object([("version", Value::from(1_i64)), ("clis", clis)]);
    // Under this name a table is whole, and takes nothing over from a built-in one.
    let read = CliSpec::parse_file("agent_clis.yaml", &json::to_text(&document)).ok()?;
    let names = ["PATH", "MY_NAME", "OPENAI_API_KEY", "EDITOR"];
    let one = |cli: &CliSpec| {
        let environment = json::to_text(&AgentEnvironment::of_cli(cli, names).to_value());
        format!("{environment} {:?}\n", answers(cli))
    };
    Some(read.iter().map(one).collect())
}

/// Agent command lines in the layout of an earlier system.
const EARLIER: &str = r#"
version: 1
agents:
  mine:
    name: mine
    binary: mine
    model: large
    subcommand: go
    flags: {fast: [--fast]}
    stream_format: codex
    env_vars: {LEVEL: "3"}
    env_policy: clean
    env_passlist: ["MY_.*"]
    prompt_via: stdin
    stdin_sentinel: "--stdin"
    unenforced: warn
    output_extraction: {strategy: jq_filter, jq_expression: .a, strip_preamble: true, stderr_as_stream: true}
    stall_timeout: 300
    deep_tool_timeout: 600
    max_runtime: 7200
    kill_on_stall: true
    version_command: [mine, --version]
    compatible_versions: ["1"]
    incompatible_versions: ["2"]
"#;

#[test]
fn each_key_of_an_agent_of_an_earlier_system_acts() {
    let outcome = |document: &Value| {
        let config = Config::parse("mathchain.json", &json::to_text(document)).ok()?;
        let names = ["PATH", "MY_NAME", "OPENAI_API_KEY", "EDITOR"];
        let one = |cli: &CliSpec| {
            let environment = json::to_text(&AgentEnvironment::of_cli(cli, names).to_value());
            let runner = json::to_text(&cli.runner);
            format!("{environment} {runner} {:?}\n", answers(cli))
        };
        Some(config.clis.iter().map(one).collect())
    };
    // Of these another text is an error; `doors/cli/tests/ported.rs` has other ones.
    let others = ["name", "output_extraction.strategy", "stream_format"];
    let others = others.map(|key| format!("agents.*.{key}"));
    assert_eq!(
        idle(&read(EARLIER), &["agents"], outcome),
        BTreeSet::from(others)
    );
}

fn read(text: &str) -> Value {
    let document = document::parse_document("effects.yaml", text, DocumentFormat::Yaml);
    document.expect("a document").value
}

#[test]
fn each_key_of_an_agent_command_line_acts() {
    let built_in = read(include_str!("../registry/agent_clis.yaml"));
    let mut clis = Object::clone(
        built_in
            .get("clis")
            .and_then(Value::as_object)
            .expect("tables"),
    );
    let own = read(OWN);
    for (name, table) in own.as_object().expect("tables").iter() {
        clis.insert(name, table.clone());
    }
    let document = Value::object([("cli", Value::Object(clis.into()))]);
    // What a pipeline does with the program; tests of pipelines show it.
    let of_pipelines = ["cli.*.home_files", "cli.*.isolation", "cli.*.readable"];
    let of_pipelines = of_pipelines.map(str::to_owned);
    assert_eq!(
        idle(&document, &["cli"], started),
        BTreeSet::from(of_pipelines)
    );
}

/// A configuration in which each key of the policy matters to one of the callers and calls below.
const POLICY: &str = r#"
version: 1
default_role: worker
toolsets:
  read: {internal: [read_file, search_files], mcp: [mcp__s__find]}
  more: {include: [plot, calculate], extends: [read], exclude: [search_files]}
roles:
  worker: {description: works, tools: ["group:all"], deny: [raw_exec]}
  reader: {description: reads, toolset: more}
policies:
  - level: global
    rules:
      - {match: {tools: [run_shell], argv: {prefix: [git, push]}}, decision: deny}
      - {match: {tools: [write_file], path: {under: out}}, decision: allow, obligations: [backup, {max_bytes: 100}, {timeout_ms: 9}, {expire: 3h}, {fallback: keep}]}
      - {match: {tools: [write_file], path: {glob: "**/*.key"}}, decision: deny, priority: 3, reason: keys stay}
      - {match: {tools: [write_file], path: {under: out/keys}}, decision: ask, priority: 2}
      - {match: {tools: [write_file], destructive: true, path: {under: own}}, decision: deny}
      - {match: {tools: [write_file], args: {content: secret}}, decision: deny}
      - {match: {tools: [write_file], path: {under: small}, bytes: {max: 30, min: 20}}, decision: deny}
      - {match: {tools: [web_fetch], url: {host: "*.example.org"}}, decision: allow}
      - {match: {tools: [calculate], number: {argument: x, min: 10, max: 20}}, decision: deny}
      - {match: {tools: [query_db, web_search], effects: [network_access]}, decision: deny}
      - {match: {tools: [plot], role: reader}, decision: deny}
      - {match: {tools: [list_dir], call: "CALL"}, decision: deny}
      - {match: {tools: [calculate], args: {count: 15}}, decision: allow, limit: {sum: /x, most: 8, per: 1h, by: role, beyond: ask}}
      - {match: {tools: [plot]}, decision: allow, limit: {calls: 4, per: 1d}}
  - {level: role, name: reader, deny: [calculate]}
  - {level: task, name: tidy, allow: [plot, read_file]}
  - {level: task, name: audit, deny: [read_file]}
  - {level: role, name: operator, without: [local_exec]}
  - {level: user, deny: [edit_file]}
phases:
  - name: audit
    agents: [claude, codex, gemini]
    tools: {toolset: read, max_turns: 50, descriptions: {plot: draws}}
    agent_tools:
      codex: {descriptions: {read_file: reads}, permission: workspace-write, max_turns: 30, internal: [plot, write_file], mcp: [mcp__s__b]}
      gemini: {inherit: false, tools: [plot]}
      claude: {toolset: more}
  - {name: research, agents: [claude], tools: {internal: [read_file, write_file], permission: full-access, mcp: [mcp__s__a]}}
  - {name: closed, tools: {inherit: false, max_turns: 3}}
  - {name: last, tools: {tools: [plot], inherit: false}, limits: {max_turns: 7}}
provider_profiles:
  openai: {prefer: [plot], enable: [raw_exec, query_db], disable: [list_dir]}
permissions:
  network: {requires_approval: true, allowed_hosts: [en.example.net]}
  filesystem: {requires_approval: false, allowed_paths: [data]}
  shell: {requires_approval: false}
  compute: {requires_approval: true}
"#;

const CALLS: [(&str, &str); 27] = [
    ("run_shell", r#"{"command":"git log"}"#),
    ("run_shell", r#"{"command":"ls"}"#),
    ("raw_exec", r#"{"argv":["ls"]}"#),
    ("list_dir", r#"{"path":"data"}"#),
    ("list_dir", r#"{"path":"data/a"}"#),
    ("read_file", r#"{"path":"data/a"}"#),
    ("read_file", r#"{"path":"elsewhere/a"}"#),
    ("write_file", r#"{"path":"out/a","content":"abc"}"#),
    ("write_file", r#"{"path":"out/keys/a.key"}"#),
    ("write_file", r#"{"path":"out/keys/a"}"#),
    ("write_file", r#"{"path":"x/a.key"}"#),
    ("write_file", r#"{"path":"own/a"}"#),
    ("write_file", r#"{"path":"own/a","overwrite":true}"#),
    ("write_file", r#"{"path":"y","content":"secret"}"#),
    (
        "write_file",
        r#"{"path":"small/a","content":"this is twenty-five bytes"}"#,
    ),
    (
        "write_file",
        r#"{"path":"small/a","content":"this is a text of forty bytes and longer"}"#,
    ),
    ("write_file", r#"{"path":"small/a","content":"short"}"#),
    ("write_file", r#"{"path":"y"}"#),
    ("edit_file", r#"{"path":"y"}"#),
    ("web_fetch", r#"{"url":"https://a.example.org/"}"#),
    ("web_fetch", r#"{"url":"https://en.example.net/"}"#),
    ("web_search", "{}"),
    ("query_db", "{}"),
    ("plot", "{}"),
    ("calculate", r#"{"x":5,"count":15}"#),
    ("calculate", r#"{"x":15}"#),
    ("calculate", r#"{"x":25}"#),
];

fn callers(policy: &Policy) -> Vec<Principal> {
    let role = policy.default_role();
    let of = |phase: &str, agent: Option<&str>| Principal {
        phase: Some(phase.to_owned()),
        agent: agent.map(str::to_owned),
        ..Principal::role(role)
    };
    let mut toolset = of("audit", None);
    toolset.toolset = Some("more".to_owned());
    let mut task = Principal::role(role);
    task.task = Some("tidy".to_owned());
    let mut profile = Principal::role("operator");
    profile.profile = Some("openai".to_owned());
    let mut selected = of("last", None);
    selected.profile = Some("openai".to_owned());
    vec![
        Principal::role(role),
        Principal::role("reader"),
        Principal::role("operator"),
        of("audit", None),
        of("audit", Some("claude")),
        of("audit", Some("codex")),
        of("audit", Some("gemini")),
        of("research", None),
        of("research", Some("claude")),
        of("last", None),
        of("closed", None),
        toolset,
        task,
        profile,
        selected,
    ]
}

/// What one caller sees, and what becomes of every call; not where it was written, which moves with every key.
fn judged(catalogue: &Catalogue, policy: &Policy, who: &Principal) -> String {
    let facts = RuntimeFacts::default().with(WORKSPACE_READY);
    let caller = match policy.caller(catalogue, who, &facts) {
        Ok(caller) => caller,
        Err(error) => return error.message().to_owned(),
    };
    let selected = caller.selected();
    let listed: Vec<usize> = caller.listed().collect();
    let permission = selected.permission.map(|said| said.value);
    let mut text = format!(
        "{listed:?} {:?} {permission:?} {}\n",
        selected.tools.value.external, selected.max_turns.value
    );
    for index in 0..catalogue.len() {
        text.extend(caller.description(index));
    }
    for (tool, args) in CALLS {
        let index = catalogue.index(tool).expect("a tool");
        let tool = catalogue.tool(index);
        let args = json::parse_json(args, json::JsonLimits::default()).expect("arguments");
        let call = tool.decode(&args).expect("a call");
        let facts = CallFacts::of(tool, call.as_ref(), None);
        let decision = caller.decide(catalogue, index, Some(&facts), None);
        let keys = decision.reason.as_str().contains("keys stay");
        text += &format!("{:?} {keys} {:?}\n", decision.verdict, decision.obligations);
        let counted = CountedCaller {
            role: &who.role,
            key: None,
            workspace: Some("w"),
        };
        let claims = decision.claims(Some(&facts), counted).expect("numbers");
        let used = vec![
            LimitUse {
                used: 4.0,
                free_ms: None
            };
            claims.len()
        ];
        for claim in &claims {
            text += &format!("{} {} {}\n", claim.counter, claim.amount, claim.window_ms());
        }
        text += &format!("{:?}\n", decision.limited(&claims, &used, 0).verdict);
    }
    text
}

/// What comes of a policy; nothing of a document that is refused.
fn decided(document: &Value) -> Option<String> {
    let catalogue = neutral::catalogue(&[]).expect("the twelve");
    let text = json::to_text(document);
    let (_, policy) = Config::load("mathchain.json", &text, &catalogue).ok()?;
    let callers = callers(&policy);
    let all = callers.iter().map(|who| judged(&catalogue, &policy, who));
    Some(all.collect())
}

/// Keys of phases that say when and how they run, not what their callers may do.
const OF_PIPELINES: &str = "phases[].clis phases[].depends_on phases[].failure_mode phases[].flag_profile phases[].gate.command
    phases[].gate.kind phases[].gate.prompt phases[].isolation phases[].limits.max_cost_usd phases[].limits.stall_s
    phases[].limits.timeout_s phases[].min_count phases[].parallel phases[].prompt phases[].prompt_file phases[].required
    phases[].retry_policy.jitter_s phases[].retry_policy.longest_s phases[].retry_policy.max_retries phases[].retry_policy.waits_s";

#[test]
fn each_key_of_the_policy_acts() {
    let args =
        json::parse_json(r#"{"path":"data"}"#, json::JsonLimits::default()).expect("arguments");
    let document = read(&POLICY.replace("CALL", &registry::digest::of_value(&args)));
    let tables = [
        "default_role",
        "toolsets",
        "roles",
        "policies",
        "phases",
        "provider_profiles",
        "permissions",
    ];
    let mut idle = idle(&document, &tables, decided);
    // A host that is listed matters where not every use asks.
    let listed = "version: 1\npermissions: {network: {allowed_hosts: [en.example.net]}}";
    let of_listed = self::idle(&read(listed), &tables, decided);
    idle.retain(|key| of_listed.contains(key));
    // What a pipeline does with phases; tests of pipelines show it.
    let of_pipelines: Vec<&str> = OF_PIPELINES.split_whitespace().collect();
    assert!(of_pipelines.iter().all(|key| idle.contains(*key)));
    idle.retain(|key| !of_pipelines.contains(&key.as_str()));
    // Texts for readers, what the HTTP client enforces, and what is about tools that these twelve lack.
    let others = [
        "permissions.compute.description",
        "permissions.description",
        "permissions.filesystem.description",
        "permissions.network.allow_private",
        "permissions.network.description",
        "permissions.shell.description",
        "permissions.workflow.description",
        "permissions.workflow.requires_approval",
        "roles.*.description",
    ];
    assert_eq!(idle.iter().map(String::as_str).collect::<Vec<_>>(), others);
}
