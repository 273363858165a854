//! Agent files: any text is an agent whose tools there are and whose prompts can be filled in, or a list of errors.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};

use libfuzzer_sys::fuzz_target;
use mathchain::registry::agents::{AgentChecker, TOOL_DESCRIPTIONS};
use mathchain::registry::{AgentFile, ToolAliases};

/// Looks like a variable, and is none once it was put in.
const VALUE: &str = "{{topic}} <tool> # User Prompt";

fuzz_target!(|text: &str| {
    let agent = match AgentFile::parse("agents/a.md", text) {
        Ok(agent) => agent,
        Err(errors) => {
            assert!(!errors.list().is_empty());
            return;
        }
    };
    assert_eq!(agent.name, "a");
    let names: BTreeSet<&String> = agent.variables.iter().collect();
    assert_eq!(names.len(), agent.variables.len(), "a variable is listed twice");
    let dispatcher = fuzz::toolkit().dispatcher();
    let (catalogue, config) = (dispatcher.catalogue(), fuzz::toolkit().config());
    let checker = AgentChecker::new(catalogue, &config, ToolAliases::built_in());
    let mut descriptions = String::new();
    if let Ok(checked) = checker.check(&agent) {
        for id in checked.ids() {
            assert!(catalogue.get(id).is_some(), "`{id}`");
        }
        descriptions = checked.tool_descriptions(catalogue);
    }
    let values: BTreeMap<String, String> = (agent.variables.iter())
        .map(|name| (name.clone(), VALUE.to_owned()))
        .collect();
    let filled = agent.render(&values, &descriptions);
    assert_eq!(filled.is_ok(), !values.contains_key(TOOL_DESCRIPTIONS), "{filled:?}");
});
