//! What cannot be drawn is an error with its place, and everything else is a plot, however odd.

use super::{draw, homes, json};
use plots::limits::{COLOUR_LEVELS_MAX, LAYERS_MAX, PANELS_MAX, SHAPES_MAX, SIDE_MAX};
use plots::{DataTable, PlotColumn, PlotError, PreparedDrawing, read_specification};

fn xy(values: &str, extra: &str) -> String {
    format!(
        r#"{{"data":{{"values":{values}}},"mark":"point","encoding":{{"x":{{"field":"x"}},"y":{{"field":"y"}}}}{extra}}}"#
    )
}

#[test]
fn odd_numbers_are_drawn() {
    for values in [
        r#"[{"x":1,"y":1e-300},{"x":2,"y":3e-300}]"#,
        r#"[{"x":1,"y":5},{"x":2,"y":5},{"x":3,"y":5}]"#,
        r#"[{"x":0,"y":0}]"#,
        r#"[{"x":1e299,"y":-1e299},{"x":-1e299,"y":1e299}]"#,
        r#"[{"x":1,"y":null},{"x":2,"y":4}]"#,
        r#"[{"x":100000000001,"y":0.1},{"x":100000000002,"y":0.1000000001}]"#,
        r#"[{"x":5e-324,"y":1},{"x":0,"y":2}]"#,
    ] {
        for mark in [
            "point", "line", "bar", "area", "boxplot", "violin", "tick", "errorbar", "rect",
            "contour",
        ] {
            let text = xy(values, "").replace("\"point\"", &format!("\"{mark}\""));
            match draw(&text, None) {
                Ok(scene) => {
                    assert!(!scene.items.is_empty());
                    assert!(scene.to_png().len() > 100 && scene.to_svg().contains("</svg>"));
                }
                Err(err) => assert!(
                    mark == "contour" && !err.place().is_empty(),
                    "{mark} {values}: {err}"
                ),
            }
        }
    }
}

#[test]
fn odd_sizes_are_drawn_or_refused() {
    let values = r#"[{"x":1,"y":2},{"x":3,"y":4}]"#;
    for (width, height) in [(1, 1), (2, 4096), (4096, 1), (20, 20), (111, 71), (90, 700)] {
        let scene = draw(
            &xy(
                values,
                &format!(r#","width":{width},"height":{height},"title":"A title""#),
            ),
            None,
        )
        .unwrap();
        assert_eq!((scene.width, scene.height), (width, height));
        assert_eq!(
            scene.to_raster().channels.len(),
            3 * (width * height) as usize
        );
        let _ = (scene.to_svg(), scene.to_pdf(), scene.to_html());
    }
    for (name, size) in [
        ("width", "0"),
        ("height", "-5"),
        ("width", "4097"),
        ("height", "1e300"),
    ] {
        let err = draw(&xy(values, &format!(r#","{name}":{size}"#)), None).unwrap_err();
        assert_eq!(err.place(), format!("/{name}"), "{err}");
    }
    assert_eq!(SIDE_MAX, 4096);
}

#[test]
fn missing_data_are_errors_with_their_place() {
    let cases = [
        (xy("[]", ""), "/data", "nothing to draw"),
        (xy(r#"[{"x":1}]"#, ""), "/encoding/y", "no field `y`"),
        (
            xy(r#"[{"x":null,"y":1},{"x":1,"y":null}]"#, ""),
            "/encoding",
            "nothing to draw",
        ),
        (
            xy(r#"[{"x":1,"y":"tall"}]"#, "")
                .replace(r#""field":"y""#, r#""field":"y","type":"quantitative""#),
            "/encoding/y",
            "`tall`",
        ),
        (
            xy(r#"[{"x":1,"y":-1}]"#, "")
                .replace(r#""field":"y""#, r#""field":"y","scale":{"type":"log"}"#),
            "/encoding/y",
            "above 0",
        ),
        (
            xy(r#"[{"x":1,"y":1}]"#, "").replace(r#""mark":"point""#, r#""mark":"sunburst""#),
            "/mark",
            "`sunburst`",
        ),
        (xy(r#"[{"x":1,"y":1e301}]"#, ""), "/encoding/y", "1e301"),
        (
            r#"{"data":{"values":[{"x":1}]},"mark":"line","encoding":{"x":{"field":"x"}}}"#
                .to_owned(),
            "/encoding",
            "`y`",
        ),
        (
            r#"{"data":{"values":[1,[2]]},"mark":"line"}"#.to_owned(),
            "/data/values/1",
            "a record",
        ),
        (r#"{"data":{"values":[{"x":1}]}}"#.to_owned(), "", "`mark`"),
        ("[]".to_owned(), "", "an object"),
    ];
    for (text, place, words) in cases {
        let err = draw(&text, None).unwrap_err();
        assert!(
            err.place() == place && err.to_string().contains(words),
            "{text}: {err} at {}",
            err.place()
        );
        assert!(!err.hint().is_empty());
    }
}

#[test]
fn limits_hold() {
    let layer = r#"{"mark":"rule","encoding":{"y":{"datum":1}}}"#;
    let layers = |count: usize| format!(r#"{{"layer":[{}]}}"#, vec![layer; count].join(","));
    assert!(draw(&layers(LAYERS_MAX), None).is_ok());
    assert_eq!(
        draw(&layers(LAYERS_MAX + 1), None).unwrap_err().place(),
        "/layer"
    );
    let levels = |count: usize| {
        let names: Vec<String> = (0..count).map(|index| format!("n{index}")).collect();
        let columns = vec![
            PlotColumn::of_numbers(
                "x",
                (0..count).map(|index| index as f64).collect::<Vec<_>>(),
            ),
            PlotColumn::of_texts("name", names.iter().map(|name| Some(name.as_str()))),
        ];
        Some(std::sync::Arc::new(DataTable::new(columns).unwrap()))
    };
    let with = |channel: &str, count: usize| {
        draw(
            &format!(
                r#"{{"mark":"point","encoding":{{"x":{{"field":"x"}},"y":{{"field":"x"}},"{channel}":{{"field":"name"}}}}}}"#
            ),
            levels(count),
        )
    };
    assert!(with("color", COLOUR_LEVELS_MAX).is_ok());
    assert!(matches!(
        with("color", COLOUR_LEVELS_MAX + 1),
        Err(PlotError::TooMany { .. })
    ));
    assert!(with("facet", PANELS_MAX).is_ok());
    assert!(matches!(
        with("facet", PANELS_MAX + 1),
        Err(PlotError::TooMany { .. })
    ));
    let bars = |count: usize| {
        let columns = vec![
            PlotColumn::of_numbers(
                "x",
                (0..count).map(|index| index as f64).collect::<Vec<_>>(),
            ),
            PlotColumn::of_numbers("y", vec![1.0; count]),
        ];
        let data = std::sync::Arc::new(DataTable::new(columns).unwrap());
        let text = r#"{"mark":"bar","encoding":{"x":{"field":"x"},"y":{"field":"y"}}}"#;
        PreparedDrawing::new(
            &read_specification(&json(text), Some(data))
                .unwrap()
                .specification,
        )
    };
    assert!(bars(SHAPES_MAX).is_ok());
    assert!(matches!(
        bars(SHAPES_MAX + 1),
        Err(PlotError::TooMany { .. })
    ));
    let columns = vec![
        PlotColumn::of_numbers("x", vec![1.0]),
        PlotColumn::of_numbers("y", vec![1.0, 2.0]),
    ];
    assert_eq!(DataTable::new(columns).unwrap_err().place(), "/data");
}

#[test]
fn many_points_become_a_small_file() {
    let data = homes(150_000);
    for mark in ["point", "line"] {
        let text = format!(
            r#"{{"mark":"{mark}","encoding":{{"x":{{"field":"area"}},"y":{{"field":"price"}}}}}}"#
        );
        let scene = draw(&text, Some(data.clone())).unwrap();
        assert!(
            scene.to_svg().len() < 2_500_000,
            "{mark} {}",
            scene.to_svg().len()
        );
    }
}
