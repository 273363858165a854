//! The difference of two texts, line by line, as a unified diff.

use std::time::Duration;

use similar::TextDiff;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;
/// Time after which the rest of a large change is shown as removed and added lines, without a search for common ones.
const SEARCH: Duration = Duration::from_millis(500);

/// The difference with some context, without file names; `None` for equal texts.
pub(super) fn unified(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let mut config = TextDiff::configure();
    let difference = config.timeout(SEARCH).diff_lines(old, new);
    let mut printed = difference.unified_diff();
    Some(printed.context_radius(CONTEXT).to_string())
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_difference_is_what_diff_u_prints() {
        let numbered = |count: usize| -> String { (1..=count).map(|n| format!("{n}\n")).collect() };
        let old = numbered(30);
        let new = old.replace("\n5\n", "\nfive\n").replace("\n20\n", "\n");
        let expected = "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
            @@ -17,7 +17,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n";
        assert_eq!(unified(&old, &new).as_deref(), Some(expected));
        assert_eq!(unified(&old, &old), None);
        let whole = unified("", "a\nb").expect("a change");
        assert_eq!(
            whole,
            "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn every_line_of_a_change_too_large_to_compare_is_shown() {
        let old: String = (0..3000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..3000).map(|n| format!("new {n}\n")).collect();
        let text = unified(&old, &new).expect("a change");
        assert_eq!(text.lines().count(), 6001);
        assert!(text.contains("\n-old 2999\n+new 0\n"));
    }
}
