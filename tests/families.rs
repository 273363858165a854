//! A catalogue without the optional families of tools, as a build without default features has it; `.ci/families` compiles that build.

use registry::{Catalogue, Config, Policy};
use tool_core::ErasedTool;

/// One tool of each family that a feature leaves out (`archives`, `web`, `llm`).
const OPTIONAL: [&str; 3] = ["archive_open", "http_get", "embed_text"];

fn has_one_of(family: &[ErasedTool], tools: &[&str]) -> bool {
    let mut ids = family.iter().map(|entry| entry.tool().spec().id);
    ids.any(|id| tools.contains(&id))
}

#[test]
fn without_optional_families_a_configuration_that_names_their_tools_is_refused() {
    let all: Vec<_> = mathchain::tool_families().collect();
    let mut required = all.clone();
    required.retain(|family| !has_one_of(family, &OPTIONAL));
    assert_eq!(required.len() + OPTIONAL.len(), all.len());
    let [all, required] = [all, required].map(|families| Catalogue::new(&families).expect("sound"));

    for tool in ["matrix_solve", "read_file", "run_shell"] {
        assert!(required.get(tool).is_some(), "{tool} is in every build");
    }
    for tool in OPTIONAL {
        assert!(required.get(tool).is_none(), "{tool} is optional");
        let text = format!("version = 1\n[roles.reader]\ntools = ['read_file', '{tool}']\n");
        let config = Config::parse("mathchain.toml", &text).expect("a configuration");
        Policy::compile(&all, &config, &[]).expect("every tool exists");
        let Err(errors) = Policy::compile(&required, &config, &[]) else {
            panic!("{tool} is missing");
        };
        assert!(
            errors.to_string().contains(&format!("`{tool}`")),
            "{errors}"
        );
    }
    // What the program does without a configuration holds in such a build, too.
    Policy::compile(&required, &Config::default(), &[])
        .expect("built-in roles need no optional tool");
}
