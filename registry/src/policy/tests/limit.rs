//! Limits: which a decision has, what is wrong with one, and what follows from a count.

use super::*;

fn limited(rule: &str) -> String {
    rules(&format!("[[policies.rules]]\n{rule}\n"))
}

fn errors(rule: &str) -> String {
    match Config::load("mathchain.toml", &limited(rule), &twelve()) {
        Ok(_) => panic!("no error"),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn what_is_wrong_with_a_limit_is_said() {
    const ALLOW: &str = "match = { tools = [\"calculate\"] }\ndecision = \"allow\"\n";
    for (limit, expected) in [
        ("{ per = \"1h\" }", "either `calls`, or `sum` with `most`"),
        ("{ calls = 1 }", "per"),
        (
            "{ calls = 1, sum = \"/x\", most = 1, per = \"1h\" }",
            "either `calls`",
        ),
        ("{ sum = \"/x\", per = \"1h\" }", "either `calls`"),
        ("{ calls = 1, most = 2, per = \"1h\" }", "either `calls`"),
        ("{ calls = 0, per = \"1h\" }", "calls"),
        ("{ calls = 1000000, per = \"1h\" }", "calls"),
        (
            "{ sum = \"/x\", most = 0, per = \"1h\" }",
            "`limit.most` to be a finite number above 0",
        ),
        ("{ sum = \"/x\", most = -1, per = \"1h\" }", "above 0"),
        (
            "{ sum = \"x\", most = 1, per = \"1h\" }",
            "a JSON pointer such as `/amount`",
        ),
        (
            "{ sum = \"/amount\", most = 1, per = \"1h\" }",
            "has an argument `amount`",
        ),
        ("{ calls = 1, per = \"0s\" }", "`limit.per` above 0"),
        ("{ calls = 1, per = \"367d\" }", "at most 366d, found 367d"),
        ("{ calls = 1, per = \"soon\" }", "a duration such as"),
        (
            "{ calls = 1, per = \"1h\", by = \"host\" }",
            "none of its tools reaches a host",
        ),
        ("{ calls = 1, per = \"1h\", by = \"agent\" }", "agent"),
        ("{ calls = 1, per = \"1h\", beyond = \"allow\" }", "allow"),
        ("{ calls = 1, per = \"1h\", more = 1 }", "more"),
    ] {
        let found = errors(&format!("{ALLOW}limit = {limit}"));
        assert!(found.contains(expected), "{limit}: {found}");
    }
    let found = errors(
        "match = { tools = [\"calculate\"] }\ndecision = \"deny\"\nlimit = { calls = 1, per = \"1h\" }",
    );
    assert!(found.contains("lets no call through"), "{found}");
}

/// Every rule that the call could match counts it, whatever rule decides: a limit only narrows.
#[test]
fn the_limits_of_every_rule_hold_together() {
    let config = rules(
        "[[policies.rules]]\nmatch = { tools = [\"calculate\"] }\ndecision = \"allow\"\npriority = 9\nlimit = { calls = 5, per = \"1h\" }\n\
         [[policies.rules]]\nmatch = { tools = [\"group:all\"] }\ndecision = \"allow\"\nlimit = { calls = 100, per = \"1d\" }\n\
         [[policies.rules]]\nmatch = { tools = [\"calculate\"], number = { argument = \"x\", min = 10 } }\ndecision = \"allow\"\nlimit = { calls = 1, per = \"1d\" }\n",
    );
    let limits = |tool: &str, args: &str| decide_with(&config, "operator", tool, args).limits.len();
    assert_eq!(limits("calculate", r#"{"x":1}"#), 2);
    assert_eq!(limits("calculate", r#"{"x":11}"#), 3);
    assert_eq!(limits("query_db", r#"{}"#), 1);
}

/// An `allow` needs every path to match; its limit counts a call of which any could, as by another name of a file.
#[test]
fn a_call_cannot_leave_a_limit_by_a_name_that_cannot_be_told() {
    let config = limited(
        "match = { tools = [\"read_file\"], path = { under = \"out\" } }\ndecision = \"allow\"\nlimit = { calls = 1, per = \"1h\" }",
    );
    let limits = |path: &str| {
        let args = format!("{{\"path\":\"{path}\"}}");
        decide_with(&config, "operator", "read_file", &args)
            .limits
            .len()
    };
    assert_eq!(limits("out/a"), 1);
    assert_eq!(limits("out/hard"), 1);
    assert_eq!(limits("data/a"), 0);
}

#[test]
fn a_decision_follows_from_what_the_window_holds() {
    let claims = |config: &str| {
        let decision = decide_with(config, "operator", "calculate", r#"{"x":4}"#);
        let args = Value::object([("x", 4.0)]);
        let facts = CallFacts {
            reach: EffectReach::of(&tool_core::Spec::pure()),
            paths: None,
            files: Vec::new(),
            programs: None,
            hosts: None,
            args: &args,
        };
        let caller = CountedCaller {
            role: "operator",
            key: None,
            workspace: Some("w"),
        };
        let claims = decision.claims(Some(&facts), caller).unwrap();
        (decision, claims)
    };
    let sum = |most: f64, beyond: &str| {
        limited(&format!(
            "match = {{ tools = [\"calculate\"] }}\ndecision = \"allow\"\nlimit = {{ sum = \"/x\", most = {most}, per = \"1h\", beyond = \"{beyond}\" }}"
        ))
    };
    let (decision, of_ten) = claims(&sum(10.0, "deny"));
    let at = |used: f64| LimitUse {
        used,
        free_ms: None,
    };
    let verdict =
        |claims: &[LimitClaim], used: f64| decision.clone().limited(claims, &[at(used)], 0).verdict;
    assert_eq!(verdict(&of_ten, 6.0), Verdict::Allow);
    assert_eq!(verdict(&of_ten, 6.1), Verdict::Deny);
    let (_, asking) = claims(&sum(10.0, "ask"));
    assert_eq!(verdict(&asking, 6.1), Verdict::Ask);
    // The counter is that of what is counted, not of how much may be, nor of the line.
    let moved = sum(20.0, "ask").replace("version = 1", "# a comment\nversion = 1");
    let (_, raised) = claims(&moved);
    assert_eq!(raised[0].counter, of_ten[0].counter);
    let other = sum(10.0, "deny").replace("[\"calculate\"]", "[\"calculate\", \"plot\"]");
    let (_, other) = claims(&other);
    assert_ne!(other[0].counter, of_ten[0].counter);
    // When there is room: after the entries that have to leave.
    let entries = [(100, 3.0), (200, 4.0), (300, 3.0)];
    let hour_ms = 3_600_000;
    assert_eq!(of_ten[0].free_at(10.0, entries), Some(200 + hour_ms));
    assert_eq!(of_ten[0].free_at(6.0, entries), None, "there is room");
}

#[test]
fn a_limit_is_written_as_it_was_read() {
    let rule = PolicyRule::new(Verdict::Allow, ["calculate"]).limited(RuleLimit {
        by: CountedBy::Key,
        ..RuleLimit::calls(3, UnitDuration::parse("90s").unwrap())
    });
    let value = tool_core::convert::to_value(&rule).unwrap();
    assert_eq!(value.pointer("/limit/per"), Some(Value::from("90s")));
    assert_eq!(value.pointer("/limit/beyond"), None);
    let read: PolicyRule = tool_core::convert::from_value(&value).unwrap();
    assert_eq!(read, rule);
}

/// A tool of another program is not called here: a limited one is not handed on.
#[test]
fn a_limited_tool_is_not_handed_on() {
    let handed = |rule: &str| {
        let config = format!(
            "version = 1\n[roles.r]\ntools = [\"calculate\", \"mcp__other__send\"]\n[[policies]]\nlevel = \"global\"\n{rule}"
        );
        let catalogue = twelve();
        let (_, policy) = Config::load("mathchain.toml", &config, &catalogue)
            .unwrap_or_else(|err| panic!("{err}"));
        let caller = policy
            .caller(&catalogue, &Principal::role("r"), &ready())
            .unwrap();
        caller.handed()[0].1.verdict
    };
    let rule = |limit: &str| {
        format!(
            "[[policies.rules]]\nmatch = {{ tools = [\"mcp__other__send\"] }}\ndecision = \"allow\"\n{limit}\n"
        )
    };
    assert_eq!(handed(&rule("")), Verdict::Allow);
    assert_eq!(
        handed(&rule("limit = { calls = 1, per = \"1h\" }")),
        Verdict::Deny
    );
}

/// What holds for a role, agent or phase alone would not count the calls of an agent that the caller starts.
#[test]
fn a_limit_of_one_role_is_told_from_one_of_all() {
    let layer = |level: &str, role: &str| {
        format!(
            "version = 1\n[[policies]]\n{level}\n[[policies.rules]]\nmatch = {{ tools = [\"calculate\"]{role} }}\n\
             decision = \"allow\"\nlimit = {{ calls = 1, per = \"1h\" }}\n"
        )
    };
    let found = |config: &str, tool: &str| {
        let catalogue = twelve();
        let (_, policy) = Config::load("mathchain.toml", config, &catalogue)
            .unwrap_or_else(|err| panic!("{err}"));
        let who = Principal::role("operator");
        let caller = policy.caller(&catalogue, &who, &ready()).unwrap();
        let index = catalogue.index(tool).unwrap();
        (caller.is_limited(index), caller.is_limited_alone(index))
    };
    let global = layer("level = \"global\"", "");
    assert_eq!(found(&global, "calculate"), (true, false));
    assert_eq!(found(&global, "plot"), (false, false));
    let of_role = layer("level = \"role\"\nname = \"operator\"", "");
    assert_eq!(found(&of_role, "calculate"), (true, true));
    let of_operator = layer("level = \"global\"", ", role = \"operator\"");
    assert_eq!(found(&of_operator, "calculate"), (true, true));
    let of_other = layer("level = \"global\"", ", role = \"toolrunner\"");
    assert_eq!(found(&of_other, "calculate"), (false, false));
}
