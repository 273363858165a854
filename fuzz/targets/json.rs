//! The door scan: any bytes are a document or an error with a place, and what was read is written so that it reads back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mathchain::tool_core::json::{self, JsonLimits};

fuzz_target!(|bytes: &[u8]| {
    let limits = JsonLimits {
        memory_bytes_max: 64 << 20,
        ..JsonLimits::default()
    };
    let Ok(value) = json::parse_bytes(bytes, limits) else {
        return;
    };
    let text = json::to_text(&value);
    let again = json::parse_json(&text, limits).expect("what was written reads back");
    assert_eq!(json::to_text(&again), text);
    assert_eq!(json::canonical_json(&again), json::canonical_json(&value));
});
