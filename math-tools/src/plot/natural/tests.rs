//! Pictures of results: what each shows, what it lacks, and numbers that must agree with the tool's own.

use super::super::tests::call;
use super::regression::{FormulaFit, MeanBand, ModelCurve, normal_scores};
use super::result::DrawnResult;
use crate::prelude::*;
use tool_core::object;

/// Runs a tool of any family.
fn run_tool(tool: &str, args: &str) -> Value {
    let args = tool_core::json::parse_json(args, tool_core::json::JsonLimits::default());
    let mut tools = crate::FAMILIES.iter().flat_map(|family| family.iter());
    let found = tools.find(|entry| entry.tool().spec().id == tool);
    let decoded = found
        .expect("the tool exists")
        .tool()
        .decode(&args.expect("JSON"));
    let answer = decoded.expect("arguments").run(&Ctx::default());
    answer.unwrap_or_else(|err| panic!("{tool}: {err:?}"))
}

/// The picture of a call, by the result and the arguments.
fn picture_of(tool: &str, args: &str, more: &str) -> Result<Value, ToolError> {
    let result = run_tool(tool, args);
    call(
        "plot",
        &format!(r#"{{"result":{result},"call":{args}{more}}}"#),
    )
}

const DECAY: &str = r#"{"model":"a*exp(-k*t)","data":{"t":[0,1,2,3,4,6],"y":[8.1,3.9,2.1,0.9,0.6,0.1]},"plot":false}"#;
const LINE: &str = r#"{"x":[1,2,3,4,5],"y":[2.1,3.9,6.2,7.8,10.1]}"#;

const HOMES: &str = r#"{"data":{"price":[3,5,4,6,9,8,7.5,11],"area":[1,2,2,3,4,4,3,6],"city":["Oslo","Oslo","Rome","Rome","Oslo","Rome","Rome","Oslo"]},"formula":"price ~ area + city"}"#;
const GROUPS: &str = r#"{"data":{"v":[1,2,3,2,4,5,6,7,5,6,3,null],"g":["a","a","a","a","a","b","b","b","b","b","b","b"]},"value":"v","group":"g"}"#;

const CALLS: [(&str, &str, &str); 26] = [
    ("linear_regression", HOMES, "fitted price"),
    (
        "linear_regression",
        r#"{"data":{"price":[3,5,4,6,9],"area":[1,2,2,3,4]},"formula":"price ~ area","errors":"HC3"}"#,
        "area = ",
    ),
    (
        "linear_regression",
        r#"{"data":{"price":[3,5,4,6,9,7],"area":[1,2,2,3,4,4],"w":[1,2,1,2,1,2]},"formula":"log(price) ~ poly(area, 2)","weights":"w"}"#,
        "residual",
    ),
    ("compare_groups", GROUPS, "v by g"),
    (
        "compare_groups",
        r#"{"data":{"v":[1,2,3,3,5,6,2,2,4],"g":["a","b","c","a","b","c","a","b","c"],"s":[1,1,1,2,2,2,3,3,3]},"value":"v","group":"g","subject":"s"}"#,
        "v by g",
    ),
    (
        "hypothesis_test",
        r#"{"x":[1,2,3,4,5],"y":[3,4,5,6,8]}"#,
        "Welch",
    ),
    (
        "hypothesis_test",
        r#"{"test":"proportions","successes":[12,7],"trials":[40,41]}"#,
        "difference of proportions",
    ),
    (
        "survival",
        r#"{"data":{"week":[1,2,3,4,6,7,8,9],"died":[1,0,1,1,0,1,1,0],"arm":["a","a","a","a","b","b","b","b"]},"time":"week","event":"died","group":"arm"}"#,
        "log-rank χ²(1)",
    ),
    (
        "survival",
        r#"{"data":{"week":[1,2,3,4,6,7,8,9],"died":[1,0,1,1,0,1,1,0],"age":[7,3,6,5,4,4,2,3]},"formula":"Surv(week, died) ~ age"}"#,
        "hazard ratio",
    ),
    ("kernel_density", r#"{"data":[1,2,2,3,9]}"#, "bandwidth"),
    (
        "correlation",
        r#"{"data":{"a":[1,2,3,4],"b":[10,30,20,40],"c":[5,5,4,1]}}"#,
        "coefficient",
    ),
    (
        "correlation",
        r#"{"data":{"a":[1,2,3,4],"b":[10,30,20,40],"c":[2,2,2,2]},"method":"distance","permutations":9}"#,
        "coefficient",
    ),
    ("curve_fit", DECAY, "y = a*exp(-k*t)"),
    (
        "curve_fit",
        r#"{"model":"a*u+b*v","data":{"u":[1,2,3,4,5],"v":[1,0,2,1,3],"y":[3,4,8,9,13]},"plot":false}"#,
        "fitted",
    ),
    (
        "curve_fit",
        r#"{"model":{"system":{"x":"-k*x"},"y0":{"x":"a"}},"data":{"t":[0,1,2,3],"y":[8,4,2,1]},"start":{"a":7,"k":0.5},"plot":false}"#,
        "residual",
    ),
    ("linear_regression", LINE, "Linear regression"),
    (
        "linear_regression",
        r#"{"x":[1,2,3,4,5],"y":[2.1,3.9,9.2,15.8,26.1],"polynomial":2}"#,
        "Linear regression",
    ),
    (
        "linear_regression",
        r#"{"x":[[1,2],[2,1],[3,5],[4,4],[5,1]],"y":[5,4,13,12,7]}"#,
        "fitted",
    ),
    (
        "mcmc",
        r#"{"log_density":"-0.5*(x0**2 + (x1-x0)**2)","x0":{"x0":0,"x1":0},"n_samples":200,"chains":2}"#,
        "2 chains of 200 draws",
    ),
    (
        "solve_ode",
        r#"{"system":["y1","-y0"],"y0":[1,0],"t_span":[0,6]}"#,
        "start",
    ),
    (
        "time_series",
        r#"{"data":{"quarter":["2020-01-01","2020-04-01","2020-07-01","2020-10-01","2021-01-01","2021-04-01","2021-07-01","2021-10-01","2022-01-01","2022-04-01","2022-07-01","2022-10-01"],"sales":[5,9,3,6,6,10,4,7,7,12,5,8]},"y":"sales","model":"ets","forecast":4,"hold_out":0}"#,
        "Sales: the next 4 values",
    ),
    (
        "time_series",
        r#"{"data":[3,4,6,5,7,8,9,8,10,12],"period":1,"model":"ets","forecast":1,"hold_out":0}"#,
        "Value: the next value",
    ),
    (
        "fft",
        r#"{"data":[1,0,-1,0,1,0,-1,0],"rate":8,"kind":"amplitude","plot":false}"#,
        "frequency, Hz",
    ),
    (
        "optimize",
        r#"{"objective":"rosenbrock","x0":[-1.2,1]}"#,
        "after",
    ),
    (
        "optimize",
        r#"{"objective":"(a-2)**2 + 1","x0":{"a":5}}"#,
        "found",
    ),
    (
        "histogram",
        r#"{"data":[0,1,2,2,3],"bins":3}"#,
        "5 values in 3 bins",
    ),
];

#[test]
fn every_result_has_its_picture() {
    for (tool, args, words) in CALLS {
        for format in ["png", "svg", "html", "pdf", "text"] {
            let answer = picture_of(tool, args, &format!(r#","format":"{format}""#));
            let answer = answer.unwrap_or_else(|err| panic!("{tool} {args}: {err:?}"));
            let picture = answer.get("picture");
            assert_eq!(picture.is_some(), format != "text");
            if format == "svg" {
                let svg = picture.unwrap().text("text").unwrap();
                assert!(svg.contains(words), "{tool} {args}: {words}");
                assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{tool}");
            }
            assert!(!answer.text("description").unwrap().is_empty());
        }
    }
}

#[test]
fn the_tool_may_be_named_and_must_fit() {
    let result = run_tool("linear_regression", LINE);
    let named = format!(r#"{{"result":{result},"call":{LINE},"of":"linear_regression"}}"#);
    assert!(call("plot", &named).is_ok());
    let wrong = format!(r#"{{"result":{result},"call":{LINE},"of":"mcmc"}}"#);
    let err = call("plot", &wrong).unwrap_err();
    assert_eq!(err.path(), Some("/result/samples"));
    for (args, place) in [
        (r#"{"result":{"a":1}}"#, "/result"),
        (r#"{"result":3}"#, "/result"),
        (r#"{"of":"mcmc","data":{"x":[1]}}"#, "/result"),
        (
            r#"{"result":{"t":[0,1],"y":[[1]],"completed":true}}"#,
            "/result/y",
        ),
        (
            r#"{"result":{"bin_edges":[0,1],"counts":[1,2]}}"#,
            "/result/bin_edges",
        ),
        (r#"{"result":{"x":[1,2],"f":1,"evaluations":3}}"#, "/call"),
        (
            r#"{"result":{"x":[1,2],"f":1,"evaluations":3},"call":{"objective":"x +"}}"#,
            "/call",
        ),
        (
            r#"{"result":{"bin_edges":[0,1],"counts":[1]},"color":"a"}"#,
            "/color",
        ),
        (
            r#"{"result":{"bin_edges":[0,1],"counts":[1]},"spec":{}}"#,
            "/spec",
        ),
        (
            r#"{"result":{"bin_edges":[0,1],"counts":[1]},"width":5000}"#,
            "/width",
        ),
    ] {
        let err = call("plot", args).unwrap_err();
        assert!(
            err.path().unwrap_or_default().starts_with(place),
            "{args}: {err:?}"
        );
    }
}

#[test]
fn data_of_a_table_stand_in_for_those_of_the_call() {
    let result = run_tool("linear_regression", LINE);
    let table = r#"{"width":[1,2,null,3,4,5],"price":[2.1,3.9,7,6.2,7.8,10.1]}"#;
    let args =
        format!(r#"{{"result":{result},"data":{table},"x":"width","y":"price","format":"svg"}}"#);
    let answer = call("plot", &args).unwrap();
    let picture = answer.get("picture").unwrap();
    let svg = picture.text("text").unwrap();
    assert!(svg.contains(">width</text>") && svg.contains(">price</text>"));
    let err = call("plot", &format!(r#"{{"result":{result},"data":{table}}}"#)).unwrap_err();
    assert_eq!(err.path(), Some("/data"));
    let missing = call("plot", &format!(r#"{{"result":{result}}}"#)).unwrap_err();
    assert_eq!(missing.path(), Some("/data"));
}

fn parse(text: &str) -> Value {
    tool_core::json::parse_json(text, tool_core::json::JsonLimits::default()).unwrap()
}

fn source_of<'a>(result: &'a Value, call: &'a Value, ctx: &'a Ctx) -> DrawnResult<'a> {
    DrawnResult {
        result,
        call: Some(call),
        data: None,
        x: None,
        y: None,
        x_label: None,
        y_label: None,
        theme: plots::PlotTheme::Light,
        ctx,
    }
}

#[test]
fn the_band_of_a_curve_is_that_of_the_fit() {
    let (result, args) = (run_tool("curve_fit", DECAY), parse(DECAY));
    let ctx = Ctx::default();
    let source = source_of(&result, &args, &ctx);
    let band = source.numbers("band").unwrap();
    let fitted = source.numbers("fitted").unwrap();
    let model = ModelCurve::new(&source, "t").unwrap();
    let curve = model.points(&[0.0, 1.0, 2.0, 3.0, 4.0, 6.0], &band);
    // The 201 places from 0 to 6 have these rows among them.
    for (row, place) in [(0, 0), (3, 100), (5, 200)] {
        assert!((curve.y[place] / fitted[row] - 1.0).abs() < 1e-9, "{row}");
        let ratio = curve.half[place] / band[row];
        assert!((ratio - 1.0).abs() < 1e-5, "{row}: {ratio}");
    }
}

#[test]
fn the_band_of_a_line_is_the_interval_of_its_mean() {
    let (result, args) = (run_tool("linear_regression", LINE), parse(LINE));
    let ctx = Ctx::default();
    let band = MeanBand::of_result(&source_of(&result, &args, &ctx), &[1.0, 2.0, 3.0, 4.0, 5.0]);
    // statsmodels 0.15.0: half the width of OLS(y, [1, x]).fit().get_prediction([[1, 2.5]]).conf_int().
    let half = band.unwrap().half_width(2.5);
    assert!(
        (half / 0.285_091_064_399_187_74 - 1.0).abs() < 1e-12,
        "{half}"
    );
}

#[test]
fn odd_results_are_drawn_or_refused() {
    let constant = object! { "bin_edges" => Value::vector(vec![1.0, 1.0]), "counts" => Value::vector(vec![3.0]) };
    let answer = call("plot", &format!(r#"{{"result":{}}}"#, constant));
    assert!(answer.is_ok(), "{answer:?}");
    for result in [
        r#"{"t":[0],"y":[[1,2]],"completed":true}"#,
        r#"{"t":[0,1],"y":[[1e-300,2],[3e-300,2]],"completed":false,"reason":"blow_up"}"#,
        r#"{"rhat":["NaN"],"ess":["NaN"],"summary":[],"samples":[[[1],[1]]]}"#,
        r#"{"frequencies":[0,1],"amplitude":[0,0],"window":"none","n":2,"peaks":[]}"#,
        r#"{"forecast":[],"held_out":[],"anomalies":[],"columns":{"observed":[1],"season":[0],"remainder":[0]}}"#,
        r#"{"forecast":[{"mean":"Infinity"}],"held_out":[],"anomalies":[{"at":9}],"columns":{"observed":[1,1],"season":[0,0],"remainder":[0,0],"time":["a"]}}"#,
    ] {
        for (width, height) in [(1, 1), (400, 300), (4096, 20)] {
            let args = format!(r#"{{"result":{result},"width":{width},"height":{height}}}"#);
            let answer = call("plot", &args);
            assert!(answer.is_ok(), "{result} {width} x {height}: {answer:?}");
        }
    }
}

/// The rows that a picture makes from the formula are those of the fit: their share of explained variation is that of the result.
#[test]
fn fitted_values_of_a_formula_explain_as_much_as_the_fit() {
    for more in [
        r#""formula":"price ~ area + city""#,
        r#""formula":"log(price) ~ poly(area, 2) * city""#,
        r#""formula":"price ~ offset(area) + city""#,
        r#""formula":"price ~ area + city","penalty":"ridge","strength":0.1"#,
        r#""formula":"price ~ 0 + area:city""#,
    ] {
        let text = format!(
            r#"{{"data":{{"price":[3,5,4,6,9,8,7.5,11,null],"area":[1,2,2,3,4,4,3,6,2],"city":["Oslo","Oslo","Rome","Rome","Oslo","Rome","Rome","Oslo","Rome"]}},{more}}}"#
        );
        let (result, args, ctx) = (
            run_tool("linear_regression", &text),
            parse(&text),
            Ctx::default(),
        );
        let source = source_of(&result, &args, &ctx);
        let fit = FormulaFit::of_source(&source).unwrap();
        let rest: f64 = fit.residuals().iter().map(|one| one * one).sum();
        let freedom = source.number("degrees_of_freedom").unwrap();
        let deviation = source.number("residual_std").unwrap();
        let ratio = libm::sqrt(rest / freedom) / deviation;
        assert!((ratio - 1.0).abs() < 1e-10, "{more}: {ratio}");
    }
    let other = r#"{"data":{"price":[1,2,4],"width":[1,2,2]},"formula":"price ~ width"}"#;
    let (result, args, ctx) = (
        run_tool("linear_regression", HOMES),
        parse(other),
        Ctx::default(),
    );
    let err = FormulaFit::of_source(&source_of(&result, &args, &ctx))
        .err()
        .unwrap();
    assert_eq!(err.path(), Some("/result/terms"));
}

/// Python 3.13: `NormalDist().inv_cdf` of R's `ppoints(5)` and `ppoints(12)`.
#[test]
fn normal_scores_are_those_of_plotting_positions() {
    let five = normal_scores(5);
    for (found, expected) in
        five.iter()
            .zip([-1.179_761_117_611_860_3, -0.497_200_570_681_554, 0.0])
    {
        assert!((found - expected).abs() < 1e-14, "{found}");
    }
    assert!((normal_scores(12)[0] + 1.731_664_396_122_245).abs() < 1e-14);
    assert!(normal_scores(0).is_empty() && normal_scores(1) == [0.0]);
}

/// What the call takes from a file is opened as the tool opens it, and drawn.
#[test]
fn a_call_may_take_its_table_from_a_file() {
    let mut args = parse(GROUPS).as_object().cloned().unwrap();
    let table = args.get("data").cloned().unwrap();
    let result = run_tool("compare_groups", GROUPS);
    args.insert("data", object! { "$file" => "homes.csv" });
    let drawing = object! { "result" => result, "call" => Value::from(args), "format" => "svg" };
    let plot = crate::plot::TOOLS
        .iter()
        .find(|entry| entry.tool().spec().id == "plot");
    let call = plot.unwrap().tool().decode(&drawing).unwrap();
    let [source] = call.sources() else {
        panic!("{:?}", call.sources());
    };
    assert_eq!(source.pointer, "/call/data");
    assert_eq!(source.kind, tool_core::input::InputKind::Table);
    let loaded = std::collections::HashMap::from([(source.source.clone(), table)]);
    let answer = call.run(&Ctx::default().with_loaded(loaded)).unwrap();
    let svg = answer
        .get("picture")
        .and_then(|picture| picture.text("text"))
        .unwrap_or_default()
        .to_owned();
    assert!(svg.contains("v by g") && svg.contains("<path"));
    // A file that is nested in an argument is opened by no one.
    let nested = parse(
        r#"{"result":{"bin_edges":[0,1],"counts":[1]},"call":{"a":{"b":{"$file":"x.csv"}}}}"#,
    );
    let err = plot.unwrap().tool().decode(&nested).err().unwrap();
    assert_eq!(err.reason_str(), Some("reference"));
}

/// A result without the data of its call has the picture that it can have, or says what is missing.
#[test]
fn results_without_their_data_are_drawn_as_far_as_they_go() {
    for (tool, args) in [
        ("compare_groups", GROUPS),
        ("hypothesis_test", r#"{"x":[1,2,3,4,5],"y":[3,4,5,6,8]}"#),
        ("kernel_density", r#"{"data":[1,2,2,3,9]}"#),
    ] {
        let result = run_tool(tool, args);
        let answer = call("plot", &format!(r#"{{"result":{result},"format":"svg"}}"#));
        assert!(answer.is_ok(), "{tool}: {answer:?}");
    }
    let result = run_tool("linear_regression", HOMES);
    let err = call("plot", &format!(r#"{{"result":{result}}}"#)).unwrap_err();
    assert_eq!(err.path(), Some("/data"));
    let result = run_tool("hypothesis_test", r#"{"test":"shapiro","x":[1,2,3,4,9]}"#);
    let err = call("plot", &format!(r#"{{"result":{result}}}"#)).unwrap_err();
    assert_eq!(err.path(), Some("/result/estimate"));
    let result = run_tool(
        "survival",
        r#"{"data":{"t":[1,2],"e":[1,0]},"time":"t","event":"e","points":0}"#,
    );
    let err = call("plot", &format!(r#"{{"result":{result}}}"#)).unwrap_err();
    assert_eq!(err.path(), Some("/result/curve"));
}
