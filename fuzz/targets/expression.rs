//! `calculate`: any text is a value or a typed error, by every way of computing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mathchain::Value;

fuzz_target!(|text: &str| {
    let digits = text.len() % 40;
    let mut args = vec![("expression", Value::from(text))];
    if digits > 0 {
        args.push(("precision", Value::Int(digits as i64)));
    }
    fuzz::call("calculate", args);
});
