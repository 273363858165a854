//! Reading archives: one visitor over the members of every format.
//!
//! The format is detected by the first bytes, never by the name. No crate here writes a file: members are streams within the limits,
//! and the tools decide what to do with them.

pub(super) mod sevenz;
pub(super) mod tar;
pub(super) mod zip;

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;

use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

use super::fault::{ArchiveError, ArchiveFault, FaultKind};
use super::limits::{ARCHIVE_MAX, BUFFER, DecoderLimit, MEMORY_MAX};
use crate::counted::CountingReader;
pub(super) use crate::files::walk::WalkControl;
use crate::prelude::*;

/// The formats of archives; all are read, all but 7z are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
pub(crate) enum ArchiveFormat {
    /// Zip.
    #[value(rename = "zip")]
    Zip,
    /// Tar, not compressed.
    #[value(rename = "tar")]
    Tar,
    /// Tar in gzip.
    #[value(rename = "tar.gz")]
    TarGz,
    /// Tar in bzip2.
    #[value(rename = "tar.bz2")]
    TarBz2,
    /// Tar in xz.
    #[value(rename = "tar.xz")]
    TarXz,
    /// Tar in Zstandard.
    #[value(rename = "tar.zst")]
    TarZst,
    /// 7z.
    #[value(rename = "7z", skip_decoding)]
    SevenZ,
}

impl ArchiveFormat {
    /// The format that the extension of a path names, among those that are written.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        const EXTENSIONS: [(&str, ArchiveFormat); 10] = [
            (".zip", ArchiveFormat::Zip),
            (".tar", ArchiveFormat::Tar),
            (".tar.gz", ArchiveFormat::TarGz),
            (".tgz", ArchiveFormat::TarGz),
            (".tar.bz2", ArchiveFormat::TarBz2),
            (".tbz2", ArchiveFormat::TarBz2),
            (".tar.xz", ArchiveFormat::TarXz),
            (".txz", ArchiveFormat::TarXz),
            (".tar.zst", ArchiveFormat::TarZst),
            (".tzst", ArchiveFormat::TarZst),
        ];
        let path = path.to_ascii_lowercase();
        let mut known = EXTENSIONS.into_iter();
        Some(known.find(|(ending, _)| path.ends_with(ending))?.1)
    }
}

/// The kind of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberKind {
    File,
    Folder,
    Link,
    HardLink,
    Device,
    Pipe,
    Other,
}

/// Metadata of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArchiveMember {
    pub(super) name: String,
    /// Whether the name is valid text; invalid bytes are shown as U+FFFD.
    pub(super) legible: bool,
    pub(super) kind: MemberKind,
    /// Decompressed size, as stated in the archive.
    pub(super) size: u64,
    pub(super) executable: bool,
    pub(super) setuid: bool,
    pub(super) encrypted: bool,
}

impl ArchiveMember {
    /// A file or a folder, or another kind if the mode of a Unix system names one; the name comes with its legibility.
    fn with_mode((name, legible): (String, bool), mode: u32, is_folder: bool, size: u64) -> Self {
        let kind = match mode & 0o170_000 {
            0o120_000 => MemberKind::Link,
            0o020_000 | 0o060_000 => MemberKind::Device,
            0o010_000 => MemberKind::Pipe,
            0o140_000 => MemberKind::Other,
            _ if is_folder => MemberKind::Folder,
            _ => MemberKind::File,
        };
        Self {
            name,
            legible,
            kind,
            size,
            executable: kind == MemberKind::File && mode & 0o111 != 0,
            setuid: kind == MemberKind::File && mode & 0o6000 != 0,
            encrypted: false,
        }
    }
}

/// Little-endian fields of a record, in their order.
struct RecordFields<'a>(&'a [u8]);

impl<'a> RecordFields<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], ArchiveFault> {
        let cut_short = || ArchiveFault::corrupt("a record of the directory is cut short");
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(cut_short)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self, count: usize) -> Result<u64, ArchiveFault> {
        let bytes = self.bytes(count)?.iter().rev();
        Ok(bytes.fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn u16(&mut self) -> Result<u16, ArchiveFault> {
        Ok(self.number(2)? as u16)
    }

    fn u32(&mut self) -> Result<u32, ArchiveFault> {
        Ok(self.number(4)? as u32)
    }
}

/// A visitor of members; it may read any part of the content.
pub(super) type Visit<'a> =
    dyn FnMut(&ArchiveMember, &mut dyn Read) -> Result<WalkControl, ArchiveError> + 'a;

/// An open archive.
pub(super) struct OpenArchive<'a> {
    pub(super) format: ArchiveFormat,
    /// Size of the archive itself.
    pub(super) packed: u64,
    reader: Box<dyn FileReader>,
    stop: &'a StopFlag,
}

impl<'a> OpenArchive<'a> {
    /// Opens the archive at `path`, after reserving the memory of a decoder and `more` bytes.
    ///
    /// # Errors
    /// As reading a file, at `/path`; a fault of the archive.
    pub(super) fn at_path(path: &str, more: u64, ctx: &'a Ctx) -> Result<Self> {
        ctx.reserve(MEMORY_MAX.saturating_add(more))?;
        let (_, reader) = ctx.files()?.open(path, LinkMode::Follow).at("/path")?;
        Ok(Self::open(reader, ctx.stop())?)
    }

    /// Detects the format by the first bytes.
    pub(super) fn open(
        mut reader: Box<dyn FileReader>,
        stop: &'a StopFlag,
    ) -> Result<Self, ArchiveFault> {
        let packed = reader.seek(SeekFrom::End(0))?;
        if packed > ARCHIVE_MAX {
            return Err(ArchiveFault::new(
                FaultKind::TooLarge,
                format_args!("the archive itself has more than {ARCHIVE_MAX} bytes"),
            ));
        }
        reader.seek(SeekFrom::Start(0))?;
        let mut start = Vec::with_capacity(tar::BLOCK);
        let mut block = reader.by_ref().take(tar::BLOCK as u64);
        block.read_to_end(&mut start)?;
        const UNKNOWN: &str = "its content is not of a known format";
        let unknown = || ArchiveFault::new(FaultKind::NotAnArchive, UNKNOWN);
        Ok(Self {
            format: format_of(&start).ok_or_else(unknown)?,
            packed,
            reader,
            stop,
        })
    }

    /// Visits the members in archive order.
    pub(super) fn each(&mut self, visit: &mut Visit<'_>) -> Result<(), ArchiveError> {
        let done = match self.format {
            ArchiveFormat::Zip => {
                zip::visit_zip_members(self.reader.as_mut(), self.packed, self.stop, visit)
            }
            ArchiveFormat::SevenZ => {
                sevenz::visit_sevenz_members(self.reader.as_mut(), self.packed, self.stop, visit)
            }
            _ => self.tar(visit),
        };
        // A stopped decoder reports broken input.
        self.stop.check()?;
        done
    }

    fn tar(&mut self, visit: &mut Visit<'_>) -> Result<(), ArchiveError> {
        self.reader.seek(SeekFrom::Start(0))?;
        let (counted, packed) = CountingReader::new(self.reader.as_mut());
        let input = BufReader::with_capacity(BUFFER, counted);
        let decoder: Box<dyn Read + '_> = match self.format {
            ArchiveFormat::TarGz => Box::new(flate2::bufread::MultiGzDecoder::new(input)),
            ArchiveFormat::TarBz2 => Box::new(bzip2::bufread::MultiBzDecoder::new(input)),
            ArchiveFormat::TarXz => Box::new(xz_decoder(input)?),
            ArchiveFormat::TarZst => Box::new(zstd_decoder(input)?),
            _ => Box::new(input),
        };
        let limited = DecoderLimit::new(decoder, packed, Rc::new(Cell::new(0)), self.stop);
        tar::visit_tar_members(BufReader::with_capacity(BUFFER, limited), visit)
    }
}

/// The content of a member; an early end is an error.
struct ExactReader<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for ExactReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = (buffer.len() as u64).min(self.left) as usize;
        let count = self.inner.read(&mut buffer[..wanted])?;
        if count == 0 && wanted > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= count as u64;
        Ok(count)
    }
}

/// Single-threaded: the multi-threaded decoder keeps whole blocks in memory.
fn xz_decoder<R: BufRead>(input: R) -> Result<XzDecoder<R>, ArchiveFault> {
    const OVERHEAD: u64 = 1 << 20; // beside the window
    let decoder = Stream::new_stream_decoder(MEMORY_MAX + OVERHEAD, CONCATENATED);
    let decoder = decoder.map_err(io::Error::from)?;
    Ok(XzDecoder::new_stream(input, decoder))
}

fn zstd_decoder<R: BufRead>(input: R) -> Result<zstd::Decoder<'static, R>, ArchiveFault> {
    let mut decoder = zstd::Decoder::with_buffer(input)?;
    decoder.window_log_max(MEMORY_MAX.ilog2())?;
    Ok(decoder)
}

fn format_of(start: &[u8]) -> Option<ArchiveFormat> {
    const MAGIC: [(&[u8], ArchiveFormat); 6] = [
        (b"PK\x03\x04", ArchiveFormat::Zip),
        (b"PK\x05\x06", ArchiveFormat::Zip),
        (b"\x1f\x8b", ArchiveFormat::TarGz),
        (b"\xfd7zXZ\0", ArchiveFormat::TarXz),
        (b"\x28\xb5\x2f\xfd", ArchiveFormat::TarZst),
        (b"7z\xbc\xaf\x27\x1c", ArchiveFormat::SevenZ),
    ];
    let known = MAGIC.iter().find(|(magic, _)| start.starts_with(magic));
    match (known, start) {
        (Some((_, format)), _) => Some(*format),
        (None, [b'B', b'Z', b'h', b'1'..=b'9', ..]) => Some(ArchiveFormat::TarBz2),
        _ => tar::is_header(start).then_some(ArchiveFormat::Tar),
    }
}
