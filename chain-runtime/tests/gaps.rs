//! Projections in which an element may have nothing: what the check says of them, and what their default stands for.

use crate::fakes::{World, steps};

const COLLECT: &str =
    "{id: c, tool: maybe, map: {over: [1, 2], on_item_error: collect}, args: {give: {$ref: item}}}";

#[test]
fn an_element_that_may_have_nothing_needs_a_default() {
    let problems = |first: &str, reference: &str, tool: &str| {
        let argument = if tool == "sum" { "data" } else { "value" };
        World::new().problems(&steps(&[
            first,
            &format!("{{id: s, tool: {tool}, args: {{{argument}: {reference}}}}}"),
        ]))
    };
    let map = "{id: c, tool: maybe, map: {over: [1, 2]}, args: {give: {$ref: item}}}";
    for (first, reference, tool) in [
        (COLLECT, "{$ref: \"c[*].value.value\"}", "sum"),
        (COLLECT, "{$ref: \"c[*].error.code\"}", "any"),
        (map, "{$ref: \"c[*].value\"}", "sum"),
    ] {
        let found = problems(first, reference, tool);
        assert!(
            found.contains("may be absent or null in an element"),
            "{reference}:\n{found}"
        );
        assert!(
            found.contains("add a `default` for the whole list"),
            "{found}"
        );
    }
    for (first, reference, tool) in [
        (COLLECT, "{$ref: \"c[*].value.value\", default: [0]}", "sum"),
        (COLLECT, "{$ref: \"c[*].ok\"}", "any"),
        (COLLECT, "{$ref: c}", "any"),
        (map, "{$ref: \"c[*].value\"}", "any"), // which takes `null`
    ] {
        assert_eq!(problems(first, reference, tool), "", "{reference}");
    }
    // A default for an element is none for the list.
    let found = problems(COLLECT, "{$ref: \"c[*].value.value\", default: 0}", "sum");
    assert!(found.contains("/steps/1/args/data/default"), "{found}");
    // The list of a map.
    let found = World::new().problems(&steps(&[
        COLLECT,
        "{id: m, tool: any, map: {over: {$ref: \"c[*].error.code\"}}, args: {value: {$ref: item}}}",
    ]));
    assert!(found.contains("/steps/1/map/over"), "{found}");
}

#[test]
fn a_default_stands_for_the_whole_list() {
    let run = |over: &str| {
        let result = World::new().run(&format!(
            "{}outputs: {{sum: {{$ref: s.sum}}, all: {{$ref: \"c[*].value\", default: none}}}}\n",
            steps(&[
                &format!(
                    "{{id: c, tool: maybe, map: {{over: {over}}}, args: {{give: {{$ref: item}}}}}}"
                ),
                "{id: s, tool: sum, args: {data: {$ref: \"c[*].value\", default: [40, 2]}}}",
            ])
        ));
        let used = result.steps[1].end.defaults_used.clone();
        (
            result.outputs.get("sum").cloned(),
            result.outputs.get("all").map(ToString::to_string),
            used,
        )
    };
    let (sum, all, used) = run("[1, null, 3]");
    assert_eq!(sum.unwrap().as_f64(), Some(42.0));
    assert_eq!(
        (all.as_deref(), used),
        (Some("\"none\""), vec!["c[*].value".to_owned()])
    );
    let (sum, all, used) = run("[1, 2, 3]");
    assert_eq!(sum.unwrap().as_f64(), Some(6.0));
    assert!(all.unwrap().starts_with('[') && used.is_empty());
}

/// Elements that the plan holds have their values before anything runs.
#[test]
fn literal_lists_are_looked_into() {
    let plan = |default: &str| {
        steps(&[&format!(
            "{{id: s, tool: sum, map: {{over: [[{{p: 1}}, {{p: 2}}], [{{p: 1}}, {{q: 2}}]]}}, args: {{data: {{$ref: \"item[*].p\"{default}}}}}}}"
        )])
    };
    let world = World::new();
    let refused = world.problems(&plan(""));
    assert!(
        refused.contains("element 1: there is no field `p`"),
        "{refused}"
    );
    let result = world.run(&format!(
        "{}outputs: {{sums: {{$ref: \"s[*].sum\"}}}}\n",
        plan(", default: [9]")
    ));
    assert_eq!(result.outputs.get("sums").unwrap().to_string(), "[3.0,9.0]");
}
