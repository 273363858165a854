//! What steps use, by its real identity: plans against a real workspace.

#![expect(
    clippy::disallowed_methods,
    reason = "tests prepare the workspace from outside"
)]

use std::os::unix::fs::symlink;
use std::path::Path;

use chain_runtime::{Plan, RunOptions};
use mathchain::registry::ApprovalAnswer;
use mathchain::{CallContext, Toolkit};
use tool_core::{ErrorCode, Object};

fn toolkit(root: &Path, state: &Path) -> Toolkit {
    Toolkit::builder()
        .workspace(root)
        .state(state)
        .build()
        .expect("builds")
}

fn context() -> CallContext {
    CallContext {
        answer: ApprovalAnswer::Yes,
        ..CallContext::default()
    }
}

/// A plan that writes one path and reads another, side by side if they were two files.
fn write_and_read(write: &str, read: &str) -> Plan {
    Plan::parse(&format!(
        "version: 1\nparallel_mutations: true\nsteps:\n  - {{id: w, tool: write_file, args: {{path: {write}, content: new, mode: overwrite}}}}\n  - {{id: r, tool: read_file, args: {{path: {read}}}}}\n"
    ))
    .expect("a plan")
}

/// Case T11: a path through a link, and another name of the same file, are the same resource.
#[test]
fn links_and_other_names_are_the_same_file() {
    let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::create_dir(root.path().join("d")).unwrap();
    std::fs::write(root.path().join("d/x"), "old").unwrap();
    std::fs::write(root.path().join("d/y"), "other").unwrap();
    symlink("d", root.path().join("l")).unwrap();
    std::fs::hard_link(root.path().join("d/x"), root.path().join("hard")).unwrap();
    let toolkit = toolkit(root.path(), state.path());
    for (write, read, together) in [
        ("d/x", "l/x", false),
        ("l/x", "d/x", false),
        ("d/x", "hard", false),
        ("d/x", "d/y", true),
        ("d/x", "l/y", true),
    ] {
        let plan = write_and_read(write, read);
        let checked = toolkit
            .check(
                &context(),
                &plan,
                &Object::new(),
                chain_runtime::CheckMode::Run,
            )
            .unwrap();
        let waves = if together { 1 } else { 2 };
        assert_eq!(checked.graph.waves().len(), waves, "{write} {read}");
    }
}

/// Case T12: a link that points elsewhere when the step runs is noticed; what it leads to is not read. (Writes follow no link.)
#[test]
fn a_link_that_moved_since_the_check_is_refused() {
    let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in ["a", "b"] {
        std::fs::create_dir(root.path().join(folder)).unwrap();
        std::fs::write(root.path().join(folder).join("x"), folder).unwrap();
    }
    let link = root.path().join("l");
    symlink("a", &link).unwrap();
    let toolkit = toolkit(root.path(), state.path());
    let plan = Plan::parse(
        "version: 1\nsteps:\n  - {id: r, tool: read_file, args: {path: l/x}}\noutputs: {text: {$ref: r.content}}\n",
    )
    .expect("a plan");
    let run = |checked| {
        chain_runtime::run_checked_plan(&checked, &toolkit.dispatcher(), RunOptions::default())
    };
    let checked = toolkit
        .check(
            &context(),
            &plan,
            &Object::new(),
            chain_runtime::CheckMode::Run,
        )
        .unwrap();
    std::fs::remove_file(&link).unwrap();
    symlink("b", &link).unwrap();
    let result = run(checked);
    let error = result.error.expect("refused");
    assert_eq!(error.code(), ErrorCode::ResourceChanged, "{error:?}");
    assert!(result.outputs.get("text").is_none());
    // As it stands now it is fine.
    let result = run(toolkit
        .check(
            &context(),
            &plan,
            &Object::new(),
            chain_runtime::CheckMode::Run,
        )
        .unwrap());
    assert_eq!(
        result
            .outputs
            .get("text")
            .and_then(tool_core::Value::as_str),
        Some("b")
    );
}

/// What a request sends does not say where: one reference in it keeps nothing else waiting. What could be anywhere waits.
#[test]
fn resources_follow_from_the_arguments_that_name_them() {
    let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let toolkit = toolkit(root.path(), state.path());
    let check = |steps: &str| {
        let steps = format!(
            "version: 1\nsteps:\n  - {{id: a, tool: json_query, args: {{data: [1], query: \"[0]\"}}}}\n{steps}  - {{id: b, tool: statistics, args: {{data: [1, 2]}}}}\n"
        );
        let plan = Plan::parse(&steps).expect("a plan");
        toolkit
            .check(
                &context(),
                &plan,
                &Object::new(),
                chain_runtime::CheckMode::Run,
            )
            .unwrap()
    };
    let checked = check(
        "  - {id: p, tool: http_post, args: {url: \"https://example.org/x\", data: {$ref: a.result}}}\n  - {id: same, tool: http_get, args: {url: \"https://example.org/y\", headers: {x: {$ref: a.result}}}}\n  - {id: other, tool: http_get, args: {url: \"https://example.com/y\", headers: {x: {$ref: a.result}}}}\n  - {id: any, tool: http_get, args: {url: {$ref: a.result}}}\n",
    );
    assert_eq!(checked.fallback_reason, None);
    let wave = |id: &str| checked.graph.wave(checked.position(id).unwrap());
    let waves = ["a", "p", "same", "other", "any", "b"].map(wave);
    assert_eq!(waves, [0, 1, 2, 1, 2, 0]);
    let explained = checked.explain_text();
    assert!(
        explained.contains("write host:example.org:443"),
        "{explained}"
    );
    for (step, reason) in [
        (
            "apply_patch, args: {patch: {$ref: a.result}}",
            "step `p` names the resource at `/patch` only when it runs",
        ),
        (
            "http_post, args: {url: {$ref: a.result}}",
            "step `p` names the resource at `/url` only when it runs",
        ),
    ] {
        let checked = check(&format!("  - {{id: p, tool: {step}}}\n"));
        assert_eq!(checked.fallback_reason.as_deref(), Some(reason));
        assert!(checked.explain_text().contains(reason));
    }
}

/// The arguments from which a tool says its resources follow are all that they follow from.
#[test]
fn tools_say_truly_from_which_arguments_resources_follow() {
    let mut seen = 0;
    for tool in crate::shapes::tools() {
        let Some(by) = tool.spec().keyed_by else {
            continue;
        };
        for example in tool.examples() {
            let keys =
                |args: &tool_core::Value| tool.decode(args).and_then(|call| call.resources());
            let Ok(expected) = keys(&example.args) else {
                continue;
            };
            let args = example.args.as_object().expect("arguments");
            let others = args.iter().map(|(name, _)| name.to_owned());
            for name in others.filter(|name| !by.contains(&&*format!("/{name}"))) {
                let mut less = args.clone();
                less.remove(&name);
                if let Ok(found) = keys(&tool_core::Value::Object(less.into())) {
                    assert_eq!(found, expected, "`{}` without `{name}`", tool.spec().id);
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 0);
}
