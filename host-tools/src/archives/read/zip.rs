//! Zip, read from its directory. Every member's own header is held against the directory before anything is unpacked, and no two
//! members may share bytes; other programs go by one or the other.

use std::cell::Cell;
use std::io::{BufReader, Read, SeekFrom};
use std::rc::Rc;

use tool_core::StopFlag;
use tool_core::capability::FileReader;

use super::super::fault::{Fault, FaultKind, Halt};
use super::super::limits::{self, BUFFER, Counted, Limited};
use super::{Kind, Member, Next, Visit};

/// Bytes of the record at the end, without its comment.
const END: usize = 22;
/// Longest comment.
const COMMENT_MAX: usize = 65_535;
/// Largest directory that is read.
const DIRECTORY_MAX: u64 = 64 << 20;

/// One entry of the directory.
struct Entry {
    member: Member,
    name: Vec<u8>,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    offset: u64,
}

/// Where the directory is.
struct Directory {
    offset: u64,
    size: u64,
    entries: u64,
}

pub(super) fn each(
    reader: &mut dyn FileReader,
    length: u64,
    stop: &StopFlag,
    visit: &mut Visit<'_>,
) -> Result<(), Halt> {
    let directory = find_directory(reader, length)?;
    limits::check_members(directory.entries)?;
    let entries = entries(reader, &directory)?;
    check_sizes(&entries)?;
    let starts = check_headers(reader, &entries, directory.offset, stop)?;
    let total = Rc::new(Cell::new(0));
    for (entry, start) in entries.iter().zip(starts) {
        stop.check()?;
        reader.seek(SeekFrom::Start(start)).map_err(Fault::from)?;
        let next = if entry.member.encrypted {
            visit(&entry.member, &mut std::io::empty())?
        } else {
            let mut content = content(entry, reader, &total, stop);
            visit(&entry.member, &mut content)?
        };
        if next == Next::Stop {
            return Ok(());
        }
    }
    Ok(())
}

fn corrupt(message: &str) -> Fault {
    Fault::new(FaultKind::Corrupt, message)
}

fn lying(message: &str) -> Fault {
    Fault::new(FaultKind::LyingHeader, message)
}

/// The unpacked bytes of a member, checked for size and checksum at their end.
fn content<'a>(
    entry: &Entry,
    reader: &'a mut dyn FileReader,
    total: &Rc<Cell<u64>>,
    stop: &'a StopFlag,
) -> Box<dyn Read + 'a> {
    let (counted, packed) = Counted::new(reader.take(entry.packed));
    let input = BufReader::with_capacity(BUFFER.min(entry.packed as usize + 1), counted);
    let decoder: Box<dyn Read + 'a> = match entry.method {
        0 => Box::new(input),
        8 => Box::new(flate2::bufread::DeflateDecoder::new(input)),
        12 => Box::new(bzip2::bufread::BzDecoder::new(input)),
        93 => match super::zstd(input) {
            Ok(decoder) => Box::new(decoder),
            Err(fault) => Box::new(Broken(Some(fault))),
        },
        95 => match super::xz(input) {
            Ok(decoder) => Box::new(decoder),
            Err(fault) => Box::new(Broken(Some(fault))),
        },
        other => Box::new(Broken(Some(Fault::new(
            FaultKind::Unsupported,
            format_args!("it is packed by method {other}"),
        )))),
    };
    Box::new(Checked {
        inner: Limited::new(decoder, Rc::clone(&packed), Rc::clone(total), stop),
        packed,
        packed_size: entry.packed,
        left: entry.size,
        sum: crc32fast::Hasher::new(),
        crc: entry.crc,
        done: false,
    })
}

/// A member that cannot be unpacked.
struct Broken(Option<Fault>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        let fault = self.0.take();
        Err(fault
            .unwrap_or_else(|| corrupt("it cannot be unpacked"))
            .into_io())
    }
}

struct Checked<R> {
    inner: R,
    packed: Rc<Cell<u64>>,
    packed_size: u64,
    left: u64,
    sum: crc32fast::Hasher,
    crc: u32,
    done: bool,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.done || buffer.is_empty() {
            return Ok(0);
        }
        let count = self.inner.read(buffer)?;
        if count as u64 > self.left {
            return Err(lying("it has more bytes than its header says").into_io());
        }
        self.left -= count as u64;
        self.sum.update(&buffer[..count]);
        if count > 0 {
            return Ok(count);
        }
        self.done = true;
        if self.left > 0 {
            return Err(lying("it has fewer bytes than its header says").into_io());
        }
        if self.packed.get() < self.packed_size {
            return Err(lying("it has fewer packed bytes than its header says").into_io());
        }
        if self.sum.clone().finalize() != self.crc {
            return Err(corrupt("its checksum is wrong").into_io());
        }
        Ok(0)
    }
}

/// Little-endian fields of a record, in their order.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or_else(|| corrupt("a record of the directory is cut short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self, count: usize) -> Result<u64, Fault> {
        let bytes = self.bytes(count)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn u16(&mut self) -> Result<u16, Fault> {
        Ok(self.number(2)? as u16)
    }

    fn u32(&mut self) -> Result<u32, Fault> {
        Ok(self.number(4)? as u32)
    }
}

fn read_at(reader: &mut dyn FileReader, offset: u64, count: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = vec![0; count];
    reader.seek(SeekFrom::Start(offset))?;
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn find_directory(reader: &mut dyn FileReader, length: u64) -> Result<Directory, Fault> {
    let count = length.min((END + COMMENT_MAX) as u64) as usize;
    let tail = read_at(reader, length - count as u64, count)?;
    // The comment must reach to the end of the file, so that there is one end only.
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
            "the directory is not where the end of the archive says",
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

/// The wide record (zip64) before the end, where there is one.
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
        return Err(corrupt(
            "the wide record of the directory is not where it should be",
        ));
    }
    let record = read_at(reader, record_at, RECORD)?;
    let mut fields = Fields(&record);
    if fields.bytes(4)? != b"PK\x06\x06" {
        return Err(corrupt("the wide record of the directory is missing"));
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

fn entries(reader: &mut dyn FileReader, directory: &Directory) -> Result<Vec<Entry>, Fault> {
    let bytes = read_at(reader, directory.offset, directory.size as usize)?;
    let mut fields = Fields(&bytes);
    let mut entries = Vec::with_capacity(directory.entries as usize);
    while !fields.0.is_empty() {
        if entries.len() as u64 == directory.entries {
            return Err(lying(
                "its directory has more entries than the end of the archive says",
            ));
        }
        entries.push(entry(&mut fields)?);
    }
    if (entries.len() as u64) < directory.entries {
        return Err(lying(
            "its directory has fewer entries than the end of the archive says",
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

/// The records of an extra field; what cannot be read ends them, as in other programs.
fn extras(mut extra: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (head, rest) = extra.split_at_checked(4)?;
        let length = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let (content, after) = rest.split_at_checked(length)?;
        extra = after;
        Some((u16::from_le_bytes([head[0], head[1]]), content))
    })
}

/// Fields that are too narrow stand in the wide record, in this order.
fn widen(extra: &[u8], narrow: &mut [&mut u64]) -> Result<(), Fault> {
    const WIDE: u16 = 1;
    let mut wide = extras(extra).filter(|(id, _)| *id == WIDE);
    let content = wide.next().map_or(&[][..], |(_, content)| content);
    if wide.next().is_some() {
        return Err(lying("an entry has two wide records"));
    }
    let mut fields = Fields(content);
    for value in narrow.iter_mut().filter(|value| ***value == 0xffff_ffff) {
        **value = fields.number(8)?;
    }
    Ok(())
}

/// The name in UTF-8 that some programs add, behind a version and a checksum.
fn second_name(extra: &[u8]) -> Option<&[u8]> {
    const UNICODE_NAME: u16 = 0x7075;
    extras(extra)
        .find(|(id, _)| *id == UNICODE_NAME)
        .and_then(|(_, content)| content.get(5..))
}

/// UTF-8 where the flag or the bytes say so, else the code page of the first PCs.
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

/// What a member is, from the system that made it.
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

/// The directory alone says enough to refuse most bombs before anything is read.
fn check_sizes(entries: &[Entry]) -> Result<(), Fault> {
    let mut total: u64 = 0;
    for entry in entries {
        let named = |fault: Fault| fault.of(&entry.member.name);
        limits::check_file(entry.size).map_err(named)?;
        limits::check_ratio(entry.packed, entry.size).map_err(named)?;
        total = total.saturating_add(entry.size);
    }
    limits::check_total(total)
}

/// Where each member's packed bytes begin, after its own header has said the same as the directory.
fn check_headers(
    reader: &mut dyn FileReader,
    entries: &[Entry],
    directory: u64,
    stop: &StopFlag,
) -> Result<Vec<u64>, Halt> {
    let mut starts = Vec::with_capacity(entries.len());
    let mut ranges = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        if index.is_multiple_of(256) {
            stop.check()?;
        }
        let start =
            header(reader, entry, directory).map_err(|fault| fault.of(&entry.member.name))?;
        let end = start
            .checked_add(entry.packed)
            .filter(|end| *end <= directory)
            .ok_or_else(|| lying("its bytes reach into the directory").of(&entry.member.name))?;
        starts.push(start);
        ranges.push((entry.offset, end, &entry.member.name));
    }
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        let ((_, end, first), (start, _, second)) = (pair[0], pair[1]);
        if start < end {
            let message = format!(
                "it shares bytes with `{}`",
                super::super::fault::brief(first)
            );
            return Err(Fault::new(FaultKind::Overlap, message).of(second).into());
        }
    }
    Ok(starts)
}

fn header(reader: &mut dyn FileReader, entry: &Entry, directory: u64) -> Result<u64, Fault> {
    const HEADER: usize = 30;
    const SIZES_FOLLOW: u16 = 8;
    let beyond = || lying("its header is not where the directory says");
    let after = entry.offset.checked_add(HEADER as u64);
    if after.is_none_or(|after| after > directory) {
        return Err(beyond());
    }
    let wanted = (HEADER + entry.name.len()) as u64;
    let room = (directory - entry.offset).min(wanted) as usize;
    let bytes = read_at(reader, entry.offset, room)?;
    let mut fields = Fields(&bytes);
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
        return Err(lying("its header has another name than the directory"));
    }
    let extra_at = entry.offset + wanted;
    let start = extra_at + extra_length as u64;
    if start > directory {
        return Err(beyond());
    }
    if packed == 0xffff_ffff || size == 0xffff_ffff {
        let extra = read_at(reader, extra_at, extra_length)?;
        widen(&extra, &mut [&mut size, &mut packed])?;
    }
    let named = flags & SIZES_FOLLOW == 0;
    let same_sizes = (packed, size, crc) == (entry.packed, entry.size, entry.crc);
    if method != entry.method || (flags ^ entry.flags) & 0x2049 != 0 || named && !same_sizes {
        return Err(lying("its header contradicts the directory"));
    }
    Ok(start)
}
