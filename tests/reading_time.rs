//! Text from outside is read in time that grows with its size: every text of every tool's arguments, and every reader of documents.

use fakes::reading_time::{SHAPES, assert_linear};
use mathchain::registry::{self, AgentFile, Config, ToolAliases, document, policy, redact};
use mathchain::{chain_runtime, tool_core};
use tool_core::{AnyTool, CallBudget, Ctx, StopFlag, Value};
use workflow::governance::{self, PathGlob};
use workflow::item::ItemPage;
use workflow::{WorkflowState, template};

/// Where the texts are in a value, as JSON pointers.
fn texts_of(value: &Value, at: &str, pointers: &mut Vec<String>) {
    if value.as_str().is_some() {
        pointers.push(at.to_owned());
    } else if let Some(object) = value.as_object() {
        for (key, value) in object.iter() {
            texts_of(value, &format!("{at}/{key}"), pointers);
        }
    } else if let (None, Some(items)) = (value.as_numbers(), value.items())
        && let Some(first) = items.first()
    {
        texts_of(first, &format!("{at}/0"), pointers);
    }
}

/// The value with another text at a pointer.
fn with_text(value: &Value, pointer: &str, text: &str) -> Value {
    let Some(rest) = pointer.strip_prefix('/') else {
        return text.into();
    };
    let (key, rest) = match rest.find('/') {
        Some(end) => rest.split_at(end),
        None => (rest, ""),
    };
    match value.as_object() {
        Some(object) => Value::object(object.iter().map(|(name, value)| {
            let value = if name == key {
                with_text(value, rest, text)
            } else {
                value.clone()
            };
            (name.to_owned(), value)
        })),
        None => {
            let mut items = value.items().expect("a list");
            items[0] = with_text(&items[0], rest, text);
            Value::array(items)
        }
    }
}

fn call(tool: &dyn AnyTool, args: &Value) {
    let Ok(call) = tool.decode(args) else { return };
    let _ = (call.resources(), call.reach());
    let budget = CallBudget {
        timeout_ms: 2_000,
        memory_bytes: 1 << 30,
        evaluations: 100_000,
    };
    let _ = call.run(&Ctx::new(StopFlag::new(), budget));
}

#[test]
fn texts_in_arguments_of_every_tool() {
    let tools = || {
        mathchain::tool_families()
            .flatten()
            .map(|entry| entry.tool())
    };
    let mut tried = 0;
    for tool in tools() {
        let id = tool.spec().id;
        let mut done = std::collections::BTreeSet::new();
        for example in tool.examples() {
            let mut pointers = Vec::new();
            texts_of(&example.args, "", &mut pointers);
            for pointer in pointers {
                if !done.insert(pointer.clone()) {
                    continue;
                }
                tried += 1;
                assert_linear(&format!("{id}{pointer}"), SHAPES, |text| {
                    call(tool, &with_text(&example.args, &pointer, text));
                });
            }
        }
    }
    assert!(tried > 150, "{tried} texts");
}

#[test]
fn documents_of_configuration() {
    for (name, format) in [
        ("yaml", document::DocumentFormat::Yaml),
        ("toml", document::DocumentFormat::Toml),
        ("json", document::DocumentFormat::Json),
    ] {
        assert_linear(name, SHAPES, |text| {
            let _ = document::read_document(name, text, format);
        });
    }
    for name in ["mathchain.toml", "mathchain.yaml", "mathchain.json"] {
        assert_linear(name, SHAPES, |text| {
            let _ = Config::parse(name, text);
        });
    }
    assert_linear("aliases", SHAPES, |text| {
        let _ = ToolAliases::parse("aliases.yaml", text);
    });
    assert_linear("agent", SHAPES, |text| {
        let _ = AgentFile::parse("agents/a.md", text);
    });
    assert_linear("agent command line", SHAPES, |text| {
        let _ = registry::model::CliSpec::parse_file("agent_clis.yaml", text);
    });
    assert_linear("cases of a policy", SHAPES, |text| {
        let _ = policy::read_cases("cases.yaml", text);
    });
}

#[test]
fn plans_scripts_and_calls() {
    assert_linear("JSON", SHAPES, |text| {
        let _ = mathchain::parse_json(text);
    });
    assert_linear("plan", SHAPES, |text| {
        let _ = chain_runtime::Plan::parse(text);
    });
    assert_linear("script", SHAPES, |text| {
        let _ = chain_runtime::script::parse_script("a.chain", text);
    });
    assert_linear("redaction", SHAPES, |text| {
        let _ = redact::redact_text(text);
    });
    assert_linear("table", SHAPES, |text| {
        let _ = tool_core::csv::read_csv(text, &tool_core::csv::CsvDialect::default(), &|| Ok(()));
    });
}

#[test]
fn pages_of_workflows() {
    let state = WorkflowState::default();
    assert_linear("page", SHAPES, |text| {
        let Ok(mut page) = ItemPage::parse(text) else {
            return;
        };
        let _ = page.set_field("status", &"done".into());
        let _ = page.set_fields(&[("a", Some("b".into())), ("c", None)]);
        let _ = page.section("Tasks");
        let _ = page.set_section("Tasks", "- one");
    });
    for path in [
        "docs/tasks/todo/CHAIN-001-a/001-a.md",
        "docs/requests/change-requests/todo/CR-20260101-001-a.md",
        ".choragen/workflows/WF-001.json",
    ] {
        assert_linear(path, SHAPES, |text| {
            let _ = workflow::import::import_files(
                &state,
                &[workflow::import::ImportSource { path, text }],
            );
        });
    }
    for path in [
        "workflow/chains/CHAIN-001-a.md",
        "workflow/tasks/CHAIN-001-a/001-a.md",
    ] {
        assert_linear(path, SHAPES, |text| {
            let _ = workflow::import::adopt_item_files(
                &state,
                &[workflow::import::ImportSource { path, text }],
            );
        });
    }
    assert_linear("template", SHAPES, |text| {
        let _ = template::read_template("t.yaml", text);
    });
    assert_linear("rules of files", SHAPES, |text| {
        let _ = governance::read_governance("governance.yaml", text);
    });
    let long: Vec<String> = (0..64).map(|i| format!("a{i}")).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    assert_linear("glob", SHAPES, |text| {
        if let Ok(glob) = PathGlob::parse(text) {
            glob.matches(&long, governance::GlobCase::Exact);
        }
    });
}
