//! Tar: ustar, GNU and pax. Long names are bounded, sparse files refused, and only zeros may follow the end.

use std::io::{BufRead, Read};

use super::super::fault::{ArchiveError, ArchiveFault, FaultKind};
use super::super::limits;
use super::{ArchiveMember, ExactReader, MemberKind, Visit, WalkControl};

pub(in super::super) const BLOCK: usize = 512;
/// Maximum size of an extended header.
const EXTENDED_MAX: u64 = 1 << 20;
/// Maximum extended headers of one member.
const EXTENDED_COUNT_MAX: usize = 8;

/// Extended headers of the next member.
#[derive(Default)]
struct TarExtension {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    count: usize,
}

/// Whether a block is a header, or the end of an archive without members.
pub(super) fn is_header(block: &[u8]) -> bool {
    block.len() == BLOCK && (checksum_fits(block) || block.iter().all(|&byte| byte == 0))
}

pub(super) fn visit_tar_members(
    mut reader: impl BufRead,
    visit: &mut Visit<'_>,
) -> Result<(), ArchiveError> {
    let mut extended = TarExtension::default();
    let mut members = 0;
    loop {
        let mut block = [0; BLOCK];
        read_exact(&mut reader, &mut block)?;
        if block.iter().all(|&byte| byte == 0) {
            return Ok(at_end(reader, &extended)?);
        }
        if !checksum_fits(&block) {
            return Err(ArchiveFault::corrupt("the checksum of a header is wrong").into());
        }
        let mut size = parse_number_field(&block[124..136])?;
        let kind = block[156];
        if matches!(kind, b'x' | b'g' | b'L' | b'K') {
            let content = extended_content(&mut reader, size)?;
            extended.take(kind, content)?;
            continue;
        }
        members += 1;
        limits::check_members(members)?;
        let this = std::mem::take(&mut extended);
        size = this.size.unwrap_or(size);
        let member = parse_header_block(&block, this.name, size)?;
        let has_content = !matches!(
            member.kind,
            MemberKind::Folder | MemberKind::Link | MemberKind::HardLink
        );
        if !has_content {
            size = 0;
        }
        limits::check_file(size).map_err(|fault| fault.of(&member.name))?;
        let mut content = ExactReader {
            inner: reader.by_ref(),
            left: size,
        };
        if visit(&member, &mut content)? == WalkControl::Stop {
            return Ok(());
        }
        let left = content.left;
        skip_bytes(&mut reader, left + block_padding(size))?;
    }
}

fn read_exact(reader: &mut impl Read, buffer: &mut [u8]) -> Result<(), ArchiveFault> {
    reader.read_exact(buffer).map_err(ArchiveFault::from)
}

fn skip_bytes(reader: &mut impl BufRead, mut count: u64) -> Result<(), ArchiveFault> {
    while count > 0 {
        let there = reader.fill_buf()?.len() as u64;
        if there == 0 {
            return Err(ArchiveFault::truncated());
        }
        let step = there.min(count);
        reader.consume(step as usize);
        count -= step;
    }
    Ok(())
}

fn block_padding(size: u64) -> u64 {
    size.wrapping_neg() % BLOCK as u64
}

/// Requires zeros after the end: other programs continue reading there.
fn at_end(mut reader: impl BufRead, extended: &TarExtension) -> Result<(), ArchiveFault> {
    if extended.count > 0 {
        return Err(ArchiveFault::corrupt("a header belongs to no member"));
    }
    loop {
        let part = reader.fill_buf()?;
        if part.is_empty() {
            return Ok(());
        }
        if part.iter().any(|&byte| byte != 0) {
            let message = "data follows the end of the archive";
            return Err(ArchiveFault::new(FaultKind::TrailingData, message));
        }
        let count = part.len();
        reader.consume(count);
    }
}

fn extended_content(reader: &mut impl BufRead, size: u64) -> Result<Vec<u8>, ArchiveFault> {
    if size > EXTENDED_MAX {
        let message = format_args!("an extended header has more than {EXTENDED_MAX} bytes");
        return Err(ArchiveFault::new(FaultKind::NameLength, message));
    }
    let mut content = vec![0; size as usize];
    read_exact(reader, &mut content)?;
    skip_bytes(reader, block_padding(size))?;
    Ok(content)
}

impl TarExtension {
    fn take(&mut self, kind: u8, content: Vec<u8>) -> Result<(), ArchiveFault> {
        self.count += 1;
        if self.count > EXTENDED_COUNT_MAX {
            return Err(ArchiveFault::corrupt("one member has too many headers"));
        }
        match kind {
            b'L' => self.set_name(field_text(&content)),
            b'x' | b'g' => self.records(&content, kind == b'g'),
            _ => Ok(()), // the target of a link; links are refused
        }
    }

    /// Refuses two names for one member: programs disagree which one counts.
    fn set_name(&mut self, name: Vec<u8>) -> Result<(), ArchiveFault> {
        match self.name.replace(name) {
            Some(_) => Err(ArchiveFault::lying("a member has two long names")),
            None => Ok(()),
        }
    }

    /// Records `length key=value` and a line feed; the length counts itself.
    fn records(&mut self, mut rest: &[u8], global: bool) -> Result<(), ArchiveFault> {
        while !rest.is_empty() {
            let corrupt = || ArchiveFault::corrupt("invalid extended header");
            let (key, value, after) = parse_pax_record(rest).ok_or_else(corrupt)?;
            match key {
                b"path" | b"size" | b"linkpath" if global => {
                    let message = "one header gives a name or a size to all members";
                    return Err(ArchiveFault::lying(message));
                }
                b"path" => self.set_name(value.to_vec())?,
                b"size" => {
                    let size = parse_decimal(value).ok_or_else(corrupt)?;
                    if self.size.replace(size).is_some() {
                        return Err(ArchiveFault::lying("a member has two sizes"));
                    }
                }
                key if key.starts_with(b"GNU.sparse") => return Err(sparse_fault()),
                _ => {}
            }
            rest = after;
        }
        Ok(())
    }
}

/// The key and value of a record, and the bytes after it.
fn parse_pax_record(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = bytes.iter().position(|&byte| byte == b' ')?;
    let length = usize::try_from(parse_decimal(&bytes[..space])?).ok()?;
    let record = bytes.get(space + 1..length)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|&byte| byte == b'=')?;
    Some((&record[..equals], &record[equals + 1..], &bytes[length..]))
}

fn parse_decimal(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The bytes before the first zero.
fn field_text(field: &[u8]) -> Vec<u8> {
    let end = field.iter().position(|&byte| byte == 0);
    field[..end.unwrap_or(field.len())].to_vec()
}

fn sparse_fault() -> ArchiveFault {
    ArchiveFault::unsupported("it has a sparse file")
}

fn parse_header_block(
    block: &[u8; BLOCK],
    long_name: Option<Vec<u8>>,
    size: u64,
) -> Result<ArchiveMember, ArchiveFault> {
    let name = long_name.unwrap_or_else(|| {
        let name = field_text(&block[..100]);
        let prefix = field_text(&block[345..500]);
        // The GNU format uses the field of the prefix differently.
        if &block[257..263] == b"ustar\0" && !prefix.is_empty() {
            [prefix, name].join(&b'/')
        } else {
            name
        }
    });
    let kind = match block[156] {
        0 if name.ends_with(b"/") => MemberKind::Folder,
        0 | b'0' | b'7' => MemberKind::File,
        b'1' => MemberKind::HardLink,
        b'2' => MemberKind::Link,
        b'3' | b'4' => MemberKind::Device,
        b'5' => MemberKind::Folder,
        b'6' => MemberKind::Pipe,
        b'S' => return Err(sparse_fault().of(&String::from_utf8_lossy(&name))),
        _ => MemberKind::Other,
    };
    let mode = parse_number_field(&block[100..108])?;
    Ok(ArchiveMember {
        legible: std::str::from_utf8(&name).is_ok(),
        name: String::from_utf8_lossy(&name).into_owned(),
        kind,
        size,
        executable: kind == MemberKind::File && mode & 0o111 != 0,
        setuid: kind == MemberKind::File && mode & 0o6000 != 0,
        encrypted: false,
    })
}

/// A number in octal, or in bytes when the first has its highest bit set.
fn parse_number_field(field: &[u8]) -> Result<u64, ArchiveFault> {
    let corrupt = || ArchiveFault::corrupt("invalid number in a header");
    let (base, digits) = if field[0] & 0x80 != 0 {
        let first = field[0] & 0x7f;
        (256, [&[first], &field[1..]].concat())
    } else {
        let digits = field.iter().skip_while(|&&byte| byte == b' ');
        let digits = digits.take_while(|&&byte| byte != b' ' && byte != 0);
        (8, digits.map(|byte| byte.wrapping_sub(b'0')).collect())
    };
    digits.into_iter().try_fold(0, |value: u64, digit| {
        let digit = Some(u64::from(digit)).filter(|digit| *digit < base);
        let value = value.checked_mul(base).zip(digit);
        value
            .map(|(value, digit)| value + digit)
            .ok_or_else(corrupt)
    })
}

/// Compares the checksum with the sum of all bytes, its own counted as spaces; old programs sum signed bytes.
fn checksum_fits(block: &[u8]) -> bool {
    let Ok(stated) = parse_number_field(&block[148..156]) else {
        return false;
    };
    let rest = || block[..148].iter().chain(&block[156..BLOCK]);
    let unsigned: u64 = rest().map(|&byte| u64::from(byte)).sum::<u64>() + 8 * 32;
    let signed: i64 = rest().map(|&byte| i64::from(byte as i8)).sum::<i64>() + 8 * 32;
    stated == unsigned || i64::try_from(stated) == Ok(signed)
}
