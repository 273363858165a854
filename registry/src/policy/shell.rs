//! A text for the shell, as the commands it consists of; only texts whose every command can be read off.
//!
//! What a shell would expand, redirect, repeat or hide is not read: such a text is none of plain commands, and rules then
//! decide it as a whole.

/// Words that mean something else than a program at the start of a command.
const NOT_PROGRAMS: &[&str] = &[
    "!", ".", ":", "[[", "alias", "builtin", "case", "command", "coproc", "declare", "do", "done",
    "elif", "else", "esac", "eval", "exec", "export", "fi", "for", "function", "if", "in", "local",
    "readonly", "select", "set", "shopt", "source", "then", "time", "trap", "typeset", "unalias",
    "unset", "until", "while",
];

/// The commands of a text, each as its words; `None` when it has anything but plain commands joined by `;`, `&&`, `||`, `|`
/// and line ends.
pub(super) fn split_shell_commands(text: &str) -> Option<Vec<Vec<String>>> {
    let mut commands = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            ';' | '\n' | '|' | '&' => {
                words.extend(word.take());
                let doubled = character != '\n' && characters.next_if_eq(&character).is_some();
                // One `&` leaves a command in the background, two `;` belong to `case`.
                if doubled != (character == '&') && character != '|' {
                    return None;
                }
                // `|&` and `|||` are other operators.
                if matches!(character, '|' | '&') && matches!(characters.peek(), Some('|' | '&')) {
                    return None;
                }
                commands.push(std::mem::take(&mut words));
            }
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '$' | '`' | '\\' | '!' => return None,
                        inner => word.push(inner),
                    }
                }
            }
            plain if is_plain(plain) => word.get_or_insert_default().push(plain),
            '=' if !words.is_empty() => word.get_or_insert_default().push('='),
            _ => return None,
        }
    }
    words.extend(word);
    commands.push(words);
    commands.retain(|words| !words.is_empty());
    let program = |words: &Vec<String>| {
        words
            .first()
            .is_some_and(|first| !first.is_empty() && !NOT_PROGRAMS.contains(&first.as_str()))
    };
    (!commands.is_empty() && commands.iter().all(program)).then_some(commands)
}

/// What no shell gives a meaning to, wherever it stands.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(
            character,
            '_' | '-' | '.' | '/' | ':' | ',' | '+' | '@' | '%'
        )
        || (!character.is_ascii() && character.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::split_shell_commands;

    #[test]
    fn plain_commands_are_read() {
        for (text, expected) in [
            ("ls", "ls"),
            ("  ls  -l ", "ls -l"),
            ("git status; git log", "git status|git log"),
            ("a && b || c | d\ne", "a|b|c|d|e"),
            ("echo 'a; b' \"c d\"x", "echo a; b c dx"),
            ("find . -name='*.rs'", "find . -name=*.rs"),
            ("ls;", "ls"),
            ("ls\n\npwd\n", "ls|pwd"),
            ("printf ''", "printf "),
        ] {
            let found = split_shell_commands(text).unwrap_or_else(|| panic!("{text}"));
            let found: Vec<String> = found.iter().map(|words| words.join(" ")).collect();
            assert_eq!(found.join("|"), expected, "{text}");
        }
    }

    #[test]
    fn everything_else_is_not() {
        for text in [
            "",
            "  ",
            ";",
            "echo $HOME",
            "echo \"$HOME\"",
            "echo `rm x`",
            "echo $(rm x)",
            "(rm x)",
            "{ rm x; }",
            "ls > x",
            "ls 2>&1",
            "cat < x",
            "rm *",
            "rm ~/x",
            "rm [ab]",
            "rm a?",
            "ls & rm x",
            "ls &",
            "A=b rm x",
            "if true; then rm x; fi",
            "eval 'rm x'",
            "exec rm x",
            ". x",
            "! rm x",
            "ls \\; rm",
            "ls # x",
            "echo 'open",
            "echo \"open",
            "case x in x) rm;; esac",
            "ls |& rm",
            "ls ||| rm",
            "ls &&& rm",
            "''",
            "'' x",
            "a\rb",
            "a\u{a0}b",
        ] {
            assert_eq!(split_shell_commands(text), None, "{text}");
        }
    }
}
