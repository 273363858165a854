//! Braces in patterns: `{a,b}` is one of several texts.

use super::glob::ALTERNATIVES_MAX;

/// The patterns that a pattern with braces stands for. Braces within `[...]` are members of the class.
pub(super) fn expand_braces(text: &str) -> Result<Vec<String>, String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        match find_brace_group(&text)? {
            None => done.push(text),
            Some((start, end, members)) => {
                for member in members.iter().rev() {
                    open.push(format!("{}{member}{}", &text[..start], &text[end..]));
                }
            }
        }
        if open.len() + done.len() > ALTERNATIVES_MAX {
            return Err(format!(
                "braces that stand for at most {ALTERNATIVES_MAX} patterns"
            ));
        }
    }
    Ok(done)
}

/// The first group: where it starts and ends, and its members.
type Group = (usize, usize, Vec<String>);

fn find_brace_group(text: &str) -> Result<Option<Group>, String> {
    let unclosed = || "`{` and `}` in pairs".to_owned();
    let mut start = None;
    let mut depth = 0_usize;
    let mut from = 0;
    let mut members = Vec::new();
    let mut in_class = false;
    for (at, character) in text.char_indices() {
        match character {
            '[' if !in_class => in_class = true,
            ']' => in_class = false,
            _ if in_class => {}
            '{' => {
                depth += 1;
                if depth == 1 {
                    start = Some(at);
                    from = at + 1;
                }
            }
            ',' if depth == 1 => {
                members.push(text[from..at].to_owned());
                from = at + 1;
            }
            '}' => {
                depth = depth.checked_sub(1).ok_or_else(unclosed)?;
                if depth == 0 {
                    members.push(text[from..at].to_owned());
                    return Ok(start.map(|start| (start, at + 1, members)));
                }
            }
            _ => {}
        }
    }
    match depth {
        0 => Ok(None),
        _ => Err(unclosed()),
    }
}
