//! The central directory of a zip archive.

use tool_core::capability::FileReader;

use super::super::super::fault::{Fault, FaultKind};
use super::super::{Kind, Member};
use super::{Entry, corrupt, lying, read_at};

/// Size of the end record without its comment.
const END: usize = 22;
/// Maximum length of a comment.
const COMMENT_MAX: usize = 65_535;
/// Maximum size of the directory.
const DIRECTORY_MAX: u64 = 64 << 20;

/// Position of the directory.
pub(super) struct Directory {
    pub(super) offset: u64,
    size: u64,
    pub(super) entries: u64,
}

/// Little-endian fields of a record, in their order.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or_else(|| corrupt("a record of the directory is cut short"))?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn number(&mut self, count: usize) -> Result<u64, Fault> {
        let bytes = self.bytes(count)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    pub(super) fn u16(&mut self) -> Result<u16, Fault> {
        Ok(self.number(2)? as u16)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Fault> {
        Ok(self.number(4)? as u32)
    }
}

pub(super) fn find_directory(reader: &mut dyn FileReader, length: u64) -> Result<Directory, Fault> {
    let count = length.min((END + COMMENT_MAX) as u64) as usize;
    let tail = read_at(reader, length - count as u64, count)?;
    // The comment must reach the end of the file, so that only one end record matches.
    let found = (0..=count.saturating_sub(END)).rev().find(|&at| {
        tail[at..].starts_with(b"PK\x05\x06")
            && tail.get(at + 20..at + 22).is_some_and(|comment| {
                usize::from(u16::from_le_bytes([comment[0], comment[1]])) == count - at - END
            })
    });
    let at = found.ok_or_else(|| {
        Fault::new(
            FaultKind::Truncated,
            "the directory at the end of the archive is missing",
        )
    })?;
    let end = length - (count - at) as u64;
    let mut fields = Fields(&tail[at + 4..]);
    let disks = (fields.u16()?, fields.u16()?);
    let (entries_here, entries) = (fields.number(2)?, fields.number(2)?);
    let (size, offset) = (fields.number(4)?, fields.number(4)?);
    let wide = entries == 0xffff || size == 0xffff_ffff || offset == 0xffff_ffff;
    let (directory, directory_end) = match wide_directory(reader, end)? {
        Some(found) if wide => found,
        _ => {
            if disks != (0, 0) || entries_here != entries {
                return Err(volumes());
            }
            let directory = Directory {
                offset,
                size,
                entries,
            };
            (directory, end)
        }
    };
    if directory.offset.checked_add(directory.size) != Some(directory_end) {
        return Err(corrupt(
            "the directory is not at the position stated in the end record",
        ));
    }
    if directory.size > DIRECTORY_MAX {
        return Err(Fault::new(
            FaultKind::Memory,
            format_args!("its directory has more than {DIRECTORY_MAX} bytes"),
        ));
    }
    Ok(directory)
}

fn volumes() -> Fault {
    Fault::new(FaultKind::Unsupported, "it is one of several volumes")
}

/// The zip64 record before the end record, if there is one.
fn wide_directory(
    reader: &mut dyn FileReader,
    end: u64,
) -> Result<Option<(Directory, u64)>, Fault> {
    const LOCATOR: u64 = 20;
    const RECORD: usize = 56;
    let Some(at) = end.checked_sub(LOCATOR) else {
        return Ok(None);
    };
    let locator = read_at(reader, at, LOCATOR as usize)?;
    if !locator.starts_with(b"PK\x06\x07") {
        return Ok(None);
    }
    let mut fields = Fields(&locator[4..]);
    let (disk, record_at, disks) = (fields.u32()?, fields.number(8)?, fields.u32()?);
    if disk != 0 || disks > 1 {
        return Err(volumes());
    }
    if record_at.checked_add(RECORD as u64) != Some(at) {
        return Err(corrupt("the zip64 record is at the wrong position"));
    }
    let record = read_at(reader, record_at, RECORD)?;
    let mut fields = Fields(&record);
    if fields.bytes(4)? != b"PK\x06\x06" {
        return Err(corrupt("the zip64 record is missing"));
    }
    fields.bytes(12)?; // its size, and versions
    let disks = (fields.u32()?, fields.u32()?);
    let (entries_here, entries) = (fields.number(8)?, fields.number(8)?);
    if disks != (0, 0) || entries_here != entries {
        return Err(volumes());
    }
    let (size, offset) = (fields.number(8)?, fields.number(8)?);
    let directory = Directory {
        offset,
        size,
        entries,
    };
    Ok(Some((directory, record_at)))
}

pub(super) fn entries(
    reader: &mut dyn FileReader,
    directory: &Directory,
) -> Result<Vec<Entry>, Fault> {
    let bytes = read_at(reader, directory.offset, directory.size as usize)?;
    let mut fields = Fields(&bytes);
    let mut entries = Vec::with_capacity(directory.entries as usize);
    while !fields.0.is_empty() {
        if entries.len() as u64 == directory.entries {
            return Err(lying(
                "its directory has more entries than the end record states",
            ));
        }
        entries.push(entry(&mut fields)?);
    }
    if (entries.len() as u64) < directory.entries {
        return Err(lying(
            "its directory has fewer entries than the end record states",
        ));
    }
    Ok(entries)
}

fn entry(fields: &mut Fields<'_>) -> Result<Entry, Fault> {
    if fields.bytes(4)? != b"PK\x01\x02" {
        return Err(corrupt("an entry of the directory is damaged"));
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
    widen(extra, &mut [&mut size, &mut packed, &mut offset])?;
    if disk != 0 {
        return Err(volumes());
    }
    let (text, legible) = text_of(&name, flags);
    let mut member = Member {
        kind: Kind::File,
        name: text,
        legible,
        size,
        executable: false,
        setuid: false,
        encrypted: flags & 0x2041 != 0,
    };
    kind_of(&mut member, made_by, attributes);
    if second_name(extra).is_some_and(|second| second != name) {
        return Err(lying("it has two names").of(&member.name));
    }
    if member.kind == Kind::Folder && size > 0 {
        return Err(lying("a folder has content").of(&member.name));
    }
    Ok(Entry {
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
fn extras(mut extra: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (head, rest) = extra.split_at_checked(4)?;
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let (content, after) = rest.split_at_checked(length)?;
        extra = after;
        Some((u16::from_le_bytes([head[0], head[1]]), content))
    })
}

/// Reads overflowed fields from the zip64 record, in this order.
pub(super) fn widen(extra: &[u8], narrow: &mut [&mut u64]) -> Result<(), Fault> {
    const WIDE: u16 = 1;
    let mut wide = extras(extra).filter(|(id, _)| *id == WIDE);
    let content = wide.next().map_or(&[][..], |(_, content)| content);
    if wide.next().is_some() {
        return Err(lying("an entry has two zip64 records"));
    }
    let mut fields = Fields(content);
    for value in narrow.iter_mut().filter(|value| ***value == 0xffff_ffff) {
        **value = fields.number(8)?;
    }
    Ok(())
}

/// The UTF-8 name that some programs add, after a version and a checksum.
fn second_name(extra: &[u8]) -> Option<&[u8]> {
    const UNICODE_NAME: u16 = 0x7075;
    extras(extra)
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

/// Sets the kind of a member by the conventions of the system that created it.
fn kind_of(member: &mut Member, made_by: u16, attributes: u32) {
    const UNIX: [u16; 2] = [3, 19];
    const DOS_FOLDER: u32 = 0x10;
    let mode = attributes >> 16;
    let is_unix = UNIX.contains(&(made_by >> 8)) && mode != 0;
    member.kind = match mode & 0o170_000 {
        0o120_000 if is_unix => Kind::Link,
        0o020_000 | 0o060_000 if is_unix => Kind::Device,
        0o010_000 if is_unix => Kind::Pipe,
        0o140_000 if is_unix => Kind::Other,
        _ if member.name.ends_with('/') || attributes & DOS_FOLDER != 0 => Kind::Folder,
        0o040_000 if is_unix => Kind::Folder,
        _ => Kind::File,
    };
    let is_file = member.kind == Kind::File && is_unix;
    member.executable = is_file && mode & 0o111 != 0;
    member.setuid = is_file && mode & 0o6000 != 0;
}
