//! Deadlines, cancellation, memory, sizes, obligations.

use tool_core::StopFlag;

use super::*;
use crate::CallLimits;
use crate::dispatch::ChainPosition;
use fakes::MemoryLedger;

fn rule(tool: &str, obligations: &str) -> String {
    format!(
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = {{ tools = [\"{tool}\"] }}\ndecision = \"allow\"\nobligations = [{obligations}]\n"
    )
}

#[test]
fn a_call_ends_at_the_strictest_deadline() {
    let world = world();
    let mut short = request("operator", "spin", "{}");
    short.timeout_ms = Some(1);
    assert_eq!(
        code(&world.dispatcher.call(short.clone())),
        Some(ErrorCode::Timeout)
    );
    assert!(!short.stop.is_set(), "the caller's own flag is left alone");
    let by_config = World::build(
        &[TWELVE, TOOLS],
        "",
        MemoryLedger::default(),
        CallLimits {
            timeout_ms: 1,
            ..CallLimits::default()
        },
    );
    let mut long = request("operator", "spin", "{}");
    long.timeout_ms = Some(1_000_000);
    assert_eq!(
        code(&by_config.dispatcher.call(long)),
        Some(ErrorCode::Timeout)
    );
    let by_rule = World::new(&[TWELVE, TOOLS], &rule("spin", "{ timeout_ms = 1 }"));
    assert_eq!(
        code(&by_rule.call("operator", "spin", "{}")),
        Some(ErrorCode::Timeout)
    );
}

#[test]
fn a_cancelled_call_says_so() {
    let world = world();
    let mut request = request("operator", "spin", "{}");
    let stop = StopFlag::new();
    request.stop = stop.child();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| world.dispatcher.call(request));
        stop.cancel();
        assert_eq!(code(&running.join().unwrap()), Some(ErrorCode::Cancelled));
    });
}

#[test]
fn memory_that_input_sizes_has_a_limit() {
    assert_eq!(
        code(&world().call("operator", "hoard", "{}")),
        Some(ErrorCode::LimitExceeded)
    );
}

#[test]
fn a_result_beyond_the_limit_is_refused_with_both_sizes() {
    let limits = CallLimits {
        max_output_bytes: 100,
        ..CallLimits::default()
    };
    let world = World::build(&[TWELVE, TOOLS], "", MemoryLedger::default(), limits);
    let of = |count: usize| format!("{{\"value\":\"{}\"}}", "x".repeat(count));
    assert!(
        world.call("operator", "echo", &of(98)).is_success(),
        "98 letters and two quotes"
    );
    let outcome = world.call("operator", "echo", &of(99));
    let error = outcome.err().unwrap();
    assert_eq!(error.code(), ErrorCode::OutputTooLarge);
    assert!(
        error.message().contains("101 bytes, the limit is 100"),
        "{error}"
    );
    let mut step = request("operator", "echo", &of(5_000));
    step.context.chain = Some(ChainPosition {
        chain_id: "c".to_owned(),
        chain_index: 0,
        step: "s".to_owned(),
        wave: 0,
        ..Default::default()
    });
    assert!(
        world.dispatcher.call(step).is_success(),
        "between steps a result is not written"
    );
}

tool!(
    Many,
    "many",
    { ..Spec::pure() },
    ManyArgs {
        /// Letters.
        rows: i64,
        /// Which letter.
        letter: String,
    },
    ManyOutput { text: String },
    |args, _| {
        Ok(ManyOutput {
            text: args.letter.repeat(args.rows as usize),
        })
    }
);

static MANY: &[ErasedTool] = &[tool_entry::<Many>()];

/// What makes the answer smaller is named, where the tool has such an argument.
#[test]
fn a_result_beyond_the_limit_names_the_arguments_that_make_it_smaller() {
    let limits = CallLimits {
        max_output_bytes: 100,
        ..CallLimits::default()
    };
    let world = World::build(&[TWELVE, MANY], "", MemoryLedger::default(), limits);
    let outcome = world.call("operator", "many", r#"{"rows":500,"letter":"x"}"#);
    let hint = outcome.err().unwrap().hint_str().unwrap().to_owned();
    assert!(
        hint.starts_with("ask for less by `rows`, or raise"),
        "{hint}"
    );
}

#[test]
fn sizes_are_never_underestimated() {
    for text in [
        r#"[[1,2],[3,4]]"#,
        r#"[0.1,-1.2345678901234567e-300]"#,
        r#"{"a":[null,true,"\u0000\"x"],"b":{}}"#,
        "[]",
        "[[[[[[1]]]]]]",
    ] {
        let value =
            tool_core::json::parse_json(text, tool_core::json::JsonLimits::default()).unwrap();
        let written = tool_core::json::to_text(&value).len() as u64;
        assert!(
            crate::dispatch::limits::json_bytes(&value, u64::MAX) >= written,
            "{text}"
        );
        assert_eq!(
            crate::dispatch::limits::json_bytes(&value, 0),
            written,
            "{text}"
        );
    }
}

#[test]
fn obligations_that_cannot_be_met_refuse_the_call() {
    let small = World::new(&[TWELVE, TOOLS], &rule("echo", "{ max_bytes = 40 }"));
    assert!(
        small
            .call("operator", "echo", r#"{"value":"short"}"#)
            .is_success()
    );
    let large = small.call(
        "operator",
        "echo",
        &format!("{{\"value\":\"{}\"}}", "x".repeat(60)),
    );
    assert_eq!(large.err().unwrap().reason_str(), Some("obligation"));
}
