//! Texts that grow, for readers of outside text: twice the text may take three times as long, never four.
//!
//! Times are of the processor and of this thread, the least of a few, so that other tests beside this one do not count.

use std::time::Duration;

/// Bytes of the longest text.
const LARGEST: usize = 64 << 10;
/// Bytes of the shortest.
const SMALLEST: usize = 8 << 10;
/// What is not worth measuring.
const BRIEF: Duration = Duration::from_millis(15);
/// How often a text whose time seems to grow too fast is read again.
const REPETITIONS: usize = 4;

/// A text that is repeated, between a beginning and an end; `#` in it is the number of the repetition.
pub type Shape = (&'static str, &'static str, &'static str);

/// What readers of any language have stumbled on: nesting, quotes that are never closed, escapes, keys without end, comments, links.
pub const SHAPES: &[Shape] = &[
    ("", "a", ""),
    ("", "1", ""),
    ("", " ", ""),
    ("", "\n", ""),
    ("", "(", ""),
    ("", "[", ""),
    ("", "{", ""),
    ("", "\"", ""),
    ("", "'", ""),
    ("", "\\", ""),
    ("", "`", ""),
    ("", "-", ""),
    ("", "+1", ""),
    ("", "*", ""),
    ("", "**/", ""),
    ("", "|", ""),
    ("", "&", ""),
    ("", "~", ""),
    ("", "<", ""),
    ("", "<a ", ""),
    ("", "<a>", ""),
    ("", "</b>", ""),
    ("", "<!--", ""),
    ("", "&amp", ""),
    ("", "[a](", ""),
    ("", "{{a", ""),
    ("", "${", ""),
    ("", "a,", ""),
    ("", "a.", ""),
    ("", "a\n", ""),
    ("", "a\r\n", ""),
    ("", "a: ", ""),
    ("", "- ", ""),
    ("", "/*", ""),
    ("", "@@ -1 +1 @@\n", ""),
    ("", "é", ""),
    ("", "\u{202e}", ""),
    ("", "k#: v\n", ""),
    ("", "k# = 1\n", ""),
    ("", "- k#\n", ""),
    ("", "[t#]\n", ""),
    ("", "[[t]]\nk = #\n", ""),
    ("", "% h#\n", ""),
    ("", "x#,", ""),
    ("", "x# = 1; ", "1"),
    ("", "ghp_", ""),
    ("", "sk-a", ""),
    ("", "-----BEGIN PRIVATE KEY-----\n", ""),
    ("", "data: #\n\n", ""),
    ("---\n", "k#: v\n", "---\n"),
    ("---\n", "- a\n", "---\n"),
    ("{", "\"k#\":1,", "\"\":1}"),
    (
        "{",
        "\"k#\":\"ghp_Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1Ab1\",",
        "\"\":1}",
    ),
    ("{", "\"k\":1,", "\"\":1}"),
    ("[", "1,", "1]"),
    ("[", "{\"a\":#},", "1]"),
    ("\"", "\\u0041", "\""),
    ("\"", "a\nb,", "\""),
    ("select ", "a#,", "1"),
    ("select 1 where ", "1 or ", "1"),
    (
        "*** Begin Patch\n",
        "*** Add File: f#\n+a\n",
        "*** End Patch",
    ),
    ("--- a\n+++ b\n", "@@ -# +# @@\n-a\n+b\n", ""),
];

/// Reads a text of each shape at growing sizes.
///
/// # Panics
/// Where the time more than triples while the text doubles, with the shape and both times.
pub fn assert_linear(name: &str, shapes: &[Shape], mut read: impl FnMut(&str)) {
    for shape in shapes {
        let mut before: Option<(String, Duration)> = None;
        let mut size = SMALLEST;
        while size <= LARGEST {
            let text = repeated(*shape, size);
            let mut time = time_of(&mut read, &text);
            if let Some((smaller, least)) = before
                && time > BRIEF
                && time > 3 * least
            {
                let mut least = least;
                for _ in 0..REPETITIONS {
                    least = time_of(&mut read, &smaller).max(least);
                    time = time_of(&mut read, &text).min(time);
                }
                assert!(
                    time <= BRIEF || time <= 3 * least,
                    "{name}: {size} bytes of {shape:?} take {time:?}, half of them {least:?}"
                );
            }
            if time > 40 * BRIEF {
                break;
            }
            before = Some((text, time));
            size *= 2;
        }
    }
}

fn repeated((beginning, unit, end): Shape, size: usize) -> String {
    let mut text = beginning.to_owned();
    let mut count = 0;
    while text.len() < size {
        if unit.len() > 1 && unit.contains('#') {
            text += &unit.replace('#', &count.to_string());
        } else {
            text += unit;
        }
        count += 1;
    }
    text + end
}

fn time_of(read: &mut impl FnMut(&str), text: &str) -> Duration {
    let start = processor_time();
    read(text);
    processor_time().saturating_sub(start)
}

fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::{SHAPES, assert_linear};

    #[test]
    #[should_panic(expected = "bytes of")]
    fn a_reader_that_looks_back_at_all_it_read_is_noticed() {
        assert_linear("quadratic", &SHAPES[..1], |text| {
            let mut sum = 0_usize;
            for end in 0..text.len() {
                sum += std::hint::black_box(&text.as_bytes()[..end])
                    .iter()
                    .map(|byte| usize::from(*byte))
                    .sum::<usize>();
            }
            std::hint::black_box(sum);
        });
    }
}
