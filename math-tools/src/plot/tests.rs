//! Plots as text, compared with `golden/*.txt` (rewritten by `UPDATE=1 cargo test -p math-tools`), and what every plot keeps.
//!
//! `DUMP_PICTURES=folder` writes the decoded pictures there as `.ppm`, to be looked at.
#![expect(
    clippy::disallowed_methods,
    reason = "golden files are read and written by the tests themselves"
)]

use std::path::Path;

use proptest::prelude::*;
use tool_core::{Ctx, ToolError, Value, json};

use super::TOOLS;

/// Runs a tool of this family on arguments written as JSON.
pub(super) fn call(tool: &str, args: &str) -> Result<Value, ToolError> {
    let args = json::parse_json(args, json::JsonLimits::default()).expect("the test writes JSON");
    let found = TOOLS
        .iter()
        .map(|entry| entry.tool())
        .find(|one| one.spec().id == tool);
    found
        .expect("the tool exists")
        .decode(&args)?
        .run(&Ctx::default())
}

/// A list of `count` numbers as JSON.
pub(super) fn list(count: usize, number: impl Fn(f64) -> f64) -> String {
    Value::vector((0..count).map(|index| number(index as f64)).collect()).to_string()
}

fn golden(name: &str, tool: &str, args: &str) {
    let output = call(tool, args).unwrap_or_else(|err| panic!("{name}: {err:?}"));
    let found = format!(
        "{}\n",
        output.get("plot").and_then(Value::as_str).expect("a plot")
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/plot/golden")
        .join(format!("{name}.txt"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        found, expected,
        "{name} differs; UPDATE=1 rewrites it:\n{found}"
    );
}

#[test]
fn golden_line() {
    let x = list(200, |i| i / 20.0);
    let y = list(200, |i| (i / 20.0).sin() * (-i / 100.0).exp());
    golden(
        "line",
        "plot_braille",
        &format!(r#"{{"x":{x},"y":{y},"title":"damped wave","x_label":"t / s"}}"#),
    );
}

#[test]
fn golden_several_lines() {
    let x = list(100, |i| i / 10.0);
    let (a, b, c) = (
        list(100, |i| (i / 10.0).sin()),
        list(100, |i| (i / 10.0).cos()),
        list(100, |i| i / 50.0 - 1.0),
    );
    let args = format!(
        r#"{{"x":{x},"y":[{a},{b},{c}],"labels":["sin","cos","ramp"],"title":"three series","y_label":"volts"}}"#
    );
    golden("several_lines", "plot_braille", &args);
}

#[test]
fn golden_scatter() {
    let x = list(300, |i| (i * 0.754_877_666).fract() * 1e-7);
    let y = list(300, |i| 1e9 + 1e8 * (i * 0.569_840_29).fract());
    golden(
        "scatter",
        "plot_braille",
        &format!(r#"{{"x":{x},"y":{y},"plot_type":"scatter","title":"far from one"}}"#),
    );
}

#[test]
fn golden_several_scatters() {
    let x = list(12, |i| i);
    let (a, b) = (list(12, |i| i * i), list(12, |i| 121.0 - i * 11.0));
    golden(
        "several_scatters",
        "plot_braille",
        &format!(r#"{{"x":{x},"y":[{a},{b}],"plot_type":"scatter","width":60,"height":12}}"#),
    );
}

#[test]
fn golden_bars() {
    let (x, y) = (
        list(12, |i| i + 1.0),
        list(12, |i| 6.0 * (i / 2.0).cos() + 1.0),
    );
    golden(
        "bars",
        "plot_braille",
        &format!(
            r#"{{"x":{x},"y":{y},"plot_type":"bar","width":70,"height":15,"title":"up and down"}}"#
        ),
    );
}

#[test]
fn golden_small() {
    golden(
        "small",
        "plot_braille",
        r#"{"x":[0,1,2],"y":[0,1000000,10],"width":10,"height":2}"#,
    );
}

#[test]
fn golden_histogram() {
    // The sum of four low-discrepancy sequences: near to normal.
    let step = [0.819_172_51, 0.671_043_61, 0.549_700_48, 0.450_305_91];
    let data = list(2000, |i| {
        step.iter().map(|s| (i * s).fract()).sum::<f64>() - 2.0
    });
    golden(
        "histogram",
        "histogram",
        &format!(r#"{{"data":{data},"height":12}}"#),
    );
    golden(
        "histogram_many_bins",
        "histogram",
        &format!(r#"{{"data":{data},"height":8,"width":50,"bins":200}}"#),
    );
}

#[test]
fn golden_constant() {
    golden(
        "constant",
        "plot_braille",
        r#"{"x":[3,3,3],"y":[7,7,7],"plot_type":"scatter","width":40,"height":7}"#,
    );
    golden(
        "constant_histogram",
        "histogram",
        r#"{"data":[5,5,5],"width":40,"height":6,"bins":4}"#,
    );
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let output = call(
        "plot_braille",
        r#"{"x":[1],"y":[1],"title":"a\u001b[2Jb\nc","x_label":"\u0007"}"#,
    )
    .expect("a plot");
    let plot = output.get("plot").and_then(Value::as_str).expect("a plot");
    assert!(
        plot.chars()
            .all(|character| character == '\n' || !character.is_control()),
        "{plot:?}"
    );
    assert!(
        plot.lines()
            .next()
            .is_some_and(|line| line.trim() == "a [2Jb c"),
        "{plot}"
    );
}

#[test]
fn refusals_name_the_argument() {
    let cases = [
        ("plot_braille", r#"{"x":[],"y":[]}"#, "/x"),
        ("plot_braille", r#"{"x":[1,2],"y":[1]}"#, "/y"),
        ("plot_braille", r#"{"x":[1,2],"y":[[1,2],[1,2,3]]}"#, "/y/1"),
        ("plot_braille", r#"{"x":[1,2,3],"y":[[1],[2],[3]]}"#, "/y/0"),
        ("plot_braille", r#"{"x":[1,2],"y":[1,"two"]}"#, "/y/1"),
        (
            "plot_braille",
            r#"{"x":[1,2],"y":[[1,2],[3,null]]}"#,
            "/y/1/1",
        ),
        (
            "plot_braille",
            r#"{"x":[1],"y":[1],"plot_type":"pie"}"#,
            "/plot_type",
        ),
        (
            "plot_braille",
            r#"{"x":[1],"y":[[1],[2]],"plot_type":"bar"}"#,
            "/plot_type",
        ),
        ("plot_braille", r#"{"x":[1],"y":[1],"width":9}"#, "/width"),
        (
            "plot_braille",
            r#"{"x":[1],"y":[1],"height":501}"#,
            "/height",
        ),
        (
            "plot_braille",
            r#"{"x":[1],"y":[1],"labels":["a","b"]}"#,
            "/labels",
        ),
        (
            "plot_braille",
            r#"{"x":[1],"y":[[1],[2]],"points":[0,2]}"#,
            "/points/1",
        ),
        (
            "plot_braille",
            r#"{"x":[1],"y":[[1],[2]],"plot_type":"scatter","points":[0]}"#,
            "/points",
        ),
        ("plot_braille", r#"{"x":[1],"y":[1],"titel":"a"}"#, "/titel"),
        ("histogram", r#"{"data":[]}"#, "/data"),
        ("histogram", r#"{"data":[1],"bins":0}"#, "/bins"),
        ("histogram", r#"{"data":[1],"bins":100001}"#, "/bins"),
    ];
    for (tool, args, path) in cases {
        let err = call(tool, args).expect_err(args);
        assert_eq!(err.path(), Some(path), "{args}: {err:?}");
        assert_eq!(
            err.code(),
            tool_core::ErrorCode::InvalidArgs,
            "{args}: {err:?}"
        );
    }
}

/// A curve with three points beside it: the points are marked and not joined.
#[test]
fn points_beside_a_curve_are_not_joined() {
    let args = |y: &str, more: &str| {
        format!(r#"{{"x":[0,1,2,3,4,5,6,7,8,9],"y":{y},"height":12,"title":""{more}}}"#)
    };
    let curve = "[0,1,2,3,4,5,6,7,8,9]";
    let data = "[9,0,9,0,9,0,9,0,9,0]";
    let plot = |args: &str| {
        let output = call("plot_braille", args).expect("a plot");
        output.text("plot").expect("a text").to_owned()
    };
    let braille = |plot: &str| {
        plot.chars()
            .filter(|c| ('\u{2801}'..='\u{28ff}').contains(c))
            .count()
    };
    let marked = plot(&args(&format!("[{curve},{data}]"), r#","points":[1]"#));
    let legend = marked.lines().last().expect("a legend");
    // One of the ten is where the curve ends, and one symbol is in the legend.
    assert_eq!(marked.matches('x').count(), 11, "{marked}");
    assert!(legend.contains("x y1"), "{legend}");
    let alone = plot(&args(curve, ""));
    let joined = plot(&args(&format!("[{curve},{data}]"), ""));
    assert!(braille(&marked) <= braille(&alone) && braille(&joined) > 2 * braille(&alone));
}

#[test]
fn seventeen_series_are_refused() {
    let y = vec!["[1]"; 17].join(",");
    let err = call("plot_braille", &format!(r#"{{"x":[1],"y":[{y}]}}"#)).expect_err("too many");
    assert!(err.message().contains("at most 16 series"), "{err:?}");
}

#[test]
fn a_million_points_are_drawn() {
    let (x, y) = (
        list(1_000_000, |i| i),
        list(1_000_000, |i| (i * 1e-5).sin() + (i * 0.618_034).fract()),
    );
    let output = call("plot_braille", &format!(r#"{{"x":{x},"y":{y}}}"#)).expect("a plot");
    assert_eq!(
        output.get("n_points").and_then(Value::as_i64),
        Some(1_000_000)
    );
}

/// Numbers of every size, with ties.
fn numbers(count: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<f64>> {
    let ordinary = prop_oneof![-1e3..1e3, Just(0.0), Just(1.0)];
    let every = prop_oneof![4 => ordinary, 1 => proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO];
    proptest::collection::vec(every, count)
}

proptest! {
    /// Whatever the data: no panic, no line wider than requested, as many rows as requested, ranges that hold the data.
    #[test]
    fn every_point_lies_in_the_frame(
        (x, y) in (1_usize..40).prop_flat_map(|count| (numbers(count), numbers(count))),
        kind in prop_oneof![Just("line"), Just("scatter"), Just("bar")],
        width in 10_i64..120,
        height in 2_i64..40,
    ) {
        let args = Value::object([
            ("x", Value::vector(x.clone())), ("y", Value::vector(y.clone())), ("plot_type", kind.into()),
            ("width", width.into()), ("height", height.into()), ("title", "t".into()),
        ]);
        let output = call("plot_braille", &args.to_string()).expect("a plot");
        let plot = output.get("plot").and_then(Value::as_str).expect("a plot").to_owned();
        prop_assert!(plot.lines().all(|line| line.chars().count() <= width as usize), "{plot}");
        prop_assert!((height + 2..=height + 3).contains(&(plot.lines().count() as i64)), "{plot}");
        for (name, values) in [("x_range", &x), ("y_range", &y)] {
            let ends = output.get(name).and_then(Value::as_numbers).expect("a range").as_slice().to_vec();
            prop_assert!(ends[0] < ends[1]);
            prop_assert!(values.iter().all(|value| ends[0] <= *value && *value <= ends[1]), "{ends:?}");
        }
    }

    /// Counts add up, edges rise and hold the data.
    #[test]
    fn a_histogram_counts_every_value_once(data in numbers(1..200), bins in 1_i64..60) {
        let args = Value::object([("data", Value::vector(data.clone())), ("bins", bins.into())]);
        let output = call("histogram", &args.to_string()).expect("a plot");
        let counts = output.get("counts").and_then(Value::as_numbers).expect("counts").as_slice().to_vec();
        let edges = output.get("bin_edges").and_then(Value::as_numbers).expect("edges").as_slice().to_vec();
        prop_assert_eq!(counts.iter().sum::<f64>(), data.len() as f64);
        prop_assert_eq!(edges.len(), counts.len() + 1);
        prop_assert!(edges.windows(2).all(|pair| pair[0] <= pair[1]));
        for (bin, count) in counts.iter().enumerate() {
            let last = bin + 1 == counts.len();
            let inside = data.iter().filter(|value| {
                edges[bin] <= **value && (**value < edges[bin + 1] || (last && **value <= edges[bin + 1]))
            });
            prop_assert_eq!(inside.count() as f64, *count);
        }
    }
}

#[test]
fn golden_functions() {
    golden("sin", "plot_function", r#"{"function":"sin"}"#);
    golden(
        "tan",
        "plot_function",
        r#"{"function":"tan(x)","width":70,"height":15}"#,
    );
    golden(
        "reciprocal",
        "plot_function",
        r#"{"function":"1/x","width":70,"height":15,"n_points":401}"#,
    );
    golden(
        "steps",
        "plot_function",
        r#"{"function":"floor(x)","width":60,"height":12}"#,
    );
    golden(
        "narrow_peak",
        "plot_function",
        r#"{"function":"exp(-1e3*(x-1)**2)","width":60,"height":10,"title":"one narrow peak"}"#,
    );
}

/// Case W32: `log` over the default range, half of which has no value.
#[test]
fn undefined_points_are_skipped() {
    golden("log", "plot_function", r#"{"function":"log"}"#);
    let output = call("plot_function", r#"{"function":"log"}"#).expect("a plot");
    assert_eq!(output.get("undefined").and_then(Value::as_i64), Some(200));
    let err = call("plot_function", r#"{"function":"log(-1-x**2)"}"#).expect_err("defined nowhere");
    assert_eq!(
        (err.code(), err.reason_str()),
        (tool_core::ErrorCode::Numeric, Some("undefined"))
    );
}

/// Case W33: an unknown name is an error, never another function.
#[test]
fn an_unknown_function_is_refused() {
    for (text, word) in [
        ("bessel", "bessel"),
        ("sni(x)", "sni"),
        ("sin(y)", "y"),
        ("", "empty"),
        ("sin(x) garbage", "garbage"),
    ] {
        let err = call(
            "plot_function",
            &Value::object([("function", text)]).to_string(),
        )
        .expect_err(text);
        assert!(
            err.message().contains(word) && err.path() == Some("/function"),
            "{err:?}"
        );
    }
}

#[test]
fn functions_of_the_earlier_interface_are_known() {
    for name in [
        "sin", "cos", "exp", "log", "x^2", "square", "x^3", "cube", "sqrt", "tanh", "sigmoid",
        "gaussian", "pi", "np.sin",
    ] {
        call(
            "plot_function",
            &Value::object([("function", name)]).to_string(),
        )
        .unwrap_or_else(|err| panic!("{name}: {err:?}"));
    }
}

#[test]
fn ends_of_a_function_plot_must_rise() {
    for ends in [
        r#""x_min":1,"x_max":1"#,
        r#""x_min":2,"x_max":1"#,
        r#""x_min":1e20,"x_max":1.0000000000000002e20"#,
    ] {
        let err = call("plot_function", &format!(r#"{{"function":"x",{ends}}}"#)).expect_err(ends);
        assert_eq!(err.path(), Some("/x_max"));
    }
}

/// What the range shows: `low` and `high` bound the ends of `y_range`.
#[test]
fn poles_do_not_stretch_the_range() {
    let cases = [
        ("tan(x)", 2.0, 20.0, true),
        ("1/x", 1.0, 20.0, true),
        ("1/x**2", 1.0, 60.0, true),
        ("exp(x)", 23.0, 26.0, false),
        ("x**9", 29000.0, 34000.0, false),
        ("exp(-1e3*(x-1)**2)", 0.9, 1.2, false),
        ("1e3*exp(-1e3*(x-1)**2)+sin(x)", 900.0, 1200.0, false),
    ];
    for (function, low, high, clipped) in cases {
        let output = call(
            "plot_function",
            &Value::object([("function", function)]).to_string(),
        )
        .expect(function);
        let top = output
            .pointer("/y_range/1")
            .and_then(|end| end.as_f64())
            .expect("an end");
        assert!(low <= top && top <= high, "{function}: {top}");
        assert_eq!(
            output
                .get("clipped")
                .and_then(Value::as_i64)
                .is_some_and(|count| count > 0),
            clipped,
            "{function}"
        );
    }
}

fn picture(args: &str) -> (String, super::raster::Raster, Vec<[u32; 3]>) {
    let output = call("plot_sixel", args).unwrap_or_else(|err| panic!("{err:?}"));
    let sixel = output
        .get("sixel")
        .and_then(Value::as_str)
        .expect("a picture")
        .to_owned();
    let (raster, palette) = super::sixel::tests::decode(&sixel);
    if let Some(folder) = std::env::var_os("DUMP_PICTURES") {
        let mut ppm = format!("P6 {} {} 255\n", raster.width, raster.height).into_bytes();
        let colours: Vec<[u8; 3]> = palette
            .iter()
            .map(|colour| colour.map(|percent| (percent * 255 / 100) as u8))
            .collect();
        ppm.extend(
            raster
                .pixels
                .iter()
                .flat_map(|pixel| colours[usize::from(*pixel)]),
        );
        let name = format!(
            "{:x}.ppm",
            args.bytes().fold(7_u32, |hash, byte| hash
                .wrapping_mul(31)
                .wrapping_add(byte.into()))
        );
        std::fs::write(Path::new(&folder).join(name), ppm).expect("the picture can be written");
    }
    (sixel, raster, palette)
}

/// Case W40: three points gave 107,725 bytes without axes; here a few thousand, with them.
#[test]
fn a_picture_is_run_length_encoded() {
    let (sixel, raster, _) = picture(
        r##"{"x":[1,2,3],"y":[1,4,9],"title":"three points","x_label":"time / s","y_label":"height / m"}"##,
    );
    assert!(sixel.len() < 12_000, "{} bytes", sixel.len());
    assert_eq!((raster.width, raster.height), (800, 400));
    for colour in 1..=4 {
        assert!(
            raster.pixels.contains(&colour),
            "colour {colour} (grid, frame, text, data) is missing"
        );
    }
}

/// Case W41: several series, each in its colour.
#[test]
fn several_series_have_their_colours() {
    let x = list(200, |i| i / 20.0);
    let (a, b) = (
        list(200, |i| (i / 20.0).sin()),
        list(200, |i| (i / 20.0).cos()),
    );
    for kind in ["line", "scatter"] {
        let args = format!(
            r##"{{"x":{x},"y":[{a},{b}],"plot_type":"{kind}","labels":["sine","cosine"],"colors":["#cc0000","purple"],"title":"waves"}}"##
        );
        let (_, raster, palette) = picture(&args);
        assert_eq!(palette[4..], [[80, 0, 0], [58, 40, 74]]);
        assert!(raster.pixels.contains(&4) && raster.pixels.contains(&5));
    }
    picture(
        r##"{"x":[1,2,3,4],"y":[[1,4,-2,3],[2,3,5,-1]],"plot_type":"bar","title":"two groups"}"##,
    );
    picture(
        r##"{"x":[1,2,3,4],"y":[1e-9,4e-9,2e-9,3e-9],"width":160,"height":90,"title":"tiny"}"##,
    );
}

#[test]
fn colours_are_checked() {
    let cases = [
        (r##"["bleu"]"##, "/colors/0", "bleu"),
        (r##"["#12345"]"##, "/colors/0", "#12345"),
        (r##"["red","green"]"##, "/colors", "1 series"),
    ];
    for (colors, path, word) in cases {
        let err = call(
            "plot_sixel",
            &format!(r#"{{"x":[1],"y":[1],"colors":{colors}}}"#),
        )
        .expect_err(colors);
        assert!(
            err.path() == Some(path) && err.message().contains(word),
            "{err:?}"
        );
    }
}

#[test]
fn a_million_points_make_a_picture() {
    let (x, y) = (
        list(1_000_000, |i| i),
        list(1_000_000, |i| (i * 1e-5).sin() + (i * 0.618_034).fract()),
    );
    for kind in ["line", "scatter", "bar"] {
        picture(&format!(r#"{{"x":{x},"y":{y},"plot_type":"{kind}"}}"#));
    }
}

#[test]
fn the_example_picture_is_as_stored() {
    let args = r#"{"x":[1,2,3],"y":[1,2,3],"width":100,"height":50,"title":""}"#;
    let (sixel, ..) = picture(args);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/plot/golden/example.sixel");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &sixel).expect("the golden file can be written");
    }
    assert_eq!(
        Some(sixel),
        std::fs::read_to_string(&path).ok(),
        "UPDATE=1 rewrites it"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the data and the size: a picture of that size, and some of each series visible (the last one at least).
    #[test]
    fn every_picture_shows_its_data(
        (x, y) in (1_usize..20).prop_flat_map(|count| (numbers(count), numbers(count))),
        kind in prop_oneof![Just("line"), Just("scatter"), Just("bar")],
        width in 100_i64..400,
        height in 50_i64..200,
    ) {
        let args = Value::object([
            ("x", Value::vector(x)), ("y", Value::vector(y)), ("plot_type", kind.into()),
            ("width", width.into()), ("height", height.into()), ("title", "some title".into()), ("y_label", "some label".into()),
        ]);
        let (_, raster, _) = picture(&args.to_string());
        prop_assert_eq!((raster.width as i64, raster.height as i64), (width, height));
        // Bars of almost nothing lie under the line of zero.
        prop_assert!(kind == "bar" || raster.pixels.contains(&4));
    }
}
