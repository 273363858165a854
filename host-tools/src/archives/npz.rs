//! Arrays of `.npz` files: zip archives of `.npy` files, as NumPy's `savez` writes them.

use std::io::{Cursor, Read};

use tool_core::npy::NpyFault as Unfit;
use tool_core::selection::list_column_names;

use super::fault::ArchiveError;
use super::read::{MemberKind, OpenArchive, WalkControl};
use crate::prelude::*;
use tool_core::brief;

/// The bytes of one array; without a name that of the only one.
///
/// # Errors
/// A fault of the archive, `bytes_max` exceeded, and an unknown or missing name, with the names that there are.
pub(crate) fn read_npz_array(
    bytes: Vec<u8>,
    member: Option<&str>,
    bytes_max: u64,
) -> Result<Vec<u8>, Unfit> {
    let mut names: Vec<String> = Vec::new();
    let mut found: Option<Vec<u8>> = None;
    let stop = StopFlag::new();
    let mut archive =
        OpenArchive::open(Box::new(Cursor::new(bytes)), &stop).map_err(unfit_from_halt)?;
    let visited = archive.each(&mut |entry, content| {
        let name = entry.name.strip_suffix(".npy");
        let Some(name) = name.filter(|_| entry.kind == MemberKind::File) else {
            return Ok(WalkControl::On);
        };
        if found.is_none() && member.is_none_or(|member| member == name) {
            let mut array = Vec::new();
            content
                .take(bytes_max.saturating_add(1))
                .read_to_end(&mut array)?;
            found = Some(array);
        }
        names.push(name.to_owned());
        Ok(WalkControl::On)
    });
    visited.map_err(unfit_from_halt)?;
    match found {
        Some(array) if array.len() as u64 > bytes_max => Err(Unfit::new(
            format!("the array has more than {bytes_max} bytes"),
            "pass a smaller array, or raise `limits.max_input_bytes`",
        )),
        Some(array) if member.is_some() || names.len() == 1 => Ok(array),
        _ => {
            let what = match member {
                Some(member) => format!("it has no member `{}`", brief::brief_name(member)),
                None => "choose a `member`".to_owned(),
            };
            Err(Unfit::new(
                format!("{what}: its arrays are {}", list_column_names(&names)),
                "name one as {\"$file\": \"arrays.npz\", \"member\": \"NAME\"}",
            ))
        }
    }
}

fn unfit_from_halt(halt: impl Into<ArchiveError>) -> Unfit {
    let message = halt.into().to_string();
    Unfit::new(message, "write it with `numpy.savez(path, A=a)`")
}
