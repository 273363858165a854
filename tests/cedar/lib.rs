//! The policy against [Cedar](https://www.cedarpolicy.com), an engine of policies that others wrote.
//!
//! Run with `cargo test -p against-cedar --features cedar`. Ten thousand random configurations, the generator of the
//! differential test of `registry`, are translated to policies and entities of Cedar; what is visible and the verdicts
//! on thirteen calls each are compared. What Cedar brings is its own reading of membership, scopes, `permit` and
//! `forbid`; what a configuration means is said once more here, in its language.
//!
//! Cedar knows allow and deny, and no order: any `forbid` wins over every `permit`, and without a `permit` it denies.
//! Three verdicts are two questions about one call, after a third one about the tool:
//!
//! | action | asks | allowed when the verdict is |
//! |---|---|---|
//! | `see` | is the tool visible | |
//! | `call` | may it run at all, a person asked or not | allow, ask |
//! | `run` | may it run without asking | allow; counts only where `call` is allowed |
//!
//! - Tools are members of sets, one for each selector; paths are folders in folders; the caller is a member of its role,
//!   agent, phase and task, and of the delegates if it is one. A layer's level is the scope of its policies.
//! - Selection: `permit` of `see` and `call`, one for each level, conditional on the levels before it; what each level
//!   says is an attribute of the caller.
//! - Layers: `forbid` of every action unless `allow` has the tool, and where `deny` has it.
//! - Rules: deny is `forbid` of `call`, ask is `forbid` of `run`, allow is `permit` of `run`. Cedar has no priorities: each
//!   is qualified by `unless` with the rules of higher priority in its layer.
//! - Defaults: `permit` of `run` for reading and pure tools, which an explicit ask or deny forbids; `forbid` of `run` for a
//!   destructive call, unless an `allow` of the global or a user layer names the tool.
//! - A policy that fails is skipped by Cedar; here any error ends the test.

#![cfg(all(test, feature = "cedar"))]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::LazyLock;

use cedar_policy::{Authorizer, Context, Entities, EntityUid, PolicySet, Request};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use registry::model::*;
use registry::policy::*;
use registry::{Catalogue, Config};
use serde_json::json;

// The generator and the calls are the same files that the tests of `registry` use.
#[allow(dead_code, reason = "what the other evaluator looks at")]
#[path = "../../registry/src/policy/tests/random.rs"]
mod random;
#[allow(dead_code, reason = "what the other evaluator looks at")]
#[path = "../../registry/src/policy/tests/samples.rs"]
mod samples;

use random::{Condition, Random, RandomLayer, RandomRule, RandomSelection, random};
use samples::{CATALOGUE, SAMPLES, SELECTORS, Sample};

fn twelve() -> Catalogue {
    Catalogue::new(&[fakes::TWELVE]).unwrap()
}

/// What holds in every configuration.
const FIXED: &str = r#"
permit (principal, action in [Action::"see", Action::"call"], resource)
when { principal.own.says && resource in principal.own.tools };
permit (principal, action in [Action::"see", Action::"call"], resource)
when { !principal.own.says && principal.own.inherits }
when { principal.toolset.says && resource in principal.toolset.tools };
permit (principal, action in [Action::"see", Action::"call"], resource)
when { !principal.own.says && principal.own.inherits && !principal.toolset.says }
when { principal.phase.says && resource in principal.phase.tools };
permit (principal, action in [Action::"see", Action::"call"], resource)
when { !principal.own.says && principal.own.inherits && !principal.toolset.says }
when { !principal.phase.says && principal.phase.inherits }
when { resource in principal.role.tools };
permit (principal, action in [Action::"see", Action::"call"], resource)
when { resource in principal.enabled };
forbid (principal, action, resource)
when { resource in principal.disabled };

forbid (principal, action, resource)
unless { resource in principal.role.tools };
forbid (principal, action, resource)
when { resource in principal.role_deny };

forbid (principal, action, resource in Set::"group:write")
when { PERMISSION == "read-only" || context.read_only };
forbid (principal, action, resource in Set::"group:web")
when { ["read-only", "workspace-write"].contains(PERMISSION) || context.no_web || principal in Task::"math" };
forbid (principal, action, resource in Set::"permission:filesystem")
unless { context.ready };

permit (principal, action == Action::"run", resource)
unless { resource in Set::"group:write" || resource in Set::"group:web" };
"#;

/// The permission of the first level that says one; in a phase there is always one.
const PERMISSION: &str = r#"(
    if principal.own.permission != "" then principal.own.permission
    else if principal.own.inherits && principal.phase.permission != "" then principal.phase.permission
    else if principal in Phase::"p" then "read-only"
    else "")"#;

/// The tools in their sets, and the folders of all paths.
static WORLD: LazyLock<Entities> = LazyLock::new(|| {
    let mut entities: Vec<serde_json::Value> = CATALOGUE
        .ids()
        .map(|id| {
            let sets = SELECTORS.iter().filter(|(_, tools)| tools.contains(&id));
            let parents: Vec<_> = sets.map(|(text, _)| uid("Set", text)).collect();
            json!({"uid": uid("Tool", id), "attrs": {}, "parents": parents})
        })
        .collect();
    let paths = SAMPLES.iter().filter_map(|sample| sample.path);
    let folders: BTreeSet<&str> = paths
        .chain(["out", "data", "data/x/deep"])
        .flat_map(|path| std::iter::successors(Some(path), |path| above(path)))
        .collect();
    entities.extend(folders.into_iter().map(|path| {
        let parents: Vec<_> = above(path)
            .map(|path| uid("Folder", path))
            .into_iter()
            .collect();
        json!({"uid": uid("Folder", path), "attrs": {}, "parents": parents})
    }));
    Entities::from_json_value(entities.into(), None).expect("entities")
});

fn above(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

fn uid(kind: &str, id: &str) -> serde_json::Value {
    json!({"type": kind, "id": id})
}

fn entity(kind: &str, id: &str) -> serde_json::Value {
    json!({"__entity": uid(kind, id)})
}

fn named(kind: &str, id: &str) -> EntityUid {
    EntityUid::from_json(uid(kind, id)).expect("a name")
}

/// Selectors, as sets of tools.
fn sets(selectors: &[&str]) -> serde_json::Value {
    selectors.iter().map(|text| entity("Set", text)).collect()
}

fn level(selection: Option<&RandomSelection>) -> serde_json::Value {
    let tools = selection.and_then(|level| level.tools.as_deref());
    let permission = selection.and_then(|level| level.permission);
    json!({
        "says": tools.is_some(),
        "tools": sets(tools.unwrap_or_default()),
        "inherits": selection.is_none_or(|level| level.inherit),
        "permission": permission.map_or("", Confinement::as_str),
    })
}

/// The caller, beside the world.
fn entities(random: &Random) -> Entities {
    let phase = random.phase.as_ref();
    let own = phase.and_then(|(_, own)| own.as_ref());
    let says = |tools: &Vec<&'static str>| RandomSelection {
        tools: Some(tools.clone()),
        permission: None,
        inherit: true,
    };
    let tools = |names: &[&str]| -> serde_json::Value {
        names.iter().map(|name| entity("Tool", name)).collect()
    };
    let parents: Vec<_> = [
        Some(uid("Role", "worker")),
        random.agent.then(|| uid("Agent", "codex")),
        phase.map(|_| uid("Phase", "p")),
        random.task.map(|task| uid("Task", task)),
        random.delegation.as_ref().map(|_| uid("Delegates", "all")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let caller = json!([{
        "uid": uid("Caller", "it"),
        "attrs": {
            "own": level(own.filter(|_| random.agent)),
            "toolset": level(random.toolset.as_ref().map(says).as_ref()),
            "phase": level(phase.map(|(phase, _)| phase)),
            "role": level(Some(&says(&random.role))),
            "role_deny": sets(&random.role_deny),
            "enabled": tools(&random.enable),
            "disabled": tools(&random.disable),
        },
        "parents": parents,
    }]);
    let world = WORLD.clone();
    world
        .add_entities_from_json_value(caller, None)
        .expect("a caller")
}

/// The policies of one configuration.
fn policies(random: &Random) -> String {
    let mut text = FIXED.replace("PERMISSION", PERMISSION);
    let mut waivers = Vec::new();
    for layer in random.layers.iter().chain(&random.delegation) {
        write_layer(layer, &mut text);
        if matches!(layer.level, Level::Global | Level::User) {
            waivers.extend(layer.rules.iter().filter_map(waiver));
        }
    }
    let waived = either(waivers);
    let _ = writeln!(
        text,
        "forbid (principal, action == Action::\"run\", resource)\nwhen {{ context.destroys }}\nunless {{ {waived} }};"
    );
    text
}

fn write_layer(layer: &RandomLayer, text: &mut String) {
    let name = layer.name;
    let scope = match layer.level {
        Level::Global | Level::User => "principal".to_owned(),
        Level::Role => format!("principal in Role::\"{name}\""),
        Level::Agent => format!("principal in Agent::\"{name}\""),
        Level::Phase => format!("principal in Phase::\"{name}\""),
        Level::Task => format!("principal in Task::\"{name}\""),
        Level::Delegation => "principal in Delegates::\"all\"".to_owned(),
    };
    let _ = writeln!(text, "// layer {} {name}", layer.level.as_str());
    if let Some(allow) = &layer.allow {
        let allow = in_sets(allow);
        let _ = writeln!(
            text,
            "forbid ({scope}, action, resource)\nunless {{ {allow} }};"
        );
    }
    let deny = in_sets(&layer.deny);
    let _ = writeln!(
        text,
        "forbid ({scope}, action, resource)\nwhen {{ {deny} }};"
    );
    for rule in &layer.rules {
        let (effect, action) = match rule.decision {
            Verdict::Deny => ("forbid", "call"),
            Verdict::Ask => ("forbid", "run"),
            Verdict::Allow => ("permit", "run"),
        };
        let higher = layer
            .rules
            .iter()
            .filter(|other| other.priority > rule.priority);
        let (holds, above) = (about(rule), either(higher.map(about)));
        let _ = writeln!(
            text,
            "{effect} ({scope}, action == Action::\"{action}\", resource)\nwhen {{ {holds} }}\nunless {{ {above} }};"
        );
    }
}

fn in_sets(selectors: &[&str]) -> String {
    let sets: Vec<String> = selectors
        .iter()
        .map(|text| format!("Set::\"{text}\""))
        .collect();
    format!("resource in [{}]", sets.join(", "))
}

fn either(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().map(|part| format!("({part})")).collect();
    match parts.is_empty() {
        true => "false".to_owned(),
        false => parts.join(" || "),
    }
}

/// When a rule is about the call.
fn about(rule: &RandomRule) -> String {
    let role = rule
        .role
        .map(|role| format!(" && principal in Role::\"{role}\""));
    let condition = match rule.condition {
        Condition::Nothing => String::new(),
        // A walk down a tree meets what lies in it, which `ask` and `deny` care for.
        Condition::Path(root) => {
            let around = match rule.decision {
                Verdict::Allow => String::new(),
                _ => format!(" || context.tree && Folder::\"{root}\" in context.path"),
            };
            format!(" && context has path && (context.path in Folder::\"{root}\"{around})")
        }
        Condition::Words(word) => {
            format!(" && context has program && context.program == \"{word}\"")
        }
        Condition::AtLeast(min) => format!(" && context has x && context.x >= {}", whole(min)),
    };
    in_sets(&rule.tools) + &role.unwrap_or_default() + &condition
}

/// When a rule lets a destructive call run: it allows, and names the very tool.
fn waiver(rule: &RandomRule) -> Option<String> {
    let ids = rule
        .tools
        .iter()
        .filter(|text| CATALOGUE.get(text).is_some());
    let ids: Vec<String> = ids
        .map(|id| format!("resource == Tool::\"{id}\""))
        .collect();
    (rule.decision == Verdict::Allow && !ids.is_empty())
        .then(|| format!("({}) && {}", either(ids), about(rule)))
}

/// Cedar has whole numbers only.
fn whole(number: f64) -> i64 {
    assert!(
        number.fract() == 0.0 && number.abs() < 1e9,
        "{number} is not whole"
    );
    number as i64
}

fn context(random: &Random, sample: Option<&Sample>) -> Context {
    let mut members = serde_json::Map::new();
    let mut add = |name: &str, value: serde_json::Value| members.insert(name.to_owned(), value);
    add("ready", random.ready.into());
    add("read_only", random.read_only.into());
    add("no_web", random.no_web.into());
    if let Some(sample) = sample {
        add("tree", sample.tree.into());
        add("destroys", sample.destroys.into());
        if let Some(path) = sample.path {
            add("path", entity("Folder", path));
        }
        if let Some(program) = sample.words.first() {
            add("program", (*program).into());
        }
        if let Some(x) = sample.x {
            add("x", whole(x).into());
        }
    }
    Context::from_json_value(members.into(), None).expect("a context")
}

/// One configuration, for Cedar.
struct Translated<'a> {
    random: &'a Random,
    text: String,
    policies: PolicySet,
    entities: Entities,
}

impl<'a> Translated<'a> {
    fn of(random: &'a Random) -> Self {
        let text = policies(random);
        Self {
            policies: text.parse().unwrap_or_else(|err| panic!("{err}\n{text}")),
            entities: entities(random),
            random,
            text,
        }
    }

    fn allows(&self, action: &str, tool: &str, sample: Option<&Sample>) -> bool {
        let (caller, action, tool) = (
            named("Caller", "it"),
            named("Action", action),
            named("Tool", tool),
        );
        let request = Request::new(caller, action, tool, context(self.random, sample), None);
        let request = request.expect("a request");
        let response = Authorizer::new().is_authorized(&request, &self.policies, &self.entities);
        let errors: Vec<String> = (response.diagnostics().errors())
            .map(ToString::to_string)
            .collect();
        assert!(errors.is_empty(), "{errors:?}\n{}", self.text);
        response.decision() == cedar_policy::Decision::Allow
    }

    fn visible(&self) -> BTreeSet<String> {
        CATALOGUE
            .ids()
            .filter(|tool| self.allows("see", tool, None))
            .map(str::to_owned)
            .collect()
    }

    fn verdict(&self, sample: &Sample) -> Verdict {
        let asks = |action| self.allows(action, sample.tool, Some(sample));
        match (asks("call"), asks("run")) {
            (false, _) => Verdict::Deny,
            (true, false) => Verdict::Ask,
            (true, true) => Verdict::Allow,
        }
    }
}

#[test]
fn cedar_decides_ten_thousand_random_configurations_alike() {
    let config = ProptestConfig {
        cases: 10_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let seen = std::cell::RefCell::new([0_u32; 3]);
    let result = TestRunner::new(config).run(&random(), |random| {
        let (visible, decisions) = random.decide();
        let cedar = Translated::of(&random);
        prop_assert_eq!(
            visible,
            cedar.visible(),
            "visible (ours left, Cedar's right)\n{}",
            cedar.text
        );
        for (sample, decision) in SAMPLES.iter().zip(decisions) {
            let verdict = cedar.verdict(sample);
            prop_assert_eq!(
                decision.verdict,
                verdict,
                "{} {} (ours left, Cedar's right): {:?}\n{}",
                sample.tool,
                sample.args,
                decision,
                cedar.text
            );
            seen.borrow_mut()[verdict as usize] += 1;
        }
        Ok(())
    });
    result.unwrap_or_else(|fault| panic!("{fault}"));
    let seen = seen.into_inner();
    assert!(
        seen.iter().all(|count| *count > 5_000),
        "the cases are one-sided: {seen:?}"
    );
}
