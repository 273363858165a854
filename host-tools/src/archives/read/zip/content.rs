//! The content of a zip member, verified against its header.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Read};
use std::rc::Rc;

use super::super::super::fault::ArchiveFault;
use super::super::super::limits::{BUFFER, DecoderLimit};
use super::ZipEntry;
use crate::counted::CountingReader;
use crate::prelude::*;

/// The decompressed bytes of a member; size and checksum are verified at the end.
pub(super) fn content_reader<'a>(
    entry: &ZipEntry,
    reader: &'a mut dyn FileReader,
    total: &Rc<Cell<u64>>,
    stop: &'a StopFlag,
) -> Box<dyn Read + 'a> {
    let (counted, packed) = CountingReader::new(reader.take(entry.packed));
    let input = BufReader::with_capacity(BUFFER.min(entry.packed as usize + 1), counted);
    let decoder = method_decoder(entry.method, input);
    let decoder = decoder.unwrap_or_else(|fault| Box::new(FaultReader(Some(fault))));
    Box::new(ChecksumReader {
        inner: DecoderLimit::new(decoder, Rc::clone(&packed), Rc::clone(total), stop),
        packed,
        packed_size: entry.packed,
        left: entry.size,
        sum: crc32fast::Hasher::new(),
        crc: entry.crc,
        done: false,
    })
}

fn method_decoder<'a>(
    method: u16,
    input: impl BufRead + 'a,
) -> Result<Box<dyn Read + 'a>, ArchiveFault> {
    Ok(match method {
        0 => Box::new(input),
        8 => Box::new(flate2::bufread::DeflateDecoder::new(input)),
        12 => Box::new(bzip2::bufread::BzDecoder::new(input)),
        93 => Box::new(super::super::zstd_decoder(input)?),
        95 => Box::new(super::super::xz_decoder(input)?),
        other => {
            let message = format_args!("unsupported compression method {other}");
            return Err(ArchiveFault::unsupported(message));
        }
    })
}

/// A member that cannot be decompressed.
struct FaultReader(Option<ArchiveFault>);

impl Read for FaultReader {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        let fault = self.0.take();
        let again = || ArchiveFault::corrupt("it cannot be decompressed");
        Err(fault.unwrap_or_else(again).into_io())
    }
}

struct ChecksumReader<R> {
    inner: R,
    packed: Rc<Cell<u64>>,
    packed_size: u64,
    left: u64,
    sum: crc32fast::Hasher,
    crc: u32,
    done: bool,
}

impl<R: Read> Read for ChecksumReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.done || buffer.is_empty() {
            return Ok(0);
        }
        let count = self.inner.read(buffer)?;
        if count as u64 > self.left {
            return Err(ArchiveFault::lying("it has more bytes than its header states").into_io());
        }
        self.left -= count as u64;
        self.sum.update(&buffer[..count]);
        if count > 0 {
            return Ok(count);
        }
        self.done = true;
        if self.left > 0 {
            return Err(ArchiveFault::lying("it has fewer bytes than its header states").into_io());
        }
        if self.packed.get() < self.packed_size {
            return Err(ArchiveFault::lying(
                "it has fewer compressed bytes than its header states",
            )
            .into_io());
        }
        if self.sum.clone().finalize() != self.crc {
            return Err(ArchiveFault::corrupt("its checksum is wrong").into_io());
        }
        Ok(0)
    }
}
