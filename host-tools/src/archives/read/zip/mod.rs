//! Zip, read by its central directory. Every local header must agree with the directory, and no two members may share bytes, before
//! anything is decompressed: other programs trust one or the other.

mod content;
mod directory;

use std::cell::Cell;
use std::io::SeekFrom;
use std::rc::Rc;

use super::super::fault::{self, ArchiveError, ArchiveFault, FaultKind};
use super::super::limits;
use super::{ArchiveMember, RecordFields, Visit, WalkControl};
use crate::prelude::*;
use content::content_reader;
use directory::{find_directory, read_entries, widen_zip64_fields};

/// One entry of the directory.
struct ZipEntry {
    member: ArchiveMember,
    name: Vec<u8>,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    offset: u64,
}

pub(super) fn visit_zip_members(
    reader: &mut dyn FileReader,
    length: u64,
    stop: &StopFlag,
    visit: &mut Visit<'_>,
) -> Result<(), ArchiveError> {
    let directory = find_directory(reader, length)?;
    limits::check_members(directory.entries)?;
    let entries = read_entries(reader, &directory)?;
    check_sizes(&entries)?;
    let starts = check_headers(reader, &entries, directory.offset, stop)?;
    let total = Rc::new(Cell::new(0));
    for (entry, start) in entries.iter().zip(starts) {
        stop.check()?;
        reader
            .seek(SeekFrom::Start(start))
            .map_err(ArchiveFault::from)?;
        let next = if entry.member.encrypted {
            visit(&entry.member, &mut std::io::empty())?
        } else {
            let mut content = content_reader(entry, reader, &total, stop);
            visit(&entry.member, &mut content)?
        };
        if next == WalkControl::Stop {
            return Ok(());
        }
    }
    Ok(())
}

fn read_at(
    reader: &mut dyn FileReader,
    offset: u64,
    count: usize,
) -> Result<Vec<u8>, ArchiveFault> {
    let mut bytes = vec![0; count];
    reader.seek(SeekFrom::Start(offset))?;
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Checks the stated sizes, which refuses most zip bombs before anything is read.
fn check_sizes(entries: &[ZipEntry]) -> Result<(), ArchiveFault> {
    let mut total: u64 = 0;
    for entry in entries {
        let named = |fault: ArchiveFault| fault.of(&entry.member.name);
        limits::check_file(entry.size).map_err(named)?;
        limits::check_ratio(entry.packed, entry.size).map_err(named)?;
        total = total.saturating_add(entry.size);
    }
    limits::check_total(total)
}

/// The offset of the content of each member, after its local header was compared with the directory.
fn check_headers(
    reader: &mut dyn FileReader,
    entries: &[ZipEntry],
    directory: u64,
    stop: &StopFlag,
) -> Result<Vec<u64>, ArchiveError> {
    let mut starts = Vec::with_capacity(entries.len());
    let mut ranges = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        if index.is_multiple_of(256) {
            stop.check()?;
        }
        let start = check_local_header(reader, entry, directory)
            .map_err(|fault| fault.of(&entry.member.name))?;
        let end = start
            .checked_add(entry.packed)
            .filter(|end| *end <= directory)
            .ok_or_else(|| {
                ArchiveFault::lying("its bytes reach into the directory").of(&entry.member.name)
            })?;
        starts.push(start);
        ranges.push((entry.offset, end, &entry.member.name));
    }
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        let ((_, end, first), (start, _, second)) = (pair[0], pair[1]);
        if start < end {
            let message = format!("it shares bytes with `{}`", fault::abbreviate_name(first));
            return Err(ArchiveFault::new(FaultKind::Overlap, message)
                .of(second)
                .into());
        }
    }
    Ok(starts)
}

fn check_local_header(
    reader: &mut dyn FileReader,
    entry: &ZipEntry,
    directory: u64,
) -> Result<u64, ArchiveFault> {
    const HEADER: usize = 30;
    const SIZES_FOLLOW: u16 = 8;
    let beyond = || ArchiveFault::lying("its header is not at the offset stated in the directory");
    let after = entry.offset.checked_add(HEADER as u64);
    if after.is_none_or(|after| after > directory) {
        return Err(beyond());
    }
    let wanted = (HEADER + entry.name.len()) as u64;
    let room = (directory - entry.offset).min(wanted) as usize;
    let bytes = read_at(reader, entry.offset, room)?;
    let mut fields = RecordFields(&bytes);
    if fields.bytes(4)? != b"PK\x03\x04" {
        return Err(beyond());
    }
    fields.u16()?;
    let (flags, method) = (fields.u16()?, fields.u16()?);
    fields.u32()?;
    let crc = fields.u32()?;
    let (mut packed, mut size) = (fields.number(4)?, fields.number(4)?);
    let name_length = usize::from(fields.u16()?);
    let extra_length = usize::from(fields.u16()?);
    if name_length != entry.name.len() || fields.0 != entry.name {
        return Err(ArchiveFault::lying(
            "its header has another name than the directory",
        ));
    }
    let extra_at = entry.offset + wanted;
    let start = extra_at + extra_length as u64;
    if start > directory {
        return Err(beyond());
    }
    if packed == 0xffff_ffff || size == 0xffff_ffff {
        let extra = read_at(reader, extra_at, extra_length)?;
        widen_zip64_fields(&extra, &mut [&mut size, &mut packed])?;
    }
    let named = flags & SIZES_FOLLOW == 0;
    let same_sizes = (packed, size, crc) == (entry.packed, entry.size, entry.crc);
    if method != entry.method || (flags ^ entry.flags) & 0x2049 != 0 || named && !same_sizes {
        return Err(ArchiveFault::lying("its header contradicts the directory"));
    }
    Ok(start)
}
