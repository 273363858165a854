//! Messages and documentation are in plain English: none has a phrase of `banned-words.txt`.

use std::path::{Path, PathBuf};

const BANNED: &str = include_str!("banned-words.txt");

/// Places that quote: the name of a file or folder, and the phrase.
const QUOTED: &[(&str, &str)] = &[];

fn phrases() -> Vec<&'static str> {
    let lines = BANNED
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.collect()
}

/// The banned phrases of a text, as whole words in any case.
fn found(text: &str, phrases: &[&'static str]) -> Vec<&'static str> {
    let text = text.to_lowercase();
    let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    let has = |phrase: &&&str| {
        text.match_indices(**phrase).any(|(start, _)| {
            let after = &text[start + phrase.len()..];
            !is_word(text[..start].chars().next_back()) && !is_word(after.chars().next())
        })
    };
    phrases.iter().filter(has).copied().collect()
}

/// The string literals of Rust source, each with its line; comments are left out.
fn literals(source: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = source.chars().collect();
    let (mut literals, mut at, mut line) = (Vec::new(), 0, 1);
    let get = |at: usize| chars.get(at).copied().unwrap_or('\0');
    while at < chars.len() {
        match (get(at), get(at + 1)) {
            ('/', '/') => {
                while at < chars.len() && get(at) != '\n' {
                    at += 1;
                }
            }
            ('r', '"' | '#') if !get(at.wrapping_sub(1)).is_alphanumeric() => {
                let hashes = (at + 1..).take_while(|&next| get(next) == '#').count();
                if get(at + 1 + hashes) != '"' {
                    at += 1;
                    continue;
                }
                let begin = at + 2 + hashes;
                let is_end = |end: &usize| {
                    get(*end) == '"' && (1..=hashes).all(|next| get(end + next) == '#')
                };
                let end = (begin..chars.len()).find(is_end).unwrap_or(chars.len());
                literals.push((line, chars[begin..end].iter().collect()));
                line += chars[begin..end].iter().filter(|one| **one == '\n').count();
                at = end + 1 + hashes;
            }
            ('\'', _) if get(at + 1) == '\\' || get(at + 2) == '\'' => {
                let escape = usize::from(get(at + 1) == '\\');
                at += 2 + escape;
                while at < chars.len() && get(at) != '\'' {
                    at += 1;
                }
                at += 1;
            }
            ('"', _) => {
                let (begin, first) = (at + 1, line);
                at += 1;
                while at < chars.len() && get(at) != '"' {
                    line += usize::from(get(at) == '\n');
                    at += 1 + usize::from(get(at) == '\\');
                }
                let text: String = chars[begin..at.min(chars.len())].iter().collect();
                literals.push((first, text.replace("\\n", "\n")));
                at += 1;
            }
            (character, _) => {
                line += usize::from(character == '\n');
                at += 1;
            }
        }
    }
    literals
}

fn files(folder: &Path, ending: &str, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(&*name, "target" | "tests" | ".git") {
                files(&path, ending, into);
            }
        } else if name.ends_with(ending) && name != "tests.rs" {
            into.push(path);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a test reads the repository")]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("reads")
}

fn allowed(path: &Path, phrase: &str) -> bool {
    let path = path.to_string_lossy();
    QUOTED
        .iter()
        .any(|(part, quoted)| path.contains(part) && *quoted == phrase)
}

#[test]
fn literals_are_found_and_comments_are_not() {
    let source = "// \"no\"\nlet a = \"one\\\"\"; let b = '\"'; let c = r#\"two \"\n\"#;\nlet d = \"three\";";
    let found = literals(source);
    let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["one\\\"", "two \"\n", "three"]);
    assert_eq!(found[2].0, 4);
}

#[test]
fn no_message_has_a_banned_phrase() {
    let (phrases, mut sources) = (phrases(), Vec::new());
    for krate in std::fs::read_dir(tests::root()).expect("lists").flatten() {
        files(&krate.path().join("src"), ".rs", &mut sources);
    }
    assert!(sources.len() > 400, "{} sources", sources.len());
    let mut wrong = Vec::new();
    for path in &sources {
        let text = read(path);
        let product = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        for (line, literal) in literals(product) {
            for phrase in found(&literal, &phrases) {
                if !allowed(path, phrase) {
                    wrong.push(format!(
                        "{}:{line}: `{phrase}` in {literal:?}",
                        path.display()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_page_has_a_banned_phrase() {
    let (phrases, mut pages) = (phrases(), Vec::new());
    files(&tests::root().join("docs"), ".md", &mut pages);
    pages.extend(
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| tests::root().join(name)),
    );
    assert!(pages.len() > 15, "{} pages", pages.len());
    let mut wrong = Vec::new();
    for path in &pages {
        for (number, line) in read(path).lines().enumerate() {
            for phrase in found(line, &phrases) {
                if !allowed(path, phrase) {
                    wrong.push(format!(
                        "{}:{}: `{phrase}` in {line:?}",
                        path.display(),
                        number + 1
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
