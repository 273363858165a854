//! `docs/tools/index.yaml`: the index of all tools in the layout of an earlier system. `UPDATE=1` writes it.
#![expect(clippy::disallowed_methods, reason = "a page of the repository")]

use registry::Catalogue;
use registry::model::{Config, LegacyFiles, NamedFile, ToolSelector};

#[test]
fn the_index_of_tools_is_that_of_the_catalogue() {
    let families: Vec<_> = mathchain::tool_families().collect();
    let catalogue = Catalogue::new(&families).expect("sound");
    let made = registry::offer::index(catalogue.iter());
    let path = tests::root().join("docs/tools/index.yaml");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &made).expect("writes");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        made == kept,
        "docs/tools/index.yaml is old; UPDATE=1 writes it"
    );
    // It loads as the index of a configuration does, and nothing in it contradicts the tools.
    let config = Config {
        files: LegacyFiles {
            tools: vec![NamedFile {
                path: ToolSelector::from("index.yaml"),
                text: Ok(kept),
            }],
            ..LegacyFiles::default()
        },
        ..Config::default()
    };
    let policy = registry::Policy::compile(&catalogue, &config, &[]);
    let policy = policy.unwrap_or_else(|errors| panic!("{errors}"));
    assert!(policy.notes().is_empty(), "{:?}", policy.notes());
}
