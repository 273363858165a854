//! Pages that list what the code has.

use math_tools::expression::functions;

use tests::root;

#[test]
fn the_page_of_expressions_names_every_function_and_constant() {
    let path = root().join("docs/expressions.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let words: Vec<&str> = page
        .split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .collect();
    let constants = functions::CONSTANTS.iter().map(|(name, _)| *name);
    let missing: Vec<&str> = functions::function_names()
        .chain(constants)
        .filter(|name| !words.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_readme_lists_every_tool() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the page");
    let families = math_tools::FAMILIES.iter().chain(host_tools::FAMILIES);
    let missing: Vec<&str> = families
        .copied()
        .flatten()
        .map(|entry| entry.tool().spec().id)
        .filter(|id| !readme.contains(&format!("`{id}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
