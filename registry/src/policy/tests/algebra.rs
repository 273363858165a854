//! Every chain of five layers over the twelve states of a layer for one tool.

use super::*;

/// The twelve states a layer can be in for one tool: inherits, lists or does not list it; denies it or not; asks or not.
fn twelve_states(catalogue: &Catalogue, tool: &str, other: &str) -> Vec<CompiledLayer> {
    let mut states = Vec::new();
    for allow in [None, Some(tool), Some(other)] {
        for deny in [false, true] {
            for ask in [false, true] {
                let mut layer = global();
                if let Some(listed) = allow {
                    layer = layer.allow([listed]);
                }
                if deny {
                    layer = layer.deny([tool]);
                }
                let mut built = compiler(catalogue).layer(&layer);
                if ask {
                    // Added after the layer was checked: a rule on a tool that the same layer hides is a load error.
                    let asking = compiler(catalogue)
                        .layer(&global().rule(PolicyRule::new(Verdict::Ask, [tool])));
                    built.rules = asking.rules;
                }
                states.push(built);
            }
        }
    }
    states
}

#[test]
fn every_chain_of_five_layers_keeps_the_algebra() {
    let catalogue = twelve();
    let tool = catalogue.index("calculate").unwrap();
    let states = twelve_states(&catalogue, "calculate", "plot");
    assert_eq!(states.len(), 12);
    let universe = ToolSet::all(catalogue.len());
    let nothing = ToolSet::none(catalogue.len());
    let permissions = PermissionTable::default();
    let spec = catalogue.tool(tool).spec();
    let args = Value::object::<&str, Value>([]);
    let facts = CallFacts {
        reach: EffectReach {
            effects: &[],
            destructive: false,
            idempotent: false,
            below: true,
        },
        paths: Some(vec![]),
        files: vec![],
        programs: Some(vec![]),
        hosts: Some(vec![]),
        args: &args,
    };
    let verdict = |chain: &[usize]| {
        let layers: Vec<Cow<'_, CompiledLayer>> = chain
            .iter()
            .map(|state| Cow::Borrowed(&states[*state]))
            .collect();
        if !effective_tools(&universe, &layers, &nothing).contains(tool) {
            return Verdict::Deny;
        }
        decide::decide_call(
            (tool, spec),
            "r",
            &layers,
            decide::DefaultGround {
                defaults: &decide::PermissionDefaults::new(&permissions, &Default::default()),
                permission: None,
                elsewhere: false,
                has_grant: false,
            },
            Some(&facts),
        )
        .verdict
    };
    // What a chain must give, from the states alone.
    let listed = |state: usize| state < 8; // inherits or lists
    let denies = |state: usize| state / 2 % 2 == 1;
    let asks = |state: usize| state % 2 == 1;
    let mut before: Vec<(Vec<usize>, Verdict)> = vec![(vec![], verdict(&[]))];
    assert_eq!(
        before[0].1,
        Verdict::Allow,
        "the catalogue itself allows a pure tool"
    );
    let mut chains = 0_u32;
    for length in 1..=5 {
        let mut now = Vec::new();
        for (chain, outer) in &before {
            for state in 0..12 {
                let mut longer = chain.clone();
                longer.push(state);
                let found = verdict(&longer);
                let expected = if longer.iter().any(|state| !listed(*state) || denies(*state)) {
                    Verdict::Deny
                } else if longer.iter().any(|state| asks(*state)) {
                    Verdict::Ask
                } else {
                    Verdict::Allow
                };
                assert_eq!(found, expected, "{longer:?}");
                assert!(found >= *outer, "a layer widened: {longer:?}");
                if denies(state) || !listed(state) {
                    assert_eq!(found, Verdict::Deny, "a denial was lost: {longer:?}");
                }
                if length == 5 {
                    chains += 1;
                    let mut turned = longer.clone();
                    turned.reverse();
                    assert_eq!(verdict(&turned), found, "the order counted: {longer:?}");
                    turned.rotate_left(2);
                    assert_eq!(verdict(&turned), found, "the order counted: {longer:?}");
                    let doubled: Vec<usize> = longer.iter().chain(&longer).copied().collect();
                    assert_eq!(
                        verdict(&doubled),
                        found,
                        "a layer given twice counted twice: {longer:?}"
                    );
                }
                now.push((longer, found));
            }
        }
        before = now;
    }
    assert_eq!(chains, 248_832);
}

#[test]
fn no_chain_of_five_shows_a_tool_that_is_not_there() {
    let catalogue = twelve();
    let states = twelve_states(&catalogue, "calculate", "plot");
    let universe = ToolSet::all(catalogue.len());
    let nothing = ToolSet::none(catalogue.len());
    for code in 0..248_832_usize {
        let layers: Vec<Cow<'_, CompiledLayer>> = (0..5)
            .map(|place| Cow::Borrowed(&states[code / 12_usize.pow(place) % 12]))
            .collect();
        let set = effective_tools(&universe, &layers, &nothing);
        assert!(!set.contains(catalogue.len()) && !set.contains(63) && !set.contains(1_000));
        assert!(set.is_subset(&universe));
        for layer in &layers {
            assert!(
                layer
                    .allow
                    .as_ref()
                    .is_none_or(|allow| set.is_subset(allow))
            );
        }
    }
}
