//! The plugin for agents' hosts (`packages/agent-plugin`): its manifests in the forms of four hosts, made from the facts of the packages, and
//! its pages for models. `UPDATE=1` writes the manifests.

use std::collections::BTreeSet;

use mathchain::Toolkit;
use serde_json::{Value as Json, json};
use tool_core::schema::Schema;
use tool_core::{AnyTool, ErrorCode, Value, object};

const PLUGIN: &str = "packages/agent-plugin";
/// Bytes of a page for models: 1,000 tokens at four bytes a token.
const SKILL_BYTES: usize = 4000;
/// Pages for models, one for each kind of work.
const SKILLS: [&str; 5] = [
    "mathchain",
    "mathchain-files",
    "mathchain-plans",
    "mathchain-statistics",
    "mathchain-tables",
];

fn read(path: &str) -> String {
    #[expect(clippy::disallowed_methods, reason = "a test reads the repository")]
    std::fs::read_to_string(tests::root().join(path)).unwrap_or_else(|err| panic!("{path}: {err}"))
}

fn read_json(path: &str) -> Json {
    serde_json::from_str(&read(path)).unwrap_or_else(|err| panic!("{path}: {err}"))
}

/// What the manifests say, each from its one home.
struct Facts {
    title: Json,
    description: Json,
    license: String,
    keywords: Vec<String>,
}

impl Facts {
    fn gather() -> Self {
        let server = read_json("packages/server.json");
        let workspace = read("Cargo.toml");
        let line = |text: &str, key: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix(key));
            found.unwrap_or_else(|| panic!("no {key}")).to_owned()
        };
        let license = line(&workspace, "license = ");
        let keywords = line(&read("doors/cli/Cargo.toml"), "keywords = ");
        Self {
            title: server["title"].clone(),
            description: server["description"].clone(),
            license: serde_json::from_str(&license).expect("a text"),
            keywords: serde_json::from_str(&keywords).expect("a list"),
        }
    }

    /// The members that every manifest of a plugin has.
    fn manifest(&self) -> Json {
        json!({
            "name": "mathchain", "version": env!("CARGO_PKG_VERSION"), "description": self.description, "license": self.license,
            "keywords": self.keywords, "author": { "name": "mathchain" },
        })
    }
}

/// The server, with further arguments.
fn server(more: &[&str]) -> Json {
    let args: Vec<&str> = ["serve", "--mcp"].iter().chain(more).copied().collect();
    json!({ "command": "mathchain", "args": args })
}

/// Adds members to an object.
fn with(mut object: Json, members: &[(&str, Json)]) -> Json {
    for (name, member) in members {
        object[*name] = member.clone();
    }
    object
}

/// Every manifest: its path, the schema it must fit, and its content.
fn manifests() -> Vec<(String, &'static str, Json)> {
    const AGENT_PLUGINS: &str = "https://agent-plugins.org/schemas/1.0.0";
    let facts = Facts::gather();
    let below = |file: &str| format!("{PLUGIN}/{file}");
    let source = format!("./{PLUGIN}");
    let schema = |name: &str| ("$schema", format!("{AGENT_PLUGINS}/{name}").into());
    let servers = |server: Json| ("mcpServers", json!({ "mathchain": server }));
    // The portable form starts a server in the folder of the plugin, which is no place for a project's files.
    let portable = server(&["--workspace", "${PLUGIN_DATA}"]);
    let interface = json!({
        "displayName": facts.title, "shortDescription": facts.description, "developerName": "mathchain", "category": "Productivity",
        "defaultPrompt": ["Describe the table sales.csv and plot revenue by month", "Write a plan that checks the data, fits a line and reports its error"],
    });
    vec![
        (
            below("plugin.json"),
            "agent-plugins-plugin",
            with(facts.manifest(), &[schema("plugin.schema.json")]),
        ),
        (
            below("mcp.json"),
            "agent-plugins-mcp",
            with(
                json!({}),
                &[
                    schema("mcp.schema.json"),
                    servers(with(portable, &[("type", "stdio".into())])),
                ],
            ),
        ),
        // Antigravity reads the portable manifest, and servers from a file of its own.
        (
            below("mcp_config.json"),
            "antigravity-mcp",
            with(json!({}), &[servers(server(&[]))]),
        ),
        (
            below(".claude-plugin/plugin.json"),
            "claude-plugin",
            with(
                facts.manifest(),
                &[servers(server(&["--workspace", "${CLAUDE_PROJECT_DIR}"]))],
            ),
        ),
        (
            below(".codex-plugin/plugin.json"),
            "codex-plugin",
            with(
                facts.manifest(),
                &[
                    ("skills", "./skills/".into()),
                    servers(server(&[])),
                    ("interface", interface),
                ],
            ),
        ),
        (
            ".claude-plugin/marketplace.json".to_owned(),
            "claude-marketplace",
            json!({
                "name": "mathchain", "owner": { "name": "mathchain" }, "description": facts.description,
                "plugins": [{ "name": "mathchain", "source": source, "description": facts.description, "version": env!("CARGO_PKG_VERSION") }],
            }),
        ),
        (
            ".agents/plugins/marketplace.json".to_owned(),
            "codex-marketplace",
            json!({
                "name": "mathchain", "interface": { "displayName": facts.title },
                "plugins": [{
                    "name": "mathchain", "source": { "source": "local", "path": source }, "category": "Productivity",
                    "policy": { "installation": "AVAILABLE", "authentication": "ON_INSTALL" },
                }],
            }),
        ),
    ]
}

#[test]
fn the_manifests_are_made_from_the_facts_of_the_packages() {
    for (path, _, made) in manifests() {
        let text = serde_json::to_string_pretty(&made).expect("JSON") + "\n";
        if std::env::var_os("UPDATE").is_some() {
            let file = tests::root().join(&path);
            #[expect(
                clippy::disallowed_methods,
                reason = "the manifests are made by this test"
            )]
            std::fs::create_dir_all(file.parent().expect("a folder"))
                .and_then(|()| std::fs::write(&file, &text))
                .expect("writes");
        }
        assert_eq!(
            read(&path),
            text,
            "{path}: run `UPDATE=1 cargo test -p tests agent_plugin` and review the difference"
        );
    }
}

/// The faults of a document against a schema of `tests/plugin-schemas`.
fn faults(toolkit: &Toolkit, schema: &str, document: &Json) -> Vec<Value> {
    let value = |text: &str| mathchain::parse_json(text).expect("JSON");
    let schema = value(&read(&format!("tests/plugin-schemas/{schema}.json")));
    let args = object! { "data" => value(&document.to_string()), "schema" => schema };
    let outcome = toolkit.call("json_validate", &args);
    let found = outcome.output().unwrap_or_else(|| panic!("{outcome:?}"));
    found.get("faults").and_then(Value::items).expect("faults")
}

#[test]
fn the_manifests_fit_the_schemas_of_their_hosts_which_are_closed() {
    let toolkit = Toolkit::builder().build().expect("a toolkit");
    for (path, schema, made) in manifests() {
        assert_eq!(faults(&toolkit, schema, &made), [], "{path}");
        let other = with(made.clone(), &[("toolz", json!({}))]);
        assert_ne!(
            faults(&toolkit, schema, &other),
            [],
            "{path} with another member"
        );
        if made["name"].is_string() {
            for name in ["Mathchain", "math chain", "-x", "a--b", ""] {
                let other = with(made.clone(), &[("name", name.into())]);
                assert_ne!(
                    faults(&toolkit, schema, &other),
                    [],
                    "{path} named {name:?}"
                );
            }
        }
    }
    // A server of the portable form states its transport, and nothing that belongs to another.
    let mcp = |server: Json| {
        let url = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";
        json!({ "$schema": url, "mcpServers": { "a": server } })
    };
    for wrong in [
        json!({ "command": "mathchain" }),
        json!({ "type": "stdio", "command": "mathchain", "url": "x" }),
        json!({ "type": "stdio", "command": "mathchain", "cwd": "../x" }),
        json!({ "type": "stdio", "command": "mathchain", "env": { "PLUGIN_ROOT": "x" } }),
    ] {
        let found = faults(&toolkit, "agent-plugins-mcp", &mcp(wrong.clone()));
        assert_ne!(found, [], "{wrong}");
    }
}

#[test]
fn everything_of_the_plugin_lies_within_it() {
    let folder = tests::root().join(PLUGIN);
    let mut open = vec![folder.clone()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            let kind = entry.file_type().expect("a type");
            assert!(
                !kind.is_symlink(),
                "{} leads elsewhere",
                entry.path().display()
            );
            if kind.is_dir() {
                open.push(entry.path());
            }
        }
    }
    // The name that other tools look for leads there.
    let skills = tests::root().join("skills").canonicalize().expect("a link");
    assert_eq!(
        skills,
        folder.join("skills").canonicalize().expect("a folder")
    );
}

/// A page for models: its front matter and its text.
struct Skill {
    name: String,
    description: String,
    body: String,
}

impl Skill {
    fn read(folder: &str) -> Self {
        let path = format!("{PLUGIN}/skills/{folder}/SKILL.md");
        let page = read(&path);
        assert!(page.len() < SKILL_BYTES, "{path}: {} bytes", page.len());
        let parts = page.strip_prefix("---\n");
        let (head, body) = parts
            .and_then(|rest| rest.split_once("\n---\n"))
            .unwrap_or_else(|| panic!("{path} has no front matter"));
        let key = |name: &str| {
            let found = head.lines().find_map(|line| line.strip_prefix(name));
            found
                .unwrap_or_else(|| panic!("{path}: no {name}"))
                .to_owned()
        };
        Self {
            name: key("name: "),
            description: key("description: "),
            body: body.to_owned(),
        }
    }

    /// Words in backticks that are written as names are.
    fn names(&self) -> BTreeSet<String> {
        let is_name = |word: &str| {
            let letter =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            word.contains('_') && word.bytes().all(letter) && !word.starts_with('_')
        };
        let code = self.body.split('`').skip(1).step_by(2);
        let words =
            code.flat_map(|span| span.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        words
            .filter(|word| is_name(word))
            .map(str::to_owned)
            .collect()
    }
}

/// Names of the members of a schema, at any depth.
fn members(schema: &Schema, found: &mut BTreeSet<String>) {
    match schema {
        Schema::Object(all) => {
            for (key, value) in all {
                if let ("properties", Schema::Object(properties)) = (key.as_str(), value) {
                    found.extend(properties.keys().cloned());
                }
                match (key.as_str(), value) {
                    ("enum", Schema::Array(names)) => {
                        found.extend(
                            names
                                .iter()
                                .filter_map(|name| Some(name.as_str()?.to_owned())),
                        );
                    }
                    ("const", Schema::String(name)) => drop(found.insert(name.clone())),
                    _ => {}
                }
                members(value, found);
            }
        }
        Schema::Array(all) => all.iter().for_each(|one| members(one, found)),
        _ => {}
    }
}

#[test]
fn pages_for_models_name_only_what_there_is() {
    let tools: Vec<&dyn AnyTool> = mathchain::tool_families()
        .flatten()
        .map(|entry| entry.tool())
        .collect();
    let mut known: BTreeSet<String> = ["search_tools", "describe_tool", "call_tool"]
        .map(str::to_owned)
        .into();
    known.extend(ErrorCode::ALL.iter().map(|code| code.as_str().to_owned()));
    known.extend(tools.iter().map(|tool| tool.spec().id.to_owned()));
    members(&read_json("docs/schema/plan.schema.json"), &mut known);
    known.extend(["not_visible", "pending_approval"].map(str::to_owned));
    let mut folders: Vec<String> = std::fs::read_dir(tests::root().join(PLUGIN).join("skills"))
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    folders.sort();
    assert_eq!(folders, SKILLS);
    for folder in SKILLS {
        let skill = Skill::read(folder);
        assert_eq!(skill.name, folder, "a page is named as its folder");
        let length = skill.description.len();
        assert!((100..1024).contains(&length), "{folder}: {length}");
        let names = skill.names();
        // Arguments and results are those of a tool that the page names.
        let mut own = known.clone();
        for tool in tools
            .iter()
            .filter(|tool| skill.body.contains(tool.spec().id))
        {
            members(&tool.input_schema(), &mut own);
            members(&tool.output_schema(), &mut own);
        }
        let unknown: Vec<_> = names.difference(&own).collect();
        assert!(unknown.is_empty(), "{folder} names {unknown:?}");
        // `.ci/readme` runs them.
        let examples = skill.body.matches("```console\n$ ").count();
        assert!(examples >= 1, "{folder} shows no call");
    }
}
