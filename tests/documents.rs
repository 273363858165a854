//! Pages that list what the code has.

use math_tools::expression::functions;

#[test]
fn the_page_of_expressions_names_every_function_and_constant() {
    let words: Vec<&str> = include_str!("../docs/expressions.md")
        .split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .collect();
    let constants = functions::CONSTANTS.iter().map(|(name, _)| *name);
    let missing: Vec<&str> = functions::function_names()
        .chain(constants)
        .filter(|name| !words.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
