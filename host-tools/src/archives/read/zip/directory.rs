//! The central directory of a zip archive.

use std::cmp::Ordering;

use super::super::super::fault::{ArchiveFault, FaultKind};
use super::super::RecordFields;
use super::super::{ArchiveMember, MemberKind};
use super::{ZipEntry, read_at};
use crate::prelude::*;

/// Size of the end record without its comment.
const END: usize = 22;
/// Maximum length of a comment.
const COMMENT_MAX: usize = 65_535;
/// Maximum size of the directory.
const DIRECTORY_MAX: u64 = 64 << 20;

/// Position of the directory.
pub(super) struct CentralDirectory {
    pub(super) offset: u64,
    size: u64,
    pub(super) entries: u64,
}

pub(super) fn find_directory(
    reader: &mut dyn FileReader,
    length: u64,
) -> Result<CentralDirectory, ArchiveFault> {
    let count = length.min((END + COMMENT_MAX) as u64) as usize;
    let tail = read_at(reader, length - count as u64, count)?;
    // The comment must reach the end of the file, so that only one end record matches.
    let found = (0..=count.saturating_sub(END)).rev().find(|&at| {
        tail[at..].starts_with(b"PK\x05\x06")
            && tail.get(at + 20..at + 22).is_some_and(|comment| {
                usize::from(u16::from_le_bytes([comment[0], comment[1]])) == count - at - END
            })
    });
    const MISSING: &str = "the directory at the end of the archive is missing";
    let at = found.ok_or_else(|| ArchiveFault::new(FaultKind::Truncated, MISSING))?;
    let end = length - (count - at) as u64;
    let mut fields = RecordFields(&tail[at + 4..]);
    let disks = (fields.u16()?, fields.u16()?);
    let (entries_here, entries) = (fields.number(2)?, fields.number(2)?);
    let (size, offset) = (fields.number(4)?, fields.number(4)?);
    let wide = entries == 0xffff || size == 0xffff_ffff || offset == 0xffff_ffff;
    let (directory, directory_end) = match wide_directory(reader, end)? {
        Some(found) if wide => found,
        _ => {
            if disks != (0, 0) || entries_here != entries {
                return Err(volumes_fault());
            }
            let directory = CentralDirectory {
                offset,
                size,
                entries,
            };
            (directory, end)
        }
    };
    if directory.offset.checked_add(directory.size) != Some(directory_end) {
        return Err(ArchiveFault::corrupt(
            "the directory is not at the position stated in the end record",
        ));
    }
    if directory.size > DIRECTORY_MAX {
        let message = format_args!("its directory has more than {DIRECTORY_MAX} bytes");
        return Err(ArchiveFault::new(FaultKind::Memory, message));
    }
    Ok(directory)
}

fn volumes_fault() -> ArchiveFault {
    ArchiveFault::new(FaultKind::Unsupported, "it is one of several volumes")
}

/// The zip64 record before the end record, if there is one.
fn wide_directory(
    reader: &mut dyn FileReader,
    end: u64,
) -> Result<Option<(CentralDirectory, u64)>, ArchiveFault> {
    const LOCATOR: u64 = 20;
    const RECORD: usize = 56;
    let Some(at) = end.checked_sub(LOCATOR) else {
        return Ok(None);
    };
    let locator = read_at(reader, at, LOCATOR as usize)?;
    if !locator.starts_with(b"PK\x06\x07") {
        return Ok(None);
    }
    let mut fields = RecordFields(&locator[4..]);
    let (disk, record_at, disks) = (fields.u32()?, fields.number(8)?, fields.u32()?);
    if disk != 0 || disks > 1 {
        return Err(volumes_fault());
    }
    if record_at.checked_add(RECORD as u64) != Some(at) {
        return Err(ArchiveFault::corrupt(
            "the zip64 record is at the wrong position",
        ));
    }
    let record = read_at(reader, record_at, RECORD)?;
    let mut fields = RecordFields(&record);
    if fields.bytes(4)? != b"PK\x06\x06" {
        return Err(ArchiveFault::corrupt("the zip64 record is missing"));
    }
    fields.bytes(12)?; // its size, and versions
    let disks = (fields.u32()?, fields.u32()?);
    let (entries_here, entries) = (fields.number(8)?, fields.number(8)?);
    if disks != (0, 0) || entries_here != entries {
        return Err(volumes_fault());
    }
    let (size, offset) = (fields.number(8)?, fields.number(8)?);
    let directory = CentralDirectory {
        offset,
        size,
        entries,
    };
    Ok(Some((directory, record_at)))
}

pub(super) fn read_entries(
    reader: &mut dyn FileReader,
    directory: &CentralDirectory,
) -> Result<Vec<ZipEntry>, ArchiveFault> {
    let bytes = read_at(reader, directory.offset, directory.size as usize)?;
    let mut fields = RecordFields(&bytes);
    let mut entries = Vec::with_capacity(directory.entries as usize);
    while !fields.0.is_empty() && entries.len() as u64 <= directory.entries {
        entries.push(parse_directory_entry(&mut fields)?);
    }
    let number = match (entries.len() as u64).cmp(&directory.entries) {
        Ordering::Less => "fewer",
        Ordering::Equal => return Ok(entries),
        Ordering::Greater => "more",
    };
    let message = format!("its directory has {number} entries than the end record states");
    Err(ArchiveFault::lying(&message))
}

fn parse_directory_entry(fields: &mut RecordFields<'_>) -> Result<ZipEntry, ArchiveFault> {
    if fields.bytes(4)? != b"PK\x01\x02" {
        return Err(ArchiveFault::corrupt(
            "an entry of the directory is damaged",
        ));
    }
    let made_by = fields.u16()?;
    fields.u16()?; // version needed
    let (flags, method) = (fields.u16()?, fields.u16()?);
    fields.u32()?; // time and date
    let crc = fields.u32()?;
    let (mut packed, mut size) = (fields.number(4)?, fields.number(4)?);
    let name_length = usize::from(fields.u16()?);
    let extra_length = usize::from(fields.u16()?);
    let comment_length = usize::from(fields.u16()?);
    let disk = fields.u16()?;
    fields.u16()?; // internal attributes
    let attributes = fields.u32()?;
    let mut offset = fields.number(4)?;
    let name = fields.bytes(name_length)?.to_vec();
    let extra = fields.bytes(extra_length)?;
    fields.bytes(comment_length)?;
    widen_zip64_fields(extra, &mut [&mut size, &mut packed, &mut offset])?;
    if disk != 0 {
        return Err(volumes_fault());
    }
    let (text, legible) = text_of(&name, flags);
    // The mode, if the system that created the archive has one.
    let is_unix = matches!(made_by >> 8, 3 | 19);
    let mode = if is_unix { attributes >> 16 } else { 0 };
    const DOS_FOLDER: u32 = 0x10;
    let is_folder =
        text.ends_with('/') || attributes & DOS_FOLDER != 0 || mode & 0o170_000 == 0o040_000;
    let member = ArchiveMember {
        encrypted: flags & 0x2041 != 0,
        ..ArchiveMember::with_mode((text, legible), mode, is_folder, size)
    };
    if second_name(extra).is_some_and(|second| second != name) {
        return Err(ArchiveFault::lying("it has two names").of(&member.name));
    }
    if member.kind == MemberKind::Folder && size > 0 {
        return Err(ArchiveFault::lying("a folder has content").of(&member.name));
    }
    Ok(ZipEntry {
        member,
        name,
        flags,
        method,
        crc,
        packed,
        size,
        offset,
    })
}

/// The records of an extra field; an invalid record ends them, as in other programs.
fn extra_records(mut extra: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (head, rest) = extra.split_at_checked(4)?;
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let (content, after) = rest.split_at_checked(length)?;
        extra = after;
        Some((u16::from_le_bytes([head[0], head[1]]), content))
    })
}

/// Reads overflowed fields from the zip64 record, in this order.
pub(super) fn widen_zip64_fields(
    extra: &[u8],
    narrow: &mut [&mut u64],
) -> Result<(), ArchiveFault> {
    const WIDE: u16 = 1;
    let mut wide = extra_records(extra).filter(|(id, _)| *id == WIDE);
    let content = wide.next().map_or(&[][..], |(_, content)| content);
    if wide.next().is_some() {
        return Err(ArchiveFault::lying("an entry has two zip64 records"));
    }
    let mut fields = RecordFields(content);
    for value in narrow.iter_mut().filter(|value| ***value == 0xffff_ffff) {
        **value = fields.number(8)?;
    }
    Ok(())
}

/// The UTF-8 name that some programs add, after a version and a checksum.
fn second_name(extra: &[u8]) -> Option<&[u8]> {
    const UNICODE_NAME: u16 = 0x7075;
    extra_records(extra)
        .find(|(id, _)| *id == UNICODE_NAME)
        .and_then(|(_, content)| content.get(5..))
}

/// Decodes UTF-8 if the flag or the bytes indicate it, otherwise code page 437.
fn text_of(name: &[u8], flags: u16) -> (String, bool) {
    const UTF8: u16 = 0x800;
    match std::str::from_utf8(name) {
        Ok(text) => (text.to_owned(), true),
        Err(_) if flags & UTF8 != 0 => (String::from_utf8_lossy(name).into_owned(), false),
        Err(_) => {
            let high: Vec<char> = CODE_PAGE_437.chars().collect();
            let letter = |&byte: &u8| match byte {
                0x80.. => high[usize::from(byte) - 0x80],
                byte => char::from(byte),
            };
            (name.iter().map(letter).collect(), true)
        }
    }
}

const CODE_PAGE_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
