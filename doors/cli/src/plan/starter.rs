//! `mathchain plan new`.

use std::path::Path;

use super::super::prelude::*;

/// The starter plan; `NAME` is a placeholder for its id.
const PLAN: &str = include_str!("starter.yaml");
/// The same as a call script.
const SCRIPT: &str = include_str!("starter.chain");

/// Writes a starter plan; an existing file is an error.
pub(super) fn write_starter_plan(name: &str) -> Result<ExitCode> {
    let endings = [".yaml", ".yml", ".chain"];
    let named = endings.iter().any(|ending| name.ends_with(ending));
    let file = match named {
        true => name.to_owned(),
        false => format!("{name}.yaml"),
    };
    let path = Path::new(&file);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let text = match file.ends_with(".chain") {
        true => SCRIPT.to_owned(),
        false => PLAN.replace("NAME", &plan_id(&stem)?),
    };
    let text = text.replace("FILE", &file);
    io::write_new(path, &text).map_err(|err| match err.kind() {
        std::io::ErrorKind::AlreadyExists => {
            tool_error!(Conflict; "`{file}` exists"; "choose another name")
        }
        _ => io::cannot_write(path, &err),
    })?;
    write_stdout(&format!(
        "wrote {file}; check it with `mathchain plan check {file}`, run it with `mathchain run {file}`\n"
    ));
    Ok(exit::OK.into())
}

/// The id of the plan, from the name of its file.
fn plan_id(stem: &str) -> Result<String> {
    let id = stem.replace('-', "_").to_ascii_lowercase();
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    let begins = id.starts_with(|c: char| c.is_ascii_lowercase());
    if begins && id.len() <= 64 && id.bytes().all(plain) {
        return Ok(id);
    }
    Err(tool_error!(InvalidRequest;
        "`{stem}` is not a valid plan id";
        "start with a-z, continue with a-z, 0-9 and _, at most 64 characters"))
}
