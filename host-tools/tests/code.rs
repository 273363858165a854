//! The tools that run programs.

use std::sync::Arc;

use host_tools::sandbox::Surroundings;
use host_tools::{FAMILIES, Sandbox, Workspace};
use tempfile::TempDir;
use tool_core::{
    AnyTool, Budget, Capabilities, Capability, Ctx, ErrorCode, StopFlag, ToolError, Value, json,
};

crate::trials!(
    examples_give_what_they_say,
    run_shell_takes_one_of_two_forms,
    run_shell_tells_how_a_program_ended,
    python_eval_gives_values_as_json,
    python_eval_words_what_went_wrong,
    python_eval_sees_no_files,
    python_run_runs_a_script,
    without_python_the_error_names_calculate,
    without_ruff_the_error_says_how_to_get_it,
    ruff_is_given_text_and_no_configuration,
    the_runner_of_tests_is_found_by_its_files,
    tests_of_a_project_are_counted,
);

struct Place {
    folder: TempDir,
    ctx: Ctx,
}

impl Place {
    /// A workspace, and what else the programs are looked for in.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["work", "bin", "scratch"] {
            std::fs::create_dir(folder.path().join(name)).expect("makes folders");
        }
        let sandbox = Sandbox::new(Surroundings {
            workspace: Some(folder.path().join("work")),
            scratch: folder.path().join("scratch"),
            path: vec![folder.path().join("bin")],
            home: None,
        });
        let files = Workspace::open(folder.path().join("work")).expect("opens");
        let ctx = Ctx::new(StopFlag::new(), Budget::default()).with_capabilities(Capabilities {
            files: Some(Arc::new(files)),
            spawner: Some(Arc::new(sandbox)),
            ..Capabilities::default()
        });
        let place = Self { folder, ctx };
        place.put("work/notes.txt", "hello world\n");
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
        let args = json::parse(args, json::Limits::default()).expect("JSON");
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

/// Ruff is not everywhere; its tools have tests of their own below.
fn examples_give_what_they_say() {
    /// Members that differ from machine to machine.
    const FREE: [&str; 3] = ["elapsed_ms", "cpu_ms", "level"];
    let mut seen = 0;
    for tool in FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .map(|entry| entry.tool())
    {
        let needs_ruff = ["lint_python", "format_python"].contains(&tool.spec().id);
        if !tool.spec().capabilities.contains(&Capability::Spawn) || needs_ruff {
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

fn python_eval_gives_values_as_json() {
    let place = Place::new();
    for (expression, value, kind) in [
        ("1 + 1", "2", "int"),
        ("2**60", r#""1152921504606846976""#, "int"),
        ("0.1 + 0.2", "0.30000000000000004", "float"),
        ("(1, 'a', None, True)", r#"[1,"a",null,true]"#, "tuple"),
        (
            "{'a': [1.5, float('inf')]}",
            r#"{"a":[1.5,"Infinity"]}"#,
            "dict",
        ),
        ("float('nan')", r#""NaN""#, "float"),
        ("'é' * 2", r#""éé""#, "str"),
        (
            "[math.factorial(n) for n in range(5)]",
            "[1,1,2,6,24]",
            "list",
        ),
        ("statistics.median([3, 1, 2])", "2", "int"),
        ("(lambda k: k * x)(2)", "84", "int"),
        (
            "[x for x in re.findall('[a-z]', 'a1b')]",
            r#"["a","b"]"#,
            "list",
        ),
        (
            "fractions.Fraction(1, 3) == fractions.Fraction(2, 6)",
            "true",
            "bool",
        ),
        (
            "datetime.date(2024, 2, 29).isoformat()",
            r#""2024-02-29""#,
            "str",
        ),
    ] {
        let args = Value::object([
            ("expression", Value::from(expression)),
            ("variables", Value::object([("x", Value::from(42_i64))])),
        ]);
        let output = place.output("python_eval", &json::to_text(&args));
        assert_eq!(
            output.get("value").map(json::to_text).as_deref(),
            Some(value),
            "{expression}"
        );
        assert_eq!(text(&output, "type"), kind, "{expression}");
    }
    let output = place.output("python_eval", r#"{"expression":"print('said') or 5"}"#);
    assert_eq!(
        (
            text(&output, "printed").as_str(),
            output.get("value").and_then(Value::as_i64)
        ),
        ("said\n", Some(5))
    );
}

fn python_eval_words_what_went_wrong() {
    let place = Place::new();
    for (args, code, reason) in [
        (
            r#"{"expression":"1/0"}"#,
            ErrorCode::ToolError,
            Some("exception"),
        ),
        (
            r#"{"expression":"1 +"}"#,
            ErrorCode::InvalidArgs,
            Some("syntax"),
        ),
        (
            r#"{"expression":"import os"}"#,
            ErrorCode::InvalidArgs,
            Some("syntax"),
        ),
        (
            r#"{"expression":"{1, 2}"}"#,
            ErrorCode::ToolError,
            Some("not_json"),
        ),
        (
            r#"{"expression":"exit()"}"#,
            ErrorCode::ToolError,
            Some("exception"),
        ),
        (
            r#"{"expression":"bytearray(2 << 30)"}"#,
            ErrorCode::LimitExceeded,
            Some("memory"),
        ),
        (
            r#"{"expression":"1","variables":{"sum":3}}"#,
            ErrorCode::InvalidArgs,
            None,
        ),
        (
            r#"{"expression":"1","variables":{"a b":3}}"#,
            ErrorCode::InvalidArgs,
            None,
        ),
        (
            r#"{"expression":"1","variables":[1]}"#,
            ErrorCode::InvalidArgs,
            None,
        ),
        (
            r#"{"expression":"x"}"#,
            ErrorCode::ToolError,
            Some("exception"),
        ),
        (
            r#"{"expression":"sum(itertools.count())","timeout":1}"#,
            ErrorCode::Timeout,
            None,
        ),
        (
            r#"{"expression":"'a' * 5000000"}"#,
            ErrorCode::OutputTooLarge,
            None,
        ),
        (
            r#"{"expression":"__import__('os')._exit(3)"}"#,
            ErrorCode::ToolError,
            Some("python"),
        ),
        (
            r#"{"expression":"__import__('os').kill(__import__('os').getpid(), 9)"}"#,
            ErrorCode::ToolError,
            Some("python"),
        ),
    ] {
        let err = place.error("python_eval", args);
        assert_eq!(
            (err.code(), err.reason_str()),
            (code, reason),
            "{args}: {err:?}"
        );
    }
}

/// The escape that `eval` with empty builtins had, and plain reading.
fn python_eval_sees_no_files() {
    let place = Place::new();
    let notes = place.folder.path().join("work/notes.txt");
    for path in ["/etc/shadow", "/etc/passwd", notes.to_str().expect("UTF-8")] {
        let err = place.error(
            "python_eval",
            &format!(r#"{{"expression":"open('{path}').read()"}}"#),
        );
        assert!(err.message().starts_with("PermissionError"), "{err:?}");
    }
    let walk = r#"{"expression":"[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'] or __import__('subprocess').check_output(['cat', '/etc/shadow'])"}"#;
    assert_eq!(
        place.error("python_eval", walk).reason_str(),
        Some("exception")
    );
}

fn python_run_runs_a_script() {
    let place = Place::new();
    let output = place.output(
        "python_run",
        r#"{"code":"import sys, os\nopen(os.environ['HOME'] + '/a', 'w').write('x')\nprint(sys.argv[1:], sys.stdin.read())\nsys.exit(2)","args":["-x","b"],"stdin":"in"}"#,
    );
    assert_eq!(text(&output, "stdout"), "['-x', 'b'] in\n");
    assert_eq!(output.get("returncode").and_then(Value::as_i64), Some(2));
    let output = place.output("python_run", r#"{"code":"open('notes.txt', 'w')"}"#);
    let refused = text(&output, "stderr");
    assert!(
        refused.contains("PermissionError") || refused.contains("Read-only"),
        "{refused}"
    );
    let long = format!(r#"{{"code":"{}"}}"#, "#".repeat(100_001));
    assert_eq!(
        place.error("python_run", &long).code(),
        ErrorCode::LimitExceeded
    );
}

/// A spawner that finds nothing.
struct Nothing;

impl tool_core::capability::Spawner for Nothing {
    fn run(
        &self,
        _: &tool_core::command::Command,
        _: &StopFlag,
    ) -> Result<tool_core::command::Finished, ToolError> {
        panic!("nothing can be run")
    }

    fn find(&self, _: &str) -> Option<tool_core::command::Program> {
        None
    }

    fn home(&self) -> Option<std::path::PathBuf> {
        None
    }
}

fn bare() -> Place {
    let mut place = Place::new();
    place.ctx = place.ctx.with_capabilities(Capabilities {
        spawner: Some(Arc::new(Nothing)),
        ..Capabilities::default()
    });
    place
}

fn without_python_the_error_names_calculate() {
    let place = bare();
    for (tool, args) in [
        ("python_eval", r#"{"expression":"1"}"#),
        ("python_run", r#"{"code":"1"}"#),
    ] {
        let err = place.error(tool, args);
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::PreconditionFailed, Some("python"))
        );
        assert!(
            err.hint_str()
                .is_some_and(|hint| hint.contains("`calculate`")),
            "{err:?}"
        );
    }
}

fn without_ruff_the_error_says_how_to_get_it() {
    let place = bare();
    for tool in ["lint_python", "format_python"] {
        let err = place.error(tool, r#"{"code":"1"}"#);
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::PreconditionFailed, Some("ruff"))
        );
        assert!(
            err.hint_str()
                .is_some_and(|hint| hint.contains("pip install ruff")),
            "{err:?}"
        );
    }
}

/// In place of ruff stands a script that says what it was given, in ruff's words.
const RUFF: &str = r#"#!/bin/sh
code=$(cat)
case "$*" in
*"--isolated --no-cache --stdin-filename code.py"*) ;;
*) echo "no isolation: $*" >&2; exit 2 ;;
esac
case "$code" in *BROKEN*) echo "error: Failed to parse code.py:1:1: no" >&2; exit 2 ;; esac
case "$1 $2" in
"check --fix-only") echo "fixed" ;;
"check --output-format=json")
    case "$code" in
    fixed) echo "[]" ;;
    *)
        echo '[{"code":"F401","message":"unused","location":{"row":1,"column":8},"end_location":{"row":1,"column":10},"fix":{"applicability":"safe"},"url":"https://example.org/F401"},'
        echo '{"code":null,"message":"SyntaxError","location":{"row":2,"column":1},"fix":null,"url":null}]'
        exit 1 ;;
    esac ;;
"format --isolated") echo "formatted $*" ;;
esac
"#;

fn ruff_is_given_text_and_no_configuration() {
    // A ruff of the system would be found first.
    if ["/usr/local/bin/ruff", "/usr/bin/ruff", "/bin/ruff"]
        .iter()
        .any(|path| std::path::Path::new(path).exists())
    {
        return;
    }
    let place = Place::new();
    place.put("bin/ruff", RUFF);
    let output = place.output(
        "lint_python",
        r#"{"code":"import os\n","fix":true,"select":["F","E501"]}"#,
    );
    let issue = |index: usize, member: &str| {
        output
            .pointer(&format!("/issues/{index}/{member}"))
            .as_ref()
            .map(json::to_text)
    };
    assert_eq!(issue(0, "code").as_deref(), Some(r#""F401""#));
    assert_eq!(
        (
            issue(0, "fixable").as_deref(),
            issue(1, "fixable").as_deref()
        ),
        (Some("true"), Some("false"))
    );
    assert_eq!(
        (issue(1, "code").as_deref(), issue(1, "line").as_deref()),
        (Some(r#""syntax""#), Some("2"))
    );
    assert_eq!(text(&output, "fixed_code"), "fixed\n");
    assert_eq!(
        output.get("summary").map(json::to_text).as_deref(),
        Some(r#"{"total":2,"fixable":1,"remaining":0}"#)
    );
    let output = place.output("format_python", r#"{"code":"x","line_length":100}"#);
    assert!(text(&output, "formatted").contains("--line-length=100 -"));
    for (tool, args, path) in [
        ("format_python", r#"{"code":"BROKEN"}"#, "/code"),
        (
            "lint_python",
            r#"{"code":"x","select":["--config=x"]}"#,
            "/select/0",
        ),
        (
            "lint_python",
            r#"{"code":"x","select":["F","f,E"]}"#,
            "/select/1",
        ),
    ] {
        let err = place.error(tool, args);
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{args}"
        );
    }
}

fn the_runner_of_tests_is_found_by_its_files() {
    let place = Place::new();
    let err = place.error("run_tests", "{}");
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::PreconditionFailed, Some("/runner"))
    );
    place.put("work/both/Cargo.toml", "");
    place.put("work/both/package.json", "{}");
    let err = place.error("run_tests", r#"{"cwd":"both"}"#);
    assert!(err.message().contains("cargo and npm"), "{err:?}");
    for args in [
        r#"{"argv":["true"],"runner":"go"}"#,
        r#"{"cwd":".."}"#,
        r#"{"cwd":"nowhere"}"#,
    ] {
        place.error("run_tests", args);
    }
}

/// A runner of tests that is a script: what it is called with, what it prints, and what it may not do.
fn tests_of_a_project_are_counted() {
    let place = Place::new();
    place.put("bin/pytest", "#!/bin/sh\necho \"$* in $(pwd)\"\ntouch made && echo ESCAPED\necho '=== 1 failed, 2 passed, 1 skipped in 0.1s ==='\nexit 1\n");
    place.put("work/project/test_a.py", "");
    if std::path::Path::new("/usr/bin/pytest").exists() {
        return;
    }
    let output = place.output("run_tests", r#"{"cwd":"project","args":["-k","fast"]}"#);
    let count = |member: &str| output.get(member).and_then(Value::as_i64);
    assert_eq!(
        (count("passed"), count("failed"), count("skipped")),
        (Some(2), Some(1), Some(1))
    );
    assert_eq!(output.get("success").and_then(Value::as_bool), Some(false));
    assert_eq!(text(&output, "runner"), "pytest");
    let said = text(&output, "stdout");
    assert!(
        said.contains("no:cacheprovider --color=no -k fast in ")
            && said.contains("/work/project\n"),
        "{said}"
    );
    assert!(!said.contains("ESCAPED"));
    let output = place.output(
        "run_tests",
        r#"{"argv":["sh","-c","seq 1000"],"max_output_bytes":9}"#,
    );
    assert_eq!(text(&output, "stdout"), "999\n1000\n");
    assert_eq!(
        output.get("stdout_truncated").and_then(Value::as_bool),
        Some(true)
    );
    assert!(output.get("passed").is_some_and(Value::is_null));
}
