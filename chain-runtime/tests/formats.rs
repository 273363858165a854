//! Texts that a plan puts together with `$fmt`, wherever they get to before a tool reads them as more than text.

use crate::fakes::{World, logged, steps};

const FMT: &str = "{$fmt: \"{}+1\", args: [{$ref: a.text}]}";
const REFUSED: &str = "`$fmt` is refused for `/expression` of `expression`: the text is read as expression, and a value in it could change its meaning";

/// The problems of a plan that has a text, and then this step.
fn problems(step: &str) -> String {
    World::new().problems(&steps(&[
        "{id: a, tool: note, args: {key: k, text: x}}",
        &step.replace("FMT", FMT),
    ]))
}

#[test]
fn a_plan_is_not_put_together() {
    let step = "{id: b, tool: chain_run, args: {plan: {$fmt: \"version: 1\\nsteps: [{{id: w, tool: write, args: {{key: formats, path: out/a, text: \\\"{}\\\"}}}}]\", args: [{$ref: a.text}]}}}";
    for step in [
        step.to_owned(),
        step.replace("chain_run", "chain_check"),
        "{id: b, tool: chain_run, args: {plan: {version: 1, steps: [{id: w, tool: write, args: {key: formats, path: FMT}}]}}}".to_owned(),
    ] {
        let found = problems(&step);
        assert!(found.contains("the text is read as plan"), "{step}:\n{found}");
    }
    assert!(logged("formats").is_empty());
    // What a step gives is data: such a plan is read when it runs.
    assert_eq!(
        problems("{id: b, tool: chain_run, args: {plan: {$ref: a.text}}}"),
        ""
    );
}

#[test]
fn elements_of_lists_stay_marked() {
    let map = |over: &str, expression: &str| {
        problems(&format!(
            "{{id: b, tool: expression, map: {{over: {over}}}, args: {{expression: {expression}}}}}"
        ))
    };
    for (over, expression, through) in [
        ("[x, FMT]", "{$ref: item}", "item"),
        ("[{e: x}, {e: FMT}]", "{$ref: item.e}", "item.e"),
        ("[{e: [x, FMT]}]", "{$ref: \"item.e[1]\"}", "item.e[1]"),
        ("[{$fmt: \"x\"}]", "{$ref: item}", "item"),
    ] {
        let found = map(over, expression);
        let through = format!("{REFUSED} (it comes through `{through}`)");
        assert!(
            found.contains("/steps/1/args/expression: "),
            "{over}:\n{found}"
        );
        assert!(found.contains(&through), "{over}:\n{found}");
    }
    for (over, expression) in [
        ("[{e: x, t: FMT}]", "{$ref: item.e}"),
        ("[{e: [x, FMT]}]", "{$ref: \"item.e[0]\"}"),
        ("[{$ref: a.text}]", "{$ref: item}"),
    ] {
        assert_eq!(map(over, expression), "", "{over}");
    }
    let found = problems(
        "{id: b, tool: note, map: {over: [FMT]}, args: {key: k, text: {$ref: item}}, compensate: {tool: expression, args: {expression: {$ref: item}}}}",
    );
    assert!(
        found.contains("/steps/1/compensate/args/expression"),
        "{found}"
    );
    let found =
        problems("{id: b, tool: sum, map: {over: [FMT]}, args: {data: {$file: {$ref: item}}}}");
    assert!(found.contains("the text is read as path"), "{found}");
}

#[test]
fn inputs_of_plans_within_plans_stay_marked() {
    let run = |inputs: &str, expression: &str| {
        problems(&format!(
            "{{id: b, tool: chain_run, args: {{plan: {{$lit: {{version: 1, inputs: {{p: {{type: any}}}}, steps: [{{id: e, tool: expression, args: {{expression: {expression}}}}}]}}}}, inputs: {inputs}}}}}"
        ))
    };
    for (inputs, expression) in [
        ("{p: FMT}", "{$ref: inputs.p}"),
        ("{p: {$fmt: \"x+{}\", args: [1]}}", "{$ref: inputs.p}"),
        ("{p: {e: [FMT]}}", "{$ref: \"inputs.p.e[0]\"}"),
    ] {
        let found = run(inputs, expression);
        assert!(
            found.contains("/steps/1/args/plan/steps/0/args/expression: "),
            "{inputs}:\n{found}"
        );
        assert!(found.contains(REFUSED), "{inputs}:\n{found}");
    }
    for (inputs, expression) in [
        ("{p: {$ref: a.text}}", "{$ref: inputs.p}"),
        ("{p: {e: x, t: FMT}}", "{$ref: inputs.p.e}"),
    ] {
        assert_eq!(run(inputs, expression), "", "{inputs}");
    }
    // Two deep, and through the elements of a map.
    let inner = "{version: 1, inputs: {q: {type: any}}, steps: [{id: e, tool: expression, map: {over: {$ref: inputs.q}}, args: {expression: {$ref: item}}}]}";
    let found = problems(&format!(
        "{{id: b, tool: chain_run, args: {{plan: {{$lit: {{version: 1, inputs: {{p: {{type: any}}}}, steps: [{{id: c, tool: chain_run, args: {{plan: {{$lit: {inner}}}, inputs: {{q: [{{$ref: inputs.p}}]}}}}}}]}}}}, inputs: {{p: FMT}}}}}}"
    ));
    assert!(found.contains(REFUSED), "{found}");
}
