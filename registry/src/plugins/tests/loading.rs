//! Manifests, settings, dependencies, and what becomes of them in the catalogue.

use tool_core::{Caller, Category, Effect};

use super::*;
use crate::catalogue::Catalogue;
use crate::fakes::World;
use crate::model::Config;
use crate::model::{Principal, Verdict};
use crate::policy::{RuntimeFacts, WORKSPACE_READY};
use fakes::TWELVE;
use tool_core::capability::WorkspaceFiles as _;

const GOOD: &str = r#"{
  "schema_version": "1.0", "name": "demo", "version": "1.2.0", "description": "a demo",
  "command": ["python3", "./run.py"],
  "settings_schema": {"depth": {"type": "integer", "default": 3, "description": "how deep"}},
  "tools": [
    {"name": "look", "description": "Look.", "category": "data", "effects": [], "callers": ["direct", "chain"], "timeout": 2.5,
     "parameters": {"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 9},
        "ratio": {"type": "number"},
        "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
        "word": {"type": "string", "pattern": "^[a-z]+$"},
        "all": {"type": "boolean"},
        "more": {"type": "object"}}}},
    {"name": "wild", "description": "Anything."}
  ]}"#;

fn load_one(manifest: &str, settings: Option<&str>) -> Result<Plugin, LoadErrors> {
    load(
        &[bundle("demo", manifest, settings)],
        &Python::default(),
        &[],
    )
    .map(|mut loaded| loaded.remove(0))
}

fn errors(manifest: &str, settings: Option<&str>) -> String {
    load_one(manifest, settings)
        .map(|_| ())
        .expect_err("does not load")
        .to_string()
}

fn tool_of<'a>(plugin: &'a Plugin, id: &str) -> &'a dyn AnyTool {
    plugin
        .erased()
        .iter()
        .find(|tool| tool.spec().id == id)
        .unwrap()
        .as_ref()
}

#[test]
fn everything_that_is_wrong_is_reported_with_its_place() {
    let text = errors(
        r#"{
  "schema_version": "2.0", "dependencies": "x", "colour": 1,
  "settings_schema": {"a": {"type": "text"}},
  "tools": [{"category": "dta", "effects": ["modifes_files"], "parameters": {"p": {"type": "string", "patern": "x", "minLength": -1}}},
            {"name": "Big", "description": "x", "command": ["../run"], "timeout": 0},
            7]}"#,
        None,
    );
    for expected in [
        "plugins/demo/manifest.json:1:1: missing key `name`",
        "missing key `version`",
        "missing key `description`",
        "2:3: expected schema version \"1.0\", found \"2.0\"",
        "expected a list, found the string \"x\"",
        "unknown key `colour`",
        "`object`, found `text`",
        "missing key `name`",
        "missing `command`",
        "found `dta` (did you mean `data`?)",
        "found `modifes_files` (did you mean `modifies_files`?)",
        "the keyword `patern` is not checked here, so it cannot be used (did you mean `pattern`?)",
        "expected an integer of at least 0",
        "expected a name of the form [a-z][a-z0-9_]*, found `Big`",
        "expected the name of a program, or a file of the plugin that begins with `./`",
        "expected seconds from 0.001 to 86400",
        "expected a table, found the integer 7",
    ] {
        assert!(text.contains(expected), "no {expected:?} in\n{text}");
    }
    assert!(text.contains("manifest.json:5:"), "{text}");
    assert!(errors(r#"{"tools": {}}"#, None).contains("expected a list"));
    let text = errors(&GOOD.replace("./run.py", "./rum.py"), None);
    assert!(
        text.contains("the plugin has no file `rum.py` (did you mean `run.py`?)"),
        "{text}"
    );
    let text = errors(
        &GOOD.replace("a demo", "ghp_0123456789abcdefghijklmnopqrstuvwxyz"),
        None,
    );
    assert!(
        text.contains("a secret is written here") && !text.contains("ghp_"),
        "{text}"
    );
}

#[test]
fn broken_texts_name_their_place_and_defaults_hold() {
    let text = errors("{\n  \"name\": }", None);
    assert!(text.starts_with("plugins/demo/manifest.json:2:"), "{text}");
    let plugin = load_one(GOOD, None).unwrap();
    assert_eq!(plugin.status, PluginStatus::Ready);
    let look = tool_of(&plugin, "demo:look").spec();
    assert_eq!(
        (look.category, look.timeout_ms, look.destructive),
        (Category::Data, Some(2500), false)
    );
    assert_eq!(look.callers, [Caller::Direct, Caller::Chain]);
    assert!(look.effects.is_empty() && look.read_only());
    // What says nothing about itself may do anything, and is called by itself only.
    let wild = tool_of(&plugin, "demo:wild").spec();
    assert_eq!((wild.effects, wild.destructive), (Effect::ALL, true));
    assert_eq!(
        (wild.callers, wild.category),
        (&[Caller::Direct][..], Category::System)
    );
    assert_eq!(wild.fault(), None);
    assert!(
        wild.source.starts_with("plugin demo@1.2.0 ")
            && wild.source.ends_with(&plugin.bundle.digest)
    );
}

#[test]
fn an_older_manifest_loads_with_its_map_of_parameters() {
    let old = r#"{"schema_version": "1.0", "name": "web", "version": "1.0", "description": "d", "dependencies": ["yaml_tools"],
      "tools": [{"name": "fetch", "description": "d", "category": "specialized", "command": ["python3", "./run.py"],
        "parameters": {"url": {"type": "string", "required": true, "description": "u", "default": null},
                       "count": {"type": "integer", "required": false, "default": 3}}}]}"#;
    let plugin = load_one(old, None).unwrap();
    assert_eq!(
        plugin.status,
        PluginStatus::Unavailable("plugin yaml_tools".to_owned())
    );
    let tool = tool_of(&plugin, "web:fetch");
    let call = tool.decode(&value(r#"{"url": "x"}"#)).unwrap();
    assert_eq!(call.args().to_string(), r#"{"url":"x","count":3}"#);
    let missing = tool.decode(&value("{}")).map(|_| ()).unwrap_err();
    assert!(
        missing
            .message()
            .contains("missing required argument `url`")
    );
    let handler = old.replace(
        r#""command": ["python3", "./run.py"]"#,
        r#""module": "m", "function": "f""#,
    );
    assert!(errors(&handler, None).contains("name a `command` that speaks the protocol"));
}

#[test]
fn arguments_are_checked_all_at_once_and_defaults_applied() {
    let plugin = load_one(GOOD, None).unwrap();
    let tool = tool_of(&plugin, "demo:look");
    let good = tool
        .decode(&value(r#"{"word": "abc", "size": 2}"#))
        .unwrap();
    assert_eq!(
        good.args().to_string(),
        r#"{"size":2,"kind":"a","word":"abc"}"#
    );
    let wrong = r#"{"size": true, "ratio": "abc", "kind": "c", "word": "A1", "all": 1, "more": 5, "extra": 1}"#;
    let error = tool.decode(&value(wrong)).map(|_| ()).unwrap_err();
    let paths: Vec<&str> = error
        .problems()
        .iter()
        .map(|problem| problem.path.as_str())
        .collect();
    for path in [
        "/size", "/ratio", "/kind", "/word", "/all", "/more", "/extra",
    ] {
        assert!(paths.contains(&path), "{path} not in {paths:?}");
    }
    for (size, fits) in [(0, false), (1, true), (9, true), (10, false)] {
        assert_eq!(
            tool.decode(&Value::object([("size", size as i64)])).is_ok(),
            fits,
            "{size}"
        );
    }
    assert!(tool.decode(&Value::from(1.0)).is_err());
}

#[test]
fn settings_win_over_the_manifest_and_round_trip() {
    let settings = PluginSettings::of_text("x", r#"{"enabled": false, "tool_overrides": {"look": {"enabled": false}}, "custom_config": {"depth": 5}}"#).unwrap();
    assert_eq!(
        PluginSettings::of_text("x", &settings.to_text()).unwrap(),
        settings
    );
    assert_eq!(
        PluginSettings::of_text("x", &PluginSettings::default().to_text())
            .unwrap()
            .enabled,
        None
    );
    let machine = Python::default();
    for (manifest, settings, expected) in [
        (GOOD.to_owned(), None, PluginStatus::Ready),
        (
            GOOD.to_owned(),
            Some(r#"{"enabled": false}"#),
            PluginStatus::Disabled,
        ),
        (
            GOOD.replace("\"tools\"", "\"enabled\": false, \"tools\""),
            None,
            PluginStatus::Disabled,
        ),
        (
            GOOD.replace("\"tools\"", "\"enabled\": false, \"tools\""),
            Some(r#"{"enabled": true}"#),
            PluginStatus::Ready,
        ),
    ] {
        let loaded = load(&[bundle("demo", &manifest, settings)], &machine, &[]).unwrap();
        assert_eq!(loaded[0].status, expected);
    }
    let text = errors(
        GOOD,
        Some(
            r#"{"enabled": 1, "tool_overrides": {"lok": {"enabled": true}}, "custom_config": {"depth": "deep", "x": 1}}"#,
        ),
    );
    for expected in [
        "expected true or false",
        "no tool `lok` (did you mean `look`?)",
        "expected an integer, found",
        "unknown setting `x`",
        "plugin-settings/demo.json:1:",
    ] {
        assert!(text.contains(expected), "no {expected:?} in {text}");
    }
    machine.configs.lock().unwrap().clear();
    load(
        &[bundle("demo", GOOD, Some(r#"{"custom_config": {}}"#))],
        &machine,
        &[],
    )
    .unwrap();
    assert_eq!(
        machine.configs.lock().unwrap()[0].to_string(),
        r#"{"depth":3}"#
    );
}

#[test]
fn what_is_switched_off_or_lacks_something_cannot_be_called() {
    let other = GOOD.replace("\"demo\"", "\"other\"").replace(
        "\"tools\"",
        "\"dependencies\": [\"demo ^1.2\", \"bin:no_such_program\"], \"tools\"",
    );
    let third = GOOD
        .replace("\"demo\"", "\"third\"")
        .replace("\"tools\"", "\"dependencies\": [\"other\"], \"tools\"");
    let fourth = GOOD
        .replace("\"demo\"", "\"fourth\"")
        .replace("\"tools\"", "\"dependencies\": [\"demo >=2\"], \"tools\"");
    let off = r#"{"tool_overrides": {"wild": {"enabled": false}}}"#;
    let bundles = [
        bundle("demo", GOOD, Some(off)),
        bundle("other", &other, None),
        bundle("third", &third, None),
        bundle("fourth", &fourth, None),
    ];
    let loaded = load(&bundles, &Python::default(), &[]).unwrap();
    let statuses: Vec<String> = loaded
        .iter()
        .map(|plugin| format!("{:?}", plugin.status))
        .collect();
    assert_eq!(
        statuses,
        [
            "Ready",
            "Unavailable(\"bin:no_such_program\")",
            "Unavailable(\"plugin other\")",
            "Unavailable(\"plugin demo >=2\")"
        ]
    );
    let tools: Vec<_> = loaded
        .iter()
        .flat_map(|plugin| plugin.erased().iter().cloned())
        .collect();
    let world = World::with_plugins(
        &[TWELVE],
        &tools,
        "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"third:*\"]\n",
    );
    let answer = world.call("operator", "demo_look", r#"{"size": 1}"#);
    assert_eq!(
        answer.output().unwrap().to_string(),
        r#"{"tool":"look","args":{"size":1,"kind":"a"}}"#
    );
    let record = world.last();
    assert!(
        record
            .get("source")
            .and_then(Value::as_str)
            .unwrap()
            .ends_with(&loaded[0].bundle.digest),
        "{record}"
    );
    for (tool, why) in [
        ("demo:wild", "`tool demo:wild=enabled`"),
        ("other:look", "`bin:no_such_program`"),
        ("fourth:look", "`plugin demo >=2`"),
    ] {
        let answer = world.call("operator", tool, r#"{"size": 1}"#);
        let err = answer.err().unwrap();
        assert!(err.message().contains(why), "{err}");
        assert!(world.last().get("source").is_some());
    }
    // Roles and groups see it as they see any other: `data` is for this one, `system` is not.
    assert!(
        world
            .call("worker_math", "demo:look", r#"{"size": 1}"#)
            .is_success()
    );
    assert_eq!(
        world.call("worker_math", "demo:wild", "{}").code(),
        Some(ErrorCode::NotVisible)
    );
    // Nothing of the program is marked so.
    world.call("operator", "calculate", r#"{"x": 1}"#);
    assert!(world.last().get("source").is_none());
}

#[test]
fn names_are_their_own() {
    let twice = [bundle("one", GOOD, None), bundle("two", GOOD, None)];
    let text = load(&twice, &Python::default(), &[])
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("plugins/two/manifest.json:2:")
            && text.contains("two plugins are named `demo`: here and in plugins/one/manifest.json"),
        "{text}"
    );
    assert!(
        errors(&GOOD.replace("\"wild\"", "\"look\""), None).contains("two tools are named `look`")
    );
    assert!(
        errors(&GOOD.replace("\"demo\"", "\"group\""), None)
            .contains("a name that selectors do not use")
    );
    // As long as a tool's id may be, and one letter longer.
    for (length, sound) in [(43, true), (44, false)] {
        let long = GOOD.replace("\"look\"", &format!("\"{}\"", "l".repeat(length)));
        match load_one(&long, None) {
            Ok(loaded) => assert!(sound && Catalogue::with_plugins(&[], loaded.erased()).is_ok()),
            Err(errors) => {
                let text = errors.to_string();
                assert!(!sound && text.contains("manifest.json:6:"), "{text}");
                assert!(
                    text.contains("have at most 47 characters together"),
                    "{text}"
                );
            }
        }
    }
    // `read` and `file` together would be the wire name of a tool of the program.
    let squat = load_one(
        &GOOD
            .replace("\"demo\"", "\"read\"")
            .replace("\"look\"", "\"file\""),
        None,
    )
    .unwrap();
    let text = Catalogue::with_plugins(&[TWELVE], squat.erased())
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("`read:file` and `read_file` have the same wire name"),
        "{text}"
    );
}

#[test]
fn a_plugin_that_did_not_change_keeps_its_process() {
    let machine = Python::default();
    let first = load(&[bundle("demo", GOOD, None)], &machine, &[]).unwrap();
    let again = load(&[bundle("demo", GOOD, None)], &machine, &first).unwrap();
    assert_eq!(machine.runners.load(Ordering::Relaxed), 1);
    assert!(Arc::ptr_eq(&first[0].erased()[0], &again[0].erased()[0]));
    let mut edited = bundle("demo", GOOD, None);
    edited.digest = "other code".to_owned();
    let changed = load(&[edited], &machine, &again).unwrap();
    assert!(!Arc::ptr_eq(&again[0].erased()[0], &changed[0].erased()[0]));
    assert!(changed[0].erased()[0].spec().source.ends_with("other code"));
    load(
        &[bundle(
            "demo",
            GOOD,
            Some(r#"{"custom_config": {"depth": 4}}"#),
        )],
        &machine,
        &again,
    )
    .unwrap();
    assert_eq!(machine.runners.load(Ordering::Relaxed), 3);
}

/// Gives what a test wants.
struct Gives(Value);

impl PluginRunner for Gives {
    fn call(&self, _: &str, _: &Value, _: &Ctx) -> Result<Value, ToolError> {
        Ok(self.0.clone())
    }
}

impl PluginHost for Gives {
    fn has_program(&self, _: &str) -> bool {
        true
    }
    fn runner(
        &self,
        _: &PluginBundle,
        _: &PluginManifest,
        _: &[String],
        _: &Value,
    ) -> Arc<dyn PluginRunner> {
        Arc::new(Gives(self.0.clone()))
    }
}

const WRITER: &str = r#"{"schema_version": "1.0", "name": "w", "version": "1.0.0", "description": "d", "command": ["python3"],
  "tools": [{"name": "make", "description": "d", "effects": ["modifies_files"],
    "returns": {"type": "object", "properties": {"count": {"type": "integer"}, "files": {"type": "array"}}, "required": ["count"]},
    "parameters": {"path": {"type": "string", "required": true, "format": "path", "access": "write"}}}]}"#;

fn made(output: &str) -> (World, tool_core::CallOutcome) {
    let loaded = load(&[bundle("w", WRITER, None)], &Gives(value(output)), &[]).unwrap();
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"w:make\"], path = { under = \"out\" } }\ndecision = \"allow\"\n";
    let world = World::with_plugins(&[TWELVE], loaded[0].erased(), config);
    let outcome = world.call("operator", "w:make", r#"{"path": "out/a.canvas"}"#);
    (world, outcome)
}

#[test]
fn files_are_written_here_and_only_where_an_argument_says() {
    let (world, answer) =
        made(r#"{"count": 1, "files": [{"path": "out/a.canvas", "content": "{}"}]}"#);
    assert_eq!(
        answer.output().unwrap().to_string(),
        r#"{"count":1,"files":[{"path":"out/a.canvas","bytes":2}]}"#,
        "{:?}",
        answer.err()
    );
    assert_eq!(world.files.text("out/a.canvas").as_deref(), Some("{}"));
    assert_eq!(
        world.last().get("resources").unwrap().to_string(),
        r#"["path:write:out/a.canvas"]"#
    );
    for (output, why) in [
        (
            r#"{"count": 1, "files": [{"path": "out/b.canvas", "content": "{}"}]}"#,
            "no argument names `out/b.canvas`",
        ),
        (
            r#"{"count": 1, "files": [{"path": "out/a.canvas"}]}"#,
            "needs `path` and `content`",
        ),
        (
            r#"{"count": "many"}"#,
            "does not match its manifest: `/count`",
        ),
    ] {
        let (world, answer) = made(output);
        let err = answer.err().unwrap();
        assert!(err.message().contains(why), "{err}");
        assert_eq!(err.reason_str(), Some("plugin_result"));
        assert!(world.files.stat("out").is_err());
    }
    // A path elsewhere is asked about, as for any tool.
    let (world, _) = made(r#"{"count": 1}"#);
    let asks = world.call("operator", "w:make", r#"{"path": "elsewhere"}"#);
    assert_eq!(
        asks.to_value().get("status").and_then(Value::as_str),
        Some("pending_approval")
    );
}

#[test]
fn a_tool_that_appears_later_is_denied_until_an_allow_covers_it() {
    let loaded = load_one(GOOD, None).unwrap();
    for (allow, shown) in [
        ("\"calculate\"", false),
        ("\"calculate\", \"demo:look\"", true),
        ("\"demo:*\"", true),
        ("\"plugin:demo\"", true),
        ("\"category:data\"", true),
        ("\"category:math\"", false),
        ("", false),
    ] {
        let config = format!("version = 1\n[[policies]]\nlevel = \"global\"\nallow = [{allow}]\n");
        let world = World::with_plugins(&[TWELVE], loaded.erased(), &config);
        let answer = world.call("operator", "demo:look", r#"{"size": 1}"#);
        assert_eq!(answer.is_success(), shown, "{allow}");
    }
}

#[test]
fn a_selector_names_a_plugin_wherever_selectors_stand() {
    let other = bundle("other", &GOOD.replace("\"demo\"", "\"other\""), None);
    let loaded = load(
        &[bundle("demo", GOOD, None), other],
        &Python::default(),
        &[],
    )
    .unwrap();
    let tools: Vec<_> = loaded.iter().flat_map(Plugin::erased).cloned().collect();
    let catalogue = Catalogue::with_plugins(&[TWELVE], &tools).unwrap();
    let written = r#"version = 1
[toolsets.mine]
include = ["plugin:demo", "calculate"]
exclude = ["demo:wild"]
[roles.helper]
toolset = "mine"
[roles.strict]
tools = ["plugin:demo", "plugin:other"]
[[policies]]
level = "role"
name = "strict"
deny = ["plugin:other"]
[[policies.rules]]
match = { tools = ["plugin:demo"] }
decision = "deny"
"#;
    let (_, policy) = Config::load("mathchain.toml", written, &catalogue)
        .unwrap_or_else(|errors| panic!("{errors}"));
    let facts = RuntimeFacts::default().with(WORKSPACE_READY);
    let caller = |role: &str| {
        policy
            .caller(&catalogue, &Principal::role(role), &facts)
            .unwrap()
    };
    let listed = |role: &str| {
        let names = |tool| catalogue.tool(tool).spec().id;
        caller(role).listed().map(names).collect::<Vec<_>>()
    };
    assert_eq!(listed("helper"), ["demo:look", "calculate"]);
    assert_eq!(listed("strict"), ["demo:look", "demo:wild"]);
    let look = catalogue.index("demo:look").unwrap();
    let decision = caller("strict").decide(&catalogue, look, None, None);
    assert_eq!(
        (decision.verdict, &*decision.layer),
        (Verdict::Deny, "role `strict`")
    );
    let errors = Config::load(
        "mathchain.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"plugin:demos\"]\n",
        &catalogue,
    )
    .map(|_| ())
    .unwrap_err()
    .to_string();
    assert!(
        errors.contains("mathchain.toml:4:")
            && errors.contains("no plugin named `demos`")
            && errors.contains("did you mean `plugin:demo`?"),
        "{errors}"
    );
    // No plugin and no tool can be called so.
    assert!(
        self::errors(&GOOD.replace("\"demo\"", "\"plugin\""), None)
            .contains("a name that selectors do not use")
    );
}

/// Whatever is taken out of a manifest, or cut off, loading says what is wrong or loads; it never panics.
#[test]
fn no_edit_of_a_manifest_panics() {
    let machine = Python::default();
    let settings = r#"{"enabled": true, "custom_config": {"depth": 2}}"#;
    let mut sound = 0;
    for at in (0..GOOD.len()).filter(|at| GOOD.is_char_boundary(*at)) {
        let without = format!("{}{}", &GOOD[..at], &GOOD[at + 1..]);
        let broken = format!("{}[{}", &GOOD[..at], &GOOD[at..]);
        for text in [without.as_str(), broken.as_str(), &GOOD[..at]] {
            match load(&[bundle("demo", text, Some(settings))], &machine, &[]) {
                Ok(loaded) => {
                    sound += 1;
                    let _ = tool_of(&loaded[0], loaded[0].erased()[0].spec().id)
                        .decode(&value(r#"{"size": 3, "word": "x"}"#))
                        .map(drop);
                }
                Err(errors) => assert!(!errors.list().is_empty()),
            }
        }
    }
    assert!(sound > 100, "most letters of a description can go");
}

/// What one key of a manifest changes: what runs it, what it is told, and what each of its tools says of itself and takes.
#[test]
fn each_key_of_a_manifest_acts() {
    #[derive(Default)]
    struct Noted(Mutex<Vec<String>>);
    impl PluginHost for Noted {
        fn has_program(&self, name: &str) -> bool {
            name == "python3"
        }
        fn runner(
            &self,
            _: &PluginBundle,
            manifest: &PluginManifest,
            command: &[String],
            config: &Value,
        ) -> Arc<dyn PluginRunner> {
            let (reads, count) = (manifest.reads_workspace(), manifest.concurrency());
            let started = format!("{command:?} {config} {reads} {count}");
            self.0.lock().unwrap().push(started);
            Arc::new(Echo)
        }
    }
    let manifest = r#"{"$schema": "s", "schema_version": "1.0", "name": "demo", "version": "1.2.0", "description": "a demo",
      "enabled": true, "dependencies": ["bin:python3"], "command": ["python3", "./run.py"], "workspace": "none", "concurrency": 2,
      "settings_schema": {"depth": {"type": "integer", "default": 3, "description": "how deep"}},
      "tools": [{"name": "look", "title": "Look", "description": "Looks.", "category": "data", "effects": [], "destructive": false,
        "callers": ["direct", "chain"], "timeout": 2.5, "enabled": true, "tags": ["quick"], "idempotent": true, "command": ["python3", "-q"],
        "parameters": {"type": "object", "properties": {"size": {"type": "integer"}}}, "returns": {"type": "object"}}]}"#;
    let outcome = |manifest: &str| {
        let machine = Noted::default();
        let bundle = PluginBundle {
            digest: "d".to_owned(),
            ..bundle("demo", manifest, None)
        };
        let plugin = load(&[bundle], &machine, &[]).unwrap().remove(0);
        let tools = plugin.erased().iter().map(|tool| {
            let args = value(r#"{"size": 1}"#);
            let answer = tool
                .decode(&args)
                .and_then(|call| call.run(&Ctx::default()));
            let answer = answer.map_err(|err| err.to_string());
            format!("{:?} {} {answer:?}", tool.spec(), tool.description())
        });
        let tools: Vec<String> = tools.collect();
        format!("{:?} {tools:?} {:?}", plugin.status, machine.0.into_inner())
    };
    let whole = outcome(manifest);
    for (key, said, other) in [
        ("name", "\"demo\"", "\"omed\""),
        ("version", "1.2.0", "1.2.1"),
        (
            "enabled",
            "\"enabled\": true, \"dep",
            "\"enabled\": false, \"dep",
        ),
        ("dependencies", "bin:python3", "bin:none"),
        ("workspace", "\"none\"", "\"read\""),
        ("concurrency", "\"concurrency\": 2", "\"concurrency\": 3"),
        ("settings_schema", "\"default\": 3", "\"default\": 4"),
        ("tools[].name", "\"look\"", "\"see\""),
        ("tools[].title", "\"Look\"", "\"See\""),
        ("tools[].description", "Looks.", "Sees."),
        ("tools[].category", "\"data\"", "\"math\""),
        (
            "tools[].effects",
            "\"effects\": []",
            "\"effects\": [\"modifies_files\"]",
        ),
        (
            "tools[].destructive",
            "\"effects\": [], \"destructive\": false",
            "\"effects\": [\"modifies_files\"], \"destructive\": true",
        ),
        ("tools[].callers", ", \"chain\"", ""),
        ("tools[].timeout", "2.5", "2"),
        (
            "tools[].enabled",
            "2.5, \"enabled\": true",
            "2.5, \"enabled\": false",
        ),
        ("tools[].tags", "quick", "slow"),
        (
            "tools[].idempotent",
            "\"idempotent\": true",
            "\"idempotent\": false",
        ),
        ("tools[].command", "-q", "-v"),
        (
            "tools[].parameters",
            "\"size\": {\"type\": \"integer",
            "\"size\": {\"type\": \"string",
        ),
        (
            "tools[].returns",
            "\"returns\": {\"type\": \"object",
            "\"returns\": {\"type\": \"string",
        ),
    ] {
        assert!(manifest.contains(said), "{key}");
        assert_ne!(outcome(&manifest.replacen(said, other, 1)), whole, "{key}");
    }
    // The command of the plugin is for tools without their own.
    let bare = manifest.replace(", \"command\": [\"python3\", \"-q\"]", "");
    let other = bare.replace("\"python3\", \"./run.py\"", "\"python3\"");
    assert_ne!(outcome(&other), outcome(&bare), "command");
    // What nothing is made of: a reference for editors, and words for lists.
    assert_eq!(outcome(&manifest.replace("\"s\"", "\"t\"")), whole);
    assert_eq!(outcome(&manifest.replace("a demo", "another")), whole);
}

#[test]
fn a_tool_declared_at_run_time_is_checked_like_one_of_a_manifest() {
    let declare = |text: &str| own_tool(&value(text), "python area", Arc::new(Echo));
    let sound = r#"{"name": "area", "description": "Area.\nOf a rectangle.", "effects": [], "callers": ["direct", "chain"],
        "parameters": {"type": "object", "properties": {"width": {"type": "number"}}, "required": ["width"]}}"#;
    let tool = declare(sound).unwrap();
    let spec = tool.spec();
    assert_eq!(
        (spec.id, spec.title, spec.source),
        ("area", "Area.", "python area")
    );
    assert!(spec.read_only() && spec.fault().is_none());
    let call = tool.decode(&value(r#"{"width": 2}"#)).unwrap();
    let output = call.run(&Ctx::default()).unwrap();
    assert_eq!(output, value(r#"{"tool": "area", "args": {"width": 2}}"#));
    let wrong = tool.decode(&value(r#"{"width": "2"}"#)).err().unwrap();
    assert_eq!(wrong.path(), Some("/width"));
    for (text, expected) in [
        (r#"{"name": "Area", "description": ""}"#, "[a-z][a-z0-9_]*"),
        (r#"{"name": "area"}"#, "description"),
        (
            r#"{"name": "area", "description": "", "effects": ["magic"]}"#,
            "magic",
        ),
        (
            r#"{"name": "area", "description": "", "parameters": {"type": "object", "$ref": "x"}}"#,
            "$ref",
        ),
    ] {
        let errors = declare(text).err().unwrap().to_string();
        assert!(errors.contains(expected), "no {expected:?} in {errors}");
    }
}
