use std::fs::File;
use std::io::Write;

use proptest::prelude::*;
use table_values::TableInput;
use tempfile::TempDir;
use tool_core::input::{InputKind, LoadInput, Matrix, Table, Vector};
use tool_core::selection::DataSelection;

use super::*;
use host_sandbox::Workspace;

struct Place {
    folder: TempDir,
    inputs: FileInputs,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = Workspace::open(folder.path()).unwrap();
        Self {
            inputs: FileInputs::new(Arc::new(files)),
            folder,
        }
    }

    fn data(&self, name: &str, content: &[u8]) -> Result<Value, ToolError> {
        self.open(name, content, InputKind::Data, 1 << 20)
    }

    /// A table by what is stated beside `$file`, with the notes about it.
    fn stated(
        &self,
        content: &str,
        beside: &str,
        kind: InputKind,
    ) -> Result<(Value, Vec<String>), ToolError> {
        File::create(self.folder.path().join("t.csv"))
            .unwrap()
            .write_all(content.as_bytes())
            .unwrap();
        let source = json::parse_json(beside, json::JsonLimits::default()).unwrap();
        let source = DataSource::from_value(&source).unwrap().unwrap();
        let mut notes = Vec::new();
        let value = self
            .inputs
            .open_noting("operator", &source, kind, 1 << 20, &mut notes)?;
        Ok((value, notes))
    }

    fn open(
        &self,
        name: &str,
        content: &[u8],
        kind: InputKind,
        bytes_max: u64,
    ) -> Result<Value, ToolError> {
        File::create(self.folder.path().join(name))
            .unwrap()
            .write_all(content)
            .unwrap();
        self.inputs.open(&DataSource::file(name), kind, bytes_max)
    }
}

#[test]
fn csv_becomes_numbers_or_columns() {
    let place = Place::new();
    for (text, expected) in [
        ("1,2\n3,4\n", "[[1,2],[3,4]]"),
        ("1,2.5\r\n3,4e1\r\n", "[[1.0,2.5],[3.0,40.0]]"),
        ("1\n2\n3", "[1,2,3]"),
        (" 1 ,\t2\n", "[[1,2]]"),
        ("-0\n", "[-0.0]"),
        ("x,y\n1,2\n3,4", r#"{"x":[1,2],"y":[3,4]}"#),
        ("name,v\na,1\nb,", r#"{"name":["a","b"],"v":[1,null]}"#),
        ("code\n007\n010", r#"{"code":["007","010"]}"#),
        ("id\n9007199254740993\n1", r#"{"id":[9007199254740993,1]}"#),
        ("x\nNaN\n1", r#"{"x":[null,1]}"#),
        ("x;y\nNA;1,5\n1;2,25", r#"{"x":[null,1],"y":[1.5,2.25]}"#),
        ("1,2\n,4", "[[1,2],[null,4]]"),
        (",v\n1,2", r#"{"column_1":[1],"v":[2]}"#),
        ("\u{feff}a,b\n1,2", r#"{"a":[1],"b":[2]}"#),
        (
            "\"a,b\",\"c\"\"d\"\n1,\"x\ny\"",
            r#"{"a,b":[1],"c\"d":["x\ny"]}"#,
        ),
        ("x\n", r#"{"x":[]}"#),
    ] {
        let expected = if text.starts_with("x,y") {
            r#"{"x":[1,3],"y":[2,4]}"#
        } else {
            expected
        };
        assert_eq!(
            place.data("t.csv", text.as_bytes()).unwrap().to_string(),
            expected,
            "{text:?}"
        );
    }
}

#[test]
fn what_is_stated_of_a_table_goes_before_what_is_found() {
    let place = Place::new();
    for (text, beside, expected) in [
        (
            "a|b;c\n1|2;3",
            r#""delimiter":";""#,
            r#"{"a|b":["1|2"],"c":[3]}"#,
        ),
        (
            "2020,2021\n5,7",
            r#""has_header":true"#,
            r#"{"2020":[5],"2021":[7]}"#,
        ),
        (
            "1,x\n2,y",
            r#""has_header":false"#,
            r#"{"column_1":[1,2],"column_2":["x","y"]}"#,
        ),
        (
            "1,3\n2,4",
            r#""has_header":false"#,
            r#"{"column_1":[1,2],"column_2":[3,4]}"#,
        ),
        (
            "1,3\n2,4",
            r#""column":"column_2""#,
            r#"{"column_1":[1,2],"column_2":[3,4]}"#,
        ),
        (
            "v;w\n1,234;x\n2,500;y",
            r#""decimal_comma":true"#,
            r#"{"v":[1.234,2.5],"w":["x","y"]}"#,
        ),
        (
            "v;w\n1,5;x\n2,25;y",
            r#""decimal_comma":false"#,
            r#"{"v":["1,5","2,25"],"w":["x","y"]}"#,
        ),
        (
            "v,w\n1,?\n?,NA",
            r#""missing_words":["?"]"#,
            r#"{"v":[1,null],"w":[null,"NA"]}"#,
        ),
        (
            "cc\nDE\nNA",
            r#""missing_words":["NA"]"#,
            r#"{"cc":["DE",null]}"#,
        ),
    ] {
        let beside = format!(r#"{{"$file":"t.csv",{beside}}}"#);
        let (value, notes) = place.stated(text, &beside, InputKind::Table).unwrap();
        assert_eq!(value.to_string(), expected, "{text:?} {beside}");
        let is_found = beside.contains("column_2");
        assert_eq!(
            notes.len(),
            usize::from(is_found),
            "{text:?} {beside}: {notes:?}"
        );
    }
    let ragged = place.stated(
        "1,x\n2",
        r#"{"$file":"t.csv","has_header":false}"#,
        InputKind::Table,
    );
    assert!(ragged.unwrap_err().message().contains("line 2 has 1 cells"));
    let source = json::parse_json(
        r#"{"$file":"t.json","delimiter":";"}"#,
        json::JsonLimits::default(),
    )
    .unwrap();
    let source = DataSource::from_value(&source).unwrap().unwrap();
    File::create(place.folder.path().join("t.json"))
        .unwrap()
        .write_all(b"[1]")
        .unwrap();
    let err = place
        .inputs
        .open(&source, InputKind::Data, 100)
        .unwrap_err();
    assert!(err.message().contains("no delimited text"), "{err:?}");
}

/// The country code of Namibia is a text, and each column that is taken says so.
#[test]
fn words_among_texts_are_kept_with_a_note_about_the_columns_taken() {
    let place = Place::new();
    let text = "cc,v,w\nDE,1,2\nNA,NA,3\nNA,4,5\n";
    let whole = r#"{"$file":"t.csv"}"#;
    let (value, notes) = place.stated(text, whole, InputKind::Table).unwrap();
    assert_eq!(
        value.to_string(),
        r#"{"cc":["DE","NA","NA"],"v":[1,null,4],"w":[2,3,5]}"#
    );
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].starts_with("`t.csv`: text column `cc`: 2 cells are `NA`, kept as text"),
        "{notes:?}"
    );
    for (beside, count) in [
        (r#"{"$file":"t.csv","column":"v"}"#, 0),
        (r#"{"$file":"t.csv","columns":["v","w"]}"#, 0),
        (r#"{"$file":"t.csv","columns":["w","cc"]}"#, 1),
        (r#"{"$file":"t.csv","missing_words":[]}"#, 0),
    ] {
        let (_, notes) = place.stated(text, beside, InputKind::Data).unwrap();
        assert_eq!(notes.len(), count, "{beside}: {notes:?}");
    }
}

#[test]
fn bad_csv_says_where() {
    let place = Place::new();
    for (text, expected) in [
        ("", "`t.csv`: there is no line"),
        (
            "1,2\n3",
            "`t.csv`: line 2 has 1 cells, expected 2 as in the first",
        ),
        (
            "1,2\n3,x",
            "`t.csv`: expected a number in row 2, column 2, found \"x\"",
        ),
        ("a,a\n1,2", "`t.csv`: columns 1 and 2 are both named `a`"),
        (
            "1\n1e999",
            "`t.csv`: expected a number in row 2, column 1, found \"1e999\"",
        ),
    ] {
        let err = place.data("t.csv", text.as_bytes()).unwrap_err();
        assert_eq!(err.message(), expected);
        assert_eq!(err.code(), ErrorCode::InvalidArgs);
        assert!(err.hint_str().is_some());
    }
    let err = place.data("t.csv", b"a\n\xff").unwrap_err();
    assert_eq!(
        err.message(),
        "`t.csv`: expected UTF-8, found the byte 0xff at offset 2"
    );
}

#[test]
fn tabs_lines_and_gzip_are_read() {
    let place = Place::new();
    let found = place.data("t.tsv", b"a\tb,c\n1\tx").unwrap();
    assert_eq!(found.to_string(), r#"{"a":[1],"b,c":["x"]}"#);
    for name in ["t.jsonl", "t.ndjson"] {
        let found = place
            .data(name, b"{\"id\":9007199254740993}\n\n{\"id\":2}\n")
            .unwrap();
        assert_eq!(found.to_string(), r#"[{"id":9007199254740993},{"id":2}]"#);
    }
    let err = place.data("t.jsonl", b"{}\n{").unwrap_err();
    assert!(err.message().starts_with("`t.jsonl, line 2`"), "{err:?}");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"a,b\n1,2\n").unwrap();
    let packed = encoder.finish().unwrap();
    let found = place.data("t.csv.gz", &packed).unwrap();
    assert_eq!(found.to_string(), r#"{"a":[1],"b":[2]}"#);
    let text = place
        .open("t.csv.gz", &packed, InputKind::Text, 100)
        .unwrap();
    assert_eq!(text.as_str(), Some("a,b\n1,2\n"));
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&b"1\n".repeat(10_000)).unwrap();
    let packed = encoder.finish().unwrap();
    let err = place
        .open("t.csv.gz", &packed, InputKind::Data, 1000)
        .unwrap_err();
    assert_eq!(err.code(), ErrorCode::LimitExceeded);
    let err = place.data("t.csv.gz", b"a,b").unwrap_err();
    assert!(err.message().contains("gzip"), "{err:?}");
}

/// A table in every format by its name, whole and by columns and rows.
#[test]
fn tables_of_other_programs_are_read() {
    use tables::{DataTable, FileForm, TableColumn, write_table};

    let place = Place::new();
    let columns: Vec<(Arc<str>, TableColumn)> = vec![
        ("n".into(), TableColumn::integers([Some(1), Some(2), None])),
        (
            "x".into(),
            TableColumn::doubles([Some(0.5), Some(1.0), Some(2.0)]),
        ),
        ("t".into(), TableColumn::texts([Some("a"), None, Some("b")])),
    ];
    let table = DataTable::new(columns).unwrap();
    let write = |name: &str| {
        let form = FileForm::of_name(name).unwrap();
        let bytes = write_table(&table, form, &|| false).unwrap();
        File::create(place.folder.path().join(name))
            .unwrap()
            .write_all(&bytes)
            .unwrap();
    };
    let read = |source: &str, kind: InputKind| {
        let source = json::parse_json(source, json::JsonLimits::default()).unwrap();
        let source = DataSource::from_value(&source).unwrap().unwrap();
        let content = place.inputs.open(&source, kind, 1 << 20)?;
        let value = source
            .selection
            .apply(content)
            .map_err(|fault| tool_error!(InvalidArgs, "selection"; "{}", fault.message))?;
        Ok::<_, ToolError>(value.to_string())
    };
    for name in [
        "t.parquet",
        "t.arrow",
        "t.feather.gz",
        "t.db",
        "t.parquet.zst",
    ] {
        write(name);
        let whole = read(&format!(r#"{{"$file":"{name}"}}"#), InputKind::Table).unwrap();
        assert_eq!(
            whole, r#"{"n":[1,2,null],"x":[0.5,1.0,2.0],"t":["a",null,"b"]}"#,
            "{name}"
        );
        let one = read(
            &format!(r#"{{"$file":"{name}","column":"x","where":{{"n":2}}}}"#),
            InputKind::Data,
        );
        assert_eq!(one.unwrap(), "[1.0]", "{name}");
        let records = read(
            &format!(r#"{{"$file":"{name}","columns":["t","n"]}}"#),
            InputKind::Any,
        );
        assert_eq!(
            records.unwrap(),
            r#"[{"t":"a","n":1},{"t":null,"n":2},{"t":"b","n":null}]"#,
            "{name}"
        );
        let near = read(
            &format!(r#"{{"$file":"{name}","column":"X"}}"#),
            InputKind::Data,
        )
        .unwrap_err();
        assert!(
            near.message().contains("the columns are `n`, `x`, `t`"),
            "{near:?}"
        );
    }
    let member = read(r#"{"$file":"t.db","member":"data"}"#, InputKind::Table);
    assert!(member.is_ok(), "{member:?}");
    let err = read(r#"{"$file":"t.db","member":"other"}"#, InputKind::Table).unwrap_err();
    assert!(
        err.message().contains("no table is named `other`"),
        "{err:?}"
    );
    let err = read(r#"{"$file":"t.parquet","member":"data"}"#, InputKind::Table).unwrap_err();
    assert_eq!(err.reason_str(), Some("format"));
    let err = place.data("bad.parquet", b"PAR1xxxxPAR1").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::InvalidArgs, Some("format")),
        "{err:?}"
    );
}

#[test]
fn json_is_read_strictly() {
    let place = Place::new();
    assert_eq!(
        place
            .data("t.json", b"\xef\xbb\xbf[[1,2],[3,4]]")
            .unwrap()
            .to_string(),
        "[[1,2],[3,4]]"
    );
    assert_eq!(
        place.data("T.JSON", br#"{"a":[1]}"#).unwrap().to_string(),
        r#"{"a":[1]}"#
    );
    for bad in ["{\"a\":1,\"a\":2}", "[1,", "", "[99999999999999999999]"] {
        let err = place.data("t.json", bad.as_bytes()).unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::InvalidArgs, Some("json")),
            "{bad}"
        );
        assert!(err.message().starts_with("`t.json`: "));
    }
}

/// An .npy file as NumPy writes it: magic, version, header padded to a multiple of 64.
fn npy(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let prefix = if version == 1 { 10 } else { 12 };
    let mut header = header.to_owned();
    while !(prefix + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    if version == 1 {
        file.extend((header.len() as u16).to_le_bytes());
    } else {
        file.extend((header.len() as u32).to_le_bytes());
    }
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

fn described(descr: &str, fortran: bool, shape: &str) -> String {
    let order = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}")
}

fn bytes_of<const N: usize>(numbers: &[f64], bytes: fn(f64) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|&number| bytes(number)).collect()
}

#[test]
fn npy_arrays_of_every_kind_and_order() {
    let place = Place::new();
    let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let f8 = bytes_of(&numbers, f64::to_le_bytes);
    for (descr, data, spelled) in [
        ("<f8", f8.clone(), "[[1.0,2.0,3.0],[4.0,5.0,6.0]]"),
        (
            "<f4",
            bytes_of(&numbers, |number| (number as f32).to_le_bytes()),
            "[[1.0,2.0,3.0],[4.0,5.0,6.0]]",
        ),
        (
            "<i4",
            bytes_of(&numbers, |number| (number as i32).to_le_bytes()),
            "[[1,2,3],[4,5,6]]",
        ),
        (
            "<i8",
            bytes_of(&numbers, |number| (number as i64).to_le_bytes()),
            "[[1,2,3],[4,5,6]]",
        ),
    ] {
        for version in [1, 2, 3] {
            let file = npy(version, &described(descr, false, "(2, 3)"), &data);
            assert_eq!(
                place.data("a.npy", &file).unwrap().to_string(),
                spelled,
                "{descr} {version}"
            );
        }
    }
    let fortran = npy(1, &described("<f8", true, "(2, 3)"), &f8);
    assert_eq!(
        place.data("a.npy", &fortran).unwrap().to_string(),
        "[[1.0,3.0,5.0],[2.0,4.0,6.0]]"
    );
    let deep = npy(1, &described("<f8", true, "(1, 3, 2)"), &f8);
    assert_eq!(
        place.data("a.npy", &deep).unwrap().to_string(),
        "[[[1.0,4.0],[2.0,5.0],[3.0,6.0]]]"
    );
    for (shape, data, expected) in [
        ("(6,)", &f8[..], "[1.0,2.0,3.0,4.0,5.0,6.0]"),
        ("()", &f8[..8], "1.0"),
        ("(0,)", &[][..], "[]"),
        ("(0, 3)", &[][..], "[]"),
        ("(6L,)", &f8[..], "[1.0,2.0,3.0,4.0,5.0,6.0]"),
    ] {
        let file = npy(1, &described("<f8", false, shape), data);
        assert_eq!(
            place.data("a.npy", &file).unwrap().to_string(),
            expected,
            "{shape}"
        );
    }
}

/// `[[1.5, -2.0]]` byte by byte, as the description of the format lays it out: data begin at a multiple of 64.
#[test]
fn a_file_byte_by_byte() {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }                                                          \n";
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(header.as_bytes());
    assert_eq!(file.len(), 128);
    file.extend([0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0]);
    assert_eq!(
        Place::new().data("a.npy", &file).unwrap().to_string(),
        "[[1.5,-2.0]]"
    );
}

#[test]
fn bad_npy_files_are_refused_in_words() {
    let place = Place::new();
    let f8 = |count: usize| vec![0; 8 * count];
    let good = described("<f8", false, "(2,)");
    for (file, expected) in [
        (b"not npy".to_vec(), "does not begin"),
        (b"\x93NUMPY".to_vec(), "cut short"),
        (b"\x93NUMPY\x01\x00\xff\x00{".to_vec(), "cut short"),
        (b"\x93NUMPY\x09\x00\x01\x00{".to_vec(), "version 9"),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff{".to_vec(),
            "limit is 4096",
        ),
        (npy(1, &good, &f8(1)), "the file has 8 bytes"),
        (npy(1, &good, &f8(3)), "the file has 24 bytes"),
        (npy(1, &described(">f8", false, "(2,)"), &f8(2)), "`>f8`"),
        (npy(1, &described("|O", false, "(2,)"), &f8(2)), "`|O`"),
        (
            npy(
                1,
                "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }",
                &f8(2),
            ),
            "records",
        ),
        (
            npy(
                1,
                &described("<f8", false, "(18446744073709551615, 2)"),
                &f8(2),
            ),
            "expected a header",
        ),
        (
            npy(
                1,
                &described("<f8", false, "(4294967296, 4294967296)"),
                &f8(2),
            ),
            "the header declares",
        ),
        (
            npy(1, &described("<f8", false, "(1,1,1,1,1,1,1,1,2)"), &f8(2)),
            "9 dimensions",
        ),
        (
            npy(1, &described("<f8", false, "(-1,)"), &f8(2)),
            "expected a header",
        ),
        (
            npy(1, "{'descr': '<f8', 'shape': (2,), }", &f8(2)),
            "expected a header",
        ),
        (
            npy(
                1,
                "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
                &f8(2),
            ),
            "expected a header",
        ),
        (
            npy(
                1,
                &described("<i8", false, "(2,)"),
                &[i64::MAX.to_le_bytes(), 1_i64.to_le_bytes()].concat(),
            ),
            "element 0",
        ),
    ] {
        let err = place.data("a.npy", &file).unwrap_err();
        assert!(err.message().contains(expected), "{expected}: {err:?}");
        assert_eq!(err.code(), ErrorCode::InvalidArgs);
        assert!(err.hint_str().is_some());
    }
}

/// A value that is not finite can stand in a file; the argument refuses it with its place.
#[test]
fn non_finite_numbers_reach_the_check_of_the_argument() {
    let place = Place::new();
    let file = npy(
        1,
        &described("<f8", false, "(2, 1)"),
        &bytes_of(&[1.0, f64::NAN], f64::to_le_bytes),
    );
    let value = place.data("a.npy", &file).unwrap();
    let problem = Matrix::from_value(&value).unwrap_err();
    assert_eq!(
        (problem.path.as_str(), problem.message.as_str()),
        ("/1/0", "expected a finite number, found NaN")
    );
}

#[test]
fn arguments_take_what_files_hold() {
    let place = Place::new();
    let column = place.data("t.csv", b"1\n2").unwrap();
    assert_eq!(&*Vector::from_value(&column).unwrap(), [1.0, 2.0]);
    let grid = place.data("t.csv", b"1,2\n3,4").unwrap();
    assert_eq!(
        Matrix::from_value(&grid).unwrap().as_slice(),
        [1.0, 2.0, 3.0, 4.0]
    );
    let table = place.data("t.csv", b"a,b\n1,x\n2,y").unwrap();
    let table = Table::from_value(&table).unwrap();
    assert_eq!(
        (table.rows(), table.names().collect::<Vec<_>>()),
        (2, vec!["a", "b"])
    );
}

#[test]
fn texts_sizes_and_artifacts() {
    let place = Place::new();
    assert_eq!(
        place
            .open("t.csv", "ä,b".as_bytes(), InputKind::Text, 100)
            .unwrap()
            .as_str(),
        Some("ä,b")
    );
    let err = place
        .open("t.txt", b"\xff", InputKind::Text, 100)
        .unwrap_err();
    assert_eq!(err.reason_str(), Some("encoding"));
    let err = place
        .open("t.txt", b"12345", InputKind::Text, 4)
        .unwrap_err();
    assert_eq!(
        (err.code(), err.message()),
        (
            ErrorCode::LimitExceeded,
            "`t.txt` has 5 bytes; the limit is 4"
        )
    );
    assert!(place.open("t.txt", b"1234", InputKind::Text, 4).is_ok());
    for name in ["t.txt", "t", "json", "t.xls"] {
        assert_eq!(
            place.data(name, b"1").unwrap_err().reason_str(),
            Some("format"),
            "{name}"
        );
    }
    let err = place
        .inputs
        .open(&DataSource::artifact("b3:00"), InputKind::Data, 9)
        .unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::PreconditionFailed, Some("no_artifact_store"))
    );
    let err = place
        .inputs
        .open(&DataSource::file("../x.csv"), InputKind::Data, 9)
        .unwrap_err();
    assert_eq!(err.reason_str(), Some("outside_workspace"));
}

proptest! {
    /// Whatever the bytes, an answer comes, and no panic.
    #[test]
    fn no_bytes_crash_a_reader(bytes in prop::collection::vec(any::<u8>(), 0..200), header in "[{}'a-z:,()<>0-9 _]{0,80}") {
        let _ = npy::parse_npy(&bytes);
        let _ = npy::parse_npy(&super::tests::npy(1, &header, &bytes));
        let _ = table::parse_table(&String::from_utf8_lossy(&bytes), &selection::DataSelection::default(), InputKind::Data);
    }

    /// A table of numbers written as CSV comes back to the bit.
    #[test]
    fn csv_numbers_round_trip(rows in prop::collection::vec(prop::collection::vec(any::<f64>().prop_filter("finite", |number| number.is_finite()), 3), 1..20)) {
        let text: String = rows.iter().map(|row| {
            let cells: Vec<String> = row.iter().map(|&number| Value::Float(number).to_string()).collect();
            cells.join(",") + "\n"
        }).collect();
        let (value, _) = table::parse_table(&text, &selection::DataSelection::default(), InputKind::Data).unwrap();
        let numbers = value.as_numbers().unwrap();
        let bits: Vec<u64> = numbers.as_slice().iter().map(|number| number.to_bits()).collect();
        let expected: Vec<u64> = rows.concat().iter().map(|number| number.to_bits()).collect();
        prop_assert_eq!(bits, expected);
        prop_assert_eq!(numbers.shape(), [rows.len(), 3]);
    }

    /// Fortran order is the transpose of the reversed shape.
    #[test]
    fn fortran_order_is_a_transposition(rows in 1_usize..6, columns in 1_usize..6) {
        let data: Vec<f64> = (0..rows * columns).map(|index| index as f64).collect();
        let bytes = bytes_of(&data, f64::to_le_bytes);
        let value = npy::parse_npy(&super::tests::npy(1, &described("<f8", true, &format!("({rows}, {columns})")), &bytes)).unwrap();
        for row in 0..rows {
            for column in 0..columns {
                let found = value.at(row).unwrap().at(column).unwrap();
                prop_assert_eq!(found.as_f64(), Some((column * rows + row) as f64));
            }
        }
    }
}

/// Cells that readers of delimited text may take for something else. Without integers between 2^53 and 2^64: beside numbers with a fraction they
/// make texts, which `{"$file"}` spells as the shortest text of each number, and `read_table` as the file does.
const CELLS: [&str; 26] = [
    "",
    "1",
    "-2.5",
    "007",
    "+49",
    "1e3",
    "1,5",
    "NA",
    "NaN",
    "null",
    "-",
    "true",
    "false",
    "yes",
    "2024-05-17",
    "2024-05-17T10:30:00Z",
    "03/04/2024",
    "a b",
    " 1",
    "\"x, y\"",
    "\"1\"",
    "\"\"",
    "123",
    "18446744073709551616",
    "inf",
    "0x10",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2_000))]

    /// The reader of `{"$file"}` and that of `read_table` see the same table, or both refuse.
    #[test]
    fn both_readers_of_delimited_text_agree(
        width in 1_usize..4,
        delimiter in proptest::sample::select(vec![",", ";", "\t"]),
        places in proptest::collection::vec(0_usize..CELLS.len(), 3..24),
    ) {
        let lines = places.chunks_exact(width).map(|row| {
            let cells = row.iter().map(|place| CELLS[*place]);
            cells.collect::<Vec<_>>().join(delimiter)
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        let selection = DataSelection::default();
        let by_values = table::parse_table(&text, &selection, InputKind::Table);
        let form = FileForm::of_name("t.csv").expect("a format");
        let by_columns = columns::read_selected("t.csv", form, &selection, text.as_bytes(), 1 << 20);
        // How the columns came to their types is told by each reader in its own way.
        let typed = |value: &Value| {
            let input = TableInput::from_value(value).expect("a table");
            input.into_table(&Ctx::default()).expect("memory")
        };
        match (by_values, by_columns) {
            (Ok((values, _)), Ok(read)) => {
                let columns = table_values::table_value(read.table);
                proptest::prop_assert_eq!(typed(&values), typed(&columns), "{}", text);
            }
            (Err(_), Err(_)) => {}
            (values, columns) => {
                let (values, columns) = (values.map_err(|fault| fault.message), columns.map(|read| read.table));
                proptest::prop_assert!(false, "{text}\n{values:?}\n{columns:?}");
            }
        }
    }
}
