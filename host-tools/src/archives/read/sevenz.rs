//! 7z, by the crate `sevenz-rust2`. The crate decodes the directory of an archive without limits, so the description of the directory
//! is checked here first, and one that needs too much never reaches the crate.

use std::io::SeekFrom;

use sevenz_rust2::{ArchiveEntry, ArchiveReader, Password};

use super::super::fault::{ArchiveError, ArchiveFault, FaultKind};
use super::super::limits::{self, MEMORY_MAX};
use super::{ArchiveMember, ExactReader, MemberKind, RecordFields, Visit, WalkControl};
use crate::prelude::*;

/// Maximum decompressed size of the directory.
const DIRECTORY_MAX: u64 = 16 << 20;
const AES: &[u8] = &[0x06, 0xf1, 0x07, 0x01];

pub(super) fn visit_sevenz_members(
    reader: &mut dyn FileReader,
    length: u64,
    stop: &StopFlag,
    visit: &mut Visit<'_>,
) -> Result<(), ArchiveError> {
    check_directory(reader, length)?;
    reader
        .seek(SeekFrom::Start(0))
        .map_err(ArchiveFault::from)?;
    let mut archive =
        ArchiveReader::new(reader, Password::empty()).map_err(convert_sevenz_error)?;
    archive.set_thread_count(1);
    check_stated_sizes(archive.archive(), length)?;
    let mut halt = None;
    let walked = archive.for_each_entries(|entry, content| {
        if stop.is_set() {
            return Ok(false);
        }
        let member = member_from_entry(entry);
        let mut whole = ExactReader {
            inner: content,
            left: if entry.has_stream { entry.size } else { 0 },
        };
        match visit(&member, &mut whole) {
            Ok(WalkControl::On) => {}
            Ok(WalkControl::Stop) => return Ok(false),
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
        None => walked.map_err(|err| convert_sevenz_error(err).into()),
    }
}

fn convert_sevenz_error(err: sevenz_rust2::Error) -> ArchiveFault {
    use sevenz_rust2::Error;
    match err {
        Error::Io(err, _) | Error::MaybeBadPassword(err) | Error::FileOpen(err, _) => err.into(),
        Error::PasswordRequired => ArchiveFault::encrypted(),
        Error::UnsupportedCompressionMethod(name) => {
            let name = super::super::fault::abbreviate_name(&name);
            ArchiveFault::unsupported(format_args!("unsupported compression method {name}"))
        }
        Error::Unsupported(what) => ArchiveFault::unsupported(what),
        Error::ExternalUnsupported => {
            ArchiveFault::unsupported("its directory is in another stream")
        }
        Error::MaxMemLimited { .. } => memory_fault(),
        other => ArchiveFault::corrupt(&format!("it is damaged: {other}")),
    }
}

fn memory_fault() -> ArchiveFault {
    ArchiveFault::new(
        FaultKind::Memory,
        format_args!("decompression needs more than {MEMORY_MAX} bytes of memory"),
    )
}

fn member_from_entry(entry: &ArchiveEntry) -> ArchiveMember {
    const UNIX: u32 = 0x8000;
    let attributes = entry.windows_attributes;
    let mode = match entry.has_windows_attributes && attributes & UNIX != 0 {
        true => attributes >> 16,
        false => 0,
    };
    let legible = !entry.name.contains('\u{fffd}');
    let size = if entry.has_stream { entry.size } else { 0 };
    let name = (entry.name.clone(), legible);
    let mut member = ArchiveMember::with_mode(name, mode, entry.is_directory, size);
    if entry.is_anti_item && matches!(member.kind, MemberKind::File | MemberKind::Folder) {
        member.kind = MemberKind::Other;
    }
    member
}

/// Checks the sizes stated in the directory, which bound the output of the decoders.
fn check_stated_sizes(archive: &sevenz_rust2::Archive, length: u64) -> Result<(), ArchiveFault> {
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

fn check_coder(method: &[u8], properties: &[u8]) -> Result<(), ArchiveFault> {
    let window = match method {
        AES => return Err(ArchiveFault::encrypted()),
        [0x03, 0x01, 0x01] | [0x03, 0x04, 0x01] => {
            let window = RecordFields(properties.get(1..).unwrap_or_default()).number(4);
            window.unwrap_or(u64::MAX)
        }
        [0x21] => match properties.first() {
            Some(&bits @ 0..40) => u64::from(2 | u32::from(bits) & 1) << (bits / 2 + 11),
            _ => u64::MAX,
        },
        _ => 0,
    };
    if window > MEMORY_MAX {
        return Err(memory_fault());
    }
    Ok(())
}

impl RecordFields<'_> {
    fn byte(&mut self) -> Result<u8, ArchiveFault> {
        Ok(self.bytes(1)?[0])
    }

    /// A variable-length number: the first byte states how many follow.
    fn variable(&mut self) -> Result<u64, ArchiveFault> {
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

/// Checks the position of the directory and, if it is compressed, its method: one stream through simple coders, within the limits.
fn check_directory(reader: &mut dyn FileReader, length: u64) -> Result<(), ArchiveFault> {
    const START: u64 = 32;
    const PACKED: u8 = 0x17;
    let mut start = [0; START as usize];
    reader.seek(SeekFrom::Start(0))?;
    reader.read_exact(&mut start)?;
    let mut fields = RecordFields(&start[12..]);
    let (offset, size) = (fields.number(8)?, fields.number(8)?);
    if size == 0 && offset == 0 {
        // The crate would search the whole file for a missing directory.
        return Err(ArchiveFault::new(
            FaultKind::Truncated,
            "it has no directory",
        ));
    }
    if START.saturating_add(offset).saturating_add(size) > length {
        return Err(ArchiveFault::truncated());
    }
    if size > DIRECTORY_MAX {
        return Err(memory_fault());
    }
    let mut bytes = vec![0; size as usize];
    reader.seek(SeekFrom::Start(START + offset))?;
    reader.read_exact(&mut bytes)?;
    let mut fields = RecordFields(&bytes);
    if fields.byte()? == PACKED {
        check_packed(&mut fields)?;
    }
    Ok(())
}

fn check_packed(fields: &mut RecordFields<'_>) -> Result<(), ArchiveFault> {
    const END: u8 = 0;
    const PACK_INFO: u8 = 6;
    const UNPACK_INFO: u8 = 7;
    const SIZE: u8 = 9;
    const CHECKSUM: u8 = 10;
    const FOLDER: u8 = 11;
    const UNPACK_SIZE: u8 = 12;
    let require = |simple: bool| match simple {
        true => Ok(()),
        false => Err(ArchiveFault::unsupported(
            "its directory is compressed in an unusual way",
        )),
    };
    require(fields.byte()? == PACK_INFO)?;
    fields.variable()?; // place
    require(fields.variable()? == 1)?;
    require(fields.byte()? == SIZE)?;
    fields.variable()?;
    let mut next = fields.byte()?;
    if next == CHECKSUM {
        let all = fields.byte()? != 0;
        if all || fields.byte()? & 0x80 != 0 {
            fields.bytes(4)?;
        }
        next = fields.byte()?;
    }
    require(next == END)?;
    require(fields.bytes(2)? == [UNPACK_INFO, FOLDER])?;
    require(fields.variable()? == 1 && fields.byte()? == 0)?;
    let coders = fields.variable()?;
    require((1..=4).contains(&coders))?;
    for _ in 0..coders {
        let flags = fields.byte()?;
        let method = fields.bytes(usize::from(flags & 0x0f))?;
        require(flags & 0xd0 == 0)?; // several streams, or alternatives
        let has_properties = flags & 0x20 != 0;
        let count = if has_properties {
            fields.variable()?
        } else {
            0
        };
        check_coder(
            method,
            fields.bytes(usize::try_from(count).unwrap_or(usize::MAX))?,
        )?;
    }
    for _ in 1..coders {
        fields.variable()?; // which coder feeds which
        fields.variable()?;
    }
    require(fields.byte()? == UNPACK_SIZE)?;
    for _ in 0..coders {
        if fields.variable()? > DIRECTORY_MAX {
            return Err(memory_fault());
        }
    }
    Ok(())
}
