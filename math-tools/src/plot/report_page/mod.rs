//! Results of several tools as one page for people.

mod tables;
#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plots::{ReportPage, ReportPicture, ReportSection};
use tool_core::object;

use crate::prelude::*;
use tables::{push_result, record_table};

/// Most sections of a page.
const SECTIONS_MAX: usize = 200;
/// Most bytes of a page.
const PAGE_BYTES_MAX: usize = 64 << 20;

/// Make one page of several results: text, what each test or model found in a sentence, pictures and tables.
///
/// The page is one HTML file without scripts that loads nothing; `--save report.html` writes it. In a plan the sections take results of
/// other steps: `{"heading": "Price", "result": {"$ref": "model"}, "picture": {"$ref": "drawing"}}`.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Name of the page.
    pub title: String,
    /// Line below it.
    #[value(default)]
    pub subtitle: String,
    /// Its parts, in order, 1 to 200.
    pub sections: Vec<SectionRequest>,
    /// Line at the end: where the data are from, who asked.
    #[value(default)]
    pub footer: String,
    /// Kind of the page: for a browser, or as text, in which pictures are their descriptions.
    #[value(default)]
    pub format: PageFormat,
}

/// Kind of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum PageFormat {
    /// One HTML file with its pictures.
    #[default]
    Html,
    /// Markdown.
    Markdown,
}

/// A part of a page.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct SectionRequest {
    /// Its heading.
    pub heading: String,
    /// Text before the result; an empty line ends a paragraph.
    #[value(default)]
    pub text: String,
    /// The result of a tool, an object: its `summary` and its `apa` line come first, lists of records as tables, other members as a table
    /// that a reader opens.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The members of `result` that are shown, in order; absent: all.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub show: Option<Vec<String>>,
    /// The answer of `plot`, or its member `picture`, of format png or svg.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub picture: Option<Value>,
    /// Line below the picture.
    #[value(default)]
    pub caption: String,
    /// Rows of a table, a list of records.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub rows: Option<Vec<Value>>,
}

/// A page.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The page: `{"$resource": "report:page.html", "mime_type": "text/html", "text": ..}`, or `page.md` of type `text/markdown`.
    pub page: Value,
    /// What was found: the sentences of the sections, in order, each with its heading.
    pub findings: Vec<SectionFinding>,
    /// Size of the page in bytes.
    pub bytes: usize,
}

/// What a section says in one sentence.
#[derive(Debug, Encode, Describe)]
pub(crate) struct SectionFinding {
    /// Heading of the section.
    pub heading: String,
    /// The sentence.
    pub finding: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("report_page", "Make a page of results")
        .category(Category::Data)
        .tags(&["report", "page", "html", "tables", "pictures"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the sentence and a table of a result, as text":
            r#"{"title": "Scores", "format": "markdown", "sections": [{"heading": "Arms", "result": {"summary": "`score` differs.",
                "groups": [{"arm": "a", "mean": 51.72491}, {"arm": "b", "mean": 59.1}]}}]}"#
            => r###"{"page": {"$resource": "report:page.md", "mime_type": "text/markdown",
                "text": "# Scores\n\n## Arms\n\n**Finding:** `score` differs.\n\ngroups\n\n| arm | mean |\n|---|--:|\n| a | 51.72 |\n| b | 59.1 |\n"},
                "findings": [{"heading": "Arms", "finding": "`score` differs."}], "bytes": 110}"###;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let count = args.sections.len();
        if count == 0 || count > SECTIONS_MAX {
            refuse!(invalid "/sections", "limit"; "expected 1 to {SECTIONS_MAX} sections, found {count}";
                "give a section for each result: {{\"heading\": \"..\", \"result\": ..}}");
        }
        let mut sections = Vec::with_capacity(count);
        for (at, request) in args.sections.iter().enumerate() {
            ctx.check()?;
            sections.push(compose_section(request, at)?);
        }
        let findings = sections
            .iter()
            .filter(|section| !section.finding.is_empty())
            .map(|section| SectionFinding {
                heading: section.heading.clone(),
                finding: section.finding.clone(),
            })
            .collect();
        let page = ReportPage {
            title: args.title,
            subtitle: args.subtitle,
            sections,
            footer: args.footer,
        };
        let (name, media, text) = match args.format {
            PageFormat::Html => ("report:page.html", "text/html", page.to_html()),
            PageFormat::Markdown => ("report:page.md", "text/markdown", page.to_markdown()),
        };
        if text.len() > PAGE_BYTES_MAX {
            refuse!(invalid "/sections", "limit"; "the page has {} bytes, more than {PAGE_BYTES_MAX}", text.len();
                "leave pictures out, or make two pages");
        }
        Ok(Output {
            bytes: text.len(),
            page: object! { "$resource" => name, "mime_type" => media, "text" => text },
            findings,
        })
    }
}

fn compose_section(request: &SectionRequest, at: usize) -> Result<ReportSection, ToolError> {
    let place = format!("/sections/{at}");
    let mut section = ReportSection {
        heading: request.heading.clone(),
        paragraphs: paragraphs_of(&request.text),
        ..ReportSection::default()
    };
    if let Some(picture) = &request.picture {
        section
            .pictures
            .push(read_picture(picture, request, &place)?);
    }
    match (&request.result, &request.show) {
        (Some(result), show) => push_result(&mut section, result, show.as_deref(), &place)?,
        (None, Some(_)) => {
            refuse!(invalid format!("{place}/show"), "missing"; "`show` names members of a `result`, found none";
                "pass the `result` of a tool");
        }
        (None, None) => {}
    }
    if let Some(rows) = &request.rows {
        let Some(table) = record_table("", rows) else {
            refuse!(invalid format!("{place}/rows"), "type"; "expected a list of records";
                "give objects: [{{\"name\": \"a\", \"value\": 1}}]");
        };
        section.tables.push(table);
    }
    Ok(section)
}

fn paragraphs_of(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).collect::<Vec<_>>();
    let parts = lines.split(|line| line.is_empty());
    let joined = parts.map(|lines| lines.join(" "));
    joined.filter(|paragraph| !paragraph.is_empty()).collect()
}

/// The picture of an answer of `plot`, or a picture itself.
fn read_picture(
    value: &Value,
    request: &SectionRequest,
    place: &str,
) -> Result<ReportPicture, ToolError> {
    let picture = value.get("picture").unwrap_or(value);
    let text = |name: &str| picture.get(name).and_then(Value::as_str);
    let media_type = text("$media").or_else(|| text("mime_type"));
    let base64 = match (media_type, text("base64"), text("text")) {
        (Some("image/png"), Some(base64), _) if is_base64(base64) => base64.to_owned(),
        (Some("image/svg+xml"), _, Some(svg)) => STANDARD.encode(svg),
        (found, ..) => {
            let found = found.unwrap_or("something else");
            refuse!(invalid format!("{place}/picture"), "type"; "expected a picture of format png or svg, found {found}";
                "call `plot` with `format: png` and pass its answer");
        }
    };
    let described = value.get("description").and_then(Value::as_str);
    Ok(ReportPicture {
        media_type: media_type.unwrap_or_default().to_owned(),
        base64,
        description: described.unwrap_or(&request.heading).to_owned(),
        caption: request.caption.clone(),
    })
}

fn is_base64(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}
