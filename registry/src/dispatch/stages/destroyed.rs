//! Contents that a destructive call would destroy: an approval holds for what was there when it was asked for.

use std::io::Read as _;

use tool_core::capability::{FileInfo, FileKind, Files, Links};
use tool_core::{Access, Ctx, ErrorCode, ResourceKey, ResourceKind, ToolError};

use super::Ruled;

/// Largest file whose content is hashed; a larger one is bound by size and time.
const BYTES_MAX: u64 = 256 << 20;

/// Path and content of every file that the call writes to, where it can destroy what is there.
pub(super) fn of(
    ruled: &Ruled<'_>,
    keys: &[ResourceKey],
    ctx: &Ctx,
) -> Result<Vec<(String, String)>, ToolError> {
    let capabilities = &ruled.looked.dispatcher.host.capabilities;
    let (Some(files), true) = (&capabilities.files, ruled.call.reach().destructive) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for key in keys {
        if key.kind != ResourceKind::Path || key.access != Access::Write {
            continue;
        }
        if let Some(content) = content(files.as_ref(), &key.name, ctx)? {
            found.push((key.name.clone(), content));
        }
    }
    Ok(found)
}

/// The content of a file in words that change with it; `None` where there is no file.
fn content(files: &dyn Files, path: &str, ctx: &Ctx) -> Result<Option<String>, ToolError> {
    let by_size = |info: &FileInfo| format!("{} bytes, changed {}", info.size, info.modified_s);
    let Ok((info, mut reader)) = files.open(path, Links::Refuse) else {
        // A folder, or what the call itself will refuse.
        let info = files.stat(path).ok();
        return Ok(info.map(|info| match info.kind {
            FileKind::File => by_size(&info),
            other => format!("a {}", other.as_str()),
        }));
    };
    if info.size > BYTES_MAX {
        return Ok(Some(by_size(&info)));
    }
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        ctx.check()?;
        let read = reader.read(&mut buffer).map_err(|err| {
            let message = format_args!("`{path}` cannot be read: {err}");
            ToolError::new(ErrorCode::ToolError, message).reason("io")
        })?;
        if read == 0 {
            return Ok(Some(format!("blake3 {}", hasher.finalize().to_hex())));
        }
        hasher.update(&buffer[..read]);
    }
}
