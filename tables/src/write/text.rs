//! Tables as text.

use crate::cell::TableCell;
use crate::error::{StopCheck, TableError, check_row};
use crate::table::DataTable;

/// A header and a line for each row, by RFC 4180 with LF. A missing cell is empty, an empty text `""`.
pub(super) fn write_delimited(
    table: &DataTable,
    delimiter: u8,
    stop: StopCheck<'_>,
) -> Result<Vec<u8>, TableError> {
    let mut out = Vec::new();
    if table.columns().is_empty() {
        return Ok(out);
    }
    let separator = [delimiter];
    for (index, name) in table.names().iter().enumerate() {
        if index > 0 {
            out.extend(separator);
        }
        push_cell(&mut out, name, delimiter);
    }
    out.push(b'\n');
    for row in 0..table.rows() {
        check_row(row, stop)?;
        for (index, column) in table.columns().iter().enumerate() {
            if index > 0 {
                out.extend(separator);
            }
            match column.cell(row) {
                TableCell::Missing if table.columns().len() == 1 => out.extend(b"\"\""),
                TableCell::Missing => {}
                TableCell::Text(text) => push_cell(&mut out, text, delimiter),
                cell => out.extend(cell.to_string().into_bytes()),
            }
        }
        out.push(b'\n');
    }
    Ok(out)
}

fn push_cell(out: &mut Vec<u8>, text: &str, delimiter: u8) {
    let is_special = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    if !text.is_empty() && !text.bytes().any(is_special) {
        return out.extend(text.bytes());
    }
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// An object for each row: on lines of their own, or in a list. A missing cell is `null`; integers and decimals keep their digits.
pub(super) fn write_json(
    table: &DataTable,
    is_lines: bool,
    stop: StopCheck<'_>,
) -> Result<Vec<u8>, TableError> {
    let names: Vec<String> = table.names().iter().map(|name| json_text(name)).collect();
    let mut out = Vec::new();
    if !is_lines {
        out.extend(b"[\n");
    }
    for row in 0..table.rows() {
        check_row(row, stop)?;
        if row > 0 && !is_lines {
            out.extend(b",\n");
        }
        out.push(b'{');
        for (index, column) in table.columns().iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend(names[index].bytes());
            out.push(b':');
            let cell = match column.cell(row) {
                TableCell::Missing => "null".to_owned(),
                TableCell::Double(value) if value.is_infinite() => {
                    json_text(&TableCell::Double(value).to_string())
                }
                cell @ (TableCell::Double(_)
                | TableCell::Integer(_)
                | TableCell::Decimal(_)
                | TableCell::Boolean(_)) => cell.to_string(),
                cell => json_text(&cell.to_string()),
            };
            out.extend(cell.into_bytes());
        }
        out.push(b'}');
        if is_lines {
            out.push(b'\n');
        }
    }
    if !is_lines {
        out.extend(b"\n]\n");
    }
    Ok(out)
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
