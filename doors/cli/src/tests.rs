//! The help of every command is in plain English.

use clap::{Command, CommandFactory};

use super::Cli;

/// The first words of help: imperatives.
const VERBS: &[&str] = &[
    "Answer", "Approve", "Back", "Call", "Check", "Compare", "Decline", "Delete", "Disable",
    "Draw", "Enable", "Explain", "Export", "Find", "Import", "List", "Make", "Move", "Pin",
    "Print", "Replay", "Restore", "Register", "Remove", "Resume", "Cancel", "Revoke", "Run",
    "Search", "Serve", "Show", "Shrink", "Start", "Stop", "Test", "Unpin", "Verify", "Write",
];

/// Phrases that no text for users has, as `tests/english.rs` reads them too.
const BANNED: &str = include_str!("../../../tests/banned-words.txt");

/// Calls `check` for a command and all below it, with its path.
fn walk(command: &Command, path: &str, check: &mut impl FnMut(&str, &Command)) {
    check(path, command);
    for below in command.get_subcommands() {
        walk(below, &format!("{path} {}", below.get_name()), check);
    }
}

fn has_phrase(text: &str, phrase: &str) -> bool {
    let text = text.to_lowercase();
    let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    text.match_indices(phrase).any(|(start, _)| {
        let after = &text[start + phrase.len()..];
        !is_word(text[..start].chars().next_back()) && !is_word(after.chars().next())
    })
}

#[test]
fn help_begins_with_an_imperative_in_fewer_than_80_characters() {
    let mut commands = 0;
    walk(&Cli::command(), "mathchain", &mut |path, command| {
        commands += 1;
        let about = command
            .get_about()
            .unwrap_or_else(|| panic!("`{path}` has no help"));
        let about = about.to_string();
        let first = about.split([' ', ',']).next().unwrap_or_default();
        assert!(VERBS.contains(&first), "`{path}`: {about}");
        assert!(about.chars().count() < 80, "`{path}`: {about}");
        assert!(!about.contains('\n'), "`{path}`: {about}");
    });
    assert!(commands > 60, "{commands} commands");
}

#[test]
fn every_option_has_help() {
    walk(&Cli::command(), "mathchain", &mut |path, command| {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            assert!(arg.get_help().is_some(), "`{path}`: {}", arg.get_id());
        }
    });
}

#[test]
fn no_help_has_a_banned_phrase() {
    let phrases = BANNED
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let phrases: Vec<&str> = phrases.collect();
    assert!(phrases.len() > 20);
    walk(&Cli::command(), "mathchain", &mut |path, command| {
        let help = command.clone().render_long_help().to_string();
        for phrase in &phrases {
            assert!(
                !has_phrase(&help, phrase),
                "`{path}` has `{phrase}`:\n{help}"
            );
        }
    });
}

#[test]
fn every_command_is_in_one_group_of_the_help() {
    let command = Cli::command();
    let visible = command.get_subcommands().filter(|one| !one.is_hide_set());
    let mut visible: Vec<&str> = visible.map(Command::get_name).collect();
    let groups = super::help::GROUPS.iter();
    let mut grouped: Vec<&str> = groups
        .flat_map(|(_, names)| names.iter().copied())
        .collect();
    visible.sort_unstable();
    grouped.sort_unstable();
    assert_eq!(grouped, visible);
}

/// The words of a line for a shell, as far as examples use it; those after a pipe, a redirection or `#` are left out.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, ')') => {
                words.extend(word.take());
                return words;
            }
            (None, '|' | '>' | '<' | '#' | '&' | ';') if word.is_none() => return words,
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// An installed program has no folder `docs`: each page that help names is one that `mathchain help` prints.
#[test]
fn pages_that_help_names_are_printed() {
    let mut root = Cli::command();
    root.build();
    let mut named = std::collections::BTreeSet::new();
    walk(&root, "mathchain", &mut |_, command| {
        let help = command.clone().render_long_help().to_string();
        for part in help.split("docs/").skip(1) {
            let name = part.split_once(".md").map_or("", |(name, _)| name);
            let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
            if !name.is_empty() && name.bytes().all(is_name) {
                named.insert(name.to_owned());
            }
        }
    });
    assert!(named.len() >= 8, "{named:?}");
    for name in named {
        let mut pages = super::help::PAGES.iter();
        assert!(pages.any(|(known, _)| *known == name), "docs/{name}.md");
    }
}

#[test]
fn every_command_has_an_example_that_parses() {
    let mut root = Cli::command();
    root.build();
    let roles = registry::Config::default();
    let catalogue = registry::Catalogue::new(&mathchain::tool_families().collect::<Vec<_>>());
    let catalogue = catalogue.expect("the tools that there are");
    let policy = registry::policy::Policy::compile(&catalogue, &roles, &[]);
    let policy = policy.expect("the built-in roles");
    let mut seen = 0;
    walk(&root, "mathchain", &mut |path, command| {
        let is_leaf = !command
            .get_subcommands()
            .any(|below| below.get_name() != "help");
        let name = path.trim_start_matches("mathchain").trim();
        if !is_leaf || command.is_hide_set() || name.split(' ').any(|word| word == "help") {
            return;
        }
        let after = command.get_after_help().map(ToString::to_string);
        let own = super::examples::command_examples(name);
        let help = after.unwrap_or_default() + "\n" + &own;
        let lines = help.lines().filter(|line| line.starts_with("  "));
        let lines: Vec<&str> = lines.filter(|line| line.contains("mathchain ")).collect();
        assert!(!lines.is_empty(), "`{path}` has no example");
        for line in lines {
            let begin = line.find("mathchain ").expect("filtered");
            let words = words(&line[begin..]);
            let parsed = <Cli as clap::Parser>::try_parse_from(&words);
            assert!(parsed.is_ok(), "`{path}`: {line}: {:?}", parsed.err());
            seen += 1;
            if let Some(at) = words.iter().position(|word| word == "--role") {
                let role = &words[at + 1];
                assert!(policy.roles().any(|(known, _)| known == role), "{line}");
            }
        }
    });
    assert!(seen > 60, "{seen} examples");
}
