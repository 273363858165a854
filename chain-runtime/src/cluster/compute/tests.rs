use fakes::tool;
use tool_core::ctx::CallBudget;
use tool_core::{Determinism, Effect, Finite, RandomSeed, Spec, object, tool_entry};

use super::*;
use crate::cluster::ticket::answers_of_text;

tool!(pub(crate) Half, "half", { ..Spec::pure() },
HalfArgs { x: Finite },
HalfOutput { half: f64 },
|args, _| { Ok(HalfOutput { half: args.x.get() / 2.0 }) });

tool!(pub(crate) Wait, "wait_for_end", { ..Spec::pure() },
WaitArgs { x: Finite },
WaitOutput { x: f64 },
|args, ctx| {
    while args.x.get() > 0.0 {
        ctx.check()?;
        thread::yield_now();
    }
    Ok(WaitOutput { x: args.x.get() })
});

tool!(pub(crate) Mail, "send", { effects: &[Effect::NetworkAccess], determinism: Determinism::External, ..Spec::pure() },
MailArgs { x: Finite },
MailOutput { x: f64 },
|args, _| { Ok(MailOutput { x: args.x.get() }) });

fn tools(id: &str) -> Option<&'static dyn AnyTool> {
    let tools = [
        tool_entry::<Half>(),
        tool_entry::<Wait>(),
        tool_entry::<Mail>(),
    ];
    let mut tools = tools.into_iter().map(|entry| entry.tool());
    tools.find(|tool| tool.spec().id == id)
}

fn identity(build: &str, profile: &str) -> BuildIdentity {
    BuildIdentity {
        build: build.to_owned(),
        profile: profile.to_owned(),
    }
}

fn body(tool: &str, xs: &[f64], timeout_ms: u64) -> String {
    let call = |x: &f64| TicketCall {
        args: object! { "x" => *x },
        seed: RandomSeed::DEFAULT,
    };
    let body = TicketBody {
        tool: tool.to_owned(),
        version: 1,
        budget: CallBudget {
            timeout_ms,
            ..CallBudget::default()
        },
        verify: false,
        calls: xs.iter().map(call).collect(),
    };
    body.to_text().unwrap()
}

fn compute(tool: &str, body: &str, stop: &StopFlag) -> Result<TicketResult> {
    let own = identity("this", "any");
    let request = TicketRequest {
        tool,
        digest: &digest::of_texts([body]),
        body: body.as_bytes(),
        head: &own,
    };
    compute_ticket(&request, &own, &tools, stop)
}

#[test]
fn a_ticket_gives_the_ends_of_its_calls_and_their_digest() {
    let body = body("half", &[3.0, 5.0], 1_000);
    let result = compute("half", &body, &StopFlag::new()).unwrap();
    let answers = answers_of_text(&result.body, 2).unwrap();
    let halves = answers.iter().map(|one| one.output.clone().unwrap());
    let halves: Vec<Value> = halves.collect();
    assert_eq!(
        halves,
        [object! { "half" => 1.5 }, object! { "half" => 2.5 }]
    );
    assert_eq!(result.digest, digest::of_texts([&*result.body]));
    assert_eq!((result.calls, result.is_whole), (2, true));
}

#[test]
fn another_build_or_processor_a_damaged_body_and_tools_with_effects_are_refused() {
    let body = body("half", &[3.0], 1_000);
    let own = identity("this", "any");
    let refused = |head: &BuildIdentity, tool: &str, digest: &str, body: &[u8]| {
        let request = TicketRequest {
            tool,
            digest,
            body,
            head,
        };
        let result = compute_ticket(&request, &own, &tools, &StopFlag::new());
        result.unwrap_err().message().to_owned()
    };
    let digest = digest::of_texts([&*body]);
    let whole = body.as_bytes();
    let other = refused(&identity("other", "any"), "half", &digest, whole);
    assert!(other.contains("its build is `this`"), "{other}");
    let other = refused(&identity("this", "avx512"), "half", &digest, whole);
    assert!(other.contains("its processor is `any`"), "{other}");
    let damaged = refused(&own, "half", &digest, &whole[1..]);
    assert!(damaged.contains("damaged"), "{damaged}");
    let invalid = [0xff, 0xfe];
    let damaged = refused(&own, "half", &digest, &invalid);
    assert!(damaged.contains("damaged"), "{damaged}");
    let effects = refused(&own, "send", &digest, whole);
    assert!(effects.contains("not a function"), "{effects}");
    let unknown = refused(&own, "no_tool", &digest, whole);
    assert!(unknown.contains("no tool `no_tool`"), "{unknown}");
    let another = refused(&own, "wait_for_end", &digest, whole);
    assert!(another.contains("another version"), "{another}");
}

#[test]
fn a_call_past_its_time_is_an_end_that_does_not_count_as_whole() {
    let body = body("wait_for_end", &[1.0, 0.0], 50);
    let result = compute("wait_for_end", &body, &StopFlag::new()).unwrap();
    let answers = answers_of_text(&result.body, 2).unwrap();
    let late = answers[0].output.as_ref().unwrap_err();
    assert_eq!(late.code(), ErrorCode::Timeout);
    assert_eq!(answers[1].output.as_ref().unwrap(), &object! { "x" => 0.0 });
    assert!(!result.is_whole);
}

#[test]
fn a_ticket_that_is_no_longer_wanted_stops() {
    let body = body("wait_for_end", &[1.0], 600_000);
    let stop = StopFlag::new();
    let later = stop.clone();
    let ending = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        later.cancel();
    });
    let stopped = compute("wait_for_end", &body, &stop).unwrap_err();
    assert_eq!(stopped.code(), ErrorCode::Cancelled);
    ending.join().unwrap();
}

#[test]
fn a_time_without_end_is_no_deadline() {
    let body = body("half", &[1.0], u64::MAX);
    assert!(compute("half", &body, &StopFlag::new()).unwrap().is_whole);
}
