//! What holds of every policy: properties on random configurations, beside the exhaustive ones of `algebra.rs`.

use proptest::prelude::*;
use tool_core::{AnyTool, Capability, Determinism, Effect, Permission, Spec, ToolError, json};

use super::random::*;
use super::samples::*;
use super::*;
use crate::fakes::World;

/// The layer says nothing of a call; what a place in a file is worth is compared elsewhere.
fn verdicts(decisions: &[PolicyDecision]) -> Vec<(Verdict, JoinedObligations)> {
    decisions
        .iter()
        .map(|one| (one.verdict, one.obligations))
        .collect()
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// Adding a layer shows nothing more, and never lowers what an explicit rule said.
    #[test]
    fn a_further_layer_never_widens(random in random(), further in layer()) {
        let (visible, decisions) = random.decide();
        let mut more = random;
        more.layers.push(further);
        let (visible_then, decisions_then) = more.decide();
        prop_assert!(visible_then.is_subset(&visible));
        for (before, after) in decisions.iter().zip(&decisions_then) {
            if before.rule.is_some() || before.verdict == Verdict::Deny {
                prop_assert!(after.verdict >= before.verdict, "{before:?} became {after:?}");
            }
        }
    }

    /// A denial holds whatever else is there: of a tool by a layer, of a call by a rule.
    #[test]
    fn a_denial_dominates(random in random(), tool in 0..SAMPLES.len(), hide in any::<bool>()) {
        let name = SAMPLES[tool].tool;
        let mut denied = random;
        let rule = RandomRule { tools: vec![name], condition: Condition::Nothing, role: None, decision: Verdict::Deny, priority: 0, max_bytes: None };
        let deny = RandomLayer {
            level: Level::Global,
            name: "",
            allow: None,
            deny: if hide { vec![name] } else { vec![] },
            rules: if hide { vec![] } else { vec![rule] },
        };
        // Neither names nor priorities of other layers reach over it.
        denied.layers.insert(0, deny);
        prop_assume!(SELECTORS.iter().any(|(text, _)| *text == name));
        prop_assert_eq!(denied.decide().1[tool].verdict, Verdict::Deny);
    }

    /// The order of layers means nothing, and a layer given twice is given once.
    #[test]
    fn neither_order_nor_number_of_layers_counts(random in random(), seed in any::<u64>()) {
        let (visible, decisions) = random.decide();
        let mut shuffled = random.clone();
        let mut state = seed;
        for last in (1..shuffled.layers.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.layers.swap(last, usize::try_from(state >> 33).unwrap() % (last + 1));
        }
        let then = shuffled.decide();
        prop_assert_eq!(&then.0, &visible);
        prop_assert_eq!(verdicts(&then.1), verdicts(&decisions));
        let mut doubled = random;
        doubled.layers.extend(doubled.layers.clone());
        let then = doubled.decide();
        prop_assert_eq!(&then.0, &visible);
        prop_assert_eq!(verdicts(&then.1), verdicts(&decisions));
    }

    /// What is visible is in every `allow` that holds; an empty one leaves nothing.
    #[test]
    fn what_is_visible_is_in_every_allow(random in random()) {
        let (visible, _) = random.decide();
        let always = |layer: &&RandomLayer| matches!(layer.level, Level::Global | Level::User);
        for layer in random.layers.iter().filter(always) {
            let allow = layer.allow.as_ref().map(|allow| meant(allow));
            prop_assert!(allow.is_none_or(|allow| visible.iter().all(|tool| allow.contains(tool.as_str()))));
        }
        let role = meant(&random.role);
        prop_assert!(visible.iter().all(|tool| role.contains(tool.as_str())));
        let mut emptied = random;
        emptied.layers.push(RandomLayer { level: Level::User, name: "", allow: Some(vec![]), deny: vec![], rules: vec![] });
        let (visible, decisions) = emptied.decide();
        prop_assert!(visible.is_empty());
        prop_assert!(decisions.iter().all(|decision| decision.verdict == Verdict::Deny));
    }

    /// A delegate has nothing that its parent has not, no verdict below the parent's and no looser limit.
    #[test]
    fn a_delegate_is_never_above_its_parent(mut random in random()) {
        let child = random.decide();
        let Some(_) = random.delegation.take() else { return Ok(()) };
        let parent = random.decide();
        prop_assert!(child.0.is_subset(&parent.0));
        for (parent, child) in parent.1.iter().zip(&child.1) {
            prop_assert!(child.verdict >= parent.verdict, "{parent:?} became {child:?}");
            if child.verdict < Verdict::Deny {
                let (inner, outer) = (child.obligations.max_bytes, parent.obligations.max_bytes);
                prop_assert!(outer.is_none_or(|outer| inner.is_some_and(|inner| inner <= outer)));
            }
        }
    }

    /// The list is exactly what is not hidden, asked for together or one by one; an unknown tool is never in it.
    #[test]
    fn the_list_is_what_calls_find(random in random()) {
        let policy = random.policy();
        let caller = policy.caller(&CATALOGUE, &random.who(), &random.facts()).unwrap();
        let listed: Vec<usize> = caller.listed().collect();
        let set: BTreeSet<usize> = listed.iter().copied().collect();
        prop_assert_eq!(set.len(), listed.len(), "a tool is listed twice");
        for tool in 0..CATALOGUE.len() {
            let hidden = caller.hidden(&CATALOGUE, tool);
            prop_assert_eq!(hidden.is_none(), set.contains(&tool));
            if let Some(hidden) = hidden {
                prop_assert_eq!(caller.decide(&CATALOGUE, tool, None, None), hidden.clone());
                prop_assert!(!hidden.reason.is_empty() && !hidden.layer.is_empty());
            }
        }
        for unknown in [CATALOGUE.len(), 63, 64, 1_000] {
            prop_assert!(!caller.visible().contains(unknown));
        }
    }

    /// Without the layer that a decision names, the verdict is lower, or another names itself.
    #[test]
    fn the_layer_that_is_named_is_the_one_that_decides(random in random()) {
        for (at, decision) in random.decide().1.iter().enumerate() {
            let named = |layer: &RandomLayer| layer.to_layer().title() == decision.layer;
            prop_assert!(decision.verdict == Verdict::Allow || !decision.reason.is_empty());
            // A role and a phase also select, and that has their name too.
            let selects = ["role `worker`", "phase `p`"].contains(&decision.layer.as_str());
            if decision.verdict == Verdict::Allow || selects || !random.layers.iter().any(named) {
                continue;
            }
            let mut without = random.clone();
            without.layers.retain(|layer| !named(layer));
            let then = without.decide().1.swap_remove(at);
            // A question that a default asks may come back where an explicit rule answered it more mildly.
            prop_assert!(then.verdict <= decision.verdict, "{decision:?} became {then:?}");
            prop_assert_ne!(&then.layer, &decision.layer);
        }
    }
}

/// A layer as a configuration writes it.
fn print(layer: &RandomLayer) -> String {
    let quoted = |text: &str| format!("\"{text}\"");
    let list = |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
        format!("[{}]", texts.join(","))
    };
    let mut members = vec![format!("\"level\":{}", quoted(layer.level.as_str()))];
    if !layer.name.is_empty() {
        members.push(format!("\"name\":{}", quoted(layer.name)));
    }
    members.extend(
        layer
            .allow
            .as_ref()
            .map(|allow| format!("\"allow\":{}", list(allow))),
    );
    members.push(format!("\"deny\":{}", list(&layer.deny)));
    let rule = |rule: &RandomRule| {
        let mut matches = vec![format!("\"tools\":{}", list(&rule.tools))];
        matches.extend(rule.role.map(|role| format!("\"role\":{}", quoted(role))));
        matches.extend(match &rule.condition {
            Condition::Nothing => None,
            Condition::Path(root) => Some(format!("\"path\":{{\"under\":{}}}", quoted(root))),
            Condition::Words(word) => Some(format!("\"argv\":{{\"prefix\":[{}]}}", quoted(word))),
            Condition::AtLeast(min) => {
                Some(format!("\"number\":{{\"argument\":\"x\",\"min\":{min}}}"))
            }
        });
        let bytes = rule
            .max_bytes
            .map(|bytes| format!("{{\"max_bytes\":{bytes}}}"));
        format!(
            "{{\"match\":{{{}}},\"decision\":\"{}\",\"priority\":{},\"obligations\":[{}]}}",
            matches.join(","),
            rule.decision,
            rule.priority,
            bytes.unwrap_or_default()
        )
    };
    let rules: Vec<String> = layer.rules.iter().map(rule).collect();
    members.push(format!("\"rules\":[{}]", rules.join(",")));
    format!("{{{}}}", members.join(","))
}

/// A layer without its places in the file.
fn bare(mut layer: PolicyLayer) -> PolicyLayer {
    layer.place = None;
    let lists = layer.allow.iter_mut().flatten().chain(&mut layer.deny);
    lists.for_each(|selector| selector.place = None);
    for rule in &mut layer.rules {
        rule.place = None;
        rule.matches
            .tools
            .iter_mut()
            .for_each(|selector| selector.place = None);
    }
    layer
}

/// A tool that is nothing but its spec.
struct Claims(Spec);

impl AnyTool for Claims {
    fn spec(&self) -> &Spec {
        &self.0
    }
    fn description(&self) -> String {
        String::new()
    }
    fn input_schema(&self) -> tool_core::schema::Schema {
        tool_core::schema::Schema::Null
    }
    fn output_schema(&self) -> tool_core::schema::Schema {
        tool_core::schema::Schema::Null
    }
    fn examples(&self) -> Vec<tool_core::tool::ErasedExample> {
        Vec::new()
    }
    fn decode(&self, _: &Value) -> Result<Box<dyn tool_core::ToolCall>, ToolError> {
        Err(ToolError::new(ErrorCode::Internal, "it is never called"))
    }
}

/// Names for as many tools as a random catalogue has.
const NAMES: [&str; 8] = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"];

fn spec() -> impl Strategy<Value = Spec> {
    fn some<T: Copy + std::fmt::Debug + 'static>(
        all: &'static [T],
    ) -> impl Strategy<Value = &'static [T]> {
        // Specs are static; what a test of some hundred cases leaks is little.
        proptest::sample::subsequence(all, 0..=all.len()).prop_map(|found| &*found.leak())
    }
    const CAPABILITIES: &[Capability] = &[
        Capability::FilesRead,
        Capability::FilesWrite,
        Capability::Http,
        Capability::Spawn,
        Capability::State,
    ];
    let sets = (some(Effect::ALL), some(Permission::ALL), some(CAPABILITIES));
    (sets, proptest::sample::select(Category::ALL), any::<bool>()).prop_map(
        |((effects, permissions, capabilities), category, destructive)| Spec {
            title: "claims",
            category,
            effects,
            permissions,
            capabilities,
            destructive: destructive && !effects.is_empty(),
            determinism: Determinism::External,
            ..Spec::pure()
        },
    )
}

/// What each group means, in other words than those of the code.
fn belongs(group: &str, spec: &Spec) -> bool {
    let effect = |wanted: &[Effect]| wanted.iter().any(|one| spec.effects.contains(one));
    let holds = |wanted: &[Capability]| wanted.iter().any(|one| spec.capabilities.contains(one));
    let needs = |wanted: &[Permission]| wanted.iter().any(|one| spec.permissions.contains(one));
    let network = effect(&[Effect::NetworkAccess])
        || holds(&[Capability::Http])
        || needs(&[Permission::Network]);
    let uses = |used: &Capability| *used != Capability::Spawn;
    let of_world = spec.capabilities.iter().any(uses)
        || needs(&[
            Permission::Network,
            Permission::Filesystem,
            Permission::Shell,
            Permission::Workflow,
        ]);
    let of_host = holds(&[
        Capability::FilesRead,
        Capability::FilesWrite,
        Capability::Spawn,
    ]) || needs(&[Permission::Filesystem, Permission::Shell]);
    match group {
        "all" => true,
        "read" => {
            let asks_elsewhere = network || holds(&[Capability::Model]);
            spec.effects.is_empty() && of_world && !asks_elsewhere
        }
        "change" => {
            let of_items = needs(&[Permission::Workflow]);
            effect(&[
                Effect::ModifiesFiles,
                Effect::CallsLlm,
                Effect::NetworkAccess,
            ]) || !of_items && effect(&[Effect::LocalExec, Effect::SystemState])
        }
        "send" => effect(&[Effect::NetworkAccess]),
        "write" => {
            spec.destructive
                || effect(&[
                    Effect::LocalExec,
                    Effect::ModifiesFiles,
                    Effect::SystemState,
                ])
                || holds(&[Capability::FilesWrite])
        }
        "code" => spec.category == Category::Code || of_host && !network,
        "web" => spec.category == Category::Web || network,
        category => spec.category.as_str() == category,
    }
}

proptest! {
    #![proptest_config(config())]

    /// A group is what its predicate says of the specs, in `allow` as in `deny`.
    #[test]
    fn a_group_is_a_predicate_on_specs(specs in proptest::collection::vec(spec(), 1..8)) {
        let tools: Vec<std::sync::Arc<dyn AnyTool>> = specs
            .iter()
            .zip(NAMES)
            .map(|(spec, id)| std::sync::Arc::new(Claims(Spec { id, ..spec.clone() })) as std::sync::Arc<dyn AnyTool>)
            .collect();
        let catalogue = Catalogue::with_plugins(&[], &tools).unwrap();
        for group in ToolGroup::names() {
            let selector = format!("group:{group}");
            let expected: BTreeSet<String> = catalogue
                .iter()
                .filter(|tool| belongs(group, tool.spec()))
                .map(|tool| tool.spec().id.to_owned())
                .collect();
            let all: BTreeSet<String> = catalogue.ids().map(str::to_owned).collect();
            prop_assert_eq!(visible(&catalogue, &[global().allow([selector.as_str()])]).unwrap(), expected.clone(), "{}", group);
            prop_assert_eq!(visible(&catalogue, &[global().deny([selector.as_str()])]).unwrap(), &all - &expected, "{}", group);
        }
    }

    /// What is written of layers is read back as it was.
    #[test]
    fn layers_that_are_written_are_read_back(layers in proptest::collection::vec(layer(), 0..6)) {
        let written: Vec<String> = layers.iter().map(print).collect();
        let text = format!("{{\"version\":1,\"policies\":[{}]}}", written.join(","));
        let read = Config::parse("mathchain.json", &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let read: Vec<PolicyLayer> = read.layers.into_iter().map(bare).collect();
        let meant: Vec<PolicyLayer> = layers.iter().map(RandomLayer::to_layer).collect();
        prop_assert_eq!(read, meant);
    }

    /// An approval for one call is none for another: role and arguments are both in what it is bound to.
    #[test]
    fn an_approval_fits_one_call(
        first in ("[a-z]{1,3}", "[a-z]{0,3}", any::<bool>()),
        second in ("[a-z]{1,3}", "[a-z]{0,3}", any::<bool>()),
    ) {
        let world = World::new(&[fakes::TWELVE], "");
        let call = |(path, content, by_operator): &(String, String, bool)| {
            let role = if *by_operator { "operator" } else { "toolrunner" };
            let args = json::to_text(&Value::object([("path", path.as_str()), ("content", content.as_str())]));
            world.call(role, "write_file", &args)
        };
        call(&first);
        world.approvals.answer(Ok("a person"));
        let outcome = call(&second);
        prop_assert_eq!(outcome.is_success(), first == second, "{:?}", outcome);
    }
}
