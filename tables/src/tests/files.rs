//! Files read and written.

use proptest::prelude::*;

use super::{doubles, go_on, integers, shown, table, texts};
use crate::read::{CsvShape, decompress_bytes, read_csv};
use crate::*;

fn form(name: &str) -> FileForm {
    FileForm::of_name(name).unwrap_or_else(|| panic!("{name}"))
}

fn read(name: &str, bytes: &[u8]) -> Result<TableRead, TableError> {
    read_table(
        bytes,
        form(name),
        &ReadOptions::default(),
        ReadLimits::default(),
        &go_on,
    )
}

fn csv(text: &str) -> DataTable {
    read("t.csv", text.as_bytes())
        .unwrap_or_else(|err| panic!("{text:?}: {err}"))
        .table
}

fn types(table: &DataTable) -> String {
    let words = table
        .columns()
        .iter()
        .map(|column| column.column_type().to_string());
    words.collect::<Vec<_>>().join(", ")
}

/// A table with every type.
fn every_type() -> DataTable {
    let decimals = TableColumn::decimals(vec![Some(125), None, Some(-5)], 2).unwrap();
    let dates = [Some("2024-02-29"), None, Some("1969-12-31")];
    table(vec![
        (
            "number",
            TableColumn::doubles([Some(0.1), None, Some(-1e300)]),
        ),
        (
            "integer",
            TableColumn::integers([Some(i64::MAX), Some(-1), None]),
        ),
        ("decimal", decimals),
        (
            "text",
            TableColumn::texts([Some("ä, \"b\"\n"), None, Some("007")]),
        ),
        (
            "boolean",
            TableColumn::booleans([Some(true), None, Some(false)]),
        ),
        (
            "date",
            TableColumn::dates(dates.map(|date| date.and_then(parse_date))),
        ),
        (
            "time",
            TableColumn::moments(
                [Some(1_715_934_600_250_000), None, Some(0)],
                Some("UTC".into()),
            ),
        ),
        (
            "wall",
            TableColumn::moments([Some(-1), None, Some(1)], None),
        ),
    ])
}

#[test]
fn names_state_the_form() {
    for (name, format) in [
        ("a.csv", TableFormat::Csv),
        ("d/b.TSV", TableFormat::Tsv),
        ("x.y.parquet", TableFormat::Parquet),
        ("x.feather", TableFormat::Arrow),
        ("x.jsonl.zst", TableFormat::JsonLines),
        ("x.xlsx", TableFormat::Excel),
        ("x.db", TableFormat::Sqlite),
    ] {
        assert_eq!(form(name).format, format, "{name}");
    }
    for name in ["csv", "a.txt", "a.gz", "a.csv/b"] {
        assert_eq!(FileForm::of_name(name), None, "{name}");
    }
}

#[test]
fn binary_files_keep_every_type() {
    let whole = every_type();
    for name in ["t.parquet", "t.arrow", "t.feather"] {
        let bytes = write_table(&whole, form(name), &go_on).unwrap();
        assert_eq!(
            write_table(&whole, form(name), &go_on).unwrap(),
            bytes,
            "{name}"
        );
        assert_eq!(read(name, &bytes).unwrap().table, whole, "{name}");
        let options = ReadOptions {
            columns: Some(vec!["text".to_owned(), "number".to_owned()]),
            ..ReadOptions::default()
        };
        let some = read_table(&bytes, form(name), &options, ReadLimits::default(), &go_on).unwrap();
        assert_eq!(some.table, whole.choose(&["text", "number"]).unwrap());
    }
}

#[test]
fn text_files_keep_what_text_can() {
    let whole = every_type();
    let in_csv = read(
        "t.csv",
        &write_table(&whole, form("t.csv"), &go_on).unwrap(),
    )
    .unwrap();
    assert_eq!(
        types(&in_csv.table),
        "number, integer, number, text, boolean, date, time in UTC, time"
    );
    for name in ["t.csv.gz", "t.tsv.zst", "t.json", "t.jsonl"] {
        let bytes = write_table(&whole, form(name), &go_on).unwrap();
        let found = read(name, &bytes).unwrap().table;
        assert_eq!(types(&found), types(&in_csv.table), "{name}");
        let without = [
            "number", "integer", "text", "boolean", "date", "time", "wall",
        ];
        assert_eq!(
            found.choose(&without).unwrap(),
            whole.choose(&without).unwrap(),
            "{name}"
        );
    }
    let in_sqlite = read("t.db", &write_table(&whole, form("t.db"), &go_on).unwrap()).unwrap();
    assert_eq!(in_sqlite.found, ["table `data`"]);
    let exact = ["number", "integer", "text", "date", "time"];
    assert_eq!(
        in_sqlite.table.choose(&exact).unwrap(),
        whole.choose(&exact).unwrap()
    );
    assert!(write_table(&whole, form("t.xlsx"), &go_on).is_err());
}

#[test]
fn csv_is_typed_by_whole_columns_and_guesses_little() {
    let found = csv(
        "code,n,x,day,when,mixed,yes\n007,1,0.5,2024-05-17,03/04/2024,1,yes\n010,,2,2024-05-18,3.4.2024,a,no\n",
    );
    assert_eq!(
        types(&found),
        "text, integer, number, date, text, text, text"
    );
    assert_eq!(shown(&found)[1], "010 _ 2.0 2024-05-18 3.4.2024 a no");
    assert_eq!(types(&csv("a\n9223372036854775807\n")), "integer");
    assert_eq!(types(&csv("a\n9223372036854775808\n")), "text");
    assert_eq!(types(&csv("a\n9223372036854775807\n0.5\n")), "text");
    assert_eq!(
        types(&csv("a\n2024-05-17T10:30:00+02:00\n")),
        "time in +02:00"
    );
    assert_eq!(shown(&csv("a\n1\nNA\n-\n")), ["1", "_", "_"]);
    assert_eq!(shown(&csv("a,b\n\"\",x\ny,NA\n")), ["_ x", "y NA"]);
    let euro = read("t.csv", "a;b\n3,5;x\n1,25;y\n".as_bytes()).unwrap();
    assert_eq!(shown(&euro.table), ["3.5 x", "1.25 y"]);
    assert_eq!(euro.found, ["delimiter `;`, a header, decimal commas"]);
    let latin = read("t.csv", b"name\nM\xfcller\n").unwrap();
    assert_eq!(shown(&latin.table), ["Müller"]);
    assert_eq!(latin.found[1], "encoding latin-1");
    let numbers = read("t.csv", b"1,2\n3,4\n").unwrap();
    assert_eq!(numbers.table.rows(), 2);
    assert!(numbers.notes[0].contains("only numbers"));
    let stated = CsvShape {
        missing_words: Some(vec!["?".to_owned()]),
        has_header: Some(false),
        ..CsvShape::default()
    };
    let found = read_csv("1,NA\n?,x\n", &stated, ReadLimits::default(), &go_on).unwrap();
    assert_eq!(shown(&found.table), ["1 NA", "_ x"]);
}

#[test]
fn faults_of_text_have_their_lines() {
    for (text, words) in [
        ("a,b\n1,2\n3\n", "line 3 has 1 cells, expected 2"),
        ("a,b\n\"x\ny\",1\n2\n", "line 4 has 1 cells"),
        ("a,b\r\n\r\n\r\n3\r\n", "line 4 has 1 cells"),
        ("a,b,a\n1,2,3\n", "columns 1 and 3 are both named `a`"),
        ("a\n\"open\n", "quote opened on line 2 is never closed"),
        ("a\n1\n\"x\"y\n", "line 3 has text after a closing quote"),
        ("", "no line"),
    ] {
        let err = read("t.csv", text.as_bytes()).unwrap_err();
        assert!(err.to_string().contains(words), "{text:?}: {err}");
        assert!(!err.hint().is_empty());
    }
    for (text, words) in [
        (
            "[{\"a\":1},{\"a\":[2]}]",
            "line 1, column 15: column `a`: expected a number",
        ),
        (
            "[{\"a\":1}\n,{\"a\":1,\"a\":2}]",
            "the key `a` is there twice",
        ),
        (
            "{\"a\":[1],\"b\":[1,2]}",
            "column `b` has 2 cells, the ones before it 1",
        ),
        ("[{\"a\":01}]", "expected a number"),
        ("[{\"a\":1e999}]", "beyond the largest double"),
        ("[{\"a\":\"\\ud800\"}]", "surrogates"),
        ("[{\"a\":1}] 2", "expected the end"),
        ("3", "expected a list or an object"),
        ("[{\"a\":\"x}]", "not closed"),
    ] {
        let err = read("t.json", text.as_bytes()).unwrap_err();
        assert!(err.to_string().contains(words), "{text:?}: {err}");
    }
}

#[test]
fn json_has_records_columns_and_lines() {
    let records = read("t.json", br#"[{"a":1,"b":"x"},{"b":null,"c":2.5}]"#).unwrap();
    assert_eq!(shown(&records.table), ["1 x _", "_ _ 2.5"]);
    let columns = read(
        "t.json",
        br#"{"a":[1,2],"b":["\u00e4\ud83d\ude00","2024-01-01"]}"#,
    )
    .unwrap();
    assert_eq!(shown(&columns.table), ["1 ä😀", "2 2024-01-01"]);
    let lines = read("t.jsonl", b"{\"a\":9007199254740993}\n\n{\"a\":2}\n").unwrap();
    assert_eq!(shown(&lines.table), ["9007199254740993", "2"]);
    let large = read("t.json", b"[{\"a\":99999999999999999999}]").unwrap();
    assert_eq!(types(&large.table), "text");
    let mixed = read("t.json", br#"[{"a":1},{"a":"x"}]"#).unwrap();
    assert!(
        mixed.notes[0].contains("row 2 has \"x\""),
        "{:?}",
        mixed.notes
    );
}

#[test]
fn limits_hold() {
    let limits = ReadLimits {
        bytes_max: 1000,
        memory_max: 4000,
    };
    let zeros = vec![b'1'; 100_000];
    for (name, compression) in [
        ("t.csv.gz", read::Compression::Gzip),
        ("t.csv.zst", read::Compression::Zstd),
    ] {
        let one = table(vec![("a", texts(std::str::from_utf8(&zeros).unwrap()))]);
        let packed = write_table(&one, form(name), &go_on).unwrap();
        assert!(packed.len() < 1000);
        let err = decompress_bytes(&packed, compression, 1000, &|| false).unwrap_err();
        assert!(matches!(err, TableError::Limit { .. }), "{err}");
        let stopped = decompress_bytes(&packed, compression, 1 << 30, &|| true);
        assert_eq!(stopped, Err(TableError::Stopped));
    }
    // A small file of very many equal rows.
    let many = table(vec![("a", integers(&vec![7; 100_000]))]);
    for name in ["t.parquet", "t.arrow"] {
        let bytes = write_table(&many, form(name), &go_on).unwrap();
        let err =
            read_table(&bytes, form(name), &ReadOptions::default(), limits, &go_on).unwrap_err();
        assert!(matches!(err, TableError::Limit { .. }), "{name}: {err}");
    }
    let wide = vec!["x"; 1_000_000].join(",");
    let err = read("t.csv", wide.as_bytes()).unwrap_err();
    assert!(err.to_string().starts_with("columns of a table"), "{err}");
    let text = "1\n".repeat(2000);
    let err = read_table(
        text.as_bytes(),
        form("t.csv"),
        &ReadOptions::default(),
        limits,
        &go_on,
    );
    assert!(matches!(err, Err(TableError::Limit { .. })));
    let stopped = read_table(
        b"a\n1\n",
        form("t.csv"),
        &ReadOptions::default(),
        limits,
        &|| true,
    );
    assert_eq!(stopped, Err(TableError::Stopped));
}

#[test]
fn parts_of_arrow_are_columns_and_nested_ones_are_refused() {
    use std::sync::Arc;

    use arrow_array::Array as _;
    use arrow_array::{
        ArrayRef, DictionaryArray, Float32Array, Int64Array, ListArray, StringViewArray,
        TimestampNanosecondArray, UInt64Array, types::Int8Type, types::Int32Type,
    };

    let column =
        |array: ArrayRef| read::column_of_arrays("c", array.data_type(), &[Arc::clone(&array)]);
    let text = |array: ArrayRef| shown(&table(vec![("c", column(array).unwrap())])).join(" ");
    assert_eq!(
        text(Arc::new(UInt64Array::from(vec![u64::MAX, 1]))),
        "18446744073709551615 1"
    );
    assert_eq!(
        text(Arc::new(Float32Array::from(vec![0.5, f32::NAN]))),
        "0.5 _"
    );
    assert_eq!(
        text(Arc::new(StringViewArray::from(vec![Some("x"), None]))),
        "x _"
    );
    let nanos = TimestampNanosecondArray::from(vec![1_500]).with_timezone("Europe/Rome");
    assert_eq!(text(Arc::new(nanos)), "1970-01-01T01:00:00.000001+01:00");
    let dictionary: DictionaryArray<Int8Type> =
        vec![Some("b"), None, Some("b")].into_iter().collect();
    assert_eq!(text(Arc::new(dictionary)), "b _ b");
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)])]);
    let err = column(Arc::new(lists)).unwrap_err();
    assert!(matches!(err, TableError::UnsupportedType { .. }), "{err}");
    let two: [ArrayRef; 2] = [
        Arc::new(Int64Array::from(vec![1])),
        Arc::new(Int64Array::from(vec![2, 3])),
    ];
    let joined = read::column_of_arrays("c", two[0].data_type(), &two).unwrap();
    assert_eq!(joined, integers(&[1, 2, 3]));
}

#[test]
fn tables_of_databases_and_not_their_views() {
    let mut connection = rusqlite::Connection::open_in_memory().unwrap();
    let make = "CREATE TABLE a (x INTEGER, y TEXT); INSERT INTO a VALUES (1, 'p'), (NULL, '2024-01-01'); \
        CREATE TABLE b (v BLOB); INSERT INTO b VALUES (x'00'); CREATE VIEW v AS SELECT 1 AS one;";
    connection.execute_batch(make).unwrap();
    let bytes = connection.serialize(rusqlite::MAIN_DB).unwrap().to_vec();
    let of_table = |table: Option<&str>| {
        let options = ReadOptions {
            table: table.map(str::to_owned),
            ..ReadOptions::default()
        };
        read_table(
            &bytes,
            form("t.db"),
            &options,
            ReadLimits::default(),
            &go_on,
        )
    };
    assert_eq!(
        shown(&of_table(Some("a")).unwrap().table),
        ["1 p", "_ 2024-01-01"]
    );
    assert!(
        of_table(None)
            .unwrap_err()
            .to_string()
            .contains("its tables are a, b")
    );
    assert!(of_table(Some("v")).is_err());
    assert!(matches!(
        of_table(Some("b")),
        Err(TableError::UnsupportedType { .. })
    ));
}

proptest! {
    #[test]
    fn every_format_reads_back_what_it_wrote(
        rows in prop::collection::vec((prop::option::of(-1e9_f64..1e9), prop::option::of(any::<i64>()), prop::option::of("[a-zé\", ]{1,6}")), 1..30),
    ) {
        let whole = table(vec![
            ("x", TableColumn::doubles(rows.iter().map(|row| row.0.map(|x| x + 0.25)))),
            ("n", TableColumn::integers(rows.iter().map(|row| row.1))),
            ("t", TableColumn::texts(rows.iter().map(|row| row.2.as_deref()))),
        ]);
        for name in ["t.parquet", "t.arrow", "t.db"] {
            let bytes = write_table(&whole, form(name), &go_on).unwrap();
            let found = read(name, &bytes).unwrap().table;
            prop_assert_eq!(shown(&found), shown(&whole), "{}", name);
        }
        let _ = doubles(&[]);
    }
}

#[test]
fn stated_words_that_are_numbers_are_missing() {
    let text = "a,b\n1,0.5\n-999,-999\n3,2.25\n";
    for exact_decimals in [false, true] {
        let shape = CsvShape {
            missing_words: Some(vec!["-999".to_owned()]),
            exact_decimals,
            ..CsvShape::default()
        };
        let read = read_csv(text, &shape, ReadLimits::default(), &go_on).unwrap();
        assert_eq!(
            shown(&read.table),
            ["1 0.50", "_ _", "3 2.25"].map(|row| match exact_decimals {
                true => row.to_owned(),
                false => row.replace("0.50", "0.5"),
            })
        );
    }
}

#[test]
fn tables_are_the_same_on_one_thread_and_on_several() {
    let mut text = String::from("id,key,city,price\n");
    for row in 0..20_000_u64 {
        let mixed = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let price = match mixed % 17 {
            0 => String::new(),
            _ => format!("{}.{:02}", mixed % 1000, mixed % 100),
        };
        text.push_str(&format!(
            "{row},{},city {},{price}\n",
            mixed % 321,
            mixed % 50
        ));
    }
    let all = || {
        let table = csv(&text);
        let bytes = write_table(&table, form("t.parquet"), &go_on).unwrap();
        let from_parquet = read("t.parquet", &bytes).unwrap().table;
        let aggregates =
            ["sum", "mean", "std", "median", "min", "n_distinct"].map(|word| AggregateColumn {
                name: word.to_owned(),
                function: AggregateFunction::parse(word).unwrap(),
                column: Some("price".to_owned()),
            });
        let grouped = table.group(&["city", "key"], &aggregates, &go_on).unwrap();
        let described = table.describe(&go_on).unwrap();
        let correlations = table.correlations(&go_on).unwrap();
        (table, from_parquet, grouped, described, correlations)
    };
    let pool = |threads: usize| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    let alone = pool(1).install(all);
    assert_eq!(alone.0, alone.1);
    assert!(alone.2.rows() > 10_000, "{}", alone.2.rows());
    for threads in [2, 5] {
        assert_eq!(pool(threads).install(all), alone, "{threads} threads");
    }
}
