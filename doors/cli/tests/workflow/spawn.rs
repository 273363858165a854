//! Agents that a call starts: real programs, which call tools on a server of their own.

use rustix::process::{Pid, Signal, kill_process};
use tool_core::{Value, object};

use super::{CHAIN, Project, TASK, kind, text};
use crate::pipeline::until;
use crate::support::{Answer, root};

/// A table of a program that makes the calls of its task, and one entry of `[workflow.agents]` for each role.
#[expect(clippy::disallowed_methods, reason = "a test copies the example")]
fn project(roles: &[(&str, &str)], more: &str) -> Project {
    let mut config = "[cli.caller]\nbinary = \"python3\"\nsubcommand = [\"agent.py\"]\nprompt_argv = [\"--mcp\", \"{mcp_config}\", \"--task\", \"{prompt}\"]\n".to_owned();
    for (role, keys) in roles {
        config += &format!("[workflow.agents.{role}]\ncli = \"caller\"\n{keys}\n");
    }
    let project = Project::new(&format!("{config}{more}"));
    let program = std::fs::read_to_string(root().join("examples/pipeline/agent.py")).unwrap();
    project.place.write("agent.py", &program);
    project
}

/// Without this rule each start would wait for an approval.
const ALLOWED: &str = "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"spawn_agent\", \"spawn_impl_session\"] }\ndecision = \"allow\"\n";

/// A call in a task.
fn line(tool: &str, args: &Value) -> String {
    format!("{tool} {}\n", tool_core::json::to_text(args))
}

fn spawn(project: &Project, caller: &[&str], args: &Value) -> Answer {
    let args = tool_core::json::to_text(args);
    let words = [&["call"], caller, &["spawn_agent"]].concat();
    project.place.run(&words, &args)
}

fn of_task() -> Value {
    object! { "chainId" => CHAIN, "taskId" => TASK }
}

#[test]
fn an_agent_works_on_a_task_with_the_tools_of_its_role() {
    let writes = [("impl", "permission = \"workspace-write\"")];
    let project = project(&writes, "");
    project.task("operator", "task:start", "").expect_code(0);
    let calls = line("task:submit", &of_task())
        + &line("task:approve", &of_task())
        + &line("calculate", &object! { "expression" => "6*7" });
    let args =
        object! { "role" => "impl", "chainId" => CHAIN, "taskId" => TASK, "context" => calls };
    // It runs a program, so that a person is asked first.
    let asked = spawn(&project, &["--role", "orchestration"], &args);
    asked.expect_code(4);
    let id = text(&asked, "/metadata/approval_id");
    project.place.run(&["approve", &id], "").expect_code(0);
    let done = spawn(&project, &["--role", "orchestration"], &args);
    done.expect_code(0);
    assert_eq!(text(&done, "/output/outcome"), "completed");
    assert_eq!(text(&done, "/output/agentId"), "impl-1");
    let said = text(&done, "/output/answer");
    for part in [
        "task:submit: ok",
        "task:approve: refused: not_visible",
        "calculate: ok: {\"value\":42",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(project.status(), "in-review");
    let events = project.events();
    let kinds: Vec<&str> = events.iter().rev().take(3).map(kind).collect();
    assert_eq!(kinds, ["agent.ended", "task.submitted", "agent.spawned"]);
    let ended = &events[events.len() - 1];
    assert_eq!(ended.pointer("/data/exit"), Some(Value::from(0_i64)));
    let answer = ended.pointer("/data/answer").expect("an answer");
    assert!(answer.as_str().expect("text").contains("task:submit: ok"));
    // The submission is the agent's, under the id that the record of its calls has too.
    let submitted = &events[events.len() - 2];
    assert_eq!(
        submitted.pointer("/actor/principal"),
        Some(Value::from("impl-1"))
    );
    let audit = project.place.run(&["audit", "list", "--json"], "").stdout;
    assert!(audit.contains("\"spawned\":\"impl-1\""), "{audit}");
    project.place.run(&["audit", "verify"], "").expect_code(0);
    // Another agent of the role is another principal; the special form is the same tool.
    let args = tool_core::json::to_text(&of_task());
    let words = ["call", "--role", "control", "spawn_impl_session", "--yes"];
    let again = project.place.run(&words, &args);
    again.expect_code(0);
    assert_eq!(text(&again, "/output/agentId"), "impl-2");
}

/// What the sandbox lets the program of an agent do, its tools do too, as in a phase; what a rule asks about is asked about, and so is what the
/// permission does not cover.
#[test]
fn an_agent_writes_by_its_tool_what_it_may_write_by_itself() {
    let write = |path: &str| line("write_file", &object! { "path" => path, "content" => "a" });
    let of = |permission: &str, more: &str| {
        let project = project(&[("impl", permission)], &format!("{ALLOWED}{more}"));
        let calls = write("made.txt")
            + &line(
                "run_shell",
                &object! { "argv" => Value::array(vec![Value::from("true")]) },
            );
        let args = object! { "role" => "impl", "context" => calls };
        let done = spawn(&project, &["--role", "orchestration"], &args);
        done.expect_code(0);
        let made = project.place.path("work/made.txt").exists();
        (text(&done, "/output/answer"), made)
    };
    let (said, made) = of("permission = \"workspace-write\"", "");
    assert!(said.contains("write_file: ok") && made, "{said}");
    assert!(
        said.contains("run_shell: refused: approval_required"),
        "{said}"
    );
    let rule =
        "  [[policies.rules]]\n  match = { tools = [\"write_file\"] }\n  decision = \"ask\"\n";
    let (said, made) = of("permission = \"workspace-write\"", rule);
    assert!(
        said.contains("write_file: refused: approval_required") && !made,
        "{said}"
    );
    let (said, made) = of("", "");
    assert!(
        said.contains("write_file: refused: not_visible") && !made,
        "{said}"
    );
}

/// Whatever restricts who starts an agent restricts the agent: its role, layers, rules, and the options of the call.
#[test]
fn an_agent_has_at_most_the_tools_of_who_starts_it() {
    let rules = "[[policies]]\nlevel = \"role\"\nname = \"control\"\ndeny = [\"statistics\"]\n[[policies.rules]]\nmatch = { tools = [\"read_file\"], path = { under = \"secret\" } }\ndecision = \"deny\"\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"matrix_rank\"], role = \"control\" }\ndecision = \"ask\"\n";
    let project = project(&[("impl", "permission = \"full-access\"")], rules);
    project.place.write("secret/key.txt", "canary");
    project.place.write("open.txt", "open");
    let data = object! { "data" => Value::from(vec![1.0, 2.0]) };
    let path = |path: &str| object! { "path" => path };
    let matrix = object! { "A" => Value::array(vec![Value::from(vec![1.0])]) };
    let calls = line("statistics", &data)
        + &line("histogram", &data)
        + &line("read_file", &path("secret/key.txt"))
        + &line("read_file", &path("open.txt"))
        + &line("matrix_rank", &matrix)
        + &line("matrix_determinant", &matrix)
        + &line("task:start", &of_task());
    let args = object! { "role" => "impl", "context" => calls };
    let caller = ["--role", "control", "--disable", "histogram", "--yes"];
    let done = spawn(&project, &caller, &args);
    done.expect_code(0);
    let said = text(&done, "/output/answer");
    for part in [
        "statistics: refused: not_visible",
        "histogram: refused: not_visible",
        "read_file: refused: policy_denied",
        "read_file: ok",
        "matrix_rank: refused",
        "matrix_determinant: ok",
        "task:start: refused: not_visible",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("canary"), "{said}");
    // What may change nothing starts nothing that could.
    let reads = ["--role", "control", "--fact", "read_only", "--yes"];
    spawn(&project, &reads, &args).expect_code(3);
    // `control` may not commit, and its `commit` agent may: the commits are that role's own.
    let explained = project
        .place
        .run(&["tools", "list", "--role", "control", "--json"], "");
    assert!(
        !explained.stdout.contains("git:commit"),
        "{}",
        explained.stdout
    );
}

/// In its sandbox too an agent writes no files where who starts it has no tool that does.
#[test]
fn an_agent_writes_no_files_for_who_cannot() {
    let config = format!(
        "[cli.sly]\nbinary = \"sh\"\nsubcommand = [\"-c\", \"touch made.txt && echo made || echo refused\"]\n[workflow.agents.impl]\ncli = \"sly\"\npermission = \"full-access\"\n[[policies]]\nlevel = \"role\"\nname = \"orchestration\"\ndeny = [\"effect:modifies_files\"]\n{ALLOWED}"
    );
    let project = Project::new(&config);
    for (role, words) in [("orchestration", "refused"), ("control", "made")] {
        let done = spawn(&project, &["--role", role], &object! { "role" => "impl" });
        let said = text(done.expect_code(0), "/output/answer");
        assert_eq!(said, words, "{role}");
    }
}

/// Who leads starts who hands on, who starts who builds: each has the transitions of its own role.
#[test]
fn transitions_are_handed_down() {
    let roles = [
        ("orchestration", "permission = \"workspace-write\""),
        ("impl", "permission = \"workspace-write\""),
    ];
    let project = project(&roles, ALLOWED);
    project.task("operator", "task:start", "").expect_code(0);
    let of_impl = object! { "role" => "impl", "context" => line("task:submit", &of_task()) };
    let calls = line("task:submit", &of_task()) + &line("spawn_agent", &of_impl);
    let args = object! { "role" => "orchestration", "context" => calls };
    let done = spawn(&project, &["--role", "control"], &args);
    let said = text(done.expect_code(0), "/output/answer");
    assert!(said.contains("task:submit: refused: not_visible"), "{said}");
    assert_eq!(project.status(), "in-review", "{said}");
    let events = project.events();
    let submitted = events.iter().find(|event| kind(event) == "task.submitted");
    let by = submitted.and_then(|event| event.pointer("/actor/principal"));
    assert_eq!(by, Some(Value::from("impl-1")));
}

#[test]
fn agents_start_agents_to_a_depth() {
    let nested = |depth: usize| {
        let mut context = String::new();
        for _ in 0..depth {
            context = line(
                "spawn_agent",
                &object! { "role" => "control", "context" => context },
            );
        }
        object! { "role" => "control", "context" => context }
    };
    let full = [("control", "permission = \"full-access\"")];
    let project_of = |more: &str| project(&full, &format!("{more}{ALLOWED}"));
    let usual = project_of("");
    let done = spawn(&usual, &["--role", "control"], &nested(3));
    done.expect_code(0);
    let spawned = usual.events();
    let spawned = spawned
        .iter()
        .filter(|event| kind(event) == "agent.spawned");
    let parents: Vec<Value> = spawned
        .map(|event| event.pointer("/data/parent").unwrap_or_default())
        .collect();
    let parents: Vec<Option<&str>> = parents.iter().map(Value::as_str).collect();
    assert_eq!(parents, [None, Some("control-1"), Some("control-2")]);
    // The deepest was told so, as the end of its event shows.
    let ended = usual.events();
    let refused = |event: &&Value| tool_core::json::to_text(event).contains("the limit is 2");
    assert!(ended.iter().find(refused).is_some(), "{ended:?}");
    let flat = project_of("[workflow]\nagent_depth = 0\n");
    let done = spawn(&flat, &["--role", "control"], &nested(1));
    let said = text(done.expect_code(0), "/output/answer");
    assert!(said.contains("the limit is 0"), "{said}");
    // Other roles start their own, and those alone.
    let refused = spawn(&flat, &["--role", "toolrunner"], &nested(0));
    refused.expect_code(1);
    assert!(
        refused.stdout.contains("cannot spawn"),
        "{}",
        refused.stdout
    );
}

#[test]
fn an_agent_that_fails_is_no_success() {
    let table = |name: &str, script: &str, limits: &str| {
        format!(
            "[cli.{name}]\nbinary = \"sh\"\nsubcommand = [\"-c\", '''{script}''']\n[workflow.agents.{name}]\ncli = \"{name}\"\n{limits}\n"
        )
    };
    let config = [
        table("impl", "echo done; echo no >&2; exit 3", ""),
        table("review", "sleep 60", "limits = { timeout_s = 1 }"),
        table("design", "echo begun; sleep 60", "limits = { stall_s = 1 }"),
        table("ideation", "true", ""),
        "[cli.lost]\nbinary = \"no-such-program\"\n[workflow.agents.commit]\ncli = \"lost\"\n"
            .to_owned(),
        ALLOWED.to_owned(),
    ];
    let project = Project::new(&config.concat());
    for (role, category, answer) in [
        ("impl", "nonzero_exit", "done"),
        ("review", "timeout", ""),
        ("design", "stall_timeout", "begun"),
        ("ideation", "empty_output", ""),
        ("commit", "binary_not_found", ""),
    ] {
        let args = object! { "role" => role };
        let done = spawn(&project, &["--role", "orchestration"], &args);
        // There is a result, and it falls short.
        done.expect_code(8);
        assert_eq!(text(&done, "/output/outcome"), "failed", "{role}");
        assert_eq!(text(&done, "/output/category"), category);
        assert_eq!(text(&done, "/output/answer"), answer);
        let events = project.events();
        let ended = events.last().expect("an event");
        assert_eq!(ended.pointer("/data/outcome"), Some(Value::from("failed")));
        assert_eq!(ended.pointer("/data/category"), Some(Value::from(category)));
    }
    let none = spawn(
        &project,
        &["--role", "orchestration"],
        &object! { "role" => "control" },
    );
    none.expect_code(1);
    assert!(
        none.stdout.contains("[workflow.agents.control]"),
        "{}",
        none.stdout
    );
    let unknown = object! { "role" => "impl", "chainId" => CHAIN, "taskId" => "999-x" };
    spawn(&project, &["--role", "orchestration"], &unknown).expect_code(2);
    let spawned = project
        .events()
        .iter()
        .filter(|event| kind(event) == "agent.spawned")
        .count();
    assert_eq!(spawned, 5, "what is refused starts nothing");
}

/// A person who interrupts the call stops the agent, and the log says so.
#[test]
fn an_interrupted_call_stops_its_agent() {
    let script =
        "echo $$ > \"$HOME/../pid\" 2>/dev/null; touch here.txt; sleep 100; touch late.txt";
    let config = format!(
        "[cli.slow]\nbinary = \"sh\"\nsubcommand = [\"-c\", '''{script}''']\n[workflow.agents.impl]\ncli = \"slow\"\npermission = \"workspace-write\"\n{ALLOWED}"
    );
    let project = Project::new(&config);
    let words = [
        "call",
        "--role",
        "orchestration",
        "spawn_agent",
        "--arg",
        "role=impl",
    ];
    let child = project.place.command(&words).spawn().expect("starts");
    until("the agent works", || {
        project.place.path("work/here.txt").exists()
    });
    kill_process(Pid::from_child(&child), Signal::INT).expect("is there");
    let answer = Answer::of(&child.wait_with_output().expect("ends"));
    assert!(answer.stdout.contains("\"cancelled\""), "{}", answer.stdout);
    let events = project.events();
    let ended = events.last().expect("an event");
    assert_eq!(kind(ended), "agent.ended");
    assert_eq!(
        ended.pointer("/data/outcome"),
        Some(Value::from("cancelled"))
    );
    assert!(!project.place.path("work/late.txt").exists());
}

#[test]
fn an_agent_has_the_limits_of_its_table() {
    // A program that plays a known command line, and says what it was given.
    let fake = "#!/bin/sh\nprintf '{\"type\":\"assistant\",\"message\":{\"id\":\"%s\",\"content\":[]}}\\n' 1 2 3 4\nnet=closed; (exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null && net=open\nargs=$(printf '%s ' \"$@\" | tr -cd 'a-z0-9 -' | sed 's/.*--think/--think/')\nprintf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":4,\"total_cost_usd\":0.5,\"result\":\"%s\"}\\n' \"$args\"\n";
    let of = |keys: &str| {
        let project = Project::new(&format!(
            "[cli.claude]\nbinary = \"./fake.sh\"\n[cli.claude.flags]\ncareful = [\"--think\"]\n[workflow.agents.impl]\ncli = \"claude\"\n{keys}\n{ALLOWED}"
        ));
        project.place.write_program("fake.sh", fake);
        spawn(
            &project,
            &["--role", "control"],
            &object! { "role" => "impl" },
        )
    };
    let done =
        of("flag_profile = \"careful\"\nisolation = \"offline\"\nlimits = { max_turns = 9 }");
    done.expect_code(0);
    let said = text(&done, "/output/answer");
    for part in ["--think", "--max-turns 9", "--permission-mode plan"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(done.at("/output/turns"), Value::from(4_i64));
    assert_eq!(done.at("/output/costUsd"), Value::from(0.5));
    let writes = of("permission = \"workspace-write\"");
    assert!(text(writes.expect_code(0), "/output/answer").contains("--permission-mode default"));
    let over = of("limits = { max_turns = 2 }");
    assert_eq!(text(over.expect_code(8), "/output/category"), "limit");
    // What cannot be enforced is refused before anything starts.
    let project = project(&[("impl", "limits = { max_cost_usd = 1.0 }")], ALLOWED);
    let refused = spawn(
        &project,
        &["--role", "control"],
        &object! { "role" => "impl" },
    );
    refused.expect_code(1);
    assert!(
        refused.stdout.contains("max_cost_usd"),
        "{}",
        refused.stdout
    );
    let unknown = Project::new("").place;
    for (keys, words) in [
        (
            "[workflow.agents.implr]\ncli = \"claude\"\n",
            "no role named `implr`",
        ),
        (
            "[workflow.agents.impl]\ncli = \"cloude\"\n",
            "did you mean `claude`?",
        ),
    ] {
        unknown.write("mathchain.toml", &format!("version = 1\n{keys}"));
        let answer = unknown.run(&["check"], "");
        answer.expect_code(2);
        assert!(answer.stderr.contains(words), "{}", answer.stderr);
    }
}
