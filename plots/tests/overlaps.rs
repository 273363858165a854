//! No two texts of a plot overlap, and none is cut by the edge of the picture.

use serde_json::{Map, Value as Json, json};

use super::{homes, overlaps};
use plots::{PreparedDrawing, SceneBox, TextRole, read_specification};

/// Numbers that look random and are the same in every run.
struct ChoiceStream(u64);

impl ChoiceStream {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Data of a kind: sizes, signs and texts of all sorts.
fn random_values(choices: &mut ChoiceStream) -> Json {
    let rows = *choices.pick(&[1, 2, 3, 7, 40, 150]);
    let size = *choices.pick(&[1e-300, 1e-7, 0.01, 1.0, 37.0, 1e4, 1e6, 1e12, 1e200]);
    let shift = *choices.pick(&[0.0, 0.0, 1.0, -0.5, 1000.0]);
    let levels = *choices.pick(&[1, 2, 5, 12, 30]);
    let words = [
        "north",
        "a rather long name of a category",
        "Öl",
        "Ελλάδα и Россия",
        "x",
        "Reinickendorf-Nord",
        "two words",
    ];
    let years = *choices.pick(&[1, 3, 60]);
    let record = |choices: &mut ChoiceStream, row: usize| {
        let number = |choices: &mut ChoiceStream| {
            if choices.chance(5) {
                Json::Null
            } else {
                json!(size * (shift + choices.below(1000) as f64 / 1000.0))
            }
        };
        let level = row % levels;
        json!({
            "a": number(choices),
            "b": number(choices),
            "positive": size * (1.0 + choices.below(100_000) as f64),
            "group": format!("{} {}", words[level % words.len()], level),
            "kind": words[choices.below(3)],
            "date": format!("{}-{:02}-{:02}", 2000 + choices.below(years), 1 + choices.below(12), 1 + choices.below(28)),
        })
    };
    Json::Array((0..rows).map(|row| record(choices, row)).collect())
}

fn random_channel(choices: &mut ChoiceStream, fields: &[&str]) -> Json {
    let field = *choices.pick(fields);
    let mut channel = Map::new();
    channel.insert("field".to_owned(), json!(field));
    if field == "positive" && choices.chance(60) {
        channel.insert("scale".to_owned(), json!({"type": "log"}));
    }
    if choices.chance(25) {
        let title = *choices.pick(&["", "Speed (m/s)", "A title of an axis that is much longer than the axis itself and has to be cut somewhere"]);
        channel.insert("title".to_owned(), json!(title));
    }
    if choices.chance(10) && field != "group" && field != "kind" {
        channel.insert("bin".to_owned(), json!(true));
    }
    Json::Object(channel)
}

fn random_specification(choices: &mut ChoiceStream) -> Json {
    let mark = *choices.pick(&[
        "line",
        "area",
        "point",
        "bar",
        "histogram",
        "boxplot",
        "violin",
        "rect",
        "errorbar",
        "tick",
        "text",
        "contour",
        "rule",
    ]);
    let mut encoding = Map::new();
    let category = ["group", "kind", "a", "date"];
    let anything = ["a", "b", "positive", "date", "group", "kind"];
    let numbers = ["a", "b", "positive"];
    let is_grouped = matches!(mark, "bar" | "boxplot" | "violin" | "errorbar");
    encoding.insert(
        "x".to_owned(),
        random_channel(choices, if is_grouped { &category } else { &anything }),
    );
    if mark != "histogram" {
        encoding.insert(
            "y".to_owned(),
            random_channel(choices, if mark == "rect" { &anything } else { &numbers }),
        );
    }
    if choices.chance(45) {
        encoding.insert(
            "color".to_owned(),
            random_channel(choices, &["kind", "group", "a"]),
        );
    }
    if choices.chance(12) {
        encoding.insert(
            "size".to_owned(),
            random_channel(choices, &["a", "positive"]),
        );
    }
    if choices.chance(15) {
        encoding.insert(
            (*choices.pick(&["column", "row", "facet"])).to_owned(),
            json!({"field": *choices.pick(&["kind", "group"])}),
        );
    }
    if mark == "text" {
        encoding.insert("text".to_owned(), random_channel(choices, &["group", "a"]));
    }
    let mut layer = json!({"mark": mark, "encoding": encoding});
    if choices.chance(20) && mark == "point" {
        layer["fit"] = json!("linear");
    }
    let mut whole = if choices.chance(15) {
        let second =
            json!({"mark": "line", "encoding": {"x": encoding_x(&layer), "y": {"field": "b"}}});
        json!({"layer": [layer, second], "resolve": {"scale": {"y": "independent"}}})
    } else {
        layer
    };
    whole["data"] = json!({"values": random_values(choices)});
    whole["width"] = json!(choices.pick(&[200, 320, 480, 720, 1100, 1600]));
    whole["height"] = json!(choices.pick(&[140, 240, 360, 450, 800, 1000]));
    whole["theme"] = json!(choices.pick(&["light", "dark", "print"]));
    if choices.chance(60) {
        let title = *choices.pick(&["Short", "A title that says at some length what the picture shows, so that it needs two lines or more of them in a small picture"]);
        whole["title"] = json!({"text": title, "subtitle": if choices.chance(30) { "and a subtitle" } else { "" }});
    }
    whole
}

fn encoding_x(layer: &Json) -> Json {
    layer["encoding"]["x"].clone()
}

#[test]
fn no_two_texts_of_500_random_plots_overlap() {
    let mut choices = ChoiceStream(2026);
    let (mut drawn, mut refused, mut dropped, mut labels) = (0, 0, 0, 0);
    while drawn < 500 {
        let specification = random_specification(&mut choices);
        let reading = read_specification(&specification, None).unwrap();
        let scene = match PreparedDrawing::new(&reading.specification) {
            Ok(drawing) => drawing.scene(),
            Err(err) => {
                // An error names the place; most specifications can be drawn.
                assert!(
                    !err.place().is_empty() && !err.hint().is_empty(),
                    "{err} {specification}"
                );
                refused += 1;
                assert!(refused < 150, "{err}");
                continue;
            }
        };
        drawn += 1;
        assert_eq!(overlaps(&scene), [], "{specification:.600}");
        let whole = SceneBox {
            left: 0.0,
            top: 0.0,
            width: f64::from(scene.width),
            height: f64::from(scene.height),
        };
        for run in scene.texts() {
            let bounds = run.bounds();
            let is_inside = bounds.left >= -1e-6
                && bounds.top >= -1e-6
                && bounds.left + bounds.width <= whole.width + 1e-6
                && bounds.top + bounds.height <= whole.height + 1e-6;
            assert!(is_inside, "{run:?} {specification:.600}");
            labels += usize::from(run.role == TextRole::TickLabel);
        }
        if scene.width >= 480 && scene.height >= 360 && scene.dropped_texts > 0 {
            dropped += 1;
            assert!(
                dropped <= 5,
                "{} texts without room in {specification:.900}",
                scene.dropped_texts
            );
        }
    }
    assert!(labels > 2500, "{labels}");
}

#[test]
fn every_axis_of_a_usual_plot_has_labels() {
    for mark in ["point", "line", "bar", "area"] {
        for scale in ["linear", "log"] {
            let specification = json!({"mark": mark, "encoding": {"x": {"field": "area"}, "y": {"field": "price", "scale": {"type": scale}}}});
            let reading = read_specification(&specification, Some(homes(60))).unwrap();
            let scene = PreparedDrawing::new(&reading.specification)
                .unwrap()
                .scene();
            let labels = scene
                .texts()
                .filter(|run| run.role == TextRole::TickLabel)
                .count();
            assert!(labels >= 6, "{mark} {scale} {labels}");
            assert_eq!(scene.dropped_texts, 0);
        }
    }
}
