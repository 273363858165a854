//! The permission table and rules on parsed values.

use tool_core::capability::ApprovalFallback;

use super::*;

#[test]
fn the_permission_table_holds_where_no_rule_does() {
    let hosts = "version = 1\n[permissions.network]\nallowed_hosts = [\"en.example.org\", \"*.data.example\"]\n";
    let ports =
        "version = 1\n[permissions.network]\nallowed_hosts = [\"127.0.0.1:8080\", \"[::1]:443\"]\n";
    let narrow = "version = 1\n[permissions.filesystem]\nallowed_paths = [\"data\"]\n";
    let free = "version = 1\n[permissions.filesystem]\nrequires_approval = false\n";
    let strict = "version = 1\n[permissions.compute]\nrequires_approval = true\n";
    let none = "version = 1\n";
    let cases = [
        (none, "calculate", r#"{"x":1}"#, Verdict::Allow),
        (strict, "calculate", r#"{"x":1}"#, Verdict::Ask),
        (none, "read_file", r#"{"path":"data/a"}"#, Verdict::Allow),
        (narrow, "read_file", r#"{"path":"data/a"}"#, Verdict::Allow),
        (narrow, "read_file", r#"{"path":"data2/a"}"#, Verdict::Ask),
        (narrow, "read_file", r#"{"path":"data/../x"}"#, Verdict::Ask),
        (none, "write_file", r#"{"path":"out/a"}"#, Verdict::Ask),
        (free, "write_file", r#"{"path":"out/a"}"#, Verdict::Allow),
        (
            free,
            "write_file",
            r#"{"path":"out/a","overwrite":true}"#,
            Verdict::Ask,
        ),
        (none, "run_shell", r#"{"argv":["ls"]}"#, Verdict::Ask),
        (
            none,
            "web_fetch",
            r#"{"url":"https://en.example.org/"}"#,
            Verdict::Ask,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://EN.example.org.:443/x"}"#,
            Verdict::Allow,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://a.data.example/"}"#,
            Verdict::Allow,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://data.example/"}"#,
            Verdict::Ask,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://evildata.example/"}"#,
            Verdict::Ask,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://en.example.org@evil.example/"}"#,
            Verdict::Ask,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://evil.example\\@en.example.org/"}"#,
            Verdict::Ask,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"file:///etc/passwd"}"#,
            Verdict::Ask,
        ),
        (hosts, "web_search", r#"{"x":1}"#, Verdict::Ask),
        (
            ports,
            "web_fetch",
            r#"{"url":"http://127.0.0.1:8080/x"}"#,
            Verdict::Allow,
        ),
        (
            ports,
            "web_fetch",
            r#"{"url":"http://127.0.0.1:8081/x"}"#,
            Verdict::Ask,
        ),
        (
            ports,
            "web_fetch",
            r#"{"url":"http://127.0.0.1/x"}"#,
            Verdict::Ask,
        ),
        (
            ports,
            "web_fetch",
            r#"{"url":"https://[::1]"}"#,
            Verdict::Allow,
        ),
        (
            ports,
            "web_fetch",
            r#"{"url":"http://[::1]:80/"}"#,
            Verdict::Ask,
        ),
        (
            ports,
            "web_fetch",
            r#"{"url":"http://[::1]:99999/"}"#,
            Verdict::Ask,
        ),
    ];
    for (config, tool, args, expected) in cases {
        let found = decide_with(config, "operator", tool, args);
        assert_eq!(found.verdict, expected, "{tool} {args}: {}", found.reason);
        assert_eq!(found.layer, "defaults");
    }
}

#[test]
fn the_strictest_explicit_rule_holds_and_replaces_only_defaults() {
    let out = "[[policies.rules]]\nmatch = { tools = [\"write_file\"], path = { under = \"out\" } }\ndecision = \"allow\"\n";
    let group = "[[policies.rules]]\nmatch = { tools = [\"group:write\"] }\ndecision = \"allow\"\n";
    let ask = "[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"ask\"\nreason = \"careful\"\n";
    let deny = "[[policies.rules]]\nmatch = { tools = [\"group:all\"], path = { under = \"secret\" } }\ndecision = \"deny\"\n";
    let in_out = r#"{"path":"out/x"}"#;
    let over = r#"{"path":"out/x","overwrite":true}"#;
    let cases = [
        (rules(out), "write_file", in_out, Verdict::Allow),
        (rules(out), "write_file", over, Verdict::Allow),
        (rules(group), "write_file", in_out, Verdict::Allow),
        (rules(group), "write_file", over, Verdict::Ask), // it does not name that very tool
        (
            rules(&format!("{out}{ask}")),
            "write_file",
            in_out,
            Verdict::Ask,
        ),
        (
            rules(&format!("{ask}{out}")),
            "write_file",
            in_out,
            Verdict::Ask,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"output/x"}"#,
            Verdict::Ask,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"out"}"#,
            Verdict::Allow,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"./out//a/../x"}"#,
            Verdict::Allow,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"out/../x"}"#,
            Verdict::Ask,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"../out/x"}"#,
            Verdict::Ask,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"/out/x"}"#,
            Verdict::Ask,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"out/link/x"}"#,
            Verdict::Ask,
        ), // a link to `secret`
        (
            rules(&format!("{out}{deny}")),
            "write_file",
            r#"{"path":"out/link/x"}"#,
            Verdict::Deny,
        ),
        (
            rules(&format!("{out}{deny}")),
            "write_file",
            r#"{"path":"../x"}"#,
            Verdict::Deny,
        ), // cannot be told: still denied
        (
            rules(&format!("{out}{deny}")),
            "write_file",
            r#"{"path":"secrets/x"}"#,
            Verdict::Ask,
        ),
        (
            rules(&format!("{group}{deny}")),
            "write_file",
            r#"{"path":"secret"}"#,
            Verdict::Deny,
        ),
        (
            rules(deny),
            "plot",
            r#"{"text":{"$file":"secret/key"}}"#,
            Verdict::Deny,
        ),
        (
            rules(deny),
            "plot",
            r#"{"text":{"$file":"data/a.txt"}}"#,
            Verdict::Allow,
        ),
    ];
    for (config, tool, args, expected) in cases {
        let found = decide_with(&config, "operator", tool, args);
        assert_eq!(
            found.verdict, expected,
            "{args}: {} in\n{config}",
            found.reason
        );
    }
    let asked = decide_with(
        &rules(&format!("{out}{ask}")),
        "operator",
        "write_file",
        in_out,
    );
    assert_eq!(
        (asked.layer.as_str(), asked.reason.as_str()),
        ("global", "careful")
    );
    assert_eq!(asked.rule.as_deref(), Some("mathchain.toml:7"));
}

#[test]
fn a_role_layer_does_not_waive_the_question_before_destruction() {
    let config = "version = 1\n[[policies]]\nlevel = \"role\"\nname = \"operator\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"allow\"\n";
    assert_eq!(
        decide_with(config, "operator", "write_file", r#"{"path":"a"}"#).verdict,
        Verdict::Allow
    );
    assert_eq!(
        decide_with(
            config,
            "operator",
            "write_file",
            r#"{"path":"a","overwrite":true}"#
        )
        .verdict,
        Verdict::Ask
    );
    assert_eq!(
        decide_with(config, "toolrunner", "write_file", r#"{"path":"a"}"#).verdict,
        Verdict::Ask
    );
    let user = config.replace("level = \"role\"\nname = \"operator\"", "level = \"user\"");
    assert_eq!(
        decide_with(
            &user,
            "operator",
            "write_file",
            r#"{"path":"a","overwrite":true}"#
        )
        .verdict,
        Verdict::Allow
    );
}

#[test]
fn rules_match_on_parsed_values() {
    let rule = |tool: &str, condition: &str, decision: &str| {
        rules(&format!(
            "[[policies.rules]]\nmatch = {{ tools = [\"{tool}\"], {condition} }}\ndecision = \"{decision}\"\n"
        ))
    };
    let cases = [
        (
            "run_shell",
            "argv = { prefix = [\"git\", \"status\"] }",
            "allow",
            r#"{"argv":["git","status","-s"]}"#,
            Verdict::Allow,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\", \"status\"] }",
            "allow",
            r#"{"argv":["git","push"]}"#,
            Verdict::Ask,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\", \"status\"] }",
            "allow",
            r#"{"argv":["git"]}"#,
            Verdict::Ask,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\"] }",
            "allow",
            r#"{"argv":["evil/git"]}"#,
            Verdict::Ask,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\", \"push\"] }",
            "deny",
            r#"{"argv":["/usr/bin/git","push"]}"#,
            Verdict::Deny,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\", \"push\"] }",
            "deny",
            r#"{"argv":["git","pushy"]}"#,
            Verdict::Ask,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\"] }",
            "deny",
            r#"{"argv":[]}"#,
            Verdict::Deny,
        ),
        (
            "web_fetch",
            "url = { host = \"*.example.org\" }",
            "allow",
            r#"{"url":"http://a.example.org:80/x"}"#,
            Verdict::Allow,
        ),
        (
            "web_fetch",
            "url = { host = \"*.example.org\" }",
            "allow",
            r#"{"url":"http://example.org/"}"#,
            Verdict::Ask,
        ),
        (
            "web_fetch",
            "url = { host = [\"bad.example\"] }",
            "deny",
            r#"{"url":"http://user:x@BAD.example/"}"#,
            Verdict::Deny,
        ),
        (
            "web_fetch",
            "url = { host = [\"bad.example\"] }",
            "deny",
            r#"{"url":"gopher://x"}"#,
            Verdict::Deny,
        ),
        (
            "calculate",
            "number = { argument = \"x\", min = 10 }",
            "deny",
            r#"{"x":10}"#,
            Verdict::Deny,
        ),
        (
            "calculate",
            "number = { argument = \"x\", min = 10 }",
            "deny",
            r#"{"x":9,"count":50}"#,
            Verdict::Allow,
        ),
        (
            "calculate",
            "number = { min = 10 }",
            "ask",
            r#"{"x":9,"count":50}"#,
            Verdict::Ask,
        ),
        (
            "calculate",
            "number = { argument = \"count\", max = 3 }",
            "deny",
            r#"{"x":1}"#,
            Verdict::Allow,
        ),
        (
            "write_file",
            "bytes = { max = 4 }",
            "allow",
            r#"{"path":"a","content":"1234"}"#,
            Verdict::Allow,
        ),
        (
            "write_file",
            "bytes = { max = 4 }",
            "allow",
            r#"{"path":"a","content":"12345"}"#,
            Verdict::Ask,
        ),
    ];
    for (tool, condition, decision, args, expected) in cases {
        let found = decide_with(&rule(tool, condition, decision), "operator", tool, args);
        assert_eq!(
            found.verdict, expected,
            "{decision} {condition} on {args}: {}",
            found.reason
        );
    }
}

#[test]
fn a_file_argument_needs_the_reader_to_be_allowed_for_that_caller_on_that_path() {
    let none = "version = 1\n";
    let plot = r#"{"text":{"$file":"data/a.txt"}}"#;
    assert_eq!(
        decide_with(none, "operator", "plot", plot).verdict,
        Verdict::Allow
    );
    let hidden = decide_with(none, "worker_math", "plot", plot);
    assert_eq!(
        hidden.verdict,
        Verdict::Deny,
        "worker_math does not see read_file"
    );
    assert!(
        hidden.reason.contains("needs `read_file`"),
        "{}",
        hidden.reason
    );
    assert_eq!(
        decide_with(none, "worker_math", "plot", r#"{"text":"inline"}"#).verdict,
        Verdict::Allow
    );
    let ask = rules(
        "[[policies.rules]]\nmatch = { tools = [\"read_file\"], path = { under = \"data\" } }\ndecision = \"ask\"\n",
    );
    assert_eq!(
        decide_with(&ask, "operator", "plot", plot).verdict,
        Verdict::Ask
    );
    assert_eq!(
        decide_with(&ask, "operator", "plot", r#"{"text":{"$file":"other"}}"#).verdict,
        Verdict::Allow
    );
    let link = rules(
        "[[policies.rules]]\nmatch = { tools = [\"read_file\"], path = { under = \"secret\" } }\ndecision = \"deny\"\n",
    );
    assert_eq!(
        decide_with(
            &link,
            "operator",
            "plot",
            r#"{"text":{"$file":"out/link/key"}}"#
        )
        .verdict,
        Verdict::Deny
    );
}

#[test]
fn obligations_join_to_the_strictest() {
    let config = rules(
        "[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"allow\"\nobligations = [{ max_bytes = 100 }, \"redact\", { expire = \"2h\" }, { fallback = \"deny\" }]\n\
         [[policies.rules]]\nmatch = { tools = [\"group:write\"] }\ndecision = \"allow\"\nobligations = [{ max_bytes = 50 }, { timeout_ms = 9 }, { expire = \"3h\" }, { fallback = \"keep\" }]\n",
    );
    let found = decide_with(&config, "operator", "write_file", r#"{"path":"a"}"#);
    assert_eq!(
        found.obligations,
        JoinedObligations {
            backup: false,
            notify: false,
            redact: true,
            verify: false,
            max_bytes: Some(50),
            timeout_ms: Some(9),
            expire: UnitDuration::parse("2h"),
            fallback: Some(ApprovalFallback::Deny),
        }
    );
}

#[test]
fn a_rule_that_can_never_match_is_an_error() {
    for (rule, expected) in [
        (
            "match = { tools = [\"calculate\"], path = { under = \"x\" } }\ndecision = \"deny\"",
            "uses paths",
        ),
        (
            "match = { tools = [\"plot\"], path = { under = \"x\" } }\ndecision = \"allow\"",
            "uses paths",
        ),
        (
            "match = { tools = [\"calculate\"], argv = { prefix = [\"git\"] } }\ndecision = \"deny\"",
            "runs programs",
        ),
        (
            "match = { tools = [\"calculate\"], url = { host = \"x.example\" } }\ndecision = \"deny\"",
            "reaches a host",
        ),
        (
            "match = { tools = [\"calculate\"], number = { min = 2, max = 1 } }\ndecision = \"deny\"",
            "`number.min` is greater",
        ),
        (
            "match = { tools = [\"calculate\"], number = { argument = \"coumt\", min = 2 } }\ndecision = \"deny\"",
            "did you mean `count`?",
        ),
        (
            "match = { tools = [\"calculate\"], bytes = { max = -1 } }\ndecision = \"deny\"",
            "never negative",
        ),
        (
            "match = { tools = [\"category:archive\"] }\ndecision = \"deny\"",
            "no tool is selected",
        ),
        (
            "match = { tools = [] }\ndecision = \"deny\"",
            "a rule names its tools",
        ),
        (
            "match = { tools = [\"write_file\"], path = { under = \"../x\" } }\ndecision = \"deny\"",
            "inside the workspace",
        ),
        (
            "match = { tools = [\"write_file\"], path = { under = [] } }\ndecision = \"deny\"",
            "`path.under` is empty",
        ),
        (
            "match = { tools = [\"web_fetch\"], url = { host = \"http://x\" } }\ndecision = \"deny\"",
            "expected a host",
        ),
        (
            "match = { tools = [\"web_fetch\"], url = { host = \"x.example:8080\" } }\ndecision = \"deny\"",
            "without scheme and port",
        ),
        (
            "match = { tools = [\"web_fetch\"], url = { host = \"bücher.example\" } }\ndecision = \"deny\"",
            "xn--bcher-kva",
        ),
        (
            "match = { tools = [\"write_file\"], role = \"operater\" }\ndecision = \"deny\"",
            "did you mean `operator`?",
        ),
    ] {
        let catalogue = twelve();
        let config = rules(&format!("[[policies.rules]]\n{rule}\n"));
        let error = Config::load("mathchain.toml", &config, &catalogue)
            .expect_err(rule)
            .to_string();
        assert!(error.contains(expected), "{rule}: {error}");
        assert!(error.contains("mathchain.toml:"), "{error}");
    }
    let hidden = "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"group:write\"]\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"ask\"\n";
    let error = Config::load("m.toml", hidden, &twelve())
        .unwrap_err()
        .to_string();
    assert!(error.contains("its own layer hides"), "{error}");
}

#[test]
fn a_file_with_several_names_is_never_certainly_where_a_rule_wants_it() {
    let files = MemoryFiles::default();
    files.link("out/hard", "out/hard//8:1042");
    let roots = |root: &str| vec![relative_path_components(root).unwrap()];
    let hard = PathFact::new("out/hard", Some(&files));
    assert!(!hard.certainly_under(&roots("out")) && hard.possibly_under(&roots("secret")));
    let plain = PathFact::new("out/plain", Some(&files));
    assert!(plain.certainly_under(&roots("out")) && !plain.possibly_under(&roots("secret")));
}

/// Where only the other names of a file keep a rule from allowing the call, the reason says so.
#[test]
fn the_reason_tells_of_other_names() {
    let allow = rules(
        "[[policies.rules]]\nmatch = { tools = [\"write_file\"], path = { under = [\"out\"] } }\ndecision = \"allow\"\n",
    );
    let decided = |path: &str| {
        let args = format!(r#"{{"path":"{path}","content":"x"}}"#);
        decide_with(&allow, "operator", "write_file", &args)
    };
    let hard = decided("out/hard");
    assert_eq!(hard.verdict, Verdict::Ask);
    let reason = hard.reason.as_str();
    assert!(reason.contains("other names (hard links)"), "{reason}");
    assert!(!reason.contains("no rule allows it"), "{reason}");
    for elsewhere in ["src/plain", "out/link"] {
        let reason = decided(elsewhere).reason;
        assert!(!reason.as_str().contains("other names"), "{elsewhere}");
    }
    assert_eq!(decided("out/plain").verdict, Verdict::Allow);
}

/// A file system that ignores case takes both names for one: an `allow` does not hold for the other, `ask` and `deny` do.
#[test]
fn names_that_differ_in_case_are_possibly_one() {
    let roots = |root: &str| vec![relative_path_components(root).unwrap()];
    for (path, root) in [
        ("Secret/key", "secret"),
        ("stra\u{df}e/a", "STRASSE"),
        ("caf\u{e9}", "cafe\u{301}"),
        ("\u{17f}ecret/key", "secret"),
    ] {
        let fact = PathFact::new(path, None);
        assert!(fact.possibly_under(&roots(root)), "{path} {root}");
        assert!(!fact.certainly_under(&roots(root)), "{path} {root}");
        assert!(!PathFact::new("secrets", None).possibly_under(&roots(root)));
    }
    let deny = "[[policies.rules]]\nmatch = { tools = [\"write_file\"], path = { under = [\"Secret\"] } }\ndecision = \"deny\"\n";
    let decided = |path: &str| {
        let args = format!(r#"{{"path":"{path}","content":"x"}}"#);
        decide_with(&rules(deny), "operator", "write_file", &args).verdict
    };
    assert_eq!(decided("sEcret/key"), Verdict::Deny);
    assert_eq!(decided("secrets/key"), Verdict::Ask);
}

/// A tool that uses everything below a folder could reach what a rule denies inside it.
#[test]
fn a_denied_folder_denies_the_tree_around_it() {
    let deny = rules(
        "[[policies.rules]]\nmatch = { tools = [\"group:all\"], path = { under = \"data/secret\" } }\ndecision = \"deny\"\n",
    );
    for (tool, path, expected) in [
        ("search_files", ".", Verdict::Deny),
        ("search_files", "data", Verdict::Deny),
        ("search_files", "data/secret", Verdict::Deny),
        ("search_files", "data/secret/deep", Verdict::Deny),
        ("search_files", "data/open", Verdict::Allow),
        ("search_files", "data/secrets", Verdict::Allow),
        ("list_dir", ".", Verdict::Allow),
        ("read_file", "data", Verdict::Allow),
    ] {
        let args = format!(r#"{{"path":"{path}"}}"#);
        let found = decide_with(&deny, "operator", tool, &args);
        assert_eq!(found.verdict, expected, "{tool} {path}: {}", found.reason);
    }
}
