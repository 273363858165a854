//! A page as Markdown: for models and for repositories, without pictures.

use std::fmt::Write as _;

use super::{ReportCell, ReportPage, ReportSection, ReportTable};

impl ReportPage {
    /// The page as Markdown; a picture is its description.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut page = format!("# {}\n", escape_inline(&self.title));
        push_paragraph(&mut page, "", &self.subtitle);
        for section in &self.sections {
            section.push_markdown(&mut page);
        }
        push_paragraph(&mut page, "", &self.footer);
        page
    }
}

impl ReportSection {
    fn push_markdown(&self, page: &mut String) {
        let _ = write!(page, "\n## {}\n", escape_inline(&self.heading));
        for paragraph in &self.paragraphs {
            push_paragraph(page, "", paragraph);
        }
        push_paragraph(page, "**Finding:** ", &self.finding);
        push_paragraph(page, "> ", &self.quoted);
        for picture in &self.pictures {
            push_paragraph(page, "Picture: ", &picture.description);
            push_paragraph(page, "", &picture.caption);
        }
        for table in self.tables.iter().chain(&self.details) {
            table.push_markdown(page);
        }
    }
}

impl ReportTable {
    fn push_markdown(&self, page: &mut String) {
        push_paragraph(page, "", &self.caption);
        let columns = match self.columns.len() {
            0 => self.rows.first().map_or(0, Vec::len),
            given => given,
        };
        if columns == 0 {
            return;
        }
        let head = |at: usize| {
            self.columns
                .get(at)
                .map_or(String::new(), |name| escape_inline(name))
        };
        let is_number = |at: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(at));
            cells.any(|cell| matches!(cell, ReportCell::Number(_)))
        };
        let heads: Vec<String> = (0..columns).map(head).collect();
        let lines: Vec<&str> = (0..columns)
            .map(|at| if is_number(at) { "--:" } else { "---" })
            .collect();
        let _ = write!(page, "\n| {} |\n|{}|\n", heads.join(" | "), lines.join("|"));
        for row in &self.rows {
            let cell = |cell: &ReportCell| match cell {
                ReportCell::Number(text) | ReportCell::Text(text) => escape_inline(text),
            };
            let cells: Vec<String> = row.iter().map(cell).collect();
            let _ = writeln!(page, "| {} |", cells.join(" | "));
        }
    }
}

fn push_paragraph(page: &mut String, before: &str, text: &str) {
    if !text.is_empty() {
        let _ = write!(page, "\n{before}{}\n", escape_inline(text));
    }
}

/// A text on one line that means nothing to Markdown but code between backticks.
fn escape_inline(text: &str) -> String {
    let is_code_paired = text.matches('`').count().is_multiple_of(2);
    let mut escaped = String::with_capacity(text.len());
    let mut is_code = false;
    for one in text.chars() {
        match one {
            '`' if is_code_paired => {
                is_code = !is_code;
                escaped.push('`');
            }
            '|' => escaped.push_str("\\|"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '!' if !is_code => {
                escaped.push('\\');
                escaped.push(one);
            }
            one if one.is_control() => escaped.push(' '),
            one => escaped.push(one),
        }
    }
    escaped
}
