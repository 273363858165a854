//! A small tool from definition to envelope, and the parts around it.

use std::collections::{HashMap, HashSet};

use rand::rand_core::Rng;

use crate::convert::to_value;
use crate::json::{JsonLimits, parse_json};
use crate::nearest::nearest_name;
use crate::rng::{derive_seed, stream_rng};
use crate::*;

/// Multiply every number.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
struct Args {
    /// Numbers to multiply.
    data: Input<Vector>,
    /// Factor.
    factor: Positive,
    /// How often, 1 to 9.
    #[value(default = "once")]
    times: BoundedInteger<1, 9>,
    /// What to do with the sign.
    #[value(default)]
    sign: Sign,
}

fn once() -> BoundedInteger<1, 9> {
    BoundedInteger::literal(1)
}

#[derive(Debug, Clone, Copy, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
enum Sign {
    #[default]
    Keep,
    Drop,
}

#[derive(Debug, Encode, Describe)]
struct Output {
    /// The products.
    product: Vec<f64>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "scale",
        title: "Scale",
        ..Spec::pure()
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let factor = args.factor.get().powi(args.times.get() as i32);
        let data = args.data.load(ctx)?;
        let keep = |value: f64| {
            if matches!(args.sign, Sign::Drop) {
                value.abs()
            } else {
                value
            }
        };
        Ok(Output {
            product: data.iter().map(|&value| keep(value) * factor).collect(),
        })
    }

    fn examples() -> Vec<ToolExample<Args, Output>> {
        vec![ToolExample {
            title: "doubling",
            args: Args {
                data: Input::inline([1.0, -2.0]),
                factor: Positive::literal(2.0),
                times: once(),
                sign: Sign::Keep,
            },
            output: Output {
                product: vec![2.0, -4.0],
            },
        }]
    }
}

static TOOLS: &[ErasedTool] = &[tool_entry::<Args>()];

fn value(text: &str) -> Value {
    parse_json(text, JsonLimits::default()).expect(text)
}

fn run(text: &str) -> Result<Value, ToolError> {
    TOOLS[0].tool().decode(&value(text))?.run(&Ctx::default())
}

#[test]
fn an_entry_decodes_runs_and_describes_itself() {
    let tool = TOOLS[0].tool();
    assert_eq!(
        run(r#"{"data":[1,-2],"factor":2}"#).expect("runs"),
        value(r#"{"product":[2,-4]}"#)
    );
    assert_eq!(tool.description(), "Multiply every number.");
    assert_eq!(tool.spec().fault(), None);
    for example in tool.examples() {
        let output = tool
            .decode(&example.args)
            .and_then(|call| call.run(&Ctx::default()));
        assert_eq!(output.expect("runs"), example.output);
    }
    let call = tool
        .decode(&value(r#"{"factor":1,"data":[3]}"#))
        .expect("valid");
    assert_eq!(
        call.args().to_string(),
        r#"{"data":[3.0],"factor":1.0,"times":1,"sign":"keep"}"#
    );
}

#[test]
fn schemas_are_inline_closed_and_described() {
    let schema = TOOLS[0].tool().input_schema();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], serde_json::json!(["data", "factor"]));
    assert_eq!(schema["properties"]["factor"]["exclusiveMinimum"], 0);
    assert_eq!(schema["properties"]["times"]["maximum"], 9);
    assert_eq!(schema["properties"]["times"]["default"], 1);
    // The one reference is that to data from elsewhere, which stands once.
    assert_eq!(
        schema["$defs"].as_object().map(serde_json::Map::len),
        Some(1)
    );
    assert_eq!(schema.to_string().matches("$file").count(), 2);
    assert_eq!(
        TOOLS[0].tool().output_schema()["additionalProperties"],
        false
    );
}

/// Case R7: all argument errors are reported together.
#[test]
fn all_argument_errors_at_once() {
    let err = run(r#"{"factor":0,"times":true,"sing":"keep","sign":"dorp"}"#)
        .expect_err("four errors and a missing field");
    let found: HashMap<_, _> = err
        .problems()
        .iter()
        .map(|problem| (problem.path.as_str(), problem.message.as_str()))
        .collect();
    assert_eq!(found.len(), 5, "{found:?}");
    assert_eq!(found["/data"], "missing required argument `data`");
    assert_eq!(
        found["/sing"],
        "unknown argument `sing`; did you mean `sign`?"
    );
    let other = run(r#"{"data":[1],"completely_else":1}"#).expect_err("an unknown one");
    assert!(
        other
            .message()
            .contains("unknown argument `completely_else`; expected some of `")
            && other.message().contains("`sign`"),
        "{other}"
    );
    assert!(found["/factor"].contains("greater than 0"));
    assert!(found["/times"].contains("integer"));
    assert!(found["/sign"].contains("did you mean `drop`?"));
}

#[test]
fn of_several_forms_the_one_nearest_to_the_value_is_explained() {
    let schema = serde_json::json!({ "anyOf": [
        { "type": "object", "properties": { "$artifact": { "type": "string" } }, "required": ["$artifact"] },
        { "type": "object", "additionalProperties": { "type": "array" } }
    ] });
    let value = parse_json(r#"{"v":5}"#, JsonLimits::default()).expect("JSON");
    let found = schema::check_value(&schema, &value);
    let paths: Vec<&str> = found.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["/v"], "{found:?}");
}

/// Case R8: a boolean is no integer; number, enum and ranges are checked; defaults are applied.
#[test]
fn types_and_ranges_are_checked() {
    for (text, path) in [
        (r#"{"data":[1],"factor":"abc"}"#, "/factor"),
        (r#"{"data":[1],"factor":true}"#, "/factor"),
        (r#"{"data":[1],"factor":1,"times":10}"#, "/times"),
        (r#"{"data":[1],"factor":1,"times":1.5}"#, "/times"),
        (r#"{"data":{"x":1},"factor":1}"#, "/data"),
        (r#"{"data":[1,null],"factor":1}"#, "/data/1"),
        (r#"{"data":[[1]],"factor":1}"#, "/data"),
    ] {
        let err = run(text).expect_err(text);
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{text}: {err}"
        );
    }
    let err = TOOLS[0]
        .tool()
        .decode(&value("[1,2]"))
        .err()
        .expect("an array is no arguments");
    assert!(err.message().contains("as an object"));
}

#[test]
fn files_are_loaded_by_the_dispatcher_only() {
    let err = run(r#"{"data":{"$file":"x.npy"},"factor":1}"#).expect_err("nothing is loaded");
    assert_eq!(err.code(), ErrorCode::InvalidArgs);
    let loaded = HashMap::from([(DataSource::file("x.npy"), value("[5]"))]);
    let call = TOOLS[0]
        .tool()
        .decode(&value(r#"{"data":{"$file":"x.npy"},"factor":3}"#))
        .expect("valid");
    assert_eq!(
        call.run(&Ctx::default().with_loaded(loaded)).expect("runs"),
        value(r#"{"product":[15]}"#)
    );
    let loaded = HashMap::from([(
        DataSource::file("x.npy"),
        Value::vector(vec![1.0, f64::NAN]),
    )]);
    let call = TOOLS[0]
        .tool()
        .decode(&value(r#"{"data":{"$file":"x.npy"},"factor":3}"#))
        .expect("valid");
    let err = call
        .run(&Ctx::default().with_loaded(loaded))
        .expect_err("not finite");
    assert!(
        err.message()
            .contains("`x.npy`/1: expected a finite number, found NaN"),
        "{err}"
    );
}

#[test]
fn tables_take_records_and_columns() {
    let records =
        Table::from_value(&value(r#"[{"a":1,"b":"x"},{"b":"y","c":true}]"#)).expect("records");
    assert_eq!(records.names().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(records.columns()[0], [Value::Int(1), Value::Null]);
    let columns = Table::from_value(&value(r#"{"a":[1,2],"b":["x",null]}"#)).expect("columns");
    assert_eq!(columns.rows(), 2);
    for (text, path) in [
        (r#"{"a":[1,2],"b":[1]}"#, "/b"),
        (r#"{"a":[1,{}]}"#, "/a/1"),
        (r#"[{"a":1},2]"#, "/1"),
        (r#"[{"a/b":[1]}]"#, "/0/a~1b"),
        (r#""x""#, ""),
    ] {
        assert_eq!(Table::from_value(&value(text)).expect_err(text).path, path);
    }
}

#[test]
fn budgets_hold() {
    let ctx = Ctx::new(
        StopFlag::new(),
        CallBudget {
            timeout_ms: 1000,
            memory_bytes: 100,
            evaluations: 5,
        },
    );
    assert!(ctx.reserve_doubles(10).is_ok());
    assert_eq!(
        ctx.reserve_doubles(10).expect_err("over").reason_str(),
        Some("memory")
    );
    assert!(
        ctx.reserve(20).is_ok(),
        "a refused reservation takes nothing"
    );
    assert_eq!(
        ctx.reserve(u64::MAX).expect_err("over").code(),
        ErrorCode::LimitExceeded
    );
    assert!(ctx.afford(1e9).is_ok());
    assert_eq!(
        ctx.afford(1.1e9).expect_err("over").reason_str(),
        Some("cost")
    );
    assert!(ctx.count_evaluations(5).is_ok());
    assert!(ctx.count_evaluations(1).is_err());
    assert_eq!(
        ctx.files().err().map(|err| err.code()),
        Some(ErrorCode::PreconditionFailed)
    );
}

#[test]
fn the_first_reason_to_stop_stays() {
    let flag = StopFlag::new();
    let step = flag.child();
    assert!(step.check().is_ok());
    flag.time_out();
    flag.cancel();
    assert_eq!(
        step.check().expect_err("stopped").code(),
        ErrorCode::Timeout
    );
    let other = StopFlag::new();
    other.child().cancel();
    assert!(!other.is_set(), "a step does not stop its chain");
}

#[test]
fn streams_are_independent_and_fixed() {
    let first: Vec<u64> = (0..4)
        .map(|stream| stream_rng(0, stream).next_u64())
        .collect();
    assert_eq!(first.iter().collect::<HashSet<_>>().len(), 4);
    assert!(first.iter().all(|&bits| bits != 0));
    let again = stream_rng(0, 3).next_u64();
    assert_eq!(again, first[3]);
    // Mean of 10^5 first draws over neighbouring streams: 0.5 within five standard errors (1/sqrt(12 n) = 9.1e-4).
    let mean = (0..100_000)
        .map(|stream| stream_rng(7, stream).next_u64() as f64 / u64::MAX as f64)
        .sum::<f64>()
        / 1e5;
    assert!((mean - 0.5).abs() < 5.0 * 9.2e-4, "{mean}");
    assert_ne!(derive_seed(1, "a", 0), derive_seed(1, "b", 0));
    assert_ne!(derive_seed(1, "a", 0), derive_seed(1, "a", 1));
    assert_ne!(derive_seed(1, "a", 0), derive_seed(2, "a", 0));
}

#[test]
fn suggests_the_nearest_name() {
    let names = ["matrix_solve", "matrix_svd", "statistics", "read_file"];
    for (typed, expected) in [
        ("matrx_solve", Some("matrix_solve")),
        ("statistic", Some("statistics")),
        ("raed_file", Some("read_file")),
        ("Matrix_SVD", Some("matrix_svd")),
        ("zzz", None),
        ("", None),
    ] {
        assert_eq!(nearest_name(typed, names), expected, "{typed}");
    }
}

#[test]
fn the_envelope_has_one_shape() {
    let outcome = CallOutcome {
        warnings: vec!["careful".into()],
        ..CallOutcome::error(
            ToolError::invalid("/A/2", "bad")
                .hint("good")
                .reason("shape"),
        )
    };
    assert_eq!(
        outcome.to_value().to_string(),
        r#"{"protocol_version":1,"ok":false,"status":"error","output":null,"error":{"code":"invalid_args","reason":"shape","message":"bad","path":"/A/2","hint":"good"},"side_effects_declared":[],"requires_approval":false,"warnings":["careful"],"metadata":{}}"#
    );
    let pending = CallOutcome {
        status: OutcomeStatus::PendingApproval {
            approval_id: "a1".into(),
            so_far: Value::Null,
        },
        ..outcome
    };
    let text = pending.to_value().to_string();
    assert!(
        text.contains(r#""status":"pending_approval""#)
            && text.contains(r#""approval_id":"a1""#)
            && text.contains(r#""requires_approval":true"#)
    );
}

#[test]
fn specs_that_contradict_themselves_are_found() {
    let sound = Spec {
        id: "task:submit",
        title: "Submit",
        ..Spec::pure()
    };
    assert_eq!(sound.fault(), None);
    assert_eq!(sound.wire_name(), "task_submit");
    for broken in [
        Spec {
            id: "Bad",
            ..sound.clone()
        },
        Spec {
            id: "",
            ..sound.clone()
        },
        Spec {
            id: "9x",
            ..sound.clone()
        },
        Spec {
            title: "",
            ..sound.clone()
        },
        Spec {
            callers: &[],
            ..sound.clone()
        },
        Spec {
            destructive: true,
            ..sound.clone()
        },
        Spec {
            avoidable: &[Effect::CallsLlm],
            ..sound.clone()
        },
        Spec {
            effects: &[Effect::ModifiesFiles],
            ..sound.clone()
        },
        Spec {
            calls_tools: true,
            ..sound.clone()
        },
    ] {
        assert!(broken.fault().is_some(), "{broken:?}");
    }
}

#[test]
fn every_error_code_has_its_spelling() {
    for &code in ErrorCode::ALL {
        assert_eq!(
            to_value(&code).expect("a name").as_str(),
            Some(code.as_str())
        );
    }
}

#[test]
fn the_first_number_that_is_not_finite_is_named_wherever_it_stands() {
    for place in [0, 63, 64, 130, 199] {
        let mut data = vec![1.0; 200];
        data[place] = f64::INFINITY;
        data[199] = f64::NAN;
        let block = |shape| Value::Numbers(Numbers::new(shape, data.clone(), false).unwrap());
        let problem = Vector::from_value(&block(vec![200])).unwrap_err();
        assert_eq!(problem.path, format!("/{place}"));
        let problem = Matrix::from_value(&block(vec![20, 10])).unwrap_err();
        assert_eq!(problem.path, format!("/{}/{}", place / 10, place % 10));
    }
}

#[test]
fn bytes_are_counted_where_they_stand_and_no_further() {
    let text = Value::from("x".repeat(1_000));
    let twice = Value::array(vec![text.clone(), text.clone()]);
    assert_eq!(twice.bytes_within(10_000), Some(twice.memory_bytes()));
    assert_eq!(
        twice.bytes_within(twice.memory_bytes()),
        Some(2 * 1_048 + 48)
    );
    assert_eq!(twice.bytes_within(twice.memory_bytes() - 1), None);
    // A hundred levels of two stand for more than could ever be looked at.
    let mut laughs = text;
    for _ in 0..100 {
        laughs = Value::array(vec![laughs.clone(), laughs]);
    }
    assert_eq!(laughs.bytes_within(1 << 20), None);
}
