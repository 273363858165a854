//! Specifications are read leniently, and what is not understood is listed.

use super::{draw, homes, json};
use plots::{FitKind, MarkKind, PlotError, SceneItem, read_specification};

#[test]
fn what_is_ignored_is_listed() {
    let text = r##"{"$schema":"https://vega.github.io/schema/vega-lite/v6.json","description":"d","config":{"view":{}},"params":[],
        "mark":{"type":"point","filled":false,"cornerRadius":3},
        "transform":[{"filter":"datum.x > 1"}],
        "encoding":{"x":{"field":"area","axis":{"tickCount":3,"title":"Area"},"scale":{"nice":false,"type":"pow"}},
            "y":{"field":"price","aggregate":"argmax"},"href":{"field":"city"},"color":{"field":"city","scale":{"scheme":"rainbow"}}}}"##;
    let reading = read_specification(&json(text), Some(homes(20))).unwrap();
    for place in [
        "/config",
        "/params",
        "/mark/cornerRadius",
        "/transform/0 ",
        "/encoding/x/axis/tickCount",
        "/encoding/x/scale/type",
        "/encoding/y/aggregate ",
        "/encoding/href",
        "/encoding/color/scale/scheme ",
    ] {
        let found = reading
            .ignored
            .iter()
            .filter(|one| one.starts_with(place) || **one == place.trim());
        assert_eq!(found.count(), 1, "{place} {:?}", reading.ignored);
    }
    assert_eq!(reading.ignored.len(), 9, "{:?}", reading.ignored);
    assert_eq!(
        reading.specification.layers[0]
            .channels
            .x
            .as_ref()
            .unwrap()
            .title
            .as_deref(),
        Some("Area")
    );
}

#[test]
fn layers_inherit_channels_and_data() {
    let text = r#"{"encoding":{"x":{"field":"area"}},"layer":[
        {"mark":"point","encoding":{"y":{"field":"price"}}},
        {"mark":"line","transform":[{"regression":"price","on":"area"}],"encoding":{"y":{"field":"price"}}},
        {"data":{"values":[{"level":400}]},"mark":"rule","encoding":{"x":null,"y":{"field":"level"}}}]}"#;
    let reading = read_specification(&json(text), Some(homes(20))).unwrap();
    let layers = &reading.specification.layers;
    assert_eq!(
        layers.iter().map(|layer| layer.mark).collect::<Vec<_>>(),
        [MarkKind::Point, MarkKind::Line, MarkKind::Rule]
    );
    assert!(layers[1].channels.x.is_some() && layers[2].channels.x.is_none());
    assert_eq!(layers[1].fit, Some(FitKind::Linear));
    assert_eq!(reading.ignored, Vec::<String>::new());
    assert!(draw(text, Some(homes(20))).is_ok());
}

#[test]
fn short_names_of_channels_are_read() {
    let text = r#"{"mark":"bar","encoding":{"x":"city:N","y":"mean(price)"}}"#;
    let scene = draw(text, Some(homes(40))).unwrap();
    assert!(scene.texts().any(|run| run.text == "mean of price"));
    let bars = scene
        .items
        .iter()
        .filter(|item| matches!(item, SceneItem::Rectangle { .. }))
        .count();
    assert_eq!(bars, 4);
}

#[test]
fn bars_stack_to_their_sums() {
    let text = r#"{"data":{"values":[{"x":"a","c":"u","y":1},{"x":"a","c":"v","y":2},{"x":"b","c":"u","y":3}]},
        "mark":"bar","encoding":{"x":{"field":"x"},"y":{"field":"y","aggregate":"sum"},"color":{"field":"c","legend":null}}}"#;
    let scene = draw(text, None).unwrap();
    let mut bars: Vec<_> = scene
        .items
        .iter()
        .filter_map(|item| match item {
            SceneItem::Rectangle { place, .. } => Some(*place),
            _ => None,
        })
        .collect();
    bars.sort_by(|a, b| a.height.total_cmp(&b.height));
    let unit = bars.iter().map(|bar| bar.height).sum::<f64>() / 6.0;
    let sizes: Vec<f64> = bars.iter().map(|bar| (bar.height / unit).round()).collect();
    assert_eq!(sizes, [1.0, 2.0, 3.0]);
    // The first colour, with 1, is on top of the second, as in the legend.
    assert_eq!(bars[0].left, bars[1].left);
    assert!(
        (bars[0].top + bars[0].height - bars[1].top).abs() < 1e-9,
        "{bars:?}"
    );
}

#[test]
fn nothing_of_a_specification_panics() {
    // Every member replaced by something that does not belong there.
    let whole = json(
        r#"{"title":{"text":"t","subtitle":"s"},"width":300,"height":200,"theme":"light","data":{"values":[{"a":1,"b":2,"c":"x"}]},
        "mark":{"type":"bar","strokeDash":[1,2],"opacity":0.5,"interpolate":"step","point":true},"fit":"linear",
        "encoding":{"x":{"field":"a","bin":{"maxbins":5},"scale":{"domain":[0,1],"range":["red"]},"axis":{"title":"x"},"sort":["a"]},
        "y":{"field":"b","aggregate":"mean","stack":"zero","type":"quantitative"},"color":{"field":"c"},"facet":{"field":"c","columns":2}}}"#,
    );
    let mut places = Vec::new();
    collect("", &whole, &mut places);
    assert!(places.len() > 45, "{}", places.len());
    let strange = [
        "null",
        "true",
        "-1",
        "1e308",
        "\"\"",
        "\"\\u0000<x>\"",
        "[]",
        "[[1]]",
        "{}",
        "{\"a\":[]}",
        "1e-320",
        "[1,2,3]",
    ];
    for place in &places {
        for value in strange {
            let mut changed = whole.clone();
            *changed.pointer_mut(place).unwrap() = json(value);
            let result: Result<_, PlotError> = draw(&changed.to_string(), None);
            if let Ok(scene) = result {
                let _ = (scene.to_svg(), scene.description.len());
            }
        }
    }
}

fn collect(place: &str, json: &serde_json::Value, into: &mut Vec<String>) {
    if !place.is_empty() {
        into.push(place.to_owned());
    }
    match json {
        serde_json::Value::Object(members) => members
            .iter()
            .for_each(|(name, one)| collect(&format!("{place}/{name}"), one, into)),
        serde_json::Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, one)| collect(&format!("{place}/{index}"), one, into)),
        _ => {}
    }
}
