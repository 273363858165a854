//! Folders and files for this user alone.

use std::fs::{DirBuilder, OpenOptions};

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
