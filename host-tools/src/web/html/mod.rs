//! The readable part of an HTML page: title, headings, links and text.
//!
//! A tokenizer by the HTML standard yields a flat sequence of tags and texts; nothing recurses, so nesting depth is harmless, and
//! every list has a limit. Scripts, styles, forms and navigation are omitted. [`reader`] processes the tokens.

mod reader;

#[cfg(test)]
mod tests;

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};
use url::Url;

use reader::HtmlReader;

use crate::prelude::*;

/// Elements that begin and end a line.
const BLOCKS: &str = "p div section article main header footer ul ol li dl dt dd table tr blockquote pre figure figcaption \
    h1 h2 h3 h4 h5 h6 hr";

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
pub(crate) struct HtmlHeading {
    /// Level, 1 to 6.
    pub level: u8,
    /// Text.
    pub text: String,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
pub(crate) struct HtmlLink {
    /// Text.
    pub text: String,
    /// Target: an absolute http or https URL.
    pub url: String,
}

/// The readable part of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HtmlPage {
    pub(super) title: String,
    pub(super) headings: Vec<HtmlHeading>,
    pub(super) links: Vec<HtmlLink>,
    pub(super) text: String,
}

/// Extracts the readable part; links are resolved against the URL of the page.
///
/// # Errors
/// `cancelled` or `timeout`.
pub(super) fn extract_page(html: &str, base: Option<&Url>, stop: &StopFlag) -> Result<HtmlPage> {
    let mut reader = HtmlReader::new(base.cloned());
    for (count, token) in tokenise_html(html.as_bytes()).enumerate() {
        if count % 4096 == 0 {
            stop.check()?;
        }
        match token {
            Token::StartTag(tag) => reader.open(&tag),
            Token::EndTag(tag) => reader.close(&tag),
            Token::String(text) => reader.text(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    Ok(reader.finish())
}

/// The text of a fragment on one line, for snippets and abstracts.
pub(super) fn plain_text(fragment: &str) -> String {
    let mut text = String::new();
    for token in tokenise_html(fragment.as_bytes()) {
        match token {
            Token::String(piece) => text.push_str(&String::from_utf8_lossy(&piece)),
            Token::StartTag(tag) if is_one_of(BLOCKS, &tag.name) => text.push(' '),
            _ => {}
        }
    }
    one_line(&text)
}

/// A text with every run of white space as one space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn tokenise_html(html: &[u8]) -> impl Iterator<Item = Token> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    // Reading from memory cannot fail.
    Tokenizer::new_with_emitter(html, emitter).filter_map(Result::ok)
}

/// The charset declared at the beginning of a page.
pub(super) fn page_charset(beginning: &[u8]) -> Option<String> {
    for token in tokenise_html(beginning) {
        let Token::StartTag(tag) = token else {
            continue;
        };
        match tag.name.as_slice() {
            b"meta" => {
                let of_type = attribute_value(&tag, b"http-equiv")
                    .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("content-type"));
                let content = attribute_value(&tag, b"content").filter(|_| of_type);
                let declared =
                    content.and_then(|content| super::text::content_type_charset(&content));
                let found = attribute_value(&tag, b"charset").or(declared);
                if found.is_some() {
                    return found;
                }
            }
            b"body" => return None,
            _ => {}
        }
    }
    None
}

/// Whether a list of names has this one.
fn is_one_of(names: &str, name: &[u8]) -> bool {
    names.split(' ').any(|known| known.as_bytes() == name)
}

fn attribute_value(tag: &StartTag<()>, key: &[u8]) -> Option<String> {
    let mut attributes = tag.attributes.iter();
    let (_, value) = attributes.find(|(name, _)| name.as_slice() == key)?;
    Some(String::from_utf8_lossy(&value.value).into_owned())
}
