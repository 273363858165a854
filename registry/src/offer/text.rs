//! The part of a description that decides a call.

/// As [`opening_sentences`]; the first sentence stays whole where it is at most twice as long: it says more than what a cut saves.
pub(super) fn whole_opening(text: &str, chars_max: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let first = sentence_ends(&text).next().unwrap_or(text.len());
    let count = text[..first].chars().count();
    match chars_max < count && count <= chars_max.saturating_mul(2) {
        true => text[..first].to_owned(),
        false => opening_sentences(&text, chars_max),
    }
}

/// The first sentences of a text that fit, at least the first, which is cut at a clause where it does not.
pub(super) fn opening_sentences(text: &str, chars_max: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut end = 0;
    for sentence_end in sentence_ends(&text) {
        if text[..sentence_end].chars().count() > chars_max {
            break;
        }
        end = sentence_end;
    }
    match end {
        0 => cut_at_clause(&text, chars_max),
        end => text[..end].to_owned(),
    }
}

/// The byte positions just after each sentence. A full stop within brackets or before a lower-case letter ends none.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut depth = 0_i32;
    text.char_indices().filter_map(move |(place, character)| {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        let after = &text[place + character.len_utf8()..];
        let ends = character == '.' && depth <= 0 && (after.is_empty() || begins_sentence(after));
        ends.then(|| place + 1)
    })
}

fn begins_sentence(after: &str) -> bool {
    let next = after.strip_prefix(' ').and_then(|rest| rest.chars().next());
    next.is_some_and(|next| !next.is_lowercase())
}

/// A sentence up to the last clause that fits, else up to a word.
fn cut_at_clause(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let limit = text
        .char_indices()
        .nth(chars_max)
        .map_or(text.len(), |(place, _)| place);
    let head = &text[..limit];
    let balanced = |end: &usize| {
        let part = &head[..*end];
        part.matches('(').count() == part.matches(')').count()
            && part.matches('{').count() == part.matches('}').count()
            && part.matches('`').count().is_multiple_of(2)
    };
    let clauses = head.match_indices(';').map(|(place, _)| place);
    let clauses: Vec<usize> = clauses.filter(balanced).collect();
    let long_enough = clauses.into_iter().rev().find(|&end| end * 3 > limit);
    match long_enough {
        Some(end) => head[..end].to_owned(),
        None => {
            let word = head.rfind(' ').unwrap_or(limit);
            format!("{} ...", head[..word].trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sentences_stay_as_long_as_they_fit() {
        for (text, chars, expected) in [
            ("One. Two. Three.", 9, "One. Two."),
            ("One. Two. Three.", 100, "One. Two. Three."),
            ("No full stop", 40, "No full stop"),
            (
                "Solve a x = b (i.e. Exactly. So) for x. More.",
                40,
                "Solve a x = b (i.e. Exactly. So) for x.",
            ),
            (
                "Tolerance, e.g. 1e-9, of steps. More",
                31,
                "Tolerance, e.g. 1e-9, of steps.",
            ),
            (
                "First clause; second clause of a sentence that goes on and on",
                30,
                "First clause",
            ),
            (
                "words without any stop at all here, and so many more",
                20,
                "words without any ...",
            ),
        ] {
            assert_eq!(opening_sentences(text, chars), expected);
        }
        for (text, chars, expected) in [
            (
                "A sentence of some words. More.",
                20,
                "A sentence of some words.",
            ),
            ("One. Two. Three.", 9, "One. Two."),
            ("words without any stop at all here", 10, "words ..."),
        ] {
            assert_eq!(whole_opening(text, chars), expected);
        }
    }
}
