//! A line of a `.gitignore` file in the syntax of the patterns that match it here.
//!
//! Git knows `*`, `?`, `[...]`, `**` and `\`; the patterns here also know braces, and their classes fit a `/` and have no escapes.
//!
//! # References
//! `gitignore(5)`; `wildmatch.c` and `dir.c` of git 2.47. The tests compare with `git check-ignore`.

/// The line in the other syntax; `None` for one that fits nothing.
pub(super) fn translate_ignore_line(line: &str) -> Option<String> {
    let mut pattern = String::with_capacity(line.len() + 8);
    let mut rest = line.chars().peekable();
    let mut slash_in_class = false;
    while let Some(character) = rest.next() {
        match character {
            '\\' => {
                pattern.push('\\');
                pattern.extend(rest.next());
            }
            '{' | '}' => {
                pattern.push('\\');
                pattern.push(character);
            }
            '[' => {
                let class = GlobClass::read(&mut rest)?;
                slash_in_class |= class.has_slash;
                pattern.push_str(&class.pattern()?);
            }
            other => pattern.push(other),
        }
    }
    // A slash anywhere but at the end binds a pattern to the folder of its file, one in a class too.
    let (sign, body) = match pattern.strip_prefix('!') {
        Some(body) => ("!", body),
        None => ("", &*pattern),
    };
    let is_bound = body.trim_end_matches('/').contains('/');
    Some(match slash_in_class && !is_bound {
        true => format!("{sign}/{body}"),
        false => pattern,
    })
}

/// A class of characters, as ranges without `/`.
struct GlobClass {
    negated: bool,
    ranges: Vec<(char, char)>,
    has_slash: bool,
}

impl GlobClass {
    /// Reads what follows a `[`; `None` where nothing ends it.
    fn read(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Self> {
        let negated = rest.next_if(|next| matches!(next, '!' | '^')).is_some();
        let mut class = Self {
            negated,
            ranges: Vec::new(),
            has_slash: false,
        };
        let mut is_first = true;
        loop {
            let character = rest.next()?;
            let from = match character {
                ']' if !is_first => return Some(class),
                '[' if rest.peek() == Some(&':') => {
                    let name: String = rest.by_ref().take_while(|next| *next != ']').collect();
                    let name = name.strip_prefix(':')?.strip_suffix(':')?;
                    class.ranges.extend_from_slice(class_ranges(name)?);
                    is_first = false;
                    continue;
                }
                '\\' => rest.next()?,
                other => other,
            };
            is_first = false;
            let mut ahead = rest.clone();
            let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|end| end != ']');
            let to = match is_range {
                true => {
                    rest.next();
                    match rest.next()? {
                        '\\' => rest.next()?,
                        end => end,
                    }
                }
                false => from,
            };
            class.has_slash |= from == '/' || to == '/';
            class.ranges.push((from, to));
        }
    }

    /// The class in the other syntax; `None` for one that fits nothing.
    fn pattern(&self) -> Option<String> {
        let mut ranges = Vec::new();
        for &(from, to) in self.ranges.iter().filter(|(from, to)| from <= to) {
            if (from..=to).contains(&'/') {
                ranges.extend((from < '/').then_some((from, '.')));
                ranges.extend((to > '/').then_some(('0', to)));
            } else {
                ranges.push((from, to));
            }
        }
        if self.negated {
            ranges.push(('/', '/'));
        }
        if ranges.is_empty() {
            return None;
        }
        // As alternatives, in which no character has a place of its own; a negated class is one class.
        let single = |from: char| format!("\\{from}");
        if !self.negated && ranges.iter().all(|(from, to)| from == to) {
            let words: Vec<String> = ranges.iter().map(|(from, _)| single(*from)).collect();
            return Some(match words.as_slice() {
                [one] => one.clone(),
                _ => format!("{{{}}}", words.join(",")),
            });
        }
        let mut text = String::from(if self.negated { "[!" } else { "[" });
        let is_one = |wanted: char| ranges.contains(&(wanted, wanted));
        text.extend(is_one(']').then_some(']'));
        let special =
            |range: &&(char, char)| matches!(range, (']', ']') | ('-', '-') | ('!' | '^', _));
        for (from, to) in ranges.iter().filter(|range| !special(range)) {
            text.push(*from);
            if from < to {
                text.push('-');
                text.push(*to);
            }
        }
        for (from, to) in ranges.iter().filter(|(from, _)| matches!(from, '!' | '^')) {
            text.push(*from);
            if from < to {
                text.push('-');
                text.push(*to);
            }
        }
        text.extend(is_one('-').then_some('-'));
        text.push(']');
        Some(text)
    }
}

/// The ranges of a named class, of ASCII as in git.
fn class_ranges(name: &str) -> Option<&'static [(char, char)]> {
    Some(match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "blank" => &[(' ', ' '), ('\t', '\t')],
        "cntrl" => &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[(' ', ' '), ('\t', '\r')],
        "upper" => &[('A', 'Z')],
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::translate_ignore_line;

    #[test]
    fn lines_have_the_meaning_that_git_gives_them() {
        for (line, pattern) in [
            ("*.{js,ts}", r"*.\{js,ts\}"),
            ("*.txt{}", r"*.txt\{\}"),
            ("/{{cookiecutter}}.yml", r"/\{\{cookiecutter\}\}.yml"),
            (r"\{a", r"\{a"),
            ("a[bc]", r"a{\b,\c}"),
            ("a[x]", r"a\x"),
            ("a[!b]", "a[!b/]"),
            ("a[^]]", "a[!]/]"),
            ("a[+-9]", "a[+-.0-9]"),
            ("folder[/x]bar", r"/folder\xbar"),
            ("[[:digit:]]", "[0-9]"),
            (r"[\]a-c]", "[]a-c]"),
        ] {
            assert_eq!(
                translate_ignore_line(line).as_deref(),
                Some(pattern),
                "{line}"
            );
        }
        for line in ["a[/]b", "a[b", "[9-0]"] {
            assert_eq!(translate_ignore_line(line), None, "{line}");
        }
    }
}
