//! The tools that run programs.

use std::sync::Arc;

use host_sandbox::sandbox::SandboxEnvironment;
use host_sandbox::{Sandbox, Workspace};
use host_tools::FAMILIES;
use tempfile::TempDir;
use tool_core::{
    AnyTool, CallBudget, Capabilities, Capability, Ctx, ErrorCode, StopFlag, ToolError, Value, json,
};

mod projects;
mod python;

pub(crate) fn all() -> Vec<libtest_mimic::Trial> {
    let families = [trials(), python::trials(), projects::trials()];
    families.into_iter().flatten().collect()
}

crate::trials!(
    examples_give_what_they_say,
    run_shell_takes_one_of_two_forms,
    run_shell_tells_how_a_program_ended,
);

struct Place {
    folder: TempDir,
    ctx: Ctx,
}

impl Place {
    /// A workspace, and what else the programs are looked for in.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["workspace", "bin", "scratch"] {
            std::fs::create_dir(folder.path().join(name)).expect("makes folders");
        }
        let sandbox = Sandbox::new(SandboxEnvironment {
            closed: Vec::new(),
            protected: Vec::new(),
            workspace: Some(folder.path().join("workspace")),
            roots: Vec::new(),
            scratch: folder.path().join("scratch"),
            path: vec![folder.path().join("bin")],
            home: None,
            ssh_agent: None,
            python: None,
            writable: Vec::new(),
        });
        let files = Workspace::open(folder.path().join("workspace")).expect("opens");
        let ctx =
            Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(Capabilities {
                files: Some(Arc::new(files)),
                spawner: Some(Arc::new(sandbox)),
                ..Capabilities::default()
            });
        let place = Self { folder, ctx };
        place.put("workspace/notes.txt", "hello world\n");
        place
    }

    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn put(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
        std::fs::write(&path, text).expect("writes");
        let mode = if name.starts_with("bin/") {
            0o755
        } else {
            0o644
        };
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))
            .expect("sets");
    }

    fn call(&self, tool: &str, args: &str) -> Result<Value, ToolError> {
        let args = json::parse_json(args, json::JsonLimits::default()).expect("JSON");
        find(tool).decode(&args)?.run(&self.ctx)
    }

    #[track_caller]
    fn output(&self, tool: &str, args: &str) -> Value {
        self.call(tool, args)
            .unwrap_or_else(|err| panic!("{tool} {args}: {err:?}"))
    }

    #[track_caller]
    fn error(&self, tool: &str, args: &str) -> ToolError {
        match self.call(tool, args) {
            Ok(output) => panic!("{tool} {args}: {}", json::to_text(&output)),
            Err(err) => err,
        }
    }
}

fn find(id: &str) -> &'static dyn AnyTool {
    let mut tools = FAMILIES.iter().flat_map(|family| family.iter());
    tools
        .find(|entry| entry.tool().spec().id == id)
        .expect("a tool")
        .tool()
}

fn text(value: &Value, member: &str) -> String {
    let text = value.get(member).and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("no {member} in {}", json::to_text(value)))
        .to_owned()
}

/// Ruff is not everywhere; its tools have tests of their own below. Git needs a repository; `git` has its tests.
fn examples_give_what_they_say() {
    /// Members that differ from machine to machine.
    const FREE: [&str; 3] = ["elapsed_ms", "cpu_ms", "level"];
    let mut seen = 0;
    for tool in FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .map(|entry| entry.tool())
    {
        let id = tool.spec().id;
        let is_elsewhere = ["lint_python", "format_python"].contains(&id) || id.starts_with("git:");
        if !tool.spec().capabilities.contains(&Capability::Spawn) || is_elsewhere {
            continue;
        }
        for example in tool.examples() {
            let place = Place::new();
            let call = tool.decode(&example.args).expect("fits");
            let output = call
                .run(&place.ctx)
                .unwrap_or_else(|err| panic!("{} ({}): {err:?}", tool.spec().id, example.title));
            let expected = example.output.as_object().expect("an object");
            for (name, value) in expected.iter().filter(|(name, _)| !FREE.contains(name)) {
                let found = output.get(name).map(json::to_text);
                assert_eq!(
                    found,
                    Some(json::to_text(value)),
                    "{} {name}",
                    tool.spec().id
                );
            }
            seen += 1;
        }
    }
    assert!(seen >= 6);
}

fn run_shell_takes_one_of_two_forms() {
    let place = Place::new();
    for (args, path) in [
        ("{}", Some("")),
        (r#"{"argv":["ls"],"command":"ls"}"#, Some("/command")),
        (r#"{"argv":[]}"#, Some("/argv")),
        (r#"{"argv":[""]}"#, Some("/argv")),
        (r#"{"command":"  "}"#, Some("/command")),
        (r#"{"argv":["ls"],"timeout":0}"#, Some("/timeout")),
        (r#"{"argv":["ls"],"cwd":".."}"#, Some("/cwd")),
        (r#"{"argv":["ls"],"shell":true}"#, Some("/shell")),
    ] {
        let err = place.error("run_shell", args);
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, path),
            "{args}"
        );
    }
    let output = place.output("run_shell", r#"{"argv":["echo","$HOME","a;b"]}"#);
    assert_eq!(
        text(&output, "stdout"),
        "$HOME a;b\n",
        "no shell reads an argument vector"
    );
}

fn run_shell_tells_how_a_program_ended() {
    let place = Place::new();
    let output = place.output(
        "run_shell",
        r#"{"command":"echo out; echo err >&2; exit 4"}"#,
    );
    assert_eq!(output.get("returncode").and_then(Value::as_i64), Some(4));
    assert_eq!(
        (
            text(&output, "stdout").as_str(),
            text(&output, "stderr").as_str()
        ),
        ("out\n", "err\n")
    );
    let output = place.output("run_shell", r#"{"argv":["sleep","20"],"timeout":1}"#);
    assert_eq!(output.get("timed_out").and_then(Value::as_bool), Some(true));
    assert_eq!(output.get("returncode").and_then(Value::as_i64), Some(-1));
    let output = place.output(
        "run_shell",
        r#"{"command":"seq 100000","max_output_bytes":10}"#,
    );
    assert_eq!(text(&output, "stdout"), "1\n2\n3\n4\n5\n");
    assert_eq!(
        output.get("stdout_truncated").and_then(Value::as_bool),
        Some(true)
    );
    assert_eq!(
        output.get("stdout_bytes").and_then(Value::as_i64),
        Some(588_895)
    );
    let output = place.output("run_shell", r#"{"argv":["tr","a","b"],"stdin":"banana"}"#);
    assert_eq!(text(&output, "stdout"), "bbnbnb");
    assert_eq!(
        place
            .error("run_shell", r#"{"argv":["nothing-here"]}"#)
            .reason_str(),
        Some("not_found")
    );
}
