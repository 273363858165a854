//! Limits on archives, and the reader that enforces them.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use super::fault::{ArchiveFault, FaultKind};
use crate::prelude::*;

/// Maximum members.
pub(super) const MEMBERS_MAX: u64 = 10_000;
/// Maximum total decompressed size in bytes.
pub(super) const TOTAL_MAX: u64 = 1 << 30;
/// Maximum decompressed size of one member in bytes.
pub(super) const FILE_MAX: u64 = 256 << 20;
/// Maximum size of the archive itself in bytes.
pub(super) const ARCHIVE_MAX: u64 = 1 << 30;
/// Maximum compression ratio.
pub(super) const RATIO_MAX: u64 = 200;
/// Decompressed bytes without a ratio check: small repetitive files compress well.
const RATIO_FREE: u64 = 4 << 20;
/// Maximum memory of a decoder in bytes.
pub(super) const MEMORY_MAX: u64 = 128 << 20;
/// Buffer size in bytes.
pub(super) const BUFFER: usize = 128 << 10;

/// Checks the compression ratio.
pub(super) fn check_ratio(packed: u64, unpacked: u64) -> Result<(), ArchiveFault> {
    let message = format_args!(
        "compression ratio too high (possible zip bomb): {packed} bytes expand to more than {unpacked}, the limit is {RATIO_MAX} to 1"
    );
    let most = packed.saturating_mul(RATIO_MAX).saturating_add(RATIO_FREE);
    require_limit(unpacked <= most, FaultKind::Bomb, message)
}

fn require_limit(
    fits: bool,
    kind: FaultKind,
    message: fmt::Arguments<'_>,
) -> Result<(), ArchiveFault> {
    match fits {
        true => Ok(()),
        false => Err(ArchiveFault::new(kind, message)),
    }
}

pub(super) fn check_total(unpacked: u64) -> Result<(), ArchiveFault> {
    let message = format_args!("its members have a total of more than {TOTAL_MAX} bytes");
    require_limit(unpacked <= TOTAL_MAX, FaultKind::TooLarge, message)
}

pub(super) fn check_file(unpacked: u64) -> Result<(), ArchiveFault> {
    let message = format_args!("it has more than {FILE_MAX} bytes");
    require_limit(unpacked <= FILE_MAX, FaultKind::FileTooLarge, message)
}

pub(super) fn check_members(count: u64) -> Result<(), ArchiveFault> {
    let message = format_args!("it has more than {MEMBERS_MAX} members");
    require_limit(count <= MEMBERS_MAX, FaultKind::TooManyFiles, message)
}

/// Enforces the limits on the output of a decoder, counted on the actual bytes and never on a header.
pub(super) struct DecoderLimit<'a, R> {
    inner: R,
    packed: Rc<Cell<u64>>,
    /// Bytes decompressed from the whole archive.
    total: Rc<Cell<u64>>,
    own: u64,
    stop: &'a StopFlag,
}

impl<'a, R: Read> DecoderLimit<'a, R> {
    pub(super) fn new(
        inner: R,
        packed: Rc<Cell<u64>>,
        total: Rc<Cell<u64>>,
        stop: &'a StopFlag,
    ) -> Self {
        Self {
            inner,
            packed,
            total,
            own: 0,
            stop,
        }
    }
}

impl<R: Read> Read for DecoderLimit<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() {
            return Err(io::Error::other("stopped"));
        }
        let count = self.inner.read(buffer)?;
        self.own += count as u64;
        self.total.set(self.total.get() + count as u64);
        // The framing of the members counts too, so it is allowed in addition to their content.
        check_total(self.total.get().saturating_sub(MEMBERS_MAX * 2048))
            .and_then(|()| check_ratio(self.packed.get(), self.own))
            .map_err(ArchiveFault::into_io)?;
        Ok(count)
    }
}
