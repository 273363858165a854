//! Imports within each crate and the dependencies of each crate, read from the sources.
//!
//! An import is a `use` declaration, or a path in code that starts with `crate`, `super` or `self`. A `pub use` is not counted: a facade
//! that hands on names does not depend on them. Test modules and files of tests are left out.
#![expect(
    clippy::disallowed_methods,
    reason = "a test reads the sources of the project"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Files that may import each other in a ring.
const LARGEST_CIRCLE: usize = 3;

/// Dependencies that are not named in the sources, with the reason.
const UNNAMED: [(&str, &str, &str); 2] = [
    (
        "against-cedar",
        "tool-core",
        "it includes the samples of `registry`, which name it",
    ),
    (
        "second-opinions",
        "argmin-math",
        "it makes lists the points of `argmin`, by traits alone",
    ),
];

type Module = Vec<String>;

/// The modules of a crate, each with the code of its file.
fn modules(source: &Path) -> BTreeMap<Module, String> {
    let mut found = BTreeMap::new();
    for path in tests::files_below(source, "rs") {
        let relative = path.strip_prefix(source).expect("a file below its folder");
        let mut module: Module = relative
            .with_extension("")
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if module.iter().any(|part| part == "tests") || module == ["main"] {
            continue;
        }
        if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
            module.pop();
        }
        let text = fs::read_to_string(&path).expect("a source file");
        found.insert(module, code_of(&text));
    }
    found
}

/// The text without comments, contents of strings and the test module at its end.
fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for line in text.lines() {
        if line == "#[cfg(test)]" {
            // Declarations of test modules are short; a module in the file ends it.
            code.push_str("#cfg_test ");
            continue;
        }
        let mut in_string = false;
        let mut before = '\0';
        let mut characters = line.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '/' if !in_string && characters.peek() == Some(&'/') => break,
                '\\' if in_string => _ = characters.next(),
                '"' if before != '\'' => in_string = !in_string,
                _ if !in_string => code.push(character),
                _ => {}
            }
            before = character;
        }
        code.push('\n');
    }
    code.split("#cfg_test mod tests {")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return paths.push(format!("{prefix}{path}"));
    };
    let prefix = format!("{prefix}{}", &tree[..open]);
    let inner = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
    let mut depth = 0;
    let mut start = 0;
    for (at, character) in inner.char_indices().chain([(inner.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    expand(&prefix, &inner[start..at], paths);
                }
                start = (at + 1).min(inner.len());
            }
            _ => {}
        }
    }
}

/// The paths that the code of one file imports.
fn imports(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let words = statement.trim_start().trim_end_matches(';');
        let start = words.rfind("use ").filter(|&at| {
            let before = &words[..at];
            before.is_empty() || before.ends_with(['\n', ' ', '}', ']'])
        });
        match start {
            Some(at) if !words[at..].contains('=') && !words[at..].contains('(') => {
                let before = words[..at].trim_end();
                let is_handed_on = before.ends_with("pub") || before.ends_with(')');
                let is_test = before.ends_with("#cfg_test");
                if !is_handed_on && !is_test {
                    expand("", &words[at + 4..].replace('\n', " "), &mut paths);
                }
                rest.push_str(&words[..at]);
            }
            _ => rest.push_str(statement),
        }
    }
    let is_of_a_path = |character: char| character.is_alphanumeric() || "_:".contains(character);
    paths.extend(
        rest.split(|character| !is_of_a_path(character))
            .filter(|word| {
                ["crate::", "super::", "self::"]
                    .iter()
                    .any(|start| word.starts_with(start))
            })
            .map(str::to_owned),
    );
    paths
}

/// The module of this crate that a path seen in `from` leads to.
fn target(path: &str, from: &Module, modules: &BTreeMap<Module, String>) -> Option<Module> {
    let mut base: Module = from.clone();
    let mut names = path.split("::").map(str::trim).peekable();
    match *names.peek()? {
        "crate" => base.clear(),
        "super" | "self" => {}
        child => {
            base.push(child.to_owned());
            if !modules.contains_key(&base) {
                return None;
            }
            base.pop();
        }
    }
    for name in names {
        match name {
            "crate" | "self" => {}
            "super" => _ = base.pop(),
            name => {
                base.push(name.to_owned());
                if !modules.contains_key(&base) {
                    base.pop();
                    break;
                }
            }
        }
    }
    (base != *from && modules.contains_key(&base)).then_some(base)
}

/// The sets of modules that reach each other.
fn circles(edges: &BTreeMap<&Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reached = |start: &Module| {
        let mut seen = BTreeSet::new();
        let mut open = vec![start.clone()];
        while let Some(module) = open.pop() {
            for next in edges.get(&module).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&Module, BTreeSet<Module>> = edges
        .keys()
        .map(|&module| (module, reached(module)))
        .collect();
    let mut found: BTreeSet<BTreeSet<Module>> = BTreeSet::new();
    for (module, seen) in &reach {
        let circle: BTreeSet<Module> = seen
            .iter()
            .filter(|other| reach.get(other).is_some_and(|back| back.contains(*module)))
            .cloned()
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

#[test]
fn no_large_circle_of_files_import_each_other() {
    let mut edges_seen = 0;
    let mut too_large = Vec::new();
    let metadata = crate::architecture::metadata();
    for package in metadata["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("a name");
        let source = tests::root().join(name).join("src");
        if !source.is_dir() {
            continue;
        }
        let modules = modules(&source);
        let edges: BTreeMap<&Module, BTreeSet<Module>> = modules
            .iter()
            .map(|(module, code)| {
                let targets = imports(code);
                (
                    module,
                    targets
                        .iter()
                        .filter_map(|path| target(path, module, &modules))
                        .collect(),
                )
            })
            .collect();
        edges_seen += edges.values().map(BTreeSet::len).sum::<usize>();
        for circle in circles(&edges) {
            if circle.len() > LARGEST_CIRCLE {
                let files: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
                too_large.push(format!("{name}: {}", files.join(", ")));
            }
        }
    }
    assert!(
        too_large.is_empty(),
        "files that import each other in a ring:\n{}",
        too_large.join("\n")
    );
    assert!(edges_seen > 500, "only {edges_seen} imports were read");
}

#[test]
fn a_circle_is_found() {
    let code = [
        ("a", "use super::b::{self, Item};"),
        ("b", "fn f() { crate::c::g() }"),
        (
            "c",
            "pub use crate::d::Facade;\nuse crate::{\n    a::x,\n    d,\n};",
        ),
        ("d", "// use crate::a;\nconst TEXT: &str = \"crate::a\";"),
    ];
    let modules: BTreeMap<Module, String> = code
        .iter()
        .map(|(name, text)| (vec![(*name).to_owned()], code_of(text)))
        .collect();
    let edges: BTreeMap<&Module, BTreeSet<Module>> = modules
        .iter()
        .map(|(module, code)| {
            let paths = imports(code);
            (
                module,
                paths
                    .iter()
                    .filter_map(|path| target(path, module, &modules))
                    .collect(),
            )
        })
        .collect();
    let names: Vec<Vec<String>> = circles(&edges)
        .iter()
        .map(|circle| circle.iter().map(|module| module.join("::")).collect())
        .collect();
    assert_eq!(names, [["a", "b", "c"]]);
}

#[test]
fn every_dependency_is_used() {
    let metadata = crate::architecture::metadata();
    let mut looked_at = 0;
    for package in metadata["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("a name");
        let folder = Path::new(package["manifest_path"].as_str().expect("a path"))
            .parent()
            .expect("a folder");
        let mut code = String::new();
        for path in tests::files_below(folder, "rs") {
            code.push_str(&code_of(&fs::read_to_string(path).expect("a source file")));
        }
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let needed = dependency["name"].as_str().expect("a name");
            let path = format!("{}::", needed.replace('-', "_"));
            let is_excused = UNNAMED
                .iter()
                .any(|&(who, what, _)| (who, what) == (name, needed));
            looked_at += 1;
            assert!(
                is_excused || code.contains(&path) || name == needed,
                "`{name}` depends on `{needed}`, which nothing in it names"
            );
        }
    }
    assert!(looked_at > 80, "only {looked_at} dependencies were read");
}
