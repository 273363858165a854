//! Values on pages: members as a list, records and rows as tables, numbers in short, pictures as pictures.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use tool_core::{Object, Value, json};

use super::parts::{OutsideText, shorten_text};
use mathchain::picture;

/// Rows of a table, and elements of a list.
const ROWS_MAX: usize = 20;
/// Columns of a table.
const COLUMNS_MAX: usize = 12;
/// Members of an object.
const MEMBERS_MAX: usize = 60;
/// Characters of a cell, and of a text.
const CELL_CHARS: usize = 80;
const TEXT_CHARS: usize = 6000;
/// Objects within objects.
const DEPTH_MAX: usize = 4;
/// Largest picture that stands in a page, in bytes of base64.
const PICTURE_BYTES_MAX: usize = 2 << 20;
/// Pictures that a browser draws; an SVG within an image runs no script.
const PICTURES: [&str; 5] = [
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/svg+xml",
];

/// A value for a reader.
pub(super) fn value_block(value: &Value) -> Markup {
    nested_block(value, "value", 0)
}

fn nested_block(value: &Value, name: &str, depth: usize) -> Markup {
    if let Some(source) = picture_source(value) {
        return html! { p class="picture" { img src=(source) alt=(format!("Picture of {name}")); } };
    }
    if let Some(reference) = plan_reference(value) {
        return html! { code { "→ " (OutsideText(reference)) } };
    }
    if let Some(members) = value.as_object() {
        return match depth < DEPTH_MAX && !members.is_empty() {
            true => members_list(members, depth),
            false => html! { code { (OutsideText(&cell_text(value))) } },
        };
    }
    if let Some(text) = value.as_str() {
        return text_block(text);
    }
    match rows_of(value) {
        Some(table) => table.markup(),
        None => html! { code { (OutsideText(&shorten_text(&json::to_text(value), TEXT_CHARS))) } },
    }
}

/// The reference of a plan that a value is: `{"$ref": "step.field"}`.
fn plan_reference(value: &Value) -> Option<&str> {
    let members = value.as_object()?;
    value.text("$ref").filter(|_| members.len() == 1)
}

/// A text: on one line as it is, else as lines.
pub(super) fn text_block(text: &str) -> Markup {
    let shown = shorten_text(text, TEXT_CHARS);
    html! {
        @if shown.contains('\n') { pre tabindex="0" { (OutsideText(&shown)) } }
        @else { span class="text" { (OutsideText(&shown)) } }
    }
}

/// The members of an object, each under its name.
pub(super) fn members_list(members: &Object, depth: usize) -> Markup {
    html! {
        dl class="members" {
            @for (name, member) in members.iter().take(MEMBERS_MAX) {
                div { dt { (OutsideText(name)) } dd { (nested_block(member, name, depth + 1)) } }
            }
        }
        @if members.len() > MEMBERS_MAX { p class="small" { (members.len() - MEMBERS_MAX) " more members" } }
    }
}

/// A list as a table.
struct ValueTable {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    count: usize,
}

impl ValueTable {
    fn markup(&self) -> Markup {
        html! {
            div class="scroll" tabindex="0" role="region" aria-label="Table" {
                table {
                    @if !self.head.is_empty() {
                        thead { tr { th scope="col" { "#" } @for name in &self.head { th scope="col" { (OutsideText(name)) } } } }
                    }
                    tbody {
                        @for (number, row) in self.rows.iter().enumerate() {
                            tr { th scope="row" { (number) } @for cell in row { td { (OutsideText(cell)) } } }
                        }
                    }
                }
            }
            @if self.count > self.rows.len() { p class="small" { "the first " (self.rows.len()) " of " (self.count) " rows" } }
        }
    }
}

/// The rows of a list of records, of lists, or of plain values; `None` for a short list of plain values, and for what is no list.
fn rows_of(value: &Value) -> Option<ValueTable> {
    const SHORT: usize = 12;
    let count = list_length(value)?;
    let first = first_items(value, ROWS_MAX);
    let is_plain = |item: &Value| item.as_object().is_none() && list_length(item).is_none();
    if first.iter().all(is_plain) && count <= SHORT {
        return None;
    }
    let mut head: Vec<String> = Vec::new();
    for members in first.iter().filter_map(Value::as_object) {
        for (name, _) in members.iter() {
            if head.len() < COLUMNS_MAX && !head.iter().any(|one| one == name) {
                head.push(name.to_owned());
            }
        }
    }
    let row = |item: &Value| match item.as_object() {
        Some(members) if !head.is_empty() => {
            let cell = |name: &String| members.get(name).map(cell_text).unwrap_or_default();
            head.iter().map(cell).collect()
        }
        _ if list_length(item).is_some() => {
            let cells = first_items(item, COLUMNS_MAX);
            cells.iter().map(cell_text).collect()
        }
        _ => vec![cell_text(item)],
    };
    let rows = first.iter().map(row).collect();
    Some(ValueTable { head, rows, count })
}

/// The length of a list; `None` for a text, which is a list of nothing.
fn list_length(value: &Value) -> Option<usize> {
    match value {
        Value::String(_) => None,
        Value::Array(items) => Some(items.len()),
        other => other.items().map(|items| items.len()),
    }
}

fn first_items(value: &Value, count: usize) -> Vec<Value> {
    match value {
        Value::Array(items) => items.iter().take(count).cloned().collect(),
        other => {
            let mut items = other.items().unwrap_or_default();
            items.truncate(count);
            items
        }
    }
}

/// A value on one line.
pub(super) fn cell_text(value: &Value) -> String {
    match value.as_str() {
        Some(text) => shorten_text(&text.replace('\n', " "), CELL_CHARS),
        None => shorten_text(&json::to_text(value), CELL_CHARS),
    }
}

/// The address of a picture with its bytes within, where a value is one.
pub(super) fn picture_source(value: &Value) -> Option<String> {
    let (kind, data) = match value.as_str() {
        Some(text) if text.starts_with("<svg") => {
            ("image/svg+xml", STANDARD.encode(text.as_bytes()))
        }
        Some(text) => ("image/png", STANDARD.encode(picture::png_of_sixel(text)?)),
        None => {
            let kind = value.text("$media")?;
            let kind = PICTURES.into_iter().find(|known| *known == kind)?;
            (kind, value.text("base64")?.to_owned())
        }
    };
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    (data.len() <= PICTURE_BYTES_MAX && data.bytes().all(is_base64))
        .then(|| format!("data:{kind};base64,{data}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        value_block(&mathchain::parse_json(text).unwrap()).into_string()
    }

    #[test]
    fn values_are_tables_lists_and_texts_without_markup_of_theirs() {
        let records = shown(r#"[{"a":1,"b":"<i>x</i>"},{"a":2,"c":[1,2]}]"#);
        assert!(records.contains("<table>") && records.contains("&lt;i&gt;x"));
        assert!(!records.contains("<i>"));
        let matrix = shown("[[1,2],[3,4]]");
        assert!(matrix.contains("<td>3"), "{matrix}");
        let members = shown(r#"{"<b>":{"x":{"y":{"z":{"deep":"<u>"}}}}}"#);
        assert!(
            !members.contains("<b>") && !members.contains("<u>"),
            "{members}"
        );
        assert!(!shown("[1,2,3]").contains("table"));
        let long = format!("[{}]", "1,".repeat(200) + "1");
        assert!(shown(&long).contains("the first 20 of 201 rows"));
    }

    #[test]
    fn pictures_are_pictures_of_known_kinds_alone() {
        let png = shown(r#"{"p":{"$media":"image/png","base64":"AAAA"}}"#);
        assert!(png.contains("data:image/png;base64,AAAA"));
        for other in [
            r#"{"p":{"$media":"text/html","base64":"AAAA"}}"#,
            r#"{"p":{"$media":"image/png","base64":"\" onerror=\"x"}}"#,
        ] {
            assert!(!shown(other).contains("<img"), "{other}");
        }
        assert!(shown(r#"["<svg onload='x'>"]"#).contains("&lt;svg"));
        assert!(shown(r#"{"p":"<svg onload='x'>"}"#).contains("data:image/svg+xml;base64,"));
    }
}
