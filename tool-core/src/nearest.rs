//! The nearest name, for "did you mean".

/// The candidate closest to a mistyped name, within a third of its length in edits.
pub fn nearest_name<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const NAME_MAX: usize = 128;
    if name.len() > NAME_MAX {
        return None;
    }
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            (
                edit_distance(&name.to_lowercase(), &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(edits, _)| *edits <= limit)
        .min_by_key(|(edits, candidate)| (*edits, candidate.len()))
        .map(|(_, candidate)| candidate)
}

/// The end of a message about an unknown argument: the nearest name, else all names.
pub(crate) fn suggest_instead<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN_MAX: usize = 20;
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(near) = nearest_name(name, known.iter().copied()) {
        return format!("; did you mean `{near}`?");
    }
    match known.len() {
        0 => "; expected none".to_owned(),
        1..=SHOWN_MAX => format!("; expected some of `{}`", known.join("`, `")),
        _ => String::new(),
    }
}

/// Edits (insert, delete, replace, swap of neighbours) between two names: optimal string alignment.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = previous[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(previous[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[b.len()]
}
