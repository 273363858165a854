//! Cases of the earlier systems about chains, as call scripts: `tests/conformance/scripts.yaml`.

use mathchain::chain_runtime::{Mode, Plan};
use mathchain::{ApprovalAnswer, CallContext, Toolkit};
use registry::document;
use tool_core::{Object, Value};

const CASES: &str = include_str!("conformance/scripts.yaml");

fn items(of: &Value, key: &str) -> Option<Vec<Value>> {
    of.get(key).and_then(Value::items)
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The keys are known, so that no case expects what nobody looks at.
fn only(of: &Value, keys: &[&str]) {
    for (key, _) in of.as_object().expect("a table").iter() {
        assert!(keys.contains(&key), "unknown key `{key}`");
    }
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in [("a.txt", "alpha\nbeta\n"), ("b.txt", "beta\n")] {
        std::fs::write(folder.path().join(name), content).expect("writes");
    }
    folder
}

/// What is wrong with the case; empty when it holds.
fn faults(case: &Value) -> Vec<String> {
    only(case, &["id", "source", "deviation", "given", "expect"]);
    let (given, expect) = (
        case.get("given").expect("given"),
        case.get("expect").expect("expect"),
    );
    only(given, &["script", "mode"]);
    let known = [
        "problems",
        "blocked",
        "waves",
        "mode_used",
        "fallback_to_seq",
        "outputs",
        "keys",
        "absent",
        "present",
    ];
    only(expect, &known);
    let folder = workspace();
    let toolkit = Toolkit::builder()
        .workspace(folder.path())
        .state(folder.path().join(".mathchain"))
        .build()
        .expect("a toolkit");
    let context = CallContext {
        answer: ApprovalAnswer::Yes,
        ..CallContext::default()
    };
    let script = text(given.get("script").expect("a script"));
    let mode = given
        .get("mode")
        .map_or(Mode::Dep, |mode| Mode::parse(text(mode)).expect("a mode"));
    let mut faults = Vec::new();
    let mut differ = |what: &str, expected: &str, found: &str| {
        if expected != found {
            faults.push(format!("{what}: expected {expected}, found {found}"));
        }
    };
    let outcome = Plan::read("case.chain", script).and_then(|plan| {
        let plan = plan.with_mode(mode);
        let checked = toolkit.check(
            &context,
            &plan,
            &Object::new(),
            chain_runtime::CheckMode::Run,
        )?;
        let result = toolkit.run_plan(&context, &plan, &Object::new(), Default::default())?;
        Ok((checked, result))
    });
    match outcome {
        Err(problems) => {
            let said = problems.to_string();
            let mut rest = said.as_str();
            for part in items(expect, "problems").unwrap_or_default() {
                match rest.find(text(&part)) {
                    Some(at) => rest = &rest[at + text(&part).len()..],
                    None => differ("problems", text(&part), &said),
                }
            }
            if expect.get("problems").is_none() {
                differ("problems", "none", &said);
            }
            if let Some(blocked) = items(expect, "blocked") {
                let found = Value::from(problems.blocked_tools());
                differ(
                    "blocked",
                    &Value::array(blocked).to_string(),
                    &found.to_string(),
                );
            }
        }
        Ok((checked, result)) => {
            if let Some(part) = expect.get("problems") {
                differ("problems", &part.to_string(), "none");
            }
            let waves = checked.graph.waves().into_iter().map(|wave| {
                let ids = wave
                    .iter()
                    .map(|&step| Value::from(&*checked.steps[step].id));
                Value::array(ids.collect())
            });
            let found = [
                ("waves", Value::array(waves.collect())),
                ("mode_used", Value::from(checked.mode_used.as_str())),
                ("fallback_to_seq", Value::from(checked.fallback_to_seq())),
                ("outputs", Value::Object(result.outputs.clone().into())),
                (
                    "keys",
                    Value::array(
                        result
                            .outputs
                            .iter()
                            .map(|(key, _)| Value::from(key))
                            .collect(),
                    ),
                ),
            ];
            for (key, found) in found {
                if let Some(expected) = expect.get(key)
                    && registry::digest::of_value(expected) != registry::digest::of_value(&found)
                {
                    differ(key, &expected.to_string(), &found.to_string());
                }
            }
            differ("status", "success", result.status.as_str());
        }
    }
    for (key, there) in [("absent", false), ("present", true)] {
        for file in items(expect, key).unwrap_or_default() {
            let found = folder.path().join(text(&file)).exists();
            differ(
                key,
                &format!("{} {there}", text(&file)),
                &format!("{} {found}", text(&file)),
            );
        }
    }
    faults
}

#[test]
fn every_case_holds() {
    let document = document::parse_yaml(CASES).expect("a document");
    let cases = items(&document.value, "cases").expect("cases");
    assert!(cases.len() >= 20, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let id = text(case.get("id").expect("an id"));
        wrong.extend(
            faults(case)
                .into_iter()
                .map(|fault| format!("{id}: {fault}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A case that does not hold is noticed, whatever it expects.
#[test]
fn what_does_not_hold_is_noticed() {
    let script = "script: \"a = calculate(expression='1')\\n\"";
    for (expect, part) in [
        ("problems: [nothing]", "problems: "),
        ("waves: [[b]]", "waves: "),
        ("mode_used: seq", "mode_used: "),
        ("fallback_to_seq: true", "fallback_to_seq: "),
        ("outputs: {a: 2}", "outputs: "),
        ("keys: [b]", "keys: "),
        ("absent: [a.txt]", "absent: "),
        ("present: [c.txt]", "present: "),
    ] {
        let case = format!("id: x\ngiven: {{{script}}}\nexpect: {{{expect}}}\n");
        let case = document::parse_yaml(&case).expect("a case");
        let found = faults(&case.value);
        assert!(
            found.len() == 1 && found[0].starts_with(part),
            "{expect}: {found:?}"
        );
    }
    let refused = "id: x\ngiven: {script: \"a = 5\\n\"}\nexpect: {blocked: [x]}\n";
    let refused = document::parse_yaml(refused).expect("a case");
    assert_eq!(
        faults(&refused.value).len(),
        2,
        "refused, and another tool blocked"
    );
}
