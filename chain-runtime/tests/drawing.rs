//! Pictures of plans: every text is escaped, every reason is there, and nothing depends on anything but the plan.

use chain_runtime::draw::{DrawingFormat, draw_plan};

use crate::fakes::{World, steps};

/// Texts that every language of pictures would read as its own.
const HOSTILE: &str = r#"a<b>&c"d'e\\f`g#h|i[j]{k}%%;</title><script>--"#;

fn picture(world: &World, plan: &str, format: DrawingFormat) -> String {
    draw_plan(&world.checked(plan), format).unwrap()
}

fn hostile() -> String {
    steps(&[
        &format!(
            "{{id: w, tool: write, args: {{key: d, path: '{}', text: x}}}}",
            HOSTILE.replace('\'', "''")
        ),
        &format!(
            "{{id: r, tool: read, args: {{key: d, path: '{}'}}}}",
            HOSTILE.replace('\'', "''")
        ),
        r#"{id: c, tool: note, when: "r.text == '<&>'", args: {key: d, text: x}}"#,
        "{id: m, tool: note, map: {over: [1, 2]}, args: {key: d, text: x, number: {$ref: item}}}",
        "{id: e, tool: shell, after: [m], approval: required, retry: {max: 2}, args: {key: d, text: x}, compensate: {tool: shell, args: {key: d, text: y}}}",
    ])
}

#[test]
fn no_text_of_a_plan_is_read_as_part_of_the_picture() {
    let world = World::new();
    let plan = hostile();
    let svg = picture(&world, &plan, DrawingFormat::Svg);
    let document = roxmltree::Document::parse(&svg).expect("XML");
    assert!(!svg.contains("<script"), "{svg}");
    let titles: Vec<&str> = document
        .descendants()
        .filter(|node| node.has_tag_name("title"))
        .filter_map(|node| node.text())
        .collect();
    assert!(
        titles.iter().any(|title| title.contains(HOSTILE)),
        "{titles:?}"
    );
    let dot = picture(&world, &plan, DrawingFormat::Dot);
    // Every quote that is no delimiter is escaped: without escapes, quotes come in pairs on every line.
    for line in dot.lines() {
        let plain = line.replace("\\\\", "").replace("\\\"", "");
        assert!(plain.matches('"').count() % 2 == 0, "{line}");
    }
    let mermaid = picture(&world, &plan, DrawingFormat::Mermaid);
    for line in mermaid.lines().filter(|line| line.contains("path:")) {
        assert!(
            line.matches('"').count() == 2 && !line.contains("<script"),
            "{line}"
        );
    }
}

#[test]
fn a_picture_shows_reasons_effects_and_who_is_asked() {
    let world = World::new();
    let plan = hostile();
    let text = picture(&world, &plan, DrawingFormat::Text);
    for needle in [
        "5 steps in",
        "map over 2 elements",
        "when r.text == ",
        "retry 2",
        "local_exec",
        "needs approval",
        "undone by shell",
        "<- r  reference r.text",
        "<- m  after",
    ] {
        assert!(text.contains(needle), "{needle}: {text}");
    }
    let svg = picture(&world, &plan, DrawingFormat::Svg);
    for needle in [
        "class=\"reference\"",
        "class=\"after\"",
        "class=\"conflict\"",
        "box effects",
        "box effects asks",
        "box conditional",
        "uses its output",
        "same resource",
        "maps over a list",
        "needs approval",
    ] {
        assert!(svg.contains(needle), "{needle}: {svg}");
    }
}

/// An arrow that only keeps an order goes, where others keep it; what a step uses stays.
#[test]
fn implied_arrows_are_left_out() {
    let world = World::new();
    let plan = steps(&[
        "{id: a, tool: write, args: {key: d, path: x, text: t}}",
        "{id: b, tool: write, args: {key: d, path: x, text: {$ref: a.text}}}",
        "{id: c, tool: write, args: {key: d, path: x, text: {$ref: b.text}}}",
        "{id: e, tool: note, args: {key: d, text: {$ref: a.text}}, after: [c]}",
    ]);
    let dot = picture(&world, &plan, DrawingFormat::Dot);
    let arrows: Vec<&str> = dot
        .lines()
        .filter(|line| line.contains(" -> "))
        .map(|line| line.trim().split(" [").next().unwrap())
        .collect();
    assert_eq!(arrows, ["s0 -> s1", "s1 -> s2", "s0 -> s3", "s2 -> s3"]);
}

#[test]
fn a_plan_without_steps_and_a_large_one_are_drawn() {
    let world = World::new();
    let empty = picture(&world, "steps: []\n", DrawingFormat::Svg);
    roxmltree::Document::parse(&empty).expect("XML");
    let lines: Vec<String> = (0..2500)
        .map(|number| format!("{{id: s{number}, tool: note, args: {{key: d, text: x}}}}"))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let svg = picture(&world, &steps(&lines), DrawingFormat::Svg);
    roxmltree::Document::parse(&svg).expect("XML");
    let chain: Vec<String> = (0..250)
        .map(|number| {
            let after: Vec<String> = (0..number).map(|before| format!("s{before}")).collect();
            format!(
                "{{id: s{number}, tool: note, args: {{key: d, text: x}}, after: [{}]}}",
                after.join(", ")
            )
        })
        .collect();
    let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
    let plan = world.checked(&steps(&chain));
    let err = draw_plan(&plan, DrawingFormat::Svg).unwrap_err();
    assert!(err.hint_str().unwrap().contains("--format dot"), "{err}");
    assert!(draw_plan(&plan, DrawingFormat::Dot).is_ok());
}
