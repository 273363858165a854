//! What packages state of themselves: one version, one name for the registry of servers, and the crates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde_json::Value as Json;

fn read(path: &str) -> String {
    #[expect(clippy::disallowed_methods, reason = "a test reads the repository")]
    std::fs::read_to_string(tests::root().join(path)).unwrap_or_else(|err| panic!("{path}: {err}"))
}

fn json(path: &str) -> Json {
    serde_json::from_str(&read(path)).unwrap_or_else(|err| panic!("{path}: {err}"))
}

#[test]
fn every_package_has_the_version_of_the_workspace() {
    let version = Json::from(env!("CARGO_PKG_VERSION"));
    let server = json("packages/server.json");
    assert_eq!(server["version"], version);
    let packages = server["packages"].as_array().expect("a list");
    assert_eq!(packages.len(), 3);
    for package in packages {
        assert_eq!(package["version"], version, "{package}");
    }
    for name in ["mathchain", "linux-x64", "linux-arm64"] {
        let package = json(&format!("packages/npm/{name}/package.json"));
        assert_eq!(package["version"], version, "{name}");
        for (name, wanted) in package["optionalDependencies"]
            .as_object()
            .into_iter()
            .flatten()
        {
            assert_eq!(*wanted, version, "{name}");
        }
    }
    let main = json("packages/npm/mathchain/package.json");
    for platform in ["x64", "arm64"] {
        let name = json(&format!("packages/npm/linux-{platform}/package.json"))["name"].clone();
        assert_eq!(name, format!("mathchain-linux-{platform}"));
        assert!(main["optionalDependencies"][name.as_str().expect("text")].is_string());
    }
}

#[test]
fn each_package_carries_the_name_in_the_registry_of_servers() {
    let server = json("packages/server.json");
    let name = server["name"].as_str().expect("text");
    assert_eq!(name.matches('/').count(), 1, "{name}");
    assert_eq!(json("packages/npm/mathchain/package.json")["mcpName"], name);
    let marker = format!("<!-- mcp-name: {name} -->");
    assert!(read("python/README.md").contains(&marker), "{marker}");
    // Where comments are left out of a README, the marker is text.
    let marker = format!("`mcp-name: {name}`");
    assert!(read("README.md").contains(&marker), "{marker}");
    assert!(read("doors/cli/Cargo.toml").contains("readme = \"../../README.md\""));
    // Limits of the registry's schema.
    let description = server["description"].as_str().expect("text");
    assert!((1..=100).contains(&description.len()), "{description}");
    for package in server["packages"].as_array().expect("a list") {
        let published = match package["registryType"].as_str() {
            Some("npm") => json("packages/npm/mathchain/package.json")["name"].clone(),
            Some("pypi") => read("python/pyproject.toml")
                .lines()
                .find_map(|line| {
                    line.strip_prefix("name = ")
                        .map(|name| name.trim_matches('"').into())
                })
                .expect("a name"),
            Some("cargo") => "mathchain-cli".into(),
            other => panic!("{other:?}"),
        };
        assert_eq!(package["identifier"], published);
        assert_eq!(package["transport"]["type"], "stdio");
    }
}

/// A crate of the workspace as its manifest states it.
struct Crate {
    folder: PathBuf,
    manifest: Json,
}

impl Crate {
    /// Crates of the workspace that it needs: name, requirement of the version, whether tests alone need it.
    fn needed(&self) -> Vec<(&str, &str, bool)> {
        let needed = self.manifest["dependencies"].as_array().expect("a list");
        let of_workspace = needed.iter().filter(|needed| needed["path"].is_string());
        of_workspace
            .map(|needed| {
                let text = |key: &str| needed[key].as_str().expect("text");
                (text("name"), text("req"), needed["kind"] == "dev")
            })
            .collect()
    }

    /// Files that its sources, without tests, take in.
    fn included(&self) -> Vec<PathBuf> {
        let mut included = Vec::new();
        for path in tests::files_below(&self.folder.join("src"), "rs") {
            let relative = path.strip_prefix(&self.folder).expect("below the crate");
            if relative.iter().any(|part| part == "tests") || path.ends_with("tests.rs") {
                continue;
            }
            let folder = path.parent().expect("a folder");
            for piece in read(&path.display().to_string()).split("include_").skip(1) {
                let taken = piece.strip_prefix("str!(\"");
                if let Some(rest) = taken.or_else(|| piece.strip_prefix("bytes!(\"")) {
                    let file = rest.split('"').next().expect("a first part");
                    included.push(without_parents(&folder.join(file)));
                }
            }
        }
        included
    }
}

/// A path without `..`, whichever of its folders are links.
fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// The crates that the program consists of.
fn crates_of_the_program() -> BTreeMap<String, Crate> {
    let metadata = crate::architecture::metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let all: BTreeMap<String, Crate> = packages
        .iter()
        .map(|manifest| {
            let text = |key: &str| manifest[key].as_str().expect("text").to_owned();
            let folder = PathBuf::from(text("manifest_path")).with_file_name("");
            let manifest = manifest.clone();
            (text("name"), Crate { folder, manifest })
        })
        .collect();
    let mut program = BTreeSet::new();
    let mut open = vec!["mathchain-cli"];
    while let Some(name) = open.pop() {
        if program.insert(name.to_owned()) {
            let needed = all[name].needed();
            open.extend(needed.iter().filter(|one| !one.2).map(|one| one.0));
        }
    }
    for (name, one) in &all {
        let is_published = one.manifest["publish"].is_null();
        assert_eq!(is_published, program.contains(name), "`publish` of {name}");
    }
    let of_program = all.into_iter().filter(|(name, _)| program.contains(name));
    of_program.collect()
}

#[test]
fn every_crate_of_the_program_can_be_published() {
    let version = format!("={}", env!("CARGO_PKG_VERSION"));
    let (mut licences, mut taken) = (0, 0);
    let crates = crates_of_the_program();
    for (name, one) in &crates {
        for key in ["description", "license"] {
            let value = one.manifest[key].as_str().unwrap_or_default();
            assert!(!value.is_empty(), "{name} has no {key}");
        }
        for (needed, requirement, is_for_tests) in one.needed() {
            // What tests alone need is left out of an archive where it has no version.
            let left_out = is_for_tests && requirement == "*";
            let published = crates.contains_key(needed) && requirement == version;
            assert!(left_out || published, "{name} needs {needed} {requirement}");
        }
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let own = read(&one.folder.join(licence).display().to_string());
            assert_eq!(own, read(licence), "{licence} of {name}");
            licences += 1;
        }
        for file in one.included() {
            let path = file.display();
            assert!(
                file.starts_with(&one.folder),
                "{name} takes in {path}, which is not in its archive: link to it from `assets`"
            );
            taken += 1;
        }
    }
    assert!(licences >= 22 && taken >= 25, "{licences} {taken}");
}

#[test]
fn the_page_of_releases_orders_the_crates() {
    let page = read("docs/releasing.md");
    let (_, section) = page
        .split_once("## Crates\n")
        .expect("a section of the crates");
    let lines = section
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()));
    let order: Vec<&str> = lines
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect();
    let crates = crates_of_the_program();
    assert_eq!(order.len(), crates.len(), "{order:?}");
    for (at, name) in order.iter().enumerate() {
        for (needed, requirement, _) in crates[*name].needed() {
            let is_before = order[..at].contains(&needed);
            assert!(requirement == "*" || is_before, "{name} before {needed}");
        }
    }
}

/// On other platforms the program has a few packages more or less.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn the_page_of_packages_counts_them() {
    let count = |package: &str, features: &[&str]| {
        let output = std::process::Command::new(env!("CARGO"))
            .args(["tree", "--locked", "--offline", "-p", package])
            .args(["-e", "normal", "--prefix", "none"])
            .args(features)
            .current_dir(tests::root())
            .output()
            .expect("cargo runs");
        let printed = String::from_utf8(output.stdout).expect("text");
        let packages = printed.lines().filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?.to_owned(), words.next()?.to_owned()))
        });
        packages.collect::<BTreeSet<_>>().len()
    };
    let sentence = format!(
        "On x86-64 Linux the program has {} packages; {} without the families; the library has {} without them",
        count("mathchain-cli", &[]),
        count("mathchain-cli", &["--no-default-features"]),
        count("mathchain", &["--no-default-features"]),
    );
    let page = read("docs/decisions/packages.md");
    assert!(
        page.contains(&sentence),
        "docs/decisions/packages.md must say: {sentence}"
    );
}

/// The packages that the project was asked to use, as their code is named.
const ASKED_FOR: [&str; 10] = [
    "nalgebra",
    "faer",
    "ndarray",
    "rayon",
    "rand",
    "argmin",
    "ode_solvers",
    "rusqlite",
    "jmespath",
    "criterion",
];

/// The page says how many files name each of them; `UPDATE=1` writes the counts.
#[test]
fn each_package_that_was_asked_for_has_work() {
    let texts: Vec<String> = tests::files_below(&tests::root(), "rs")
        .into_iter()
        .filter(|path| !path.ends_with("tests/packages.rs"))
        .filter_map(|path| {
            #[expect(clippy::disallowed_methods, reason = "a test reads the repository")]
            std::fs::read_to_string(path).ok()
        })
        .collect();
    let page = read("docs/decisions/packages.md");
    let mut counted = String::new();
    for line in page.split_inclusive('\n') {
        let name = line
            .strip_prefix("| `")
            .and_then(|rest| rest.split('`').next());
        let last = line
            .trim_end()
            .strip_suffix(" |")
            .and_then(|rest| rest.rfind(" | "));
        match (name.filter(|name| ASKED_FOR.contains(name)), last) {
            (Some(name), Some(last))
                if line[last + 3..].starts_with(|c: char| c.is_ascii_digit()) =>
            {
                let named = format!("{name}::");
                let files = texts.iter().filter(|text| text.contains(&named)).count();
                assert!(files > 0, "no file names `{name}`");
                counted += &format!("{} | {files} |\n", &line[..last]);
            }
            _ => counted += line,
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        #[expect(clippy::disallowed_methods, reason = "the page is made by this test")]
        std::fs::write(tests::root().join("docs/decisions/packages.md"), counted).expect("writes");
        return;
    }
    assert_eq!(page, counted, "UPDATE=1 cargo test -p tests packages");
}
