//! The twelve tools and one or two calls of each, with what is known of them by hand.

use std::sync::LazyLock;

use tool_core::ToolCall;

use super::*;

pub(super) static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(twelve);

/// What a selector means, written by hand.
pub(super) const SELECTORS: &[(&str, &[&str])] = &[
    (
        "group:all",
        &[
            "list_dir",
            "read_file",
            "search_files",
            "write_file",
            "edit_file",
            "run_shell",
            "web_fetch",
            "web_search",
            "query_db",
            "calculate",
            "plot",
            "raw_exec",
        ],
    ),
    (
        "group:read",
        &["list_dir", "read_file", "search_files", "query_db"],
    ),
    (
        "group:write",
        &["write_file", "edit_file", "run_shell", "raw_exec"],
    ),
    (
        "group:code",
        &[
            "list_dir",
            "read_file",
            "search_files",
            "write_file",
            "edit_file",
            "run_shell",
            "raw_exec",
        ],
    ),
    ("group:web", &["web_fetch", "web_search"]),
    ("category:math", &["calculate", "plot"]),
    ("category:data", &["query_db"]),
    (
        "category:system",
        &[
            "list_dir",
            "read_file",
            "search_files",
            "write_file",
            "edit_file",
            "raw_exec",
        ],
    ),
    (
        "effect:modifies_files",
        &["write_file", "edit_file", "run_shell"],
    ),
    ("effect:network_access", &["web_fetch", "web_search"]),
    ("permission:shell", &["run_shell", "raw_exec"]),
    (
        "permission:filesystem",
        &[
            "list_dir",
            "read_file",
            "search_files",
            "write_file",
            "edit_file",
        ],
    ),
    ("tag:raw-exec", &["raw_exec"]),
    ("*_file", &["read_file", "write_file", "edit_file"]),
    ("list_dir", &["list_dir"]),
    ("read_file", &["read_file"]),
    ("write_file", &["write_file"]),
    ("edit_file", &["edit_file"]),
    ("run_shell", &["run_shell"]),
    ("web_fetch", &["web_fetch"]),
    ("calculate", &["calculate"]),
    ("plot", &["plot"]),
];

/// A call, with what is known of it by hand.
pub(super) struct Sample {
    pub(super) tool: &'static str,
    pub(super) args: &'static str,
    pub(super) path: Option<&'static str>,
    pub(super) tree: bool,
    pub(super) words: &'static [&'static str],
    pub(super) x: Option<f64>,
    pub(super) destroys: bool,
    /// What holds where no rule does.
    pub(super) default: Verdict,
}

const PLAIN: Sample = Sample {
    tool: "",
    args: "{}",
    path: None,
    tree: false,
    words: &[],
    x: None,
    destroys: false,
    default: Verdict::Allow,
};

pub(super) const SAMPLES: &[Sample] = &[
    Sample {
        tool: "list_dir",
        args: r#"{"path":"data"}"#,
        path: Some("data"),
        ..PLAIN
    },
    Sample {
        tool: "read_file",
        args: r#"{"path":"out/a"}"#,
        path: Some("out/a"),
        ..PLAIN
    },
    Sample {
        tool: "search_files",
        args: r#"{"path":"data/x"}"#,
        path: Some("data/x"),
        tree: true,
        ..PLAIN
    },
    Sample {
        tool: "write_file",
        args: r#"{"path":"out/b"}"#,
        path: Some("out/b"),
        default: Verdict::Ask,
        ..PLAIN
    },
    Sample {
        tool: "write_file",
        args: r#"{"path":"x/../data/x/deep/c","overwrite":true}"#,
        path: Some("data/x/deep/c"),
        destroys: true,
        default: Verdict::Ask,
        ..PLAIN
    },
    Sample {
        tool: "edit_file",
        args: r#"{"path":"./data//e"}"#,
        path: Some("data/e"),
        destroys: true,
        default: Verdict::Ask,
        ..PLAIN
    },
    Sample {
        tool: "run_shell",
        args: r#"{"argv":["git","status"]}"#,
        words: &["git", "status"],
        default: Verdict::Ask,
        ..PLAIN
    },
    Sample {
        tool: "raw_exec",
        args: r#"{"argv":["rm","x"]}"#,
        words: &["rm", "x"],
        default: Verdict::Ask,
        ..PLAIN
    },
    Sample {
        tool: "web_fetch",
        args: r#"{"url":"https://example.org/"}"#,
        default: Verdict::Ask,
        ..PLAIN
    },
    Sample {
        tool: "web_search",
        args: r#"{"x":9}"#,
        x: Some(9.0),
        default: Verdict::Ask,
        ..PLAIN
    },
    Sample {
        tool: "query_db",
        ..PLAIN
    },
    Sample {
        tool: "calculate",
        args: r#"{"x":5}"#,
        x: Some(5.0),
        ..PLAIN
    },
    Sample {
        tool: "plot",
        args: r#"{"text":"t"}"#,
        ..PLAIN
    },
];

/// The samples as checked calls.
pub(super) static CALLS: LazyLock<Vec<std::sync::Mutex<Box<dyn ToolCall>>>> = LazyLock::new(|| {
    let decode = |sample: &Sample| {
        let args = tool_core::json::parse_json(sample.args, tool_core::json::JsonLimits::default())
            .unwrap();
        let tool = CATALOGUE.get(sample.tool).unwrap();
        std::sync::Mutex::new(tool.decode(&args).unwrap())
    };
    SAMPLES.iter().map(decode).collect()
});

/// The tools that selectors mean, by hand.
pub(super) fn meant(selectors: &[&str]) -> BTreeSet<&'static str> {
    let lists = selectors
        .iter()
        .map(|text| SELECTORS.iter().find(|(known, _)| known == text).unwrap().1);
    lists.flatten().copied().collect()
}

pub(super) fn shown(caller: &CallerPolicy<'_>) -> BTreeSet<String> {
    let ids = caller
        .visible()
        .iter()
        .map(|tool| CATALOGUE.tool(tool).spec().id.to_owned());
    ids.collect()
}

/// The decision on every sample.
pub(super) fn decisions(caller: &CallerPolicy<'_>) -> Vec<PolicyDecision> {
    let decide = |(sample, call): (&Sample, &std::sync::Mutex<Box<dyn ToolCall>>)| {
        let index = CATALOGUE.index(sample.tool).unwrap();
        let call = call.lock().unwrap();
        let facts = CallFacts::of(CATALOGUE.tool(index), call.as_ref(), None);
        caller.decide(&CATALOGUE, index, Some(&facts), None)
    };
    SAMPLES.iter().zip(CALLS.iter()).map(decide).collect()
}
