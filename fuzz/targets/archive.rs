//! `archive_open` and `archive_search`: any bytes are a manifest or a typed error.

#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use mathchain::{Toolkit, Value};

static PLACE: OnceLock<(PathBuf, Toolkit)> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let (folder, toolkit) = PLACE.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("mathchain-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let toolkit = Toolkit::builder().workspace(&folder).build();
        (folder, toolkit.expect("a toolkit"))
    });
    std::fs::write(folder.join("archive"), bytes).expect("a file");
    let path = Value::from("archive");
    let _ = toolkit.call("archive_open", &Value::object([("path", path.clone())]));
    let search = [("path", path), ("query", Value::from("a"))];
    let _ = toolkit.call("archive_search", &Value::object(search));
});
