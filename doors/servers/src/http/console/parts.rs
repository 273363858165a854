//! Small parts of pages: texts from outside, times, states, errors, links between pages of a list.

use std::fmt::Write as _;

use maud::{Escaper, Markup, Render, html};
use registry::is_unseen;
use tool_core::ToolError;
use tool_core::capability::Clock as _;

use crate::people::states::state_class;
use mathchain::clock::SystemClock;
use mathchain::environment;

/// A text from outside: escaped, with every character that a reader would not see, or that turns text around, as its number.
pub(super) struct OutsideText<'a>(pub(super) &'a str);

impl Render for OutsideText<'_> {
    fn render_to(&self, buffer: &mut String) {
        let mut escaper = Escaper::new(buffer);
        for character in self.0.chars() {
            let is_plain = matches!(character, '\n' | '\t' | '\u{200d}');
            let _ = match !is_plain && (character.is_control() || is_unseen(character)) {
                true => write!(escaper, "{}", character.escape_unicode()),
                false => escaper.write_char(character),
            };
        }
    }
}

/// JSON for a field of a form: what a reader would not see, or what turns text around, is escaped in the way of JSON.
pub(super) fn visible_json(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for character in text.chars() {
        match is_unseen(character) && character != '\u{200d}' {
            true => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    let _ = write!(visible, "\\u{unit:04x}");
                }
            }
            false => visible.push(character),
        }
    }
    visible
}

/// A message from outside: as [`OutsideText`], with what stands between backticks as code.
pub(super) struct OutsideMessage<'a>(pub(super) &'a str);

impl Render for OutsideMessage<'_> {
    fn render_to(&self, buffer: &mut String) {
        let mut rest = self.0;
        while let Some((before, after)) = rest.split_once('`') {
            let Some((code, after)) = after.split_once('`') else {
                break;
            };
            OutsideText(before).render_to(buffer);
            buffer.push_str("<code>");
            OutsideText(code).render_to(buffer);
            buffer.push_str("</code>");
            rest = after;
        }
        OutsideText(rest).render_to(buffer);
    }
}

/// The beginning of a text, with the number of characters that are left out.
pub(super) fn shorten_text(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} …", &text[..end]),
    }
}

/// A time of the records, as the user's time zone has it and how long ago it is.
pub(super) fn time_element(unix_ms: u64) -> Markup {
    let now_ms = SystemClock::default().unix_ms();
    let text = format_local_time(unix_ms);
    html! { time datetime=(text) title=(text) { (age_words(now_ms.saturating_sub(unix_ms))) } }
}

/// A time in the user's time zone.
pub(super) fn format_local_time(unix_ms: u64) -> String {
    let ms = i64::try_from(unix_ms).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(moment) => {
            let moment = moment.to_zoned(environment::time_zone());
            moment.strftime("%Y-%m-%d %H:%M:%S").to_string()
        }
        Err(_) => unix_ms.to_string(),
    }
}

/// How long ago something was.
fn age_words(age_ms: u64) -> String {
    let seconds = age_ms / 1000;
    let (count, unit) = match seconds {
        0..5 => return "just now".to_owned(),
        5..60 => (seconds, "s"),
        60..3600 => (seconds / 60, "min"),
        3600..86_400 => (seconds / 3600, "h"),
        _ => (seconds / 86_400, "d"),
    };
    format!("{count} {unit} ago")
}

/// A duration in words.
pub(super) fn duration_words(ms: f64) -> String {
    match ms {
        ..1.0 => format!("{ms:.2} ms"),
        ..1000.0 => format!("{ms:.0} ms"),
        ..120_000.0 => format!("{:.1} s", ms / 1000.0),
        _ => format!("{:.0} min", ms / 60_000.0),
    }
}

/// A state as a word with its colour.
pub(super) fn state_badge(state: &str) -> Markup {
    let (class, sign) = state_class(state);
    let words = state.replace('_', " ");
    html! { span class={ "state " (class) } { span aria-hidden="true" { (sign) " " } (OutsideText(&words)) } }
}

/// What is wrong, where, and what to do next.
pub(super) fn error_block(error: &ToolError) -> Markup {
    html! {
        div class="error" role="alert" {
            p { strong { (OutsideMessage(error.message())) } }
            p class="small" {
                code { (error.code().as_str()) }
                @if let Some(reason) = error.reason_str() { " " code { (OutsideText(reason)) } }
                @if let Some(path) = error.path().filter(|path| !path.is_empty()) { " at " code { (OutsideText(path)) } }
            }
            @if let Some(hint) = error.hint_str() { p { "Next: " (OutsideMessage(hint)) } }
        }
    }
}

/// A list without entries.
pub(super) fn empty_block(words: &str) -> Markup {
    html! { p class="empty" { (words) } }
}

/// Links to the pages before and after one of a list.
pub(super) fn page_links(
    (newer, before): (Option<&str>, &str),
    (older, after): (Option<&str>, &str),
) -> Markup {
    html! {
        @if newer.is_some() || older.is_some() {
            nav class="pages" aria-label="Pages of the list" {
                @if let Some(link) = newer { a href=(link) rel="prev" { "← " (before) } }
                @if let Some(link) = older { a href=(link) rel="next" { (after) " →" } }
            }
        }
    }
}

/// An amount of bytes in words.
pub(super) fn size_words(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A change of a file as lines, those added and removed in their colours.
pub(super) fn change_lines(text: &str) -> Markup {
    html! {
        pre class="change" tabindex="0" {
            @for line in text.lines() {
                @let body = line.strip_prefix("    ").unwrap_or(line);
                @match body.chars().next() {
                    Some('+') => { ins { (OutsideText(line)) } "\n" }
                    Some('-') => { del { (OutsideText(line)) } "\n" }
                    _ => { (OutsideText(line)) "\n" }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_from_outside_is_escaped_and_hides_nothing() {
        assert_eq!(
            visible_json("\"a\u{202e}\u{e0041}\""),
            r#""a\u202e\udb40\udc41""#
        );
        let text = "<script>alert('x')</script>\u{202e}\u{0}\u{200b}&\"é\n";
        let shown = OutsideText(text).render().into_string();
        assert!(!shown.contains('<') && !shown.contains('"'), "{shown}");
        assert!(
            shown.contains("\\u{202e}") && shown.contains("\\u{0}") && shown.contains("\\u{200b}")
        );
        assert!(shown.contains("&lt;script&gt;") && shown.ends_with("é\n"));
    }

    #[test]
    fn what_stands_between_backticks_is_code_and_no_markup() {
        let message = "a `<b>` and `c` d`<i>";
        let shown = OutsideMessage(message).render().into_string();
        assert_eq!(
            shown,
            "a <code>&lt;b&gt;</code> and <code>c</code> d`&lt;i&gt;"
        );
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(shorten_text("éééé", 2), "éé …");
        assert_eq!(shorten_text("éé", 2), "éé");
    }

    #[test]
    fn ages_and_sizes_are_words() {
        assert_eq!(age_words(0), "just now");
        assert_eq!(age_words(59_999), "59 s ago");
        assert_eq!(age_words(3_600_000), "1 h ago");
        assert_eq!(size_words(999), "999 B");
        assert_eq!(size_words(1_500_000), "1.5 MB");
        assert_eq!(duration_words(0.5), "0.50 ms");
    }
}
