//! Style, script and sign of the pages, each under an address that names its content.

use std::sync::OnceLock;

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderValue};
use tool_core::tool_error;

use super::super::reply;
use super::layout::PageReply;

/// A file of the pages: its name, kind and content.
struct ConsoleAsset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

const ASSETS: [ConsoleAsset; 3] = [
    ConsoleAsset {
        name: "console.css",
        kind: "text/css; charset=utf-8",
        text: include_str!("../../../assets/console/console.css"),
    },
    ConsoleAsset {
        name: "console.js",
        kind: "text/javascript; charset=utf-8",
        text: include_str!("../../../assets/console/console.js"),
    },
    ConsoleAsset {
        name: "icon.svg",
        kind: "image/svg+xml",
        text: include_str!("../../../assets/console/icon.svg"),
    },
];

/// The address of a file, which changes with its content.
pub(super) fn link_of(name: &str) -> String {
    static DIGEST: OnceLock<String> = OnceLock::new();
    let digest = DIGEST.get_or_init(|| {
        let mut hasher = blake3::Hasher::new();
        for asset in &ASSETS {
            hasher.update(asset.text.as_bytes());
        }
        hasher.finalize().to_hex().chars().take(12).collect()
    });
    format!("/console/assets/{name}?v={digest}")
}

/// Sends a file; a browser may keep it, as another content has another address.
pub(super) async fn send_asset(Path(name): Path<String>) -> PageReply {
    let asset = ASSETS.iter().find(|asset| asset.name == name);
    let asset =
        asset.ok_or_else(|| tool_error!(InvalidRequest, "no_path"; "there is no such file"))?;
    let mut response = reply::text_response(StatusCode::OK, asset.kind, asset.text);
    response.headers_mut().insert(
        CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=31536000, immutable"),
    );
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest size of all files together; the whole console may take 400 kB of the program.
    const BYTES_MAX: usize = 100_000;

    #[test]
    fn the_files_are_small_and_load_nothing_from_elsewhere() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.text.len()).sum();
        assert!(bytes < BYTES_MAX, "{bytes}");
        for asset in &ASSETS {
            let text = asset.text.replace("http://www.w3.org/2000/svg", "");
            for elsewhere in ["http:", "https:", "//cdn", "@import", "eval(", "innerHTML"] {
                assert!(!text.contains(elsewhere), "{}: {elsewhere}", asset.name);
            }
        }
    }
}
