//! Names of earlier systems and of agent command lines, against the tools there are.

use registry::{Catalogue, ToolAliases};

#[test]
fn every_alias_means_a_tool_and_none_hides_one() {
    let families: Vec<_> = mathchain::tool_families().collect();
    let catalogue = Catalogue::new(&families).expect("sound");
    let faults = ToolAliases::built_in().faults(&catalogue);
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn every_alias_of_a_role_means_a_role() {
    for (name, role) in ToolAliases::built_in().roles() {
        assert!(
            workflow::roles::find_role(role).is_some(),
            "{name}: no role {role}"
        );
        assert_eq!(
            workflow::roles::find_role(name),
            workflow::roles::find_role(role)
        );
    }
}
