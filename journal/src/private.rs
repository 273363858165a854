//! Folders and files that only this user may open, and files that are written whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::failpoints::fail_at;
use crate::random::random_bits;

/// Prefix of files that are not complete yet.
pub(crate) const DRAFT: &str = ".new-";

/// Makes folders of mode 0700.
#[cfg(unix)]
pub(crate) fn private_folder() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// Opens files for writing, new ones with mode 0600.
#[cfg(unix)]
pub(crate) fn private_file() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

/// Makes folders.
#[cfg(not(unix))]
pub(crate) fn private_folder() -> DirBuilder {
    DirBuilder::new()
}

/// Opens files for writing.
#[cfg(not(unix))]
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    options
}

/// Writes a file whole or not at all, into a folder that is created with the one above it where they are missing: under a temporary name first, synced, then
/// renamed.
pub(crate) fn write_whole(
    place: &Path,
    content: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let folder = place.parent().unwrap_or(place);
    for folder in folder.parent().into_iter().chain([folder]) {
        make_folder(folder)?;
    }
    let draft = folder.join(format!("{DRAFT}{:016x}", random_bits()));
    let done = (|| {
        let mut file = private_file().create_new(true).open(&draft)?;
        content(&mut file)?;
        fail_at("artifact.temp");
        file.sync_all()?;
        fail_at("artifact.sync");
        fs::rename(&draft, place)?;
        fail_at("artifact.rename");
        File::open(folder)?.sync_all()
    })();
    if done.is_err() {
        let _ = fs::remove_file(&draft);
    }
    done
}

/// Creates a folder for this user alone; an existing one must be a folder and not a link.
fn make_folder(folder: &Path) -> io::Result<()> {
    match private_folder().create(folder) {
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
            match folder.symlink_metadata()?.is_dir() {
                true => Ok(()),
                false => Err(io::Error::other("its folder is not a folder")),
            }
        }
        made => {
            made?;
            // The name of a new folder is data of the folder above.
            let above = folder.parent();
            above.map_or(Ok(()), |above| File::open(above)?.sync_all())
        }
    }
}
