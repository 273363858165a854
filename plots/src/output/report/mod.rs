//! A page of findings, tables and pictures: one file, nothing loaded from elsewhere, no script.

mod markdown;

use std::fmt::Write as _;

use super::digest::policy_hash;
use super::svg::escape_text;

const STYLE: &str = include_str!("page.css");

/// A page: what a person reads of several results, in order.
#[derive(Debug, Clone, Default)]
pub struct ReportPage {
    /// Its name, in the tab of the browser too.
    pub title: String,
    /// A line below the title; may be empty.
    pub subtitle: String,
    /// Its parts, in order.
    pub sections: Vec<ReportSection>,
    /// A line at its end; may be empty.
    pub footer: String,
}

/// A part of a page; what is empty is left out.
#[derive(Debug, Clone, Default)]
pub struct ReportSection {
    /// Its heading.
    pub heading: String,
    /// Text before the results.
    pub paragraphs: Vec<String>,
    /// What was found, in one sentence.
    pub finding: String,
    /// The line that a paper quotes.
    pub quoted: String,
    /// Pictures.
    pub pictures: Vec<ReportPicture>,
    /// Tables.
    pub tables: Vec<ReportTable>,
    /// Tables that a reader opens: what few look at.
    pub details: Vec<ReportTable>,
}

/// A table of texts.
#[derive(Debug, Clone, Default)]
pub struct ReportTable {
    /// What it shows; may be empty.
    pub caption: String,
    /// Heads of the columns; empty for a table without.
    pub columns: Vec<String>,
    /// Rows, as long as `columns` where there are some.
    pub rows: Vec<Vec<ReportCell>>,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportCell {
    /// A number, at the right.
    Number(String),
    /// Words.
    Text(String),
}

/// A picture inside a page.
#[derive(Debug, Clone, Default)]
pub struct ReportPicture {
    /// `image/png` or `image/svg+xml`.
    pub media_type: String,
    /// Its bytes in Base64.
    pub base64: String,
    /// What it shows, for those who cannot see it.
    pub description: String,
    /// The line below it; may be empty.
    pub caption: String,
}

impl ReportPage {
    /// The page. Its policy admits its own style by its digest and pictures inside it, and nothing else.
    #[must_use]
    pub fn to_html(&self) -> String {
        let title = escape_text(&self.title);
        let style = policy_hash(STYLE);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {style}; img-src data:; \
             base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
             <body>\n<main>\n<header>\n<h1>{title}</h1>\n"
        );
        push_paragraph(&mut page, "", &self.subtitle);
        self.push_contents(&mut page);
        page.push_str("</header>\n");
        for (at, section) in self.sections.iter().enumerate() {
            section.push_to(&mut page, at + 1);
        }
        if !self.footer.is_empty() {
            let _ = writeln!(page, "<footer>{}</footer>", escape_text(&self.footer));
        }
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }

    /// Links to the sections, where there are enough to lose one's way.
    fn push_contents(&self, page: &mut String) {
        if self.sections.len() < 4 {
            return;
        }
        page.push_str("<nav aria-label=\"Contents\">\n<ol>\n");
        for (at, section) in self.sections.iter().enumerate() {
            let heading = escape_text(&section.heading);
            let _ = writeln!(page, "<li><a href=\"#s{}\">{heading}</a></li>", at + 1);
        }
        page.push_str("</ol>\n</nav>\n");
    }
}

impl ReportSection {
    fn push_to(&self, page: &mut String, number: usize) {
        let heading = escape_text(&self.heading);
        let _ = writeln!(
            page,
            "<section aria-labelledby=\"s{number}\">\n<h2 id=\"s{number}\">{heading}</h2>"
        );
        for paragraph in &self.paragraphs {
            push_paragraph(page, "", paragraph);
        }
        push_paragraph(page, " class=\"finding\"", &self.finding);
        push_paragraph(page, " class=\"quoted\"", &self.quoted);
        for picture in &self.pictures {
            picture.push_to(page);
        }
        for table in &self.tables {
            table.push_to(page);
        }
        if !self.details.is_empty() {
            page.push_str("<details>\n<summary>More numbers</summary>\n");
            for table in &self.details {
                table.push_to(page);
            }
            page.push_str("</details>\n");
        }
        page.push_str("</section>\n");
    }
}

impl ReportPicture {
    fn push_to(&self, page: &mut String) {
        let description = escape_text(&self.description);
        let _ = write!(
            page,
            "<figure>\n<img src=\"data:{};base64,{}\" alt=\"{description}\">\n",
            escape_text(&self.media_type),
            escape_text(&self.base64)
        );
        if !self.caption.is_empty() {
            let _ = writeln!(
                page,
                "<figcaption>{}</figcaption>",
                escape_text(&self.caption)
            );
        }
        page.push_str("</figure>\n");
    }
}

impl ReportTable {
    fn push_to(&self, page: &mut String) {
        // A part that scrolls is reached by the keyboard too.
        page.push_str("<div class=\"wide\" tabindex=\"0\">\n<table>\n");
        if !self.caption.is_empty() {
            let _ = writeln!(page, "<caption>{}</caption>", escape_text(&self.caption));
        }
        if !self.columns.is_empty() {
            page.push_str("<thead><tr>");
            for (at, name) in self.columns.iter().enumerate() {
                let is_number = self
                    .rows
                    .iter()
                    .any(|row| matches!(row.get(at), Some(ReportCell::Number(_))));
                let class = if is_number { " class=\"number\"" } else { "" };
                let _ = write!(page, "<th scope=\"col\"{class}>{}</th>", escape_text(name));
            }
            page.push_str("</tr></thead>\n");
        }
        page.push_str("<tbody>\n");
        for row in &self.rows {
            page.push_str("<tr>");
            for cell in row {
                let _ = match cell {
                    ReportCell::Number(text) => {
                        write!(page, "<td class=\"number\">{}</td>", escape_text(text))
                    }
                    ReportCell::Text(text) => write!(page, "<td>{}</td>", with_code(text)),
                };
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody>\n</table>\n</div>\n");
    }
}

fn push_paragraph(page: &mut String, class: &str, text: &str) {
    if !text.is_empty() {
        let _ = writeln!(page, "<p{class}>{}</p>", with_code(text));
    }
}

/// A text whose parts between backticks are code.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape_text(text);
    }
    let part = |(at, part): (usize, &&str)| match at % 2 {
        0 => escape_text(part),
        _ => format!("<code>{}</code>", escape_text(part)),
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of a table, a picture and a heading are the attacker's: none of them may end its element.
    #[test]
    fn hostile_texts_stay_texts() {
        let hostile = "</h2><script>alert(1)</script>\" onload=\"x";
        let page = ReportPage {
            title: hostile.to_owned(),
            subtitle: hostile.to_owned(),
            sections: vec![ReportSection {
                heading: hostile.to_owned(),
                finding: hostile.to_owned(),
                pictures: vec![ReportPicture {
                    media_type: hostile.to_owned(),
                    base64: hostile.to_owned(),
                    description: hostile.to_owned(),
                    caption: hostile.to_owned(),
                }],
                tables: vec![ReportTable {
                    caption: hostile.to_owned(),
                    columns: vec![hostile.to_owned()],
                    rows: vec![vec![ReportCell::Number(hostile.to_owned())]],
                }],
                ..ReportSection::default()
            }],
            footer: hostile.to_owned(),
        };
        let html = page.to_html();
        assert_eq!(html.matches("<script").count(), 0, "{html}");
        assert_eq!(html.matches("onload=\"").count(), 0, "{html}");
        assert_eq!(html.matches("&lt;script&gt;").count(), 13, "{html}");
        assert!(html.contains("default-src 'none'; style-src 'sha256-"));
    }

    #[test]
    fn a_page_is_markdown_that_no_text_breaks() {
        let page = ReportPage {
            title: "A *b*".to_owned(),
            sections: vec![ReportSection {
                heading: "H\n# x".to_owned(),
                finding: "`a_b` [link](x) <b>".to_owned(),
                tables: vec![ReportTable {
                    caption: String::new(),
                    columns: vec!["n|m".to_owned(), "x".to_owned()],
                    rows: vec![vec![
                        ReportCell::Text("a|b".to_owned()),
                        ReportCell::Number("1".to_owned()),
                    ]],
                }],
                ..ReportSection::default()
            }],
            ..ReportPage::default()
        };
        assert_eq!(
            page.to_markdown(),
            "# A \\*b\\*\n\n## H \\# x\n\n**Finding:** `a_b` \\[link\\](x) \\<b\\>\n\n| n\\|m | x |\n|---|--:|\n| a\\|b | 1 |\n"
        );
    }

    #[test]
    fn backticks_mark_code_where_they_pair() {
        assert_eq!(
            with_code("`a<` and `b`"),
            "<code>a&lt;</code> and <code>b</code>"
        );
        assert_eq!(with_code("5` high"), "5` high");
    }

    #[test]
    fn long_pages_have_contents_and_numbers_stand_at_the_right() {
        let section = |heading: &str| ReportSection {
            heading: heading.to_owned(),
            ..ReportSection::default()
        };
        let mut page = ReportPage {
            sections: vec![section("a"), section("b"), section("c")],
            ..ReportPage::default()
        };
        assert!(!page.to_html().contains("<nav"));
        page.sections.push(section("d"));
        page.sections[3].tables.push(ReportTable {
            caption: String::new(),
            columns: vec!["group".to_owned(), "mean".to_owned()],
            rows: vec![vec![
                ReportCell::Text("x".to_owned()),
                ReportCell::Number("1.5".to_owned()),
            ]],
        });
        let html = page.to_html();
        assert!(html.contains("<li><a href=\"#s4\">d</a></li>"));
        assert!(
            html.contains(
                "<th scope=\"col\">group</th><th scope=\"col\" class=\"number\">mean</th>"
            )
        );
        assert!(html.contains("<td>x</td><td class=\"number\">1.5</td>"));
    }
}
