//! The workflow tools from outside: roles, transitions, gates, files and events, by the rows of the earlier system.

mod copies;
mod files;
mod gates;
mod governing;
mod notified;
mod roles;
mod spawn;
mod tasks;

use tool_core::Value;

use crate::support::{Answer, Place};

/// Ids of [`Project`].
pub(super) const CHAIN: &str = "CHAIN-001-parser";
pub(super) const TASK: &str = "001-read-numbers";

/// A request with a chain of one task in progress.
pub(super) struct Project {
    pub(super) place: Place,
    pub(super) request: String,
}

impl Project {
    pub(super) fn new(config: &str) -> Self {
        let place = Place::new();
        place.write("mathchain.toml", &format!("version = 1\n{config}"));
        let project = Self {
            place,
            request: String::new(),
        };
        let created = project.ok(
            "ideation",
            "request:create",
            r#"{"type": "cr", "title": "A parser", "domain": "core", "content": "Numbers have to be read."}"#,
        );
        let request = text(&created, "/output/id");
        project.ok(
            "operator",
            "chain:create",
            &format!(r#"{{"requestId": "{request}", "title": "Parser"}}"#),
        );
        project.ok(
            "operator",
            "task:create",
            &format!(r#"{{"chainId": "{CHAIN}", "title": "Read numbers", "ready": true}}"#),
        );
        Self { request, ..project }
    }

    /// With the task in progress.
    pub(super) fn started() -> Self {
        let project = Self::new("");
        project.task("operator", "task:start", "").expect_code(0);
        project
    }

    pub(super) fn call(&self, role: &str, tool: &str, args: &str) -> Answer {
        self.place.run(&["call", tool, "--role", role], args)
    }

    #[track_caller]
    pub(super) fn ok(&self, role: &str, tool: &str, args: &str) -> Answer {
        let answer = self.call(role, tool, args);
        answer.expect_code(0);
        answer
    }

    /// A call about the task, with further members of its arguments.
    pub(super) fn task(&self, role: &str, tool: &str, more: &str) -> Answer {
        let args = format!(r#"{{"chainId": "{CHAIN}", "taskId": "{TASK}"{more}}}"#);
        self.call(role, tool, &args)
    }

    pub(super) fn chain(&self, role: &str, tool: &str) -> Answer {
        self.call(role, tool, &format!(r#"{{"chainId": "{CHAIN}"}}"#))
    }

    pub(super) fn status(&self) -> String {
        text(&self.task("review", "task:status", ""), "/output/status")
    }

    /// The task, approved by way of a submission.
    pub(super) fn finish(&self) {
        self.task("impl", "task:submit", "").expect_code(0);
        self.task("review", "task:approve", "").expect_code(0);
    }

    pub(super) fn file(&self) -> String {
        self.place
            .read(&format!("workflow/tasks/{CHAIN}/{TASK}.md"))
    }

    /// The recorded events.
    pub(super) fn events(&self) -> Vec<Value> {
        let printed = self.place.run(&["events", "--json"], "");
        printed.expect_code(0);
        let lines = printed.stdout.lines();
        lines
            .map(|line| mathchain::parse_json(line).expect("JSON"))
            .collect()
    }

    /// Starts a workflow of the request, and returns its id.
    pub(super) fn workflow(&self, template: &str, more: &str) -> String {
        let args = format!(
            r#"{{"template": "{template}", "requestId": "{}"{more}}}"#,
            self.request
        );
        text(&self.ok("operator", "workflow:start", &args), "/output/id")
    }

    pub(super) fn of_workflow(&self, role: &str, tool: &str, id: &str, more: &str) -> Answer {
        self.call(role, tool, &format!(r#"{{"workflowId": "{id}"{more}}}"#))
    }
}

pub(super) fn text(answer: &Answer, pointer: &str) -> String {
    answer
        .at(pointer)
        .as_str()
        .unwrap_or_else(|| panic!("no text at {pointer}: {}", answer.stdout))
        .to_owned()
}

/// Type of an event.
pub(super) fn kind(event: &Value) -> &str {
    event.text("type").expect("a type")
}

/// The example goes from request to commit, and the wrong role is refused on the way.
#[test]
fn the_example_of_a_workflow_runs() {
    let place = Place::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/workflow.sh");
    let output = std::process::Command::new("/bin/sh")
        .arg(script)
        .current_dir(place.path("work"))
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", place.path("home"))
        .env("XDG_STATE_HOME", place.path("state"))
        .env("XDG_CONFIG_HOME", place.path("config"))
        .env("MATHCHAIN", env!("CARGO_BIN_EXE_mathchain"))
        .output()
        .expect("runs");
    let answer = Answer::of(&output);
    answer.expect_code(0);
    for part in [
        "role `review` may not call `task:submit`",
        "role `impl` may not call `task:approve`",
        "feat(parser): read integers",
        "request.closed",
    ] {
        assert!(answer.stdout.contains(part), "{part}: {}", answer.stdout);
    }
}

/// The examples of the tools, taken in their order in one project; dates and times are those of the day.
#[test]
fn the_examples_of_the_tools_are_what_they_answer() {
    let place = Place::new();
    let config = "version = 1\n[cli.greeter]\nbinary = \"sh\"\nsubcommand = [\"-c\", \"echo Hello.\"]\n[workflow.agents.impl]\ncli = \"greeter\"\n";
    place.write("mathchain.toml", config);
    let mut today: Option<String> = None;
    let moment = |text: &str| -> String {
        // Each time is 24 characters, from its year to its `Z`.
        let mut text = text.to_owned();
        if let Some(found) = text.find("\"expires\":17") {
            let start = found + "\"expires\":".len();
            text.replace_range(start..start + 13, "1700000000000");
        }
        if let Some((before, after)) = text.split_once("\"elapsedMs\":") {
            let rest = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
            text = format!("{before}\"elapsedMs\":1200{rest}");
        }
        let mut from = 0;
        while let Some(found) = text[from..].find("Z\"") {
            let end = from + found + 1;
            if end >= 24 && text.as_bytes()[end - 14] == b'T' {
                text.replace_range(end - 24..end, "2025-12-06T00:06:57.639Z");
            }
            from = end + 1;
        }
        text
    };
    let tools: Vec<_> = workflow::tools::TOOLS
        .iter()
        .map(|entry| entry.tool())
        .collect();
    let calls = workflow::tools::examples::calls_in_order();
    assert_eq!(tools.len(), calls.len());
    // What the examples leave out, since another tool shows it.
    let between = [
        ("task:unblock", "task:start", "operator"),
        ("task:list", "task:submit", "impl"),
        ("feedback:respond", "feedback:create", "impl"),
    ];
    for workflow::tools::examples::ExampleCall { tool: id, role } in &calls {
        let tool = tools
            .iter()
            .find(|tool| tool.spec().id == *id)
            .expect("a tool");
        for example in tool.examples() {
            let dated = |text: String| match &today {
                Some(today) => text.replace("20251206", today),
                None => text,
            };
            let args = dated(example.args.to_string());
            let call = || place.run(&["call", "--role", role, id], &args);
            let mut answer = call();
            if answer.code == 4 {
                let approval = text(&answer, "/metadata/approval_id");
                place.run(&["approve", &approval], "").expect_code(0);
                answer = call();
            }
            answer.expect_code(0);
            let output = answer.at("/output").to_string();
            if today.is_none() {
                let id = text(&answer, "/output/id");
                today = id.split('-').nth(1).map(str::to_owned);
            }
            let day = today.clone().expect("a date");
            let output = moment(&output.replace(&day, "20251206"));
            assert_eq!(output, moment(&example.output.to_string()), "{id}");
        }
        if let Some((_, next, role)) = between.iter().find(|(after, ..)| after == id) {
            let args = match *next {
                "feedback:create" => {
                    let day = today.clone().expect("a date");
                    format!(r#"{{"workflowId": "WF-{day}-001", "question": "Which digits?"}}"#)
                }
                _ => format!(r#"{{"chainId": "{CHAIN}", "taskId": "{TASK}"}}"#),
            };
            place
                .run(&["call", next, "--role", role], &args)
                .expect_code(0);
        }
    }
}
