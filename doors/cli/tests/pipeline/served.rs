//! Pipelines over HTTP, MCP and as a tool: the same record, and agents that have at most what their caller has.

use serde_json::{Value as Json, json};

use super::{WRITES, agent, exists, place, until};
use tool_core::object;

use crate::http::client::{Reply, Server};
use crate::support::Place;

/// What lets the role begin a pipeline without asking a person each time.
const ALLOWED: &str = "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"pipeline_run\"] }\ndecision = \"allow\"\n";

/// A place whose project has these phases.
fn project(content: &str) -> Place {
    let place = place("");
    place.write("mathchain.toml", &format!("version = 1\n{content}"));
    place
}

fn key(place: &Place, args: &[&str]) -> String {
    let made = place.run(&[&["keys", "create"], args].concat(), "");
    let key = made.expect_code(0).at("/key");
    format!("Bearer {}", key.as_str().expect("a key"))
}

fn begin(server: &Server, bearer: &str) -> String {
    let begun = server.post("/v1/pipelines", &[("Authorization", bearer)], "{}");
    let id = begun.expect(202).json()["id"].clone();
    let id = id
        .as_str()
        .unwrap_or_else(|| panic!("{begun:?}"))
        .to_owned();
    assert_eq!(
        begun.field("Location"),
        Some(&*format!("/v1/pipelines/{id}"))
    );
    id
}

fn show(server: &Server, bearer: &str, id: &str) -> Reply {
    let fields = [("Authorization", bearer)];
    server.get(&format!("/v1/pipelines/{id}"), &fields)
}

/// The pipeline as soon as it is in one of these states.
fn await_state(server: &Server, bearer: &str, id: &str, states: &[&str]) -> Json {
    let state = || show(server, bearer, id).expect(200).json();
    until("the state", || {
        let state = state()["state"].clone();
        states.iter().any(|one| state == *one)
    });
    state()
}

const TWO_PHASES: &str = "[[phases]]\nname = \"a\"\nagents = [\"one\"]\nprompt = \"first\"\n[[phases]]\nname = \"b\"\nagents = [\"two\"]\nprompt = \"second\"\ndepends_on = [\"a\"]\n";

#[test]
fn a_pipeline_begins_over_http_and_its_events_are_streamed() {
    let place = project(&format!(
        "{TWO_PHASES}{ALLOWED}{}{}",
        agent("one", r#"echo "task: $1""#),
        agent("two", r#"cat outputs/a/one.md"#),
    ));
    let boss = key(&place, &["boss", "--role", "operator"]);
    let server = Server::start(&place, &[]);
    let id = begin(&server, &boss);
    let done = await_state(&server, &boss, &id, &["succeeded", "failed"]);
    assert_eq!(done["state"], "succeeded", "{done}");
    assert_eq!(done["role"], "operator");
    assert_eq!(done["phases"][1]["agents"][0]["output"], "outputs/b/two.md");
    assert_eq!(place.read("outputs/b/two.md"), "task: first\n");
    let listed = server.get("/v1/pipelines", &[("Authorization", &boss)]);
    assert_eq!(listed.expect(200).json()["pipelines"][0]["id"], *id);
    // The stream of a pipeline that has ended has all of its events, numbered, and its end.
    let path = format!("/v1/pipelines/{id}/events");
    let stream = server
        .get(&path, &[("Authorization", &boss)])
        .expect(200)
        .body
        .clone();
    for words in [
        "id: 1\n",
        "phase_began",
        "task: first",
        "event: ended\ndata: ",
    ] {
        assert!(stream.contains(words), "{words}: {stream}");
    }
    let after = [("Authorization", boss.as_str()), ("Last-Event-ID", "3")];
    let rest = server.get(&path, &after).expect(200).body.clone();
    assert!(
        !rest.contains("id: 3\n") && rest.contains("id: 4\n"),
        "{rest}"
    );
    // The command line reads the same record, and the audit has the call.
    let shown = place.run(&["pipeline", "show", &id], "");
    assert_eq!(
        shown.expect_code(0).at("/state").as_str(),
        Some("succeeded")
    );
    let audit = place.run(&["audit", "list", "--json"], "").stdout;
    assert!(audit.contains("\"tool\":\"pipeline_run\""), "{audit}");
    place.run(&["audit", "verify"], "").expect_code(0);
}

/// It starts programs: without a rule a person is asked first, and the same request begins it once approved.
#[test]
fn a_pipeline_waits_for_its_approval() {
    let place = project(&format!(
        "[[phases]]\nname = \"a\"\nagents = [\"one\"]\nprompt = \"x\"\n{}",
        agent("one", "echo done")
    ));
    let boss = key(&place, &["boss", "--role", "operator"]);
    let server = Server::start(&place, &[]);
    let fields = [("Authorization", boss.as_str()), ("Idempotency-Key", "k")];
    let asked = server.post("/v1/pipelines", &fields, "{}");
    let asked = asked.expect(202).json();
    assert_eq!(asked["status"], "pending_approval", "{asked}");
    let none = server.get("/v1/pipelines", &[("Authorization", &boss)]);
    assert_eq!(none.expect(200).json()["pipelines"], json!([]));
    let id = asked["metadata"]["approval_id"].as_str().expect("an id");
    place.run(&["approve", id], "").expect_code(0);
    let begun = server
        .post("/v1/pipelines", &fields, "{}")
        .expect(202)
        .json();
    let id = begun["id"].as_str().expect("an id").to_owned();
    await_state(&server, &boss, &id, &["succeeded"]);
    // Sent again under its key it is the same pipeline; another body is refused.
    let again = server.post("/v1/pipelines", &fields, "{}");
    assert_eq!(again.expect(202).json()["id"], *id);
    assert_eq!(again.field("Idempotency-Replayed"), Some("true"));
    server
        .post("/v1/pipelines", &fields, "{\"skip\":[\"a\"]}")
        .expect(422);
}

#[test]
fn what_is_wrong_with_a_request_begins_nothing() {
    let place = project(&format!(
        "{ALLOWED}[[phases]]\nname = \"a\"\nagents = [\"one\"]\nprompt = \"x\"\n{}",
        agent("one", "touch begun; echo done")
    ));
    let boss = key(&place, &["boss", "--role", "operator"]);
    let math = key(&place, &["math", "--role", "worker_math"]);
    let server = Server::start(&place, &[]);
    let post =
        |bearer: &str, body: &str| server.post("/v1/pipelines", &[("Authorization", bearer)], body);
    post(&boss, "[]").expect(400);
    post(&boss, "{\"file\":\"other.toml\"}").expect(400);
    assert!(
        post(&boss, "{\"only\":\"aa\"}")
            .expect(400)
            .body
            .contains("did you mean `a`?")
    );
    post(&boss, "{\"only\":\"a\",\"from\":\"a\"}").expect(422);
    // A role that does not have the tool begins none.
    post(&math, "{}").expect(403);
    assert!(!exists(&place, "begun"));
    let none = server.get("/v1/pipelines", &[("Authorization", &boss)]);
    assert_eq!(none.expect(200).json()["pipelines"], json!([]));
}

#[test]
fn a_pipeline_is_cancelled_and_resumed() {
    let place = project(&format!(
        "{ALLOWED}[[phases]]\nname = \"a\"\nagents = [\"one\"]\nprompt = \"x\"\n{WRITES}{}",
        agent("one", "touch begun; [ -e ready ] || sleep 60; echo done")
    ));
    let boss = key(&place, &["boss", "--role", "operator"]);
    let server = Server::start(&place, &[]);
    let id = begin(&server, &boss);
    until("the agent runs", || exists(&place, "begun"));
    let fields = [("Authorization", boss.as_str())];
    let post = |what: &str| server.post(&format!("/v1/pipelines/{id}/{what}"), &fields, "");
    post("cancel").expect(202);
    let stopped = await_state(&server, &boss, &id, &["stopped"]);
    assert_eq!(stopped["phases"][0]["agents"][0]["state"], "cancelled");
    assert_eq!(post("cancel").expect(409).reason(), "pipeline_ended");
    place.write("ready", "");
    assert_eq!(post("resume").expect(202).json()["id"], *id);
    await_state(&server, &boss, &id, &["succeeded"]);
    assert_eq!(post("resume").expect(409).reason(), "pipeline_ended");
}

/// A gate is answered by a key that approves and calls as another role than the one that began the pipeline.
#[test]
fn a_gate_is_answered_by_another_role() {
    let place = project(&format!(
        "{ALLOWED}[[phases]]\nname = \"a\"\nagents = [\"one\"]\nprompt = \"x\"\ngate = {{ kind = \"human_approval\", prompt = \"is it right?\" }}\n{}",
        agent("one", "echo done")
    ));
    let boss = key(&place, &["boss", "--role", "operator"]);
    let own = key(&place, &["own", "--role", "operator", "--approve"]);
    let reviewer = key(&place, &["reviewer", "--role", "worker_math", "--approve"]);
    let server = Server::start(&place, &[]);
    let id = begin(&server, &boss);
    let waits = await_state(&server, &boss, &id, &["waiting"]);
    assert_eq!(waits["gate"]["phase"], "a");
    assert!(
        waits["gate"]["text"]
            .as_str()
            .expect("a text")
            .contains("is it right?")
    );
    let path = format!("/v1/pipelines/{id}/gate");
    let answer = |bearer: &str, body: &str| server.post(&path, &[("Authorization", bearer)], body);
    answer(&boss, "{\"answer\":\"yes\"}").expect(403);
    answer(&own, "{\"answer\":\"yes\"}").expect(403);
    answer(&reviewer, "{\"answer\":\"maybe\"}").expect(400);
    answer(&reviewer, "{\"answer\":\"yes\"}").expect(200);
    await_state(&server, &boss, &id, &["succeeded"]);
    answer(&reviewer, "{\"answer\":\"yes\"}").expect(409);
}

/// A program that makes the calls of its task through its MCP server.
const CALLER: &str = "[cli.caller]\nbinary = \"python3\"\nsubcommand = [\"agent.py\"]\nprompt_argv = [\"--mcp\", \"{mcp_config}\", \"--task\", \"{prompt}\"]\n";

#[expect(clippy::disallowed_methods, reason = "a test copies the example")]
fn write_caller(place: &Place) {
    let program = crate::support::root().join("examples/pipeline/agent.py");
    let program = std::fs::read_to_string(program).expect("the example");
    place.write("agent.py", &program);
}

/// The phase gives tools that the role does not have: its agents do not have them either, nor may their programs write.
#[test]
fn agents_have_at_most_the_tools_of_who_begins_the_pipeline() {
    let calls = "statistics {\"data\":[1,2]}\ncalculate {\"expression\":\"6*7\"}\nwrite_file {\"path\":\"made.txt\",\"content\":\"x\"}\n";
    let phase = format!(
        "[[phases]]\nname = \"a\"\nagents = [\"caller\", \"sly\"]\nfailure_mode = \"continue\"\nprompt = '''{calls}'''\n[phases.tools]\ntools = [\"calculate\", \"statistics\", \"write_file\"]\npermission = \"workspace-write\"\nmax_turns = 0\n"
    );
    let roles =
        "[roles.narrow]\ndescription = \"computes\"\ntools = [\"calculate\", \"pipeline_run\"]\n";
    let place = project(&format!(
        "{phase}{roles}{ALLOWED}{CALLER}{}",
        agent("sly", "touch sly.txt && echo wrote || echo refused")
    ));
    write_caller(&place);
    let boss = key(&place, &["boss", "--role", "operator"]);
    let narrow = key(&place, &["narrow", "--role", "narrow"]);
    let server = Server::start(&place, &[]);
    let id = begin(&server, &narrow);
    let done = await_state(&server, &narrow, &id, &["succeeded", "failed"]);
    assert_eq!(done["role"], "narrow", "{done}");
    let said = place.read("outputs/a/caller.md");
    for part in [
        "calculate: ok",
        "statistics: refused: not_visible",
        "write_file: refused: not_visible",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(place.read("outputs/a/sly.md"), "refused\n");
    assert!(!exists(&place, "made.txt") && !exists(&place, "sly.txt"));
    // As the operator the same phase may do what it says.
    let id = begin(&server, &boss);
    await_state(&server, &boss, &id, &["succeeded"]);
    let said = place.read("outputs/a/caller.md");
    assert!(
        said.contains("write_file: ok") && said.contains("statistics: ok"),
        "{said}"
    );
    assert!(exists(&place, "made.txt") && exists(&place, "sly.txt"));
}

/// As a call of any door, with a result that falls short where the pipeline failed.
#[test]
fn the_tool_runs_a_pipeline_in_one_call() {
    let place = project(&format!(
        "{ALLOWED}{TWO_PHASES}{}{}",
        agent("one", "echo one"),
        agent("two", "exit 3")
    ));
    let done = place.run(&["call", "pipeline_run"], "{}");
    done.expect_code(8);
    assert_eq!(done.at("/output/state").as_str(), Some("failed"));
    let id = done.at("/output/pipeline");
    let again = json!({ "resume": id.as_str(), "only": "a" }).to_string();
    place.run(&["call", "pipeline_run"], &again).expect_code(2);
    let only = place.run(&["call", "pipeline_run"], "{\"only\":\"a\"}");
    assert_eq!(
        only.expect_code(0).at("/output/phases/1/status").as_str(),
        Some("skipped")
    );
    // Where a call may wait, a client of the protocol gets it as a tool with its schema.
    let tools = place.run(&["tools", "show", "pipeline_run"], "");
    assert!(
        tools.expect_code(0).stdout.contains("retry_unknown"),
        "{}",
        tools.stdout
    );
}

/// A program in Rust names what serves its agents: then the library runs pipelines and `spawn_agent`, and without it both are refused.
#[test]
fn a_program_in_rust_runs_a_pipeline_and_starts_agents() {
    use mathchain::agents::{AgentProgram, AgentProject};
    use mathchain::{ApprovalAnswer, CallContext, Config, PipelineRequest, Toolkit};
    let program = env!("CARGO_BIN_EXE_mathchain");
    host_sandbox::sandbox::launch_by(program, vec!["mathchain-sandbox-launcher".into()]);
    let text = format!(
        "version = 1\n{TWO_PHASES}[workflow.agents.impl]\ncli = \"one\"\n{}{}",
        agent("one", "echo done"),
        agent("two", "cat outputs/a/one.md"),
    );
    let place = place("");
    place.write("mathchain.toml", &text);
    let builder = || {
        let config = Config::parse("mathchain.toml", &text).expect("a configuration");
        let file = place.path("work").join("mathchain.toml");
        Toolkit::builder()
            .config(config)
            .workspace(place.path("work"))
            .state(place.path("state"))
            .agent_project(AgentProject::of_file(file))
    };
    let context = CallContext {
        answer: ApprovalAnswer::Yes,
        ..CallContext::default()
    };
    let role = object! { "role" => "impl" };
    let toolkit = builder().build().expect("opens");
    for outcome in [
        toolkit.run_pipeline(&context, &PipelineRequest::default()),
        toolkit.call_with(&context, "spawn_agent", &role),
    ] {
        let error = outcome.err().expect("nothing serves the agents");
        assert_eq!(error.reason_str(), Some("capability"), "{error:?}");
    }
    drop(toolkit);
    let builder = builder().agent_program(AgentProgram::at(program));
    let toolkit = builder.build().expect("opens");
    let outcome = toolkit.run_pipeline(&context, &PipelineRequest::default());
    let record = outcome
        .output()
        .unwrap_or_else(|| panic!("{:?}", outcome.to_value()));
    assert_eq!(record.text("state"), Some("succeeded"), "{record}");
    assert_eq!(place.read("outputs/b/two.md"), "done\n");
    let outcome = toolkit.call_with(&context, "spawn_agent", &role);
    let ended = outcome
        .output()
        .unwrap_or_else(|| panic!("{:?}", outcome.to_value()));
    assert_eq!(ended.text("answer"), Some("done"), "{ended}");
}
