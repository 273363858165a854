//! Random configurations and callers on the twelve tools, as plain data: what two evaluators of policy are compared on.

use proptest::prelude::*;
use proptest::sample::select;

use super::samples::{CATALOGUE, SELECTORS, decisions, meant, shown};
use super::*;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    Nothing,
    Path(&'static str),
    Words(&'static str),
    AtLeast(f64),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RandomRule {
    pub(super) tools: Vec<&'static str>,
    pub(super) condition: Condition,
    pub(super) role: Option<&'static str>,
    pub(super) decision: Verdict,
    pub(super) priority: i64,
    pub(super) max_bytes: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RandomLayer {
    pub(super) level: Level,
    pub(super) name: &'static str,
    pub(super) allow: Option<Vec<&'static str>>,
    pub(super) deny: Vec<&'static str>,
    pub(super) rules: Vec<RandomRule>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct RandomSelection {
    pub(super) tools: Option<Vec<&'static str>>,
    pub(super) permission: Option<Confinement>,
    pub(super) inherit: bool,
}

/// A configuration, and a caller.
#[derive(Debug, Clone)]
pub(super) struct Random {
    pub(super) role: Vec<&'static str>,
    pub(super) role_deny: Vec<&'static str>,
    pub(super) toolset: Option<Vec<&'static str>>,
    pub(super) layers: Vec<RandomLayer>,
    /// What the phase `p` and the agent `codex` in it say; the caller is in it, or in none.
    pub(super) phase: Option<(RandomSelection, Option<RandomSelection>)>,
    pub(super) agent: bool,
    pub(super) task: Option<&'static str>,
    pub(super) enable: Vec<&'static str>,
    pub(super) disable: Vec<&'static str>,
    pub(super) delegation: Option<RandomLayer>,
    pub(super) ready: bool,
    pub(super) read_only: bool,
    pub(super) no_web: bool,
}

fn selectors(most: usize) -> impl Strategy<Value = Vec<&'static str>> {
    let texts: Vec<&'static str> = SELECTORS.iter().map(|(text, _)| *text).collect();
    prop::collection::vec(select(texts), 0..=most)
}

fn rule(narrowing: bool) -> impl Strategy<Value = RandomRule> {
    let condition = prop_oneof![
        3 => Just(Condition::Nothing),
        1 => select(vec!["out", "data", "data/x/deep"]).prop_map(Condition::Path),
        1 => select(vec!["git", "rm"]).prop_map(Condition::Words),
        1 => select(vec![3.0, 7.0]).prop_map(Condition::AtLeast),
    ];
    let decisions = match narrowing {
        true => vec![Verdict::Ask, Verdict::Deny],
        false => vec![Verdict::Allow, Verdict::Allow, Verdict::Ask, Verdict::Deny],
    };
    (
        selectors(2),
        condition,
        prop::option::weighted(0.2, select(vec!["worker", "other"])),
        select(decisions),
        0_i64..3,
        prop::option::weighted(0.2, 1_u64..100),
    )
        .prop_map(
            |(mut tools, condition, role, decision, priority, max_bytes)| {
                // A condition needs a tool that it can be about, and a rule needs a tool.
                tools.push(match condition {
                    Condition::Nothing if !tools.is_empty() => tools[0],
                    Condition::Nothing => "plot",
                    Condition::Path(_) => "read_file",
                    Condition::Words(_) => "run_shell",
                    Condition::AtLeast(_) => "calculate",
                });
                RandomRule {
                    tools,
                    condition,
                    role,
                    decision,
                    priority,
                    max_bytes,
                }
            },
        )
}

fn layer_of(
    level: Level,
    name: &'static str,
    narrowing: bool,
) -> impl Strategy<Value = RandomLayer> {
    let allow = prop::option::weighted(0.3, selectors(4));
    (
        allow,
        selectors(1),
        prop::collection::vec(rule(narrowing), 0..4),
    )
        .prop_map(move |(allow, deny, rules)| {
            let mut built = RandomLayer {
                level,
                name,
                allow,
                deny,
                rules,
            };
            if level == Level::Role {
                built.rules.iter_mut().for_each(|rule| rule.role = None);
            }
            // A rule on tools that its own layer hides does not load.
            let shown = built.shown();
            let mut rules = std::mem::take(&mut built.rules);
            rules.retain(|rule| meant(&rule.tools).iter().any(|tool| shown.contains(tool)));
            built.rules = rules;
            built
        })
}

pub(super) fn layer() -> impl Strategy<Value = RandomLayer> {
    let places = vec![
        (Level::Global, ""),
        (Level::User, ""),
        (Level::Role, "worker"),
        (Level::Role, "other"),
        (Level::Agent, "codex"),
        (Level::Agent, "claude"),
        (Level::Phase, "p"),
        (Level::Phase, "q"),
        (Level::Task, "tidy"),
        (Level::Task, "messy"),
        (Level::Delegation, ""),
    ];
    select(places).prop_flat_map(|(level, name)| layer_of(level, name, level == Level::Delegation))
}

fn selection() -> impl Strategy<Value = RandomSelection> {
    let permission = prop::option::of(select(Confinement::ALL.to_vec()));
    (
        prop::option::of(selectors(5)),
        permission,
        prop::bool::weighted(0.8),
    )
        .prop_map(|(tools, permission, inherit)| RandomSelection {
            tools,
            permission,
            inherit,
        })
}

/// A configuration with a caller.
pub(super) fn random() -> impl Strategy<Value = Random> {
    let role = prop_oneof![2 => Just(vec!["group:all"]), 1 => selectors(6)];
    let configured = (
        role,
        selectors(1),
        prop::option::weighted(0.3, selectors(6)),
        prop::collection::vec(layer(), 0..8),
        prop::option::of((selection(), prop::option::of(selection()))),
    );
    let tools = || {
        prop::collection::vec(
            select(vec!["plot", "read_file", "web_fetch", "edit_file"]),
            0..2,
        )
    };
    let caller = (
        any::<bool>(),
        prop::option::weighted(0.4, select(vec!["tidy", "math", "chat"])),
        tools(),
        tools(),
        prop::option::weighted(0.3, layer_of(Level::Delegation, "child", true)),
        prop::bool::weighted(0.9),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
    );
    (configured, caller).prop_map(|(configured, caller)| {
        let (role, role_deny, toolset, layers, phase) = configured;
        let (agent, task, enable, disable, delegation, ready, read_only, no_web) = caller;
        Random {
            role,
            role_deny,
            toolset,
            layers,
            phase,
            agent,
            task,
            enable,
            disable,
            delegation,
            ready,
            read_only,
            no_web,
        }
    })
}

impl RandomLayer {
    /// What it leaves of the twelve.
    pub(super) fn shown(&self) -> BTreeSet<&'static str> {
        let allowed = self
            .allow
            .as_ref()
            .map_or_else(|| meant(&["group:all"]), |allow| meant(allow));
        &allowed - &meant(&self.deny)
    }

    pub(super) fn to_layer(&self) -> PolicyLayer {
        let mut layer = PolicyLayer::new(self.level, self.name).deny(self.deny.iter().copied());
        if let Some(allow) = &self.allow {
            layer = layer.allow(allow.iter().copied());
        }
        self.rules
            .iter()
            .fold(layer, |layer, rule| layer.rule(rule.to_rule()))
    }
}

impl RandomRule {
    fn to_rule(&self) -> PolicyRule {
        let mut rule = PolicyRule::new(self.decision, self.tools.iter().copied());
        rule.priority = self.priority;
        rule.matches.role = self.role.map(str::to_owned);
        rule.obligations = self
            .max_bytes
            .map(Obligation::MaxBytes)
            .into_iter()
            .collect();
        match &self.condition {
            Condition::Nothing => {}
            Condition::Path(root) => rule = rule.path_under([*root]),
            Condition::Words(word) => rule = rule.argv_prefix([*word]),
            Condition::AtLeast(min) => {
                let range = NumberMatch {
                    argument: Some("x".to_owned()),
                    min: Some(*min),
                    max: None,
                };
                rule.matches.number = Some(range);
            }
        }
        rule
    }
}

fn list(texts: &[&str]) -> Vec<ToolSelector> {
    texts.iter().map(|text| ToolSelector::from(*text)).collect()
}

impl RandomSelection {
    fn to_selection(&self) -> CallerSelection {
        CallerSelection {
            tools: self.tools.as_ref().map(|tools| list(tools)),
            permission: self.permission,
            inherit: self.inherit,
            ..CallerSelection::default()
        }
    }
}

impl Random {
    pub(super) fn policy(&self) -> Policy {
        let role = |name: &str, tools: &[&str], deny: &[&str]| Role {
            name: name.to_owned(),
            tools: Some(list(tools)),
            deny: list(deny),
            ..Role::default()
        };
        let phase = |name: &str, said: Option<&(RandomSelection, Option<RandomSelection>)>| Phase {
            name: name.to_owned(),
            agents: list(&["codex", "claude"]),
            tools: said
                .map(|(phase, _)| phase.to_selection())
                .unwrap_or_default(),
            agent_tools: said
                .and_then(|(_, agent)| agent.as_ref())
                .map(|agent| CallerSelection {
                    name: "codex".to_owned(),
                    ..agent.to_selection()
                })
                .into_iter()
                .collect::<Vec<_>>()
                .into(),
            ..Phase::default()
        };
        let config = Config {
            roles: vec![
                role("worker", &self.role, &self.role_deny),
                role("other", &["group:all"], &[]),
            ]
            .into(),
            toolsets: vec![Toolset {
                name: "explicit".to_owned(),
                include: list(self.toolset.as_deref().unwrap_or_default()),
                ..Toolset::default()
            }]
            .into(),
            layers: self.layers.iter().map(RandomLayer::to_layer).collect(),
            phases: vec![phase("p", self.phase.as_ref()), phase("q", None)],
            ..Config::default()
        };
        // The layer of a task makes the task known.
        let tidy = [
            PolicyLayer::new(Level::Task, "tidy"),
            PolicyLayer::new(Level::Task, "messy"),
        ];
        let config = Config {
            layers: [config.layers.clone(), tidy.to_vec()].concat(),
            ..config
        };
        Policy::compile(&CATALOGUE, &config, &[])
            .unwrap_or_else(|errors| panic!("{errors}\n{self:?}"))
    }

    pub(super) fn who(&self) -> Principal {
        Principal {
            agent: self.agent.then(|| "codex".to_owned()),
            phase: self.phase.is_some().then(|| "p".to_owned()),
            task: self.task.map(str::to_owned),
            toolset: self.toolset.is_some().then(|| "explicit".to_owned()),
            session: ToolOverrides {
                enable: self.enable.iter().map(|name| (*name).to_owned()).collect(),
                ..ToolOverrides::default()
            },
            run: ToolOverrides {
                disable: self.disable.iter().map(|name| (*name).to_owned()).collect(),
                ..ToolOverrides::default()
            },
            layers: self.delegation.iter().map(RandomLayer::to_layer).collect(),
            ..Principal::role("worker")
        }
    }

    pub(super) fn facts(&self) -> RuntimeFacts {
        let held = [
            (self.ready, WORKSPACE_READY),
            (self.read_only, READ_ONLY),
            (self.no_web, NO_WEB),
        ];
        let held = held.iter().filter(|(holds, _)| *holds);
        held.fold(RuntimeFacts::default(), |facts, (_, fact)| facts.with(fact))
    }

    /// The decision on every sample, and what is visible.
    pub(super) fn decide(&self) -> (BTreeSet<String>, Vec<PolicyDecision>) {
        let policy = self.policy();
        let caller = policy
            .caller(&CATALOGUE, &self.who(), &self.facts())
            .unwrap();
        (shown(&caller), decisions(&caller))
    }
}
