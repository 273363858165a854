//! The readable part of an HTML page: title, headings, links and text.
//!
//! A tokenizer by the HTML standard gives a flat run of tags and texts; nothing here recurses, so depth costs nothing, and
//! every list has a limit. Scripts, styles, forms and navigation are left out.

use html5gum::{DefaultEmitter, EndTag, StartTag, Token, Tokenizer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{StopFlag, ToolError};
use url::Url;

/// Most headings of a page.
const HEADINGS_MAX: usize = 500;
/// Most links of a page.
const LINKS_MAX: usize = 500;
/// Longest text of a heading, a link or a title, in bytes.
const LABEL_BYTES_MAX: usize = 500;
/// A main part shorter than this is not what the page is about.
const MAIN_BYTES_MIN: usize = 200;

/// Left out with all that is in them.
const SKIPPED: [&[u8]; 14] = [
    b"script",
    b"style",
    b"noscript",
    b"template",
    b"svg",
    b"math",
    b"iframe",
    b"object",
    b"canvas",
    b"select",
    b"button",
    b"form",
    b"nav",
    b"aside",
];
/// Begin and end a line.
const BLOCKS: [&[u8]; 26] = [
    b"p",
    b"div",
    b"section",
    b"article",
    b"main",
    b"header",
    b"footer",
    b"ul",
    b"ol",
    b"li",
    b"dl",
    b"dt",
    b"dd",
    b"table",
    b"tr",
    b"blockquote",
    b"pre",
    b"figure",
    b"figcaption",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"hr",
];

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heading {
    /// Its depth, 1 to 6.
    pub level: u8,
    /// Its text.
    pub text: String,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// Its text.
    pub text: String,
    /// Where it leads: an absolute http or https URL.
    pub url: String,
}

/// The readable part of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) title: String,
    pub(super) headings: Vec<Heading>,
    pub(super) links: Vec<Link>,
    pub(super) text: String,
}

/// Reads a page; links are made absolute by the address of the page.
///
/// # Errors
/// `cancelled` or `timeout`.
pub(super) fn read(html: &str, base: Option<&Url>, stop: &StopFlag) -> Result<Page, ToolError> {
    let mut reader = Reader::new(base.cloned());
    for (count, token) in tokens(html).enumerate() {
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

/// A fragment without its tags, on one line: snippets and abstracts.
pub(super) fn plain(fragment: &str) -> String {
    let mut text = String::new();
    for token in tokens(fragment) {
        match token {
            Token::String(piece) => text.push_str(&String::from_utf8_lossy(&piece)),
            Token::StartTag(tag) if BLOCKS.contains(&tag.name.as_slice()) => text.push(' '),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn tokens(html: &str) -> impl Iterator<Item = Token> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    // Reading from a text cannot fail.
    Tokenizer::new_with_emitter(html, emitter).filter_map(Result::ok)
}

/// What is being gathered while its element is open.
enum Label {
    Heading(u8),
    Link(String),
}

struct Reader {
    base: Option<Url>,
    page: Page,
    in_title: bool,
    /// The element that is left out, and how many of its name are open.
    skipped: Option<(Vec<u8>, usize)>,
    /// `pre` elements that are open: their white space counts.
    preformatted: usize,
    /// Texts of headings and links that are open, innermost last.
    labels: Vec<(Label, String)>,
    /// Main parts: how many are open, and the text in them.
    main_open: usize,
    main: String,
}

impl Reader {
    fn new(base: Option<Url>) -> Self {
        Self {
            base,
            page: Page::default(),
            in_title: false,
            skipped: None,
            preformatted: 0,
            labels: Vec::new(),
            main_open: 0,
            main: String::new(),
        }
    }

    fn open(&mut self, tag: &StartTag<()>) {
        let name = tag.name.as_slice();
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped == name && !tag.self_closing {
                *depth += 1;
            }
            return;
        }
        let attribute = |key: &[u8]| {
            let value = tag
                .attributes
                .iter()
                .find(|(name, _)| name.as_slice() == key);
            value.map(|(_, value)| String::from_utf8_lossy(&value.value).into_owned())
        };
        match name {
            b"title" => self.in_title = self.page.title.is_empty(),
            b"base" => {
                let target = attribute(b"href").and_then(|href| self.resolve(&href));
                self.base = target.or(self.base.take());
            }
            b"br" => self.line(),
            b"img" => {
                if let Some(words) = attribute(b"alt") {
                    self.text(&words);
                }
            }
            b"td" | b"th" => self.push(" "),
            b"pre" => self.preformatted += 1,
            b"main" | b"article" => self.main_open += 1,
            b"a" => self.open_link(attribute(b"href")),
            name if SKIPPED.contains(&name) && !tag.self_closing => {
                self.skipped = Some((name.to_vec(), 1));
                return;
            }
            _ => {}
        }
        if BLOCKS.contains(&name) {
            self.line();
        }
        if name == b"li" {
            self.push("- ");
        }
        if let [b'h', level @ b'1'..=b'6'] = name {
            self.labels
                .retain(|(label, _)| matches!(label, Label::Link(_)));
            self.labels
                .push((Label::Heading(level - b'0'), String::new()));
            self.push(&format!("{} ", "#".repeat(usize::from(level - b'0'))));
        }
    }

    fn close(&mut self, tag: &EndTag<()>) {
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
            b"a" => self.end_label(|label| matches!(label, Label::Link(_))),
            [b'h', b'1'..=b'6'] => self.end_label(|label| matches!(label, Label::Heading(_))),
            _ => {}
        }
        if BLOCKS.contains(&name) {
            self.line();
        }
        if matches!(name, b"main" | b"article") {
            self.main_open = self.main_open.saturating_sub(1);
        }
    }

    fn open_link(&mut self, href: Option<String>) {
        self.end_label(|label| matches!(label, Label::Link(_)));
        if let Some(url) = href.and_then(|href| self.resolve(&href)) {
            self.labels.push((Label::Link(url.into()), String::new()));
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

    fn end_label(&mut self, wanted: fn(&Label) -> bool) {
        let Some(at) = self.labels.iter().rposition(|(label, _)| wanted(label)) else {
            return;
        };
        let (label, text) = self.labels.remove(at);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return;
        }
        match label {
            Label::Heading(level) if self.page.headings.len() < HEADINGS_MAX => {
                self.page.headings.push(Heading { level, text });
            }
            Label::Link(url) if self.page.links.len() < LINKS_MAX => {
                self.page.links.push(Link { text, url });
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
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

    /// Adds to the text of the page and of its main part; spaces neither double nor begin a line.
    fn push(&mut self, piece: &str) {
        let in_main = (self.main_open > 0).then_some(&mut self.main);
        for text in std::iter::once(&mut self.page.text).chain(in_main) {
            if piece != " "
                || self.preformatted > 0
                || !text.is_empty() && !text.ends_with([' ', '\n'])
            {
                text.push_str(piece);
            }
        }
    }

    fn line(&mut self) {
        let in_main = (self.main_open > 0).then_some(&mut self.main);
        for text in std::iter::once(&mut self.page.text).chain(in_main) {
            let length = text.trim_end_matches(' ').len();
            text.truncate(length);
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
    }

    fn finish(mut self) -> Page {
        self.page.title = self
            .page
            .title
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Page {
        let base = Url::parse("https://example.org/docs/a.html").unwrap();
        read(html, Some(&base), &StopFlag::new()).unwrap()
    }

    #[test]
    fn a_page_becomes_its_readable_part() {
        let found = page(concat!(
            "<!doctype html><html><head><title>A &amp; B\n docs</title><style>p{}</style></head><body>",
            "<nav><a href=/x>Menu</a></nav><h1>Intro</h1><p>One  <b>two</b>\nthree.<br>Four</p>",
            "<ul><li>first<li>second</ul><pre>  keep\n  this</pre><script>var a = '<p>no</p>';</script>",
            "<h2 id=q><a href=\"#q\">Use</a></h2><p>See <a href='../b.html?x=1&amp;y=2'>the\n other</a> and",
            " <a href=\"javascript:alert(1)\">not this</a>.</p><table><tr><td>1<td>2</table></body>",
        ));
        assert_eq!(found.title, "A & B docs");
        assert_eq!(
            found.text,
            "# Intro\nOne two three.\nFour\n- first\n- second\n  keep\n  this\n## Use\nSee the other and not this.\n1 2"
        );
        let heading = |level, text: &str| Heading {
            level,
            text: text.to_owned(),
        };
        assert_eq!(found.headings, [heading(1, "Intro"), heading(2, "Use")]);
        let url = "https://example.org/b.html?x=1&y=2".to_owned();
        assert_eq!(
            found.links,
            [Link {
                text: "the other".to_owned(),
                url
            }]
        );
    }

    #[test]
    fn the_main_part_is_preferred_when_there_is_one() {
        let long = "word ".repeat(100);
        let found = page(&format!(
            "<p>before</p><main><p>{long}</p></main><footer>after</footer>"
        ));
        assert_eq!(found.text, long.trim());
        let short = page("<p>before</p><main>x</main>");
        assert_eq!(short.text, "before\nx");
    }

    #[test]
    fn hostile_pages_end_and_stay_in_bounds() {
        let deep = "<div>".repeat(200_000) + "x";
        assert_eq!(page(&deep).text, "x");
        let anchors = "<a href=/x>".repeat(100_000) + "x";
        assert!(page(&anchors).links.len() <= LINKS_MAX);
        let headings = "<h1>t</h1>".repeat(10_000);
        assert_eq!(page(&headings).headings.len(), HEADINGS_MAX);
        let open_headings = "<h1>".repeat(50_000) + &"t".repeat(100_000);
        assert!(page(&open_headings).headings.is_empty());
        let title = format!("<title>{}", "t".repeat(1 << 20));
        assert_eq!(page(&title).title.len(), LABEL_BYTES_MAX);
        let attributes = format!(
            "<p {}>x",
            (0..20_000).map(|n| format!("a{n}=1 ")).collect::<String>()
        );
        assert_eq!(page(&attributes).text, "x");
        for odd in [
            "",
            "<",
            "</",
            "<!--",
            "<a href",
            "<script>never closed",
            "&#x110000;&#0;&bogus;",
            "\0<\0>",
        ] {
            let _ = page(odd);
        }
        let stopped = StopFlag::new();
        stopped.cancel();
        assert!(read("<p>x", None, &stopped).is_err());
    }

    #[test]
    fn fragments_lose_their_tags() {
        for (fragment, expected) in [
            (
                "a <span class=\"searchmatch\">b</span> &quot;c&quot;",
                "a b \"c\"",
            ),
            (
                "<jats:p>One &lt; two.</jats:p>\n<p>Three</p>",
                "One < two. Three",
            ),
            ("plain", "plain"),
        ] {
            assert_eq!(plain(fragment), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_page_crashes(html in "(<[/!]?[a-z1-6]{0,6}( [a-z]{1,4}=?[\"']?[a-z:/#]{0,5}[\"']?)?/?>?|[a-z &;\n\u{e4}]{0,6}|\\PC){0,60}") {
            let found = page(&html);
            proptest::prop_assert!(found.text.len() <= html.len() * 8 && found.links.len() <= LINKS_MAX);
            let _ = plain(&html);
        }
    }
}
