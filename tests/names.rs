//! How well names can be searched: a type or function that shares one general word with others is found by no search.

use std::collections::BTreeMap;

use tests::{files_below, root};

/// Largest shares in percent.
const ONE_WORD_TYPES_MAX: f64 = 6.0;
const SHARED_TYPES_MAX: f64 = 1.0;
const PARTICIPLES_MAX: f64 = 0.1;
const ONE_WORD_FUNCTIONS_MAX: f64 = 42.0;

/// Types that every tool or command has, and methods of common traits.
const COMMON_TYPES: [&str; 2] = ["Args", "Output"];
const COMMON_FUNCTIONS: &str = "new fmt from default eq cmp partial_cmp drop next clone deref hash index into_iter \
    try_from as_ref from_str len is_empty into main";

/// Participles that end neither in `ed` nor in `ing`.
const PARTICIPLES: &str = "Said Told Held Made Given Found Kept Led Begun Meant Shown Left Drawn Known Gone Heard Sent \
    Seen Lost Built Chosen Written Read Bound Cut Put Set";

/// The word after one of these at the beginning of a line, whatever stands before it of visibility and the like.
fn item<'a>(line: &'a str, kinds: &[&str]) -> Option<&'a str> {
    const BEFORE: [&str; 4] = ["const", "async", "unsafe", "pub"];
    let mut words = line.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if kinds.contains(&word) {
            let name = words.next()?;
            let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
            return Some(&name[..end.unwrap_or(name.len())]);
        }
        let is_before = BEFORE.contains(&word) || word.starts_with("pub(") || word.ends_with(')');
        if !is_before {
            return None;
        }
    }
    None
}

fn is_participle(name: &str) -> bool {
    let one_word = name.chars().filter(char::is_ascii_uppercase).count() == 1;
    let ends = name.ends_with("ed") || name.ends_with("ing");
    one_word && (ends || PARTICIPLES.split_whitespace().any(|one| one == name))
}

/// The types and functions of the product, each with its file: not those of tests, fakes and benches.
fn names() -> (Vec<(String, String)>, Vec<String>) {
    let (mut types, mut functions) = (Vec::new(), Vec::new());
    for path in files_below(&root(), "rs") {
        let relative = path.strip_prefix(root()).expect("below the root");
        let name = relative.to_string_lossy().replace('\\', "/");
        let is_test = name.split('/').any(|part| {
            ["tests", "test", "tests.rs", "testing.rs", "loopback.rs"].contains(&part)
                || part.ends_with("_tests.rs")
                || part.starts_with("tests_")
        });
        if !name.contains("/src/") || is_test || name.contains("fakes") || name.starts_with("fuzz")
        {
            continue;
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "a test reads the sources of the project"
        )]
        let text = std::fs::read_to_string(&path).expect("text");
        let product = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for line in product.lines() {
            let line = line.trim_start();
            if let Some(found) = item(line, &["struct", "enum", "trait"])
                && found.starts_with(|c: char| c.is_ascii_uppercase())
                && !COMMON_TYPES.contains(&found)
            {
                types.push((found.to_owned(), name.clone()));
            }
            if let Some(found) = item(line, &["fn"])
                && !COMMON_FUNCTIONS.split_whitespace().any(|one| one == found)
            {
                functions.push(found.to_owned());
            }
        }
    }
    (types, functions)
}

#[test]
fn names_can_be_searched() {
    let (types, functions) = names();
    assert!(
        types.len() > 1000 && functions.len() > 5000,
        "{} {}",
        types.len(),
        functions.len()
    );
    let mut owners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, file) in &types {
        owners.entry(name).or_default().push(file);
    }
    let share = |count: usize, of: usize| 100.0 * count as f64 / of as f64;
    let one_word = types
        .iter()
        .filter(|(name, _)| name.chars().filter(char::is_ascii_uppercase).count() == 1);
    let shared: Vec<_> = owners.iter().filter(|(_, files)| files.len() > 1).collect();
    let participles: Vec<_> = types
        .iter()
        .filter(|(name, _)| is_participle(name))
        .collect();
    let plain = functions.iter().filter(|name| !name.contains('_')).count();
    let one_word = share(one_word.count(), types.len());
    assert!(
        one_word <= ONE_WORD_TYPES_MAX,
        "{one_word:.1} % of types have one word: say of what"
    );
    let count = shared.iter().map(|(_, files)| files.len()).sum();
    assert!(
        share(count, types.len()) <= SHARED_TYPES_MAX,
        "types that share a name: {shared:?}"
    );
    assert!(
        share(participles.len(), types.len()) <= PARTICIPLES_MAX,
        "types named by a participle: {participles:?}"
    );
    let plain = share(plain, functions.len());
    assert!(
        plain <= ONE_WORD_FUNCTIONS_MAX,
        "{plain:.1} % of functions have one word"
    );
}

#[test]
fn words_before_a_name_are_passed() {
    let kinds = ["struct", "fn"];
    assert_eq!(item("pub(crate) struct Rows<'a> {", &kinds), Some("Rows"));
    assert_eq!(
        item("pub const unsafe fn read(x: u8)", &kinds),
        Some("read")
    );
    assert_eq!(item("let struct_like = 1;", &kinds), None);
    assert!(is_participle("Found") && is_participle("Running") && !is_participle("RowsRead"));
}
