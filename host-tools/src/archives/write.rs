//! Writing reproducible archives: the same members give the same bytes, without times and owners.

mod xz;

use std::io::{self, Cursor, Read, Write};

use super::limits::BUFFER;
use super::read::ArchiveFormat;
use crate::prelude::*;

/// Maximum size of a new archive in bytes.
const ARCHIVE_MAX: u64 = 512 << 20;
/// Step in which memory is reserved for it.
const STEP: u64 = 8 << 20;

/// The bytes of an incomplete archive, within the memory budget of the call.
pub(super) struct ArchiveBuffer {
    bytes: Cursor<Vec<u8>>,
    reserved: u64,
    ctx: Ctx,
}

impl ArchiveBuffer {
    fn new(ctx: &Ctx) -> Self {
        Self {
            bytes: Cursor::new(Vec::new()),
            reserved: 0,
            ctx: ctx.clone(),
        }
    }
}

impl Write for ArchiveBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let needed = self.bytes.position() + bytes.len() as u64;
        if needed > ARCHIVE_MAX {
            return Err(io::Error::other(
                tool_error!(LimitExceeded at "/from", "too_large";
                "the archive has more than {ARCHIVE_MAX} bytes";
                "select fewer files with `pattern`"),
            ));
        }
        while self.reserved < needed {
            self.ctx.reserve(STEP * 2).map_err(io::Error::other)?; // growing holds two at once
            self.reserved += STEP;
        }
        self.ctx.check().map_err(io::Error::other)?;
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An incomplete archive.
pub(super) enum ArchiveSink {
    Zip(ZipWriter),
    Tar(TarCompressor),
}

/// The compressor of a tar.
pub(super) enum TarCompressor {
    Plain(ArchiveBuffer),
    Gz(flate2::write::GzEncoder<ArchiveBuffer>),
    Bz2(bzip2::write::BzEncoder<ArchiveBuffer>),
    Xz(Box<xz::XzEncoder>),
    Zst(zstd::Encoder<'static, ArchiveBuffer>),
}

impl ArchiveSink {
    pub(super) fn begin(format: ArchiveFormat, ctx: &Ctx) -> Result<Self> {
        const MEMORY: u64 = 16 << 20; // of the encoders except xz, which reserves its own
        if format != ArchiveFormat::TarXz {
            ctx.reserve(MEMORY)?;
        }
        let memory = ArchiveBuffer::new(ctx);
        let failed = |err: io::Error| ToolError::new(ErrorCode::Internal, err);
        Ok(Self::Tar(match format {
            ArchiveFormat::Zip => return Ok(Self::Zip(ZipWriter::new(memory))),
            // Never requested: 7z archives are only read.
            ArchiveFormat::Tar | ArchiveFormat::SevenZ => TarCompressor::Plain(memory),
            ArchiveFormat::TarGz => {
                // No time and no name in the header.
                let level = flate2::Compression::new(6);
                TarCompressor::Gz(flate2::write::GzEncoder::new(memory, level))
            }
            ArchiveFormat::TarBz2 => TarCompressor::Bz2(bzip2::write::BzEncoder::new(
                memory,
                bzip2::Compression::best(),
            )),
            ArchiveFormat::TarXz => TarCompressor::Xz(Box::new(xz::XzEncoder::new(memory, ctx)?)),
            ArchiveFormat::TarZst => {
                TarCompressor::Zst(zstd::Encoder::new(memory, 3).map_err(failed)?)
            }
        }))
    }

    pub(super) fn file(
        &mut self,
        name: &str,
        size: u64,
        executable: bool,
        content: &mut dyn Read,
    ) -> io::Result<()> {
        match self {
            Self::Zip(zip) => zip.file(name, size, executable, content),
            Self::Tar(stream) => {
                for header in tar_headers(name, size, executable) {
                    stream.write_all(&header)?;
                }
                copy_exactly(content, stream, size)?;
                let padding = size.wrapping_neg() % 512;
                stream.write_all(&[0; 512][..padding as usize])
            }
        }
    }

    pub(super) fn finish(self) -> io::Result<Vec<u8>> {
        let memory = match self {
            Self::Zip(zip) => zip.finish()?,
            Self::Tar(mut stream) => {
                stream.write_all(&[0; 1024])?;
                match stream {
                    TarCompressor::Plain(memory) => memory,
                    TarCompressor::Gz(encoder) => encoder.finish()?,
                    TarCompressor::Bz2(encoder) => encoder.finish()?,
                    TarCompressor::Xz(encoder) => encoder.finish()?,
                    TarCompressor::Zst(encoder) => encoder.finish()?,
                }
            }
        };
        Ok(memory.bytes.into_inner())
    }
}

impl Write for TarCompressor {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(memory) => memory.write(bytes),
            Self::Gz(encoder) => encoder.write(bytes),
            Self::Bz2(encoder) => encoder.write(bytes),
            Self::Xz(encoder) => encoder.write(bytes),
            Self::Zst(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Copies a file that must still have its size.
fn copy_exactly(content: &mut dyn Read, out: &mut dyn Write, size: u64) -> io::Result<()> {
    match io::copy(&mut content.take(size + 1), out)? == size {
        true => Ok(()),
        false => Err(io::Error::other("its size changed")),
    }
}

/// The header of a member; a name that does not fit goes into an extended header before it.
fn tar_headers(name: &str, size: u64, executable: bool) -> Vec<[u8; 512]> {
    let mut blocks = Vec::new();
    if name.len() > 100 || !name.is_ascii() {
        let record = pax_record("path", name);
        let length = record.len() as u64;
        blocks.push(tar_header("././@PaxHeader", length, false, b'x'));
        blocks.extend(record.as_bytes().chunks(512).map(|part| {
            let mut block = [0; 512];
            block[..part.len()].copy_from_slice(part);
            block
        }));
    }
    let short: String = name.chars().filter(char::is_ascii).take(100).collect();
    blocks.push(tar_header(&short, size, executable, b'0'));
    blocks
}

/// `length key=value` and a line feed; the length counts its own digits.
fn pax_record(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}")
}

fn tar_header(name: &str, size: u64, executable: bool, kind: u8) -> [u8; 512] {
    let mut block = [0; 512];
    let mut put =
        |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, if executable { "0000755\0" } else { "0000644\0" });
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0")); // up to 8 GiB; files are smaller
    put(136, "00000000000\0");
    put(148, "        ");
    put(257, "ustar\0");
    put(263, "00");
    block[156] = kind;
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// An incomplete zip.
pub(super) struct ZipWriter {
    out: ArchiveBuffer,
    directory: Vec<u8>,
    count: u64,
}

impl ZipWriter {
    fn new(out: ArchiveBuffer) -> Self {
        Self {
            out,
            directory: Vec::new(),
            count: 0,
        }
    }

    fn file(
        &mut self,
        name: &str,
        size: u64,
        executable: bool,
        content: &mut dyn Read,
    ) -> io::Result<()> {
        const TIME: u64 = 0x0021_0000; // 1980-01-01, the first time that zip can express
        const UNIX: u64 = 3 << 8 | 20;
        let mut summed = Crc32Reader {
            inner: content,
            sum: crc32fast::Hasher::new(),
        };
        let level = flate2::Compression::new(6);
        self.out.ctx.reserve(size).map_err(io::Error::other)?;
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
        copy_exactly(&mut summed, &mut encoder, size)?;
        let sum = u64::from(summed.sum.finalize());
        let packed = encoder.finish()?;
        let offset = self.out.bytes.position();
        // Names and sizes fit into their fields: the limits on files and on the archive are lower.
        let (length, packed_size) = (name.len() as u64, packed.len() as u64);
        let mut fields = vec![(20, 2), (0x800, 2), (8, 2)]; // version 2.0, names in UTF-8, deflate
        fields.extend([(TIME, 4), (sum, 4), (packed_size, 4), (size, 4)]);
        fields.extend([(length, 2), (0, 2)]); // no extra fields
        let fields = little_endian(&fields);
        self.out.write_all(b"PK\x03\x04")?;
        self.out.write_all(&fields)?;
        self.out.write_all(name.as_bytes())?;
        self.out.write_all(&packed)?;

        let mode: u64 = if executable { 0o100_755 } else { 0o100_644 };
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(little_endian(&[(UNIX, 2)]));
        self.directory.extend(&fields);
        // No comment, first volume, no attributes.
        let rest = [(0, 2), (0, 2), (0, 2), (mode << 16, 4), (offset, 4)];
        self.directory.extend(little_endian(&rest));
        self.directory.extend(name.as_bytes());
        self.count += 1; // at most as many members as are read
        Ok(())
    }

    fn finish(mut self) -> io::Result<ArchiveBuffer> {
        let offset = self.out.bytes.position(); // below the largest archive
        self.out.write_all(&self.directory)?;
        self.out.write_all(b"PK\x05\x06")?;
        let (count, size) = (self.count, self.directory.len() as u64);
        let end = [(0, 2), (0, 2), (count, 2), (count, 2), (size, 4)];
        self.out.write_all(&little_endian(&end))?;
        self.out.write_all(&little_endian(&[(offset, 4), (0, 2)]))?;
        Ok(self.out)
    }
}

/// Fields with their widths in bytes.
fn little_endian(fields: &[(u64, usize)]) -> Vec<u8> {
    let bytes = |&(value, width): &(u64, usize)| value.to_le_bytes().into_iter().take(width);
    fields.iter().flat_map(bytes).collect()
}

/// Computes the checksum of the bytes read.
struct Crc32Reader<'a> {
    inner: &'a mut dyn Read,
    sum: crc32fast::Hasher,
}

impl Read for Crc32Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.sum.update(&buffer[..count]);
        Ok(count)
    }
}
