//! 7z, by the crate `sevenz-rust2`. The crate decodes the directory of an archive without limits, so the description of the directory
//! is checked here first, and one that needs too much never reaches the crate.

use std::io::SeekFrom;

use sevenz_rust2::{ArchiveEntry, ArchiveReader, Password};
use tool_core::StopFlag;
use tool_core::capability::FileReader;

use super::super::fault::{Fault, FaultKind, Halt};
use super::super::limits::{self, MEMORY_MAX};
use super::{Kind, Member, Next, Visit, Whole};

/// Maximum decompressed size of the directory.
const DIRECTORY_MAX: u64 = 16 << 20;
const AES: &[u8] = &[0x06, 0xf1, 0x07, 0x01];

pub(super) fn each(
    reader: &mut dyn FileReader,
    length: u64,
    stop: &StopFlag,
    visit: &mut Visit<'_>,
) -> Result<(), Halt> {
    check_directory(reader, length)?;
    reader.seek(SeekFrom::Start(0)).map_err(Fault::from)?;
    let mut archive = ArchiveReader::new(reader, Password::empty()).map_err(fault)?;
    archive.set_thread_count(1);
    check(archive.archive(), length)?;
    let mut halt = None;
    let walked = archive.for_each_entries(|entry, content| {
        if stop.is_set() {
            return Ok(false);
        }
        let member = member(entry);
        let mut whole = Whole {
            inner: content,
            left: if entry.has_stream { entry.size } else { 0 },
        };
        match visit(&member, &mut whole) {
            Ok(Next::On) => {}
            Ok(Next::Stop) => return Ok(false),
            Err(err) => {
                halt = Some(err);
                return Ok(false);
            }
        }
        // The unread rest is decoded and checked all the same.
        std::io::copy(&mut whole, &mut std::io::sink())?;
        Ok(true)
    });
    match halt {
        Some(halt) => Err(halt),
        None => walked.map_err(|err| fault(err).into()),
    }
}

fn fault(err: sevenz_rust2::Error) -> Fault {
    use sevenz_rust2::Error;
    match err {
        Error::Io(err, _) | Error::MaybeBadPassword(err) | Error::FileOpen(err, _) => err.into(),
        Error::PasswordRequired => encrypted(),
        Error::UnsupportedCompressionMethod(name) => Fault::new(
            FaultKind::Unsupported,
            format_args!(
                "unsupported compression method {}",
                super::super::fault::brief(&name)
            ),
        ),
        Error::Unsupported(what) => Fault::new(FaultKind::Unsupported, what),
        Error::ExternalUnsupported => {
            Fault::new(FaultKind::Unsupported, "its directory is in another stream")
        }
        Error::MaxMemLimited { .. } => memory(),
        other => Fault::new(FaultKind::Corrupt, format_args!("it is damaged: {other}")),
    }
}

fn encrypted() -> Fault {
    Fault::new(FaultKind::Encrypted, "it is encrypted")
}

fn memory() -> Fault {
    Fault::new(
        FaultKind::Memory,
        format_args!("decompression needs more than {MEMORY_MAX} bytes of memory"),
    )
}

fn member(entry: &ArchiveEntry) -> Member {
    const UNIX: u32 = 0x8000;
    let attributes = if entry.has_windows_attributes {
        entry.windows_attributes
    } else {
        0
    };
    let mode = if attributes & UNIX != 0 {
        attributes >> 16
    } else {
        0
    };
    let kind = match mode & 0o170_000 {
        0o120_000 => Kind::Link,
        0o020_000 | 0o060_000 => Kind::Device,
        0o010_000 => Kind::Pipe,
        0o140_000 => Kind::Other,
        _ if entry.is_anti_item => Kind::Other,
        _ if entry.is_directory => Kind::Folder,
        _ => Kind::File,
    };
    Member {
        name: entry.name.clone(),
        legible: !entry.name.contains('\u{fffd}'),
        kind,
        size: if entry.has_stream { entry.size } else { 0 },
        executable: kind == Kind::File && mode & 0o111 != 0,
        setuid: kind == Kind::File && mode & 0o6000 != 0,
        encrypted: false,
    }
}

/// Checks the sizes stated in the directory, which bound the output of the decoders.
fn check(archive: &sevenz_rust2::Archive, length: u64) -> Result<(), Fault> {
    limits::check_members(archive.files.len() as u64)?;
    let mut total: u64 = 0;
    for file in archive.files.iter().filter(|file| file.has_stream) {
        limits::check_file(file.size).map_err(|fault| fault.of(&file.name))?;
        total = total.saturating_add(file.size);
    }
    let mut unpacked: u64 = 0;
    for block in &archive.blocks {
        unpacked = unpacked.saturating_add(block.get_unpack_size());
        for (_, coder) in block.ordered_coder_iter() {
            check_coder(coder.encoder_method_id(), coder.properties())?;
        }
    }
    limits::check_total(total.max(unpacked))?;
    limits::check_ratio(length, total.max(unpacked))
}

fn check_coder(method: &[u8], properties: &[u8]) -> Result<(), Fault> {
    let four = |at: usize| {
        let bytes = properties.get(at..at + 4)?;
        Some(u64::from(u32::from_le_bytes([
            bytes[0], bytes[1], bytes[2], bytes[3],
        ])))
    };
    let window = match method {
        AES => return Err(encrypted()),
        [0x03, 0x01, 0x01] | [0x03, 0x04, 0x01] => four(1).unwrap_or(u64::MAX),
        [0x21] => match properties.first() {
            Some(&bits @ 0..40) => u64::from(2 | u32::from(bits) & 1) << (bits / 2 + 11),
            _ => u64::MAX,
        },
        _ => 0,
    };
    if window > MEMORY_MAX {
        return Err(memory());
    }
    Ok(())
}

/// A cursor over the bytes of a directory or its description.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn bytes(&mut self, count: u64) -> Result<&[u8], Fault> {
        let count = usize::try_from(count).map_err(|_| corrupt())?;
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(corrupt)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        Ok(self.bytes(1)?[0])
    }

    /// A number whose first byte says how many follow.
    fn number(&mut self) -> Result<u64, Fault> {
        let first = u64::from(self.byte()?);
        let (mut mask, mut value) = (0x80, 0);
        for index in 0..8 {
            if first & mask == 0 {
                return Ok(value | (first & (mask - 1)) << (8 * index));
            }
            value |= u64::from(self.byte()?) << (8 * index);
            mask >>= 1;
        }
        Ok(value)
    }
}

fn corrupt() -> Fault {
    Fault::new(FaultKind::Corrupt, "invalid directory")
}

fn unsupported() -> Fault {
    Fault::new(
        FaultKind::Unsupported,
        "its directory is compressed in an unusual way",
    )
}

/// Checks the position of the directory and, if it is compressed, its method: one stream through simple coders, within the limits.
fn check_directory(reader: &mut dyn FileReader, length: u64) -> Result<(), Fault> {
    const START: u64 = 32;
    const PACKED: u8 = 0x17;
    let mut start = [0; START as usize];
    reader.seek(SeekFrom::Start(0))?;
    reader.read_exact(&mut start)?;
    let number = |at: usize| {
        start[at..at + 8]
            .iter()
            .rev()
            .fold(0, |value: u64, &byte| value << 8 | u64::from(byte))
    };
    let (offset, size) = (number(12), number(20));
    if size == 0 && offset == 0 {
        // The crate would search the whole file for a missing directory.
        return Err(Fault::new(FaultKind::Truncated, "it has no directory"));
    }
    let end = START
        .checked_add(offset)
        .and_then(|at| at.checked_add(size));
    if end.is_none_or(|end| end > length) {
        return Err(Fault::new(FaultKind::Truncated, "the archive ends early"));
    }
    if size > DIRECTORY_MAX {
        return Err(memory());
    }
    let mut bytes = vec![0; size as usize];
    reader.seek(SeekFrom::Start(START + offset))?;
    reader.read_exact(&mut bytes)?;
    let mut fields = Fields(&bytes);
    if fields.byte()? == PACKED {
        check_packed(&mut fields)?;
    }
    Ok(())
}

fn check_packed(fields: &mut Fields<'_>) -> Result<(), Fault> {
    const END: u8 = 0;
    const PACK_INFO: u8 = 6;
    const UNPACK_INFO: u8 = 7;
    const SIZE: u8 = 9;
    const CHECKSUM: u8 = 10;
    const FOLDER: u8 = 11;
    const UNPACK_SIZE: u8 = 12;
    let expect = |found: u8, wanted: u8| {
        if found == wanted {
            Ok(())
        } else {
            Err(unsupported())
        }
    };
    expect(fields.byte()?, PACK_INFO)?;
    fields.number()?; // place
    if fields.number()? != 1 {
        return Err(unsupported());
    }
    expect(fields.byte()?, SIZE)?;
    fields.number()?;
    let mut next = fields.byte()?;
    if next == CHECKSUM {
        let all = fields.byte()? != 0;
        if all || fields.byte()? & 0x80 != 0 {
            fields.bytes(4)?;
        }
        next = fields.byte()?;
    }
    expect(next, END)?;
    expect(fields.byte()?, UNPACK_INFO)?;
    expect(fields.byte()?, FOLDER)?;
    if fields.number()? != 1 || fields.byte()? != 0 {
        return Err(unsupported());
    }
    let coders = fields.number()?;
    if !(1..=4).contains(&coders) {
        return Err(unsupported());
    }
    for _ in 0..coders {
        let flags = fields.byte()?;
        let method = fields.bytes(u64::from(flags & 0x0f))?.to_vec();
        if flags & 0xd0 != 0 {
            return Err(unsupported()); // several streams, or alternatives
        }
        let count = if flags & 0x20 != 0 {
            fields.number()?
        } else {
            0
        };
        let properties = fields.bytes(count)?;
        check_coder(&method, properties)?;
    }
    for _ in 1..coders {
        fields.number()?; // which coder feeds which
        fields.number()?;
    }
    expect(fields.byte()?, UNPACK_SIZE)?;
    for _ in 0..coders {
        if fields.number()? > DIRECTORY_MAX {
            return Err(memory());
        }
    }
    Ok(())
}
