//! Tools that ask the client.

use tool_core::capability::ClientQuestion;
use tool_core::object;
use tool_core::{Ctx, ToolError, Value};

use super::fixture::{Fixture, json, said};

const NAME: &str =
    r#"{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}"#;
const COLOR: &str =
    r#"{"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]}"#;
const OK: &str =
    r#"{"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}"#;
const USER: &str = r#"{"type": "object", "properties": {
    "username": {"type": "string", "description": "User's response"},
    "email": {"type": "string", "description": "User's email address"}}, "required": ["username", "email"]}"#;
const DEFAULTS: &str = r#"{"type": "object", "properties": {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": true}}}"#;
const CHOICES: &str = r#"{"type": "object", "properties": {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
        {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
        {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}}}"#;

pub(crate) static ALL: &[Fixture] = &[
    Fixture::new(
        "test_sampling",
        "Asks the model of the client",
        |args, ctx| {
            let answer = ask(
                ctx,
                "answer",
                &model(args.text("prompt").unwrap_or_default(), 100),
            )?;
            Ok(said(format!("LLM response: {answer}")))
        },
    )
    .with(r#"{"prompt": {"type": "string", "description": "The prompt"}}"#),
    Fixture::new("test_elicitation", "Asks the user", |args, ctx| {
        let form = ClientQuestion::form(args.text("message").unwrap_or_default(), json(USER));
        Ok(said(format!("User response: {}", ask(ctx, "user", &form)?)))
    })
    .with(r#"{"message": {"type": "string", "description": "The question"}}"#),
    Fixture::new(
        "test_elicitation_sep1034_defaults",
        "Asks the user with defaults",
        |_, ctx| {
            let form = ClientQuestion::form("Please review the values", json(DEFAULTS));
            Ok(said(format!(
                "Elicitation completed: {}",
                ask(ctx, "values", &form)?
            )))
        },
    ),
    Fixture::new(
        "test_elicitation_sep1330_enums",
        "Asks the user to choose",
        |_, ctx| {
            let form = ClientQuestion::form("Please choose", json(CHOICES));
            Ok(said(format!(
                "Elicitation completed: {}",
                ask(ctx, "choices", &form)?
            )))
        },
    ),
    Fixture::new(
        "test_missing_capability",
        "Needs the model of the client",
        |_, ctx| ask(ctx, "answer", &model("Hello", 10)).map(|answer| said(answer.to_string())),
    ),
    Fixture::new("test_streaming_elicitation", "Asks the user", name),
    Fixture::new(
        "test_input_required_result_elicitation",
        "Asks the user for a name",
        name,
    ),
    Fixture::new(
        "test_input_required_result_sampling",
        "Asks the model of the client",
        |_, ctx| {
            let question = model("What is the capital of France?", 100);
            Ok(said(ask(ctx, "capital_question", &question)?.to_string()))
        },
    ),
    Fixture::new(
        "test_input_required_result_list_roots",
        "Asks for the roots of the client",
        |_, ctx| Ok(said(ask(ctx, "client_roots", &roots())?.to_string())),
    ),
    Fixture::new(
        "test_input_required_result_request_state",
        "Asks the user to confirm",
        |_, ctx| {
            ask(
                ctx,
                "confirm",
                &ClientQuestion::form("Please confirm", json(OK)),
            )
            .map(|_| said("state-ok"))
        },
    ),
    Fixture::new(
        "test_input_required_result_multiple_inputs",
        "Asks three questions at once",
        |_, ctx| {
            let user = ask(
                ctx,
                "user_name",
                &ClientQuestion::form("What is your name?", json(NAME)),
            );
            let greeting = ask(ctx, "greeting", &model("Generate a greeting", 50));
            let roots = ask(ctx, "client_roots", &roots());
            Ok(said(format!("{} {} {}", user?, greeting?, roots?)))
        },
    ),
    Fixture::new(
        "test_input_required_result_multi_round",
        "Asks two questions in turn",
        |_, ctx| {
            let name = ask(
                ctx,
                "step1",
                &ClientQuestion::form("Step 1: What is your name?", json(NAME)),
            )?;
            let color = ask(
                ctx,
                "step2",
                &ClientQuestion::form("Step 2: What is your favorite color?", json(COLOR)),
            )?;
            Ok(said(format!("{name} {color}")))
        },
    ),
    Fixture::new(
        "test_input_required_result_tampered_state",
        "Asks the user to confirm",
        |_, ctx| {
            ask(
                ctx,
                "confirm",
                &ClientQuestion::form("Please confirm", json(OK)),
            )
            .map(|_| said("confirmed"))
        },
    ),
    Fixture::new(
        "test_input_required_result_capabilities",
        "Asks what the client can answer",
        |_, ctx| {
            let client = ctx.client()?;
            let mut answers = Vec::new();
            for (key, question) in [
                ("answer", model("Hello", 10)),
                (
                    "user_name",
                    ClientQuestion::form("What is your name?", json(NAME)),
                ),
            ] {
                if client.can(question.method) {
                    answers.push(client.ask(key, &question, ctx.stop()));
                }
            }
            let answers: Vec<Value> = answers.into_iter().collect::<Result<_, _>>()?;
            Ok(object! { "answers" => Value::array(answers) })
        },
    ),
];

fn name(_: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
    let answer = ask(
        ctx,
        "user_name",
        &ClientQuestion::form("What is your name?", json(NAME)),
    )?;
    let name = answer
        .get("content")
        .and_then(|content| content.text("name"));
    Ok(said(format!(
        "Hello, {}!",
        name.unwrap_or("whoever you are")
    )))
}

fn ask(ctx: &Ctx, key: &str, question: &ClientQuestion) -> Result<Value, ToolError> {
    ctx.client()?.ask(key, question, ctx.stop())
}

/// A question to the model of the client.
fn model(prompt: &str, tokens: i64) -> ClientQuestion {
    let content = object! { "type" => "text", "text" => prompt };
    let message = object! { "role" => "user", "content" => content };
    let params = object! { "messages" => Value::array(vec![message]), "maxTokens" => tokens };
    ClientQuestion {
        method: "sampling/createMessage",
        params,
    }
}

fn roots() -> ClientQuestion {
    ClientQuestion {
        method: "roots/list",
        params: json("{}"),
    }
}
