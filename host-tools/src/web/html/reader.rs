//! Processing of the tokens of a page.

use html5gum::{EndTag, StartTag};
use url::Url;

use super::{BLOCKS, HtmlHeading, HtmlLink, HtmlPage, attribute_value, is_one_of, one_line};

/// Maximum headings of a page.
pub(super) const HEADINGS_MAX: usize = 500;
/// Maximum links of a page.
pub(super) const LINKS_MAX: usize = 500;
/// Maximum length of a heading, link or title in bytes.
pub(super) const LABEL_BYTES_MAX: usize = 500;
/// Minimum length of a main part; a shorter one is not the content of the page.
const MAIN_BYTES_MIN: usize = 200;

/// Elements left out with their content.
const SKIPPED: &str =
    "script style noscript template svg math iframe object canvas select button form nav aside";

/// The text collected while its element is open.
enum HtmlLabel {
    Heading(u8),
    Link(String),
}

#[derive(Default)]
pub(super) struct HtmlReader {
    base: Option<Url>,
    page: HtmlPage,
    in_title: bool,
    /// The skipped element, and the number of open elements of its name.
    skipped: Option<(Vec<u8>, usize)>,
    /// Open `pre` elements: their white space is significant.
    preformatted: usize,
    /// Texts of open headings and links, innermost last.
    labels: Vec<(HtmlLabel, String)>,
    /// Number of open main parts, and their text.
    main_open: usize,
    main: String,
}

impl HtmlReader {
    pub(super) fn new(base: Option<Url>) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    pub(super) fn open(&mut self, tag: &StartTag<()>) {
        let name = tag.name.as_slice();
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped == name && !tag.self_closing {
                *depth += 1;
            }
            return;
        }
        match name {
            b"title" => self.in_title = self.page.title.is_empty(),
            b"base" => {
                let target = attribute_value(tag, b"href").and_then(|href| self.resolve(&href));
                self.base = target.or(self.base.take());
            }
            b"br" => self.line(),
            b"img" => {
                if let Some(words) = attribute_value(tag, b"alt") {
                    self.text(&words);
                }
            }
            b"td" | b"th" => self.push(" "),
            b"pre" => self.preformatted += 1,
            b"main" | b"article" => self.main_open += 1,
            b"a" => self.open_link(attribute_value(tag, b"href")),
            name if is_one_of(SKIPPED, name) && !tag.self_closing => {
                self.skipped = Some((name.to_vec(), 1));
                return;
            }
            _ => {}
        }
        if is_one_of(BLOCKS, name) {
            self.line();
        }
        if name == b"li" {
            self.push("- ");
        }
        if let [b'h', level @ b'1'..=b'6'] = name {
            let level = level - b'0';
            self.labels
                .retain(|(label, _)| matches!(label, HtmlLabel::Link(_)));
            self.labels.push((HtmlLabel::Heading(level), String::new()));
            self.push(&format!("{} ", "#".repeat(usize::from(level))));
        }
    }

    pub(super) fn close(&mut self, tag: &EndTag<()>) {
        let name = tag.name.as_slice();
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped == name {
                *depth -= 1;
                if *depth == 0 {
                    self.skipped = None;
                }
            }
            return;
        }
        match name {
            b"title" => self.in_title = false,
            b"pre" => self.preformatted = self.preformatted.saturating_sub(1),
            b"a" => self.end_label(|label| matches!(label, HtmlLabel::Link(_))),
            [b'h', b'1'..=b'6'] => self.end_label(|label| matches!(label, HtmlLabel::Heading(_))),
            _ => {}
        }
        if is_one_of(BLOCKS, name) {
            self.line();
        }
        if matches!(name, b"main" | b"article") {
            self.main_open = self.main_open.saturating_sub(1);
        }
    }

    fn open_link(&mut self, href: Option<String>) {
        self.end_label(|label| matches!(label, HtmlLabel::Link(_)));
        if let Some(url) = href.and_then(|href| self.resolve(&href)) {
            self.labels
                .push((HtmlLabel::Link(url.into()), String::new()));
        }
    }

    fn resolve(&self, href: &str) -> Option<Url> {
        const HREF_BYTES_MAX: usize = 4096;
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') || href.len() > HREF_BYTES_MAX {
            return None;
        }
        let url = match &self.base {
            Some(base) => base.join(href).ok()?,
            None => Url::parse(href).ok()?,
        };
        matches!(url.scheme(), "http" | "https").then_some(url)
    }

    fn end_label(&mut self, wanted: fn(&HtmlLabel) -> bool) {
        let Some(at) = self.labels.iter().rposition(|(label, _)| wanted(label)) else {
            return;
        };
        let (label, text) = self.labels.remove(at);
        let text = one_line(&text);
        if text.is_empty() {
            return;
        }
        match label {
            HtmlLabel::Heading(level) if self.page.headings.len() < HEADINGS_MAX => {
                self.page.headings.push(HtmlHeading { level, text });
            }
            HtmlLabel::Link(url) if self.page.links.len() < LINKS_MAX => {
                self.page.links.push(HtmlLink { text, url });
            }
            _ => {}
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if self.in_title {
            add_label(&mut self.page.title, text);
            return;
        }
        for (_, label) in &mut self.labels {
            add_label(label, text);
        }
        if self.preformatted > 0 {
            self.push(text);
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.push(" ");
        }
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            self.push(word);
            if words.peek().is_some() || text.ends_with(char::is_whitespace) {
                self.push(" ");
            }
        }
    }

    /// Appends to the text of the page and of its main part; spaces are neither doubled nor put at the start of a line.
    fn push(&mut self, piece: &str) {
        let space = piece == " " && self.preformatted == 0;
        for text in self.texts() {
            if !space || !text.is_empty() && !text.ends_with([' ', '\n']) {
                text.push_str(piece);
            }
        }
    }

    /// The text of the page, and that of its main part while one is open.
    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let in_main = (self.main_open > 0).then_some(&mut self.main);
        std::iter::once(&mut self.page.text).chain(in_main)
    }

    fn line(&mut self) {
        for text in self.texts() {
            let length = text.trim_end_matches(' ').len();
            text.truncate(length);
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
    }

    pub(super) fn finish(mut self) -> HtmlPage {
        self.page.title = one_line(&self.page.title);
        if self.main.trim().len() >= MAIN_BYTES_MIN {
            self.page.text = self.main;
        }
        self.page.text = self.page.text.trim().to_owned();
        self.page
    }
}

fn add_label(label: &mut String, text: &str) {
    if label.len() < LABEL_BYTES_MAX {
        label.extend(text.chars().take(LABEL_BYTES_MAX));
    }
}
