//! Letters, commands and braces of a LaTeX text.

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LatexToken {
    /// A command without its backslash: letters, or one other sign.
    Command(String),
    /// Any other sign.
    Sign(char),
    /// Spaces.
    Blank,
}

/// Cuts a text into pieces; comments from `%` to the end of a line are left out.
pub(super) fn tokenise_latex(text: &str) -> Vec<LatexToken> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let mut name = String::new();
                while let Some(next) = letters.peek().copied().filter(char::is_ascii_alphabetic) {
                    name.push(next);
                    letters.next();
                }
                if name.is_empty() {
                    name.extend(letters.next());
                } else if letters.peek() == Some(&'*') && STARRED.contains(&name.as_str()) {
                    letters.next();
                }
                tokens.push(LatexToken::Command(name));
            }
            '%' => {
                for skipped in letters.by_ref() {
                    if skipped == '\n' {
                        break;
                    }
                }
            }
            blank if blank.is_whitespace() => {
                if tokens.last() != Some(&LatexToken::Blank) {
                    tokens.push(LatexToken::Blank);
                }
            }
            sign if sign.is_control() => {}
            sign => tokens.push(LatexToken::Sign(sign)),
        }
    }
    tokens
}

/// Commands whose form with a star is the same here.
const STARRED: [&str; 3] = ["operatorname", "tag", "hspace"];
