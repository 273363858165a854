//! The arrows between the crates, and what each crate may not know.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Which crates of the workspace each crate may name.
const ARROWS: [(&str, &[&str]); 28] = [
    ("tool-derive", &[]),
    ("tool-core", &["random-streams", "tool-derive"]),
    ("fakes", &["tool-core"]),
    ("against-cedar", &["fakes", "registry", "tool-core"]),
    ("thread-pools", &[]),
    ("random-streams", &[]),
    ("numerics", &["random-streams", "thread-pools"]),
    ("tables", &["random-streams", "thread-pools"]),
    ("table-values", &["tables", "tool-core"]),
    ("statistics", &["numerics", "random-streams"]),
    ("second-opinions", &[]),
    ("symbolic", &[]),
    ("plots", &[]),
    (
        "math-tools",
        &[
            "numerics",
            "plots",
            "second-opinions",
            "statistics",
            "symbolic",
            "table-values",
            "tables",
            "thread-pools",
            "tool-core",
        ],
    ),
    ("host-sandbox", &["tool-core"]),
    ("host-tools", &["table-values", "tables", "tool-core"]),
    ("registry", &["thread-pools", "tool-core"]),
    ("journal", &["registry", "thread-pools", "tool-core"]),
    ("sessions", &["registry", "tool-core"]),
    ("workflow", &["registry", "tool-core"]),
    ("chain-runtime", &["journal", "registry", "tool-core"]),
    ("agents", &["journal", "registry", "tool-core"]),
    (
        "mathchain",
        &[
            "agents",
            "chain-runtime",
            "host-sandbox",
            "host-tools",
            "journal",
            "math-tools",
            "registry",
            "tool-core",
            "workflow",
        ],
    ),
    (
        "mathchain-servers",
        &[
            "agents",
            "chain-runtime",
            "journal",
            "mathchain",
            "registry",
            "sessions",
            "thread-pools",
            "tool-core",
            "workflow",
        ],
    ),
    (
        "mathchain-cli",
        &[
            "agents",
            "chain-runtime",
            "host-sandbox",
            "host-tools",
            "journal",
            "mathchain",
            "mathchain-servers",
            "registry",
            "sessions",
            "tool-core",
            "workflow",
        ],
    ),
    (
        "mathchain-python",
        &[
            "chain-runtime",
            "host-sandbox",
            "mathchain",
            "mathchain-cli",
            "registry",
            "table-values",
            "tables",
            "tool-core",
        ],
    ),
    (
        "benches",
        &[
            "chain-runtime",
            "host-sandbox",
            "host-tools",
            "journal",
            "numerics",
            "math-tools",
            "mathchain",
            "random-streams",
            "registry",
            "sessions",
            "statistics",
            "tool-core",
        ],
    ),
    (
        "tests",
        &[
            "agents",
            "chain-runtime",
            "fakes",
            "host-tools",
            "journal",
            "numerics",
            "math-tools",
            "mathchain",
            "mathchain-cli",
            "mathchain-servers",
            "registry",
            "sessions",
            "tool-core",
            "workflow",
        ],
    ),
];

/// Crates that only the doors may name.
const DOORS_ONLY: [&str; 7] = [
    "clap",
    "tokio",
    "rmcp",
    "axum",
    "maud",
    "ctrlc",
    "signal-hook",
];

pub(crate) fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(tests::root())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let name = |value: &serde_json::Value| value["name"].as_str().expect("a name").to_owned();
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let needed = package["dependencies"]
                .as_array()
                .expect("dependencies")
                .iter()
                .filter(|dependency| dependency["kind"] != "dev")
                .map(name);
            (name(package), needed.collect())
        })
        .collect()
}

#[test]
fn the_arrows_point_one_way() {
    let found = dependencies();
    let listed: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        found.keys().map(String::as_str).collect::<BTreeSet<_>>(),
        listed
    );
    for (name, allowed) in ARROWS {
        let named: Vec<&str> = found[name]
            .iter()
            .map(String::as_str)
            .filter(|needed| listed.contains(needed))
            .collect();
        let forbidden: Vec<_> = named
            .iter()
            .filter(|needed| !allowed.contains(needed))
            .collect();
        assert!(forbidden.is_empty(), "`{name}` may not name {forbidden:?}");
    }
}

#[test]
fn only_the_doors_know_the_doors() {
    for (name, needed) in dependencies() {
        let forbidden: Vec<_> = needed
            .iter()
            .filter(|crate_name| DOORS_ONLY.contains(&crate_name.as_str()))
            .collect();
        assert!(
            matches!(name.as_str(), "mathchain-cli" | "mathchain-servers") || forbidden.is_empty(),
            "`{name}` may not name {forbidden:?}"
        );
    }
}

/// A program has nothing of OpenTelemetry in it unless `--features otel` asks for it.
#[test]
fn a_plain_build_has_no_spans() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let doors = packages
        .iter()
        .find(|package| package["name"] == "mathchain");
    let doors = doors.expect("the package of the doors");
    for package in packages {
        let default = package["features"]["default"].as_array();
        let default = default.into_iter().flatten();
        assert!(
            default.into_iter().all(|family| family != "otel"),
            "{}",
            package["name"]
        );
    }
    let needed = doors["dependencies"].as_array().expect("dependencies");
    let is_of_spans = |dependency: &&serde_json::Value| {
        let name = dependency["name"].as_str().unwrap_or_default();
        name.starts_with("opentelemetry")
    };
    let of_spans: Vec<_> = needed.iter().filter(is_of_spans).collect();
    assert_eq!(of_spans.len(), 5);
    assert!(of_spans.iter().all(|needed| needed["optional"] == true));
}
