//! Reads what a configuration says of phases, provider profiles and budgets.

use super::part::{Part, Table, set};
use super::{Budget, ProviderProfile};
use crate::policy::{Confinement, FailureMode, Gate, GateKind, Phase, Selection, Selector, Tools};

/// Most turns that can be written: enough for any run, and no number that overflows elsewhere.
const TURNS_MAX: i64 = 1_000_000;

const PHASE: [&str; 13] = [
    "name",
    "agents",
    "parallel",
    "required",
    "depends_on",
    "tools",
    "agent_tools",
    "gate",
    "limits",
    "flag_profile",
    "failure_mode",
    "min_count",
    "retry_policy",
];

pub(super) fn phase(part: Part<'_>) -> Option<Phase> {
    let place = part.place();
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
        gate: None,
        flag_profile: None,
        failure_mode: FailureMode::default(),
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
    found.gate = table.within("gate", gate).flatten();
    let turns = table.within("limits", limits).flatten();
    match (turns, found.selection.max_turns) {
        (Some(a), Some(b)) if a != b => table.report(format!(
            "`limits.max_turns` is {a} and `tools.max_turns` is {b}: say it once"
        )),
        (Some(turns), _) => found.selection.max_turns = Some(turns),
        (None, _) => {}
    }
    found.flag_profile = table.text("flag_profile");
    if found
        .flag_profile
        .as_ref()
        .is_some_and(|name| !is_name(name))
    {
        table.report("`flag_profile` is a name of letters, digits, `.`, `_` and `-` that begins with a letter or digit");
    }
    found.failure_mode = failure_mode(&mut table);
    let retried = table
        .within("retry_policy", |part| {
            let mut table = part.into_table(&["max_retries", "failure_mode", "min_count"])?;
            table.count("max_retries");
            Some((table.has("failure_mode"), failure_mode(&mut table)))
        })
        .flatten();
    if let Some((true, mode)) = retried {
        if table.has("failure_mode") && mode != found.failure_mode {
            table.report("`failure_mode` stands here and in `retry_policy`: say it once");
        }
        found.failure_mode = mode;
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

fn gate(part: Part<'_>) -> Option<Gate> {
    let mut table = part.into_table(&["kind", "prompt"])?;
    let kind = table.one_of("kind", GateKind::ALL.map(GateKind::as_str).as_slice());
    table.need("kind", "a gate needs its `kind`");
    let prompt = table.text("prompt");
    let kind = GateKind::ALL
        .into_iter()
        .find(|known| Some(known.as_str()) == kind.as_deref())?;
    Some(Gate { kind, prompt })
}

fn failure_mode(table: &mut Table<'_>) -> FailureMode {
    let least = table.count("min_count");
    let mode = table.one_of(
        "failure_mode",
        &["fail_fast", "continue", "require_minimum"],
    );
    match mode.as_deref() {
        Some("require_minimum") => match least.and_then(|least| u32::try_from(least).ok()) {
            Some(least) if least > 0 => FailureMode::RequireMinimum(least),
            _ => {
                table.report("`require_minimum` needs `min_count`, at least 1");
                FailureMode::FailFast
            }
        },
        other => {
            if least.is_some() {
                table.report("`min_count` belongs to `failure_mode = \"require_minimum\"`");
            }
            if other == Some("continue") {
                FailureMode::Continue
            } else {
                FailureMode::FailFast
            }
        }
    }
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
