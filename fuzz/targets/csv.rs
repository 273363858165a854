//! `csv_to_json`: any text is a table or a typed error, and the table can be written as text again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mathchain::Value;

fuzz_target!(|text: &str| {
    let header = !text.len().is_multiple_of(2);
    let args = vec![
        ("csv_content", Value::from(text)),
        ("has_header", Value::from(header)),
    ];
    let answer = fuzz::call("csv_to_json", args);
    if let Some(rows) = answer
        .get("output")
        .filter(|rows| rows.items().is_some())
    {
        fuzz::call("json_to_csv", vec![("data", rows.clone())]);
    }
});
