//! `plot`: any specification is a picture or a typed error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mathchain::Value;

const DATA: &str =
    r#"{"a":[1,2.5,-3,null],"b":[1e-300,4,1e9,0],"c":["x","y","x",null],"d":["2024-01-01","2024-02-29",null,"1999-12-31T23:59:59Z"]}"#;

fuzz_target!(|text: &str| {
    let data = mathchain::parse_json(DATA).expect("a document");
    // Small, so that the time goes into reading and layout.
    let size = [("width", 160.0), ("height", 120.0)].map(|(name, side)| (name, Value::from(side)));
    let mut arguments = vec![("data", data), ("spec", Value::from(text))];
    arguments.extend(size);
    arguments.push(("format", Value::from("svg")));
    fuzz::call("plot", arguments);
});
