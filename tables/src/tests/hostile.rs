//! Files that somebody made to do harm, or that were cut short: an error of ours, and no panic.

use proptest::prelude::*;

use super::{go_on, integers, table, texts};
use crate::*;

fn sample() -> DataTable {
    table(vec![
        ("a", integers(&[1, 2, 3, 4, 5, 6, 7, 8])),
        ("t", texts("x y z _ x y z x")),
        (
            "d",
            TableColumn::doubles((0..8).map(|row| Some(f64::from(row) / 3.0))),
        ),
    ])
}

fn read_any(name: &str, bytes: &[u8]) -> Result<TableRead, TableError> {
    let form = FileForm::of_name(name).expect("a format");
    let limits = ReadLimits::of_bytes(1 << 20);
    read_table(bytes, form, &ReadOptions::default(), limits, &go_on)
}

/// A workbook with one sheet, as a zip archive without compression.
fn workbook(sheet: &str) -> Vec<u8> {
    use std::io::Write as _;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let head = r#"<?xml version="1.0" encoding="UTF-8"?>"#;
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006";
    for (name, content) in [
        (
            "[Content_Types].xml",
            format!(r#"{head}<Types xmlns="{package}/content-types"/>"#),
        ),
        (
            "_rels/.rels",
            format!(
                r#"{head}<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                r#"{head}<workbook xmlns="{main}" xmlns:r="{relations}"><sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                r#"{head}<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!(
                r#"{head}<worksheet xmlns="{main}"><sheetData>{sheet}</sheetData></worksheet>"#
            ),
        ),
    ] {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(name, options).expect("a name");
        archive.write_all(content.as_bytes()).expect("memory");
    }
    archive.finish().expect("memory").into_inner()
}

fn cell(place: &str, value: &str) -> String {
    match value.parse::<f64>() {
        Ok(_) => format!(r#"<c r="{place}"><v>{value}</v></c>"#),
        Err(_) => format!(r#"<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>"#),
    }
}

#[test]
fn workbooks_are_read_and_their_far_corners_refused() {
    let rows = format!(
        r#"<row r="2">{}{}{}</row><row r="3">{}{}</row><row r="5">{}</row>"#,
        cell("B2", "name"),
        cell("C2", "n"),
        cell("D2", "x"),
        cell("B3", "007"),
        cell("C3", "12"),
        cell("D5", "0.5"),
    );
    let read = read_any("t.xlsx", &workbook(&rows)).unwrap();
    let names: Vec<&str> = read.table.names().iter().map(|name| &**name).collect();
    assert_eq!(names, ["name", "n", "x"]);
    assert_eq!(super::shown(&read.table), ["7 12 _", "_ _ _", "_ _ 0.5"]);
    assert_eq!(read.found, ["sheet `One`"]);
    let far = format!(
        r#"<row r="1">{}</row><row r="1048576">{}</row>"#,
        cell("A1", "a"),
        cell("XFD1048576", "1"),
    );
    let err = read_any("t.xlsx", &workbook(&far)).unwrap_err();
    assert!(matches!(err, TableError::Limit { .. }), "{err}");
    let err = read_any("t.xlsx", b"PK\x03\x04").unwrap_err();
    assert!(matches!(err, TableError::Format { .. }), "{err}");
    let bomb = format!(r#"<row r="1">{}</row>"#, cell("A1", &"a".repeat(2 << 20)));
    let err = read_any("t.xlsx", &workbook(&bomb)).unwrap_err();
    assert!(matches!(err, TableError::Limit { .. }), "{err}");
}

/// Every file cut at every place.
#[test]
fn files_cut_short_are_errors() {
    for name in ["t.parquet", "t.arrow", "t.db", "t.csv.gz", "t.json.zst"] {
        let form = FileForm::of_name(name).expect("a format");
        let bytes = write_table(&sample(), form, &go_on).unwrap();
        assert_eq!(read_any(name, &bytes).unwrap().table, sample(), "{name}");
        for length in (0..bytes.len()).step_by(7) {
            assert!(
                read_any(name, &bytes[..length]).is_err(),
                "{name} cut at {length}"
            );
        }
    }
}

/// The definition of a table where the name of a column is not UTF-8.
#[test]
fn a_column_named_by_bytes_that_are_no_text_is_an_error() {
    let bytes = write_table(&sample(), FileForm::of_name("t.db").unwrap(), &go_on).unwrap();
    let definition = b"CREATE TABLE";
    let start = bytes
        .windows(definition.len())
        .position(|window| window == definition)
        .expect("a definition");
    let column = bytes[start..]
        .windows(3)
        .position(|window| window == b"\"a\"")
        .expect("a column");
    let mut changed = bytes.clone();
    changed[start + column + 1] = 0xbb;
    let err = read_any("t.db", &changed).unwrap_err();
    assert!(matches!(err, TableError::Format { .. }), "{err}");
}

/// A buffer that claims to become 2^40 bytes.
#[test]
fn claims_of_size_are_checked_before_memory_is_reserved() {
    let bytes = write_table(&sample(), FileForm::of_name("t.arrow").unwrap(), &go_on).unwrap();
    let mut found = 0;
    for place in (0..bytes.len() - 8).step_by(8) {
        let mut changed = bytes.clone();
        changed[place..place + 8].copy_from_slice(&(1_i64 << 40).to_le_bytes());
        if let Err(TableError::Limit { .. }) = read_any("t.arrow", &changed) {
            found += 1;
        }
    }
    assert!(found > 0, "no claim is refused");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Bytes changed here and there: whatever comes, no panic and no memory beyond the limits.
    #[test]
    fn damaged_files_do_not_crash(
        which in 0_usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let name = ["t.parquet", "t.arrow", "t.db", "t.xlsx"][which];
        let mut bytes = match name {
            "t.xlsx" => workbook(&format!(r#"<row r="1">{}</row><row r="2">{}</row>"#, cell("A1", "a"), cell("A2", "1"))),
            _ => write_table(&sample(), FileForm::of_name(name).unwrap(), &go_on).unwrap(),
        };
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let _ = read_any(name, &bytes);
    }

    #[test]
    fn any_bytes_are_a_table_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for name in ["t.csv", "t.tsv", "t.json", "t.jsonl", "t.parquet", "t.arrow", "t.xlsx", "t.db", "t.csv.gz", "t.csv.zst"] {
            let _ = read_any(name, &bytes);
        }
    }
}
