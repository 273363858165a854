//! The help of every command is in plain English.

use clap::{Command, CommandFactory};

use super::Cli;

/// The first words of help: imperatives.
const VERBS: &[&str] = &[
    "Answer", "Approve", "Call", "Check", "Compare", "Decline", "Delete", "Disable", "Draw",
    "Enable", "Explain", "Export", "Find", "Import", "List", "Make", "Pin", "Print", "Replay",
    "Restore", "Register", "Remove", "Resume", "Cancel", "Revoke", "Run", "Search", "Serve",
    "Show", "Shrink", "Test", "Unpin", "Verify", "Write",
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
