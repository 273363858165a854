//! How long functions are: one of more than a hundred lines has a reason here, or is several.

use tests::{files_below, root};

/// Most lines of a function, from its `fn` to its closing brace.
const LINES_MAX: usize = 100;

/// Folders with crates of the product.
const CRATES: [&str; 22] = [
    "agents",
    "chain-runtime",
    "doors/cli",
    "doors/servers",
    "host-sandbox",
    "host-tools",
    "journal",
    "math-tools",
    "mathchain",
    "numerics",
    "plots",
    "python",
    "random-streams",
    "registry",
    "second-opinions",
    "sessions",
    "symbolic",
    "table-values",
    "thread-pools",
    "tool-core",
    "tool-derive",
    "workflow",
];

/// Longer functions, each with its file and the reason.
const LONG: [(&str, &str, &str); 28] = [
    (
        "symbolic/src/numeric/evaluate.rs",
        "evaluate_function",
        "a table: the value of each function of the language",
    ),
    (
        "symbolic/src/typeset/mathml.rs",
        "write_element",
        "a table: the element of each node of a formula",
    ),
    (
        "math-tools/src/data/json_patch.rs",
        "the_examples_of_the_standard",
        "a test: the examples of the standard, one after another",
    ),
    (
        "doors/servers/src/http/openapi.rs",
        "own_schemas",
        "a document as one literal, which reads as the document does",
    ),
    (
        "doors/servers/src/http/openapi.rs",
        "path_items",
        "a document as one literal, which reads as the document does",
    ),
    (
        "doors/servers/src/http/metrics.rs",
        "text",
        "a page of metrics, in its order, one statement a metric",
    ),
    (
        "math-tools/src/optimise/curve_fit/answer.rs",
        "curve_fit_output",
        "one field of the answer after another; nothing is decided",
    ),
    (
        "mathchain/src/toolkit/builder.rs",
        "build",
        "the order in which parts of a toolkit open, each of which needs those before",
    ),
    (
        "numerics/src/ode/drive.rs",
        "integrate_flow",
        "the loop of an integration: what follows a step needs all that the step changed",
    ),
    (
        "numerics/src/optimise/global/cma.rs",
        "run_from_point",
        "one generation as the paper states it, in its notation",
    ),
    (
        "numerics/src/optimise/least_squares/levenberg.rs",
        "minimise_squares",
        "one iteration as the paper states it: each test of convergence needs the quantities of the step",
    ),
    (
        "numerics/src/optimise/minimise/constrained/quadratic.rs",
        "minimise_quadratic",
        "the active set is changed in the order that the method prescribes",
    ),
    (
        "numerics/src/optimise/minimise/constrained/sqp/mod.rs",
        "minimise_by_sqp",
        "the loop over quadratic models: what follows a step needs all that the step changed",
    ),
    (
        "numerics/src/programming/linear/primal.rs",
        "primal",
        "one pivot of the simplex method, whose parts share the basis",
    ),
    (
        "numerics/src/quadrature/double_exponential.rs",
        "double_exponential",
        "the levels of one rule, which use the sums of those before",
    ),
    (
        "numerics/src/quadrature/mod.rs",
        "build_charts",
        "one substitution for each kind of range, side by side",
    ),
    (
        "numerics/src/roots/system/search.rs",
        "judge_point",
        "the ends of a search in their order of strength",
    ),
    (
        "plots/src/layout/geometry.rs",
        "draw_mark",
        "one kind of mark after another",
    ),
    (
        "plots/src/layout/legend.rs",
        "make_legend",
        "one kind of legend after another, each below the one before",
    ),
    (
        "plots/src/layout/mod.rs",
        "frame_panels",
        "room is given from the outside in: what is left depends on all before",
    ),
    (
        "plots/src/output/pdf.rs",
        "to_pdf",
        "the objects of a file in the order of its table",
    ),
    (
        "plots/src/output/text.rs",
        "draw_panel",
        "frame, marks and labels on one grid of characters",
    ),
    (
        "plots/src/prepare/bars.rs",
        "bar_marks",
        "stacks and groups share the sums that decide where a bar begins",
    ),
    (
        "plots/src/prepare/columns.rs",
        "resolve_channel",
        "one kind of channel after another",
    ),
    (
        "plots/src/prepare/curves.rs",
        "area_marks",
        "stacked areas share the sums of those below",
    ),
    (
        "plots/src/prepare/curves.rs",
        "point_marks",
        "one encoding of a point after another",
    ),
    (
        "registry/src/dispatch/stages/approve.rs",
        "settle",
        "the answers to an approval in the order in which they are looked for",
    ),
    (
        "registry/src/policy/gather.rs",
        "build",
        "one source of layers after another, in their order of precedence",
    ),
];

/// A function and its number of lines.
#[derive(Debug, PartialEq)]
struct FunctionLength<'a> {
    name: &'a str,
    lines: usize,
}

/// The functions of a formatted file: each ends with a brace below its `fn`.
fn function_lengths(text: &str) -> Vec<FunctionLength<'_>> {
    const BEFORE: [&str; 5] = ["pub", "const", "async", "unsafe", "extern"];
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        let mut words = code.split(' ');
        let is_function = words
            .find(|word| !BEFORE.contains(word) && !word.starts_with("pub("))
            .is_some_and(|word| word == "fn");
        let name = words.next().unwrap_or_default();
        if !is_function || name.is_empty() {
            continue;
        }
        let end = |line: &&str| line.strip_prefix(indent) == Some("}");
        // One without a body, or on one line, ends before another at its place begins.
        let body = &lines[start + 1..];
        let next = body.iter().position(|line| {
            end(line)
                || line
                    .strip_prefix(indent)
                    .is_some_and(|rest| rest.starts_with(char::is_alphabetic))
        });
        let lines = match next {
            Some(position) if end(&body[position]) => position + 2,
            _ => 1,
        };
        let cut = name.find(|c: char| !c.is_alphanumeric() && c != '_');
        let name = &name[..cut.unwrap_or(name.len())];
        found.push(FunctionLength { name, lines });
    }
    found
}

#[test]
fn long_functions_have_a_reason() {
    let mut seen = 0;
    let mut long = Vec::new();
    for path in CRATES
        .iter()
        .flat_map(|name| files_below(&root().join(name).join("src"), "rs"))
    {
        let relative = path.strip_prefix(root()).expect("below the root");
        let file = relative.to_string_lossy().replace('\\', "/");
        if file.ends_with("/tests.rs") || file.contains("/tests/") {
            continue;
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "a test reads the sources of the project"
        )]
        let text = std::fs::read_to_string(&path).expect("text");
        for function in function_lengths(&text) {
            seen += 1;
            if function.lines > LINES_MAX {
                long.push(format!(
                    "{file}: `{}` has {} lines",
                    function.name, function.lines
                ));
            }
        }
    }
    assert!(seen > 8000, "only {seen} functions were read");
    let has_reason = |told: &&String| {
        LONG.iter()
            .any(|(file, name, _)| told.starts_with(&format!("{file}: `{name}` ")))
    };
    let without: Vec<&String> = long.iter().filter(|told| !has_reason(told)).collect();
    assert!(
        without.is_empty(),
        "of more than {LINES_MAX} lines, without a reason in `LONG`: {without:#?}"
    );
    assert!(
        LONG.len() == long.len(),
        "a reason for a function that is not so long: {LONG:?}"
    );
}

#[test]
fn the_lines_of_functions_are_counted() {
    let text = "pub(crate) const fn one(\n    a: u8,\n) -> u8 {\n    a\n}\n\ntrait Item {\n    fn none(&self) -> u8;\n\n    \
                async fn two<T>(&self) {\n        if true {\n        }\n    }\n    fn short() {}\n}\n";
    let found: Vec<(&str, usize)> = function_lengths(text)
        .iter()
        .map(|function| (function.name, function.lines))
        .collect();
    assert_eq!(found, [("one", 5), ("none", 1), ("two", 4), ("short", 1)]);
}
