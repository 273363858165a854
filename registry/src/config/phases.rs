//! Reads what a configuration says of phases, provider profiles and budgets.

use super::part::{Part, Table, set};
use crate::model::{Budget, ProviderProfile};
use crate::model::{Confinement, Phase, Selection, Selector, Tools};

/// Most turns that can be written: enough for any run, and no number that overflows elsewhere.
const TURNS_MAX: i64 = 1_000_000;

const PHASE: [&str; 8] = [
    "name",
    "agents",
    "parallel",
    "required",
    "depends_on",
    "tools",
    "agent_tools",
    "limits",
];

/// Keys of pipelines, which are run by no command yet: a gate that does not gate is worse than none.
const PIPELINE: [&str; 5] = [
    "gate",
    "flag_profile",
    "failure_mode",
    "min_count",
    "retry_policy",
];

pub(super) fn phase(mut part: Part<'_>) -> Option<Phase> {
    let place = part.place();
    for key in PIPELINE {
        if part.take(key) {
            let message =
                format!("`{key}` has no effect yet: no command runs the phases as a pipeline");
            part.child_key(key).report_with(
                message,
                "leave it out; a person's yes is an `ask` rule, or `approval: required` in a plan",
            );
        }
    }
    let mut table = part.into_table(&PHASE)?;
    const NAME: &str = "a phase needs its `name`: letters, digits, `.`, `_` and `-`";
    let name = table.text("name");
    table.need("name", NAME);
    if name.as_ref().is_some_and(|name| !is_name(name)) {
        table.report(NAME);
    }
    let mut found = Phase {
        name: name.unwrap_or_default(),
        agents: table.selectors("agents").unwrap_or_default(),
        parallel: false,
        required: true,
        depends_on: table.selectors("depends_on").unwrap_or_default(),
        selection: Selection::default(),
        agent_selections: Vec::new(),
        place: Some(place),
    };
    set(&mut found.parallel, table.truth("parallel"));
    set(&mut found.required, table.truth("required"));
    if let Some(said) = table.within("tools", selection).flatten() {
        found.selection = said;
    }
    table.each_named("agent_tools", |agent, part| {
        let place = Some(part.place());
        let agent = Selector { text: agent, place };
        found
            .agent_selections
            .extend(selection(part).map(|said| (agent, said)));
    });
    let turns = table.within("limits", limits).flatten();
    match (turns, found.selection.max_turns) {
        (Some(a), Some(b)) if a != b => table.report(format!(
            "`limits.max_turns` is {a} and `tools.max_turns` is {b}: say it once"
        )),
        (Some(turns), _) => found.selection.max_turns = Some(turns),
        (None, _) => {}
    }
    Some(found)
}

/// What an agent, a phase or an agent in a phase selects.
pub(super) fn selection(part: Part<'_>) -> Option<Selection> {
    let place = part.place();
    let mut table = part.into_table(&[
        "toolset",
        "internal",
        "tools",
        "mcp",
        "permission",
        "max_turns",
        "inherit",
    ])?;
    let mut listed = table.selectors("internal");
    if let Some(list) = table.selectors("tools") {
        if listed.is_some() {
            table.report("`tools` and `internal` mean the same: use one");
        }
        listed = Some(list);
    }
    let named = table.selector("toolset");
    if listed.is_some() && named.is_some() {
        table.report("a selection has a list of tools or a `toolset`, not both");
    }
    let permission = table
        .one_of(
            "permission",
            Confinement::ALL.map(Confinement::as_str).as_slice(),
        )
        .and_then(|text| Confinement::parse(&text));
    let max_turns = turns(&mut table);
    Some(Selection {
        tools: named.map(Tools::Toolset).or(listed.map(Tools::List)),
        external: table.selectors("mcp"),
        permission,
        max_turns,
        inherit: table.truth("inherit").unwrap_or(true),
        place: Some(place),
    })
}

fn turns(table: &mut Table<'_>) -> Option<u32> {
    let turns = table.count("max_turns")?;
    if i64::try_from(turns).is_ok_and(|turns| turns <= TURNS_MAX) {
        return u32::try_from(turns).ok();
    }
    table.report(format!("`max_turns` is at most {TURNS_MAX}"));
    None
}

fn limits(part: Part<'_>) -> Option<u32> {
    turns(&mut part.into_table(&["max_turns"])?)
}

pub(super) fn profile(name: String, part: Part<'_>) -> Option<ProviderProfile> {
    let place = part.place();
    let mut table = part.into_table(&["prefer", "enable", "disable"])?;
    Some(ProviderProfile {
        name,
        prefer: table.selectors("prefer").unwrap_or_default(),
        enable: table.selectors("enable").unwrap_or_default(),
        disable: table.selectors("disable").unwrap_or_default(),
        place: Some(place),
    })
}

pub(super) fn budget(task: String, part: Part<'_>) -> Option<Budget> {
    let place = part.place();
    let mut table = part.into_table(&["read", "write", "exec", "llm", "overrides"])?;
    Some(Budget {
        task,
        read: table.count("read"),
        write: table.count("write"),
        exec: table.count("exec"),
        llm: table.count("llm"),
        overrides: table.count("overrides"),
        place: Some(place),
    })
}

/// A name that is one word wherever it is written.
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}
