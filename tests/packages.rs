//! What packages state of themselves: one version, one name for the registry of servers, and the page for models.

use serde_json::Value as Json;

/// Bytes of the page for models: 1,000 tokens at four bytes a token.
const SKILL_BYTES: usize = 4000;

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
    assert_eq!(packages.len(), 2);
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
fn both_packages_carry_the_name_in_the_registry_of_servers() {
    let server = json("packages/server.json");
    let name = server["name"].as_str().expect("text");
    assert_eq!(name.matches('/').count(), 1, "{name}");
    assert_eq!(json("packages/npm/mathchain/package.json")["mcpName"], name);
    let marker = format!("<!-- mcp-name: {name} -->");
    assert!(read("python/README.md").contains(&marker), "{marker}");
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
            other => panic!("{other:?}"),
        };
        assert_eq!(package["identifier"], published);
        assert_eq!(package["transport"]["type"], "stdio");
    }
}

#[test]
fn the_page_for_models_is_small() {
    let page = read("skills/mathchain/SKILL.md");
    assert!(page.len() < SKILL_BYTES, "{} bytes", page.len());
    let (head, body) = page
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .expect("front matter");
    let key = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
    assert_eq!(key("name: "), Some("mathchain"));
    let description = key("description: ").expect("a description");
    assert!((100..1024).contains(&description.len()), "{description}");
    // `.ci/readme` runs them.
    assert!(
        body.matches("```console\n$ mathchain").count()
            + body.matches("```console\n$ echo").count()
            >= 4
    );
}
