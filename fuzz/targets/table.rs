//! Files of tables: any bytes are a table or a typed error in every format, within the limits, and a table is written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tables::{FileForm, ReadLimits, ReadOptions, TableFormat, read_table, write_table};

/// Without Arrow's files, whose reader panics where they are damaged: here a panic ends the process before `tables` catches it.
const FORMATS: [TableFormat; 5] = [
    TableFormat::Parquet,
    TableFormat::Csv,
    TableFormat::Json,
    TableFormat::Excel,
    TableFormat::Sqlite,
];

fuzz_target!(|input: &[u8]| {
    let Some((first, bytes)) = input.split_first() else {
        return;
    };
    let form = FileForm {
        format: FORMATS[usize::from(*first) % FORMATS.len()],
        compression: None,
    };
    let limits = ReadLimits::of_bytes(1 << 22);
    let go_on = || false;
    let Ok(read) = read_table(bytes, form, &ReadOptions::default(), limits, &go_on) else {
        return;
    };
    let parquet = FileForm {
        format: TableFormat::Parquet,
        compression: None,
    };
    if read.table.columns().is_empty() {
        return;
    }
    let written = write_table(&read.table, parquet, &go_on).expect("a table is written");
    let options = ReadOptions::default();
    let again = read_table(&written, parquet, &options, ReadLimits::default(), &go_on);
    assert_eq!(again.expect("what was written is read").table.rows(), read.table.rows());
});
