//! `json_query`: any query on a document of every kind is an answer or a typed error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mathchain::Value;

const DOCUMENT: &str =
    r#"{"a":[1,-2.5,{"b":"x","c":null}],"b":{"a":true,"c":[[],[{}]]},"c":"text","n":[3,1,2]}"#;

fuzz_target!(|text: &str| {
    let data = mathchain::parse_json(DOCUMENT).expect("a document");
    fuzz::call(
        "json_query",
        vec![("data", data), ("query", Value::from(text))],
    );
});
