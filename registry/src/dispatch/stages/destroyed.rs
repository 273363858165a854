//! Contents that a destructive call can destroy: an approval is bound to the contents at the time of its request.

use std::io::Read as _;

use tool_core::capability::{FileInfo, FileKind, LinkMode, WorkspaceFiles};
use tool_core::{Access, Ctx, ErrorCode, ResourceKey, ResourceKind, ToolError};

use super::DecidedCall;

/// Largest file whose content is hashed, in bytes; a larger one is bound by size and time.
const BYTES_MAX: u64 = 256 << 20;

/// Path and content of every file that a destructive call writes to.
pub(super) fn destroyed_file_contents(
    decided: &DecidedCall<'_>,
    keys: &[ResourceKey],
    ctx: &Ctx,
) -> Result<Vec<(String, String)>, ToolError> {
    let capabilities = &decided.located.dispatcher.host.capabilities;
    let (Some(files), true) = (&capabilities.files, decided.call.reach().destructive) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for key in keys {
        if key.kind != ResourceKind::Path || key.access != Access::Write {
            continue;
        }
        if let Some(content) = describe_file_content(files.as_ref(), &key.name, ctx)? {
            found.push((key.name.clone(), content));
        }
    }
    Ok(found)
}

/// A description of the content of a file that changes with it; `None` where there is no file.
fn describe_file_content(
    files: &dyn WorkspaceFiles,
    path: &str,
    ctx: &Ctx,
) -> Result<Option<String>, ToolError> {
    let by_size = |info: &FileInfo| format!("{} bytes, changed {}", info.size, info.modified_s);
    let Ok((info, mut reader)) = files.open(path, LinkMode::Refuse) else {
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
