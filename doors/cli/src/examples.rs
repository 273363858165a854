//! Examples of commands whose help has none of its own, by the words of the command.

/// Commands and their examples, a line each.
const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "tools show",
        &[
            "mathchain tools show matrix_solve",
            "mathchain tools show matrix_solve --schema",
        ],
    ),
    (
        "session replay",
        &["mathchain session replay session.jsonl"],
    ),
    ("session schema", &["mathchain session schema event"]),
    (
        "plan explain",
        &["mathchain plan explain examples/quickstart.yaml"],
    ),
    ("plan new", &["mathchain plan new report > report.yaml"]),
    ("runs pin", &["mathchain runs pin 1f3a"]),
    ("runs unpin", &["mathchain runs unpin 1f3a"]),
    ("pipeline resume", &["mathchain pipeline resume 1f3a"]),
    ("pipeline list", &["mathchain pipeline list"]),
    ("pipeline show", &["mathchain pipeline show 1f3a"]),
    ("pipeline log", &["mathchain pipeline log 1f3a"]),
    ("deny", &["mathchain deny 1f3a"]),
    ("approvals list", &["mathchain approvals list --all"]),
    ("approvals show", &["mathchain approvals show 1f3a"]),
    ("inbox list", &["mathchain inbox list"]),
    ("inbox show", &["mathchain inbox show 1f3a"]),
    ("inbox watch", &["mathchain inbox watch"]),
    ("workflow rebuild", &["mathchain workflow rebuild"]),
    ("schedule list", &["mathchain schedule list"]),
    (
        "schedule show",
        &["mathchain schedule show nightly --limit 50"],
    ),
    ("schedule run", &["mathchain schedule run nightly"]),
    (
        "schedule export",
        &["mathchain schedule export nightly --dir ~/.config/systemd/user"],
    ),
    ("backups list", &["mathchain backups list"]),
    ("backups restore", &["mathchain backups restore notes.txt"]),
    ("policy matrix", &["mathchain policy matrix --json"]),
    ("policy test", &["mathchain policy test policy-cases.yaml"]),
    ("policy rules", &["mathchain policy rules"]),
    ("policy forget", &["mathchain policy forget 2"]),
    ("roles list", &["mathchain roles list"]),
    ("agents list", &["mathchain agents list"]),
    (
        "agents show",
        &["mathchain agents show researcher --prompt"],
    ),
    ("agents check", &["mathchain agents check"]),
    ("phases list", &["mathchain phases list"]),
    ("plugins list", &["mathchain plugins list"]),
    ("plugins check", &["mathchain plugins check"]),
    ("plugins new", &["mathchain plugins new greetings"]),
    ("plugins reload", &["mathchain plugins reload"]),
    ("plugins pin", &["mathchain plugins pin tavily"]),
    ("plugins enable", &["mathchain plugins enable greetings"]),
    ("plugins disable", &["mathchain plugins disable greetings"]),
    ("keys list", &["mathchain keys list"]),
    ("keys revoke", &["mathchain keys revoke reader"]),
    ("workspace show", &["mathchain workspace show"]),
    ("audit show", &["mathchain audit show 12"]),
    (
        "audit verify-receipt",
        &["mathchain audit verify-receipt receipt.json"],
    ),
    ("state size", &["mathchain state size"]),
    ("state vacuum", &["mathchain state vacuum"]),
    ("init", &["mathchain init", "mathchain init --agents"]),
    ("check", &["mathchain check"]),
    ("doctor", &["mathchain doctor"]),
    ("schema", &["mathchain schema plan > plan.schema.json"]),
];

/// The examples of a command, with a heading; empty where its help has them.
pub(super) fn command_examples(path: &str) -> String {
    let mut known = EXAMPLES.iter();
    let Some((_, lines)) = known.find(|(command, _)| *command == path) else {
        return String::new();
    };
    let heading = match lines.len() {
        1 => "Example",
        _ => "Examples",
    };
    let lines: String = lines.iter().map(|line| format!("\n  {line}")).collect();
    format!("{heading}:{lines}")
}
