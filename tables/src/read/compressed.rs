//! Files that are compressed as a whole.

use std::io::Read;

use crate::error::{StopCheck, TableError};

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// gzip, of one or several members.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// The rest of a name and the compression that its ending states.
    pub fn split(name: &str) -> Option<(&str, Self)> {
        let endings = [
            (".gz", Self::Gzip),
            (".zst", Self::Zstd),
            (".zstd", Self::Zstd),
        ];
        endings
            .into_iter()
            .find_map(|(ending, compression)| Some((name.strip_suffix(ending)?, compression)))
    }
}

/// The bytes, of which there are at most so many.
///
/// # Errors
/// Damaged data, and more bytes than the limit: a small file can become very large; a stop.
pub fn decompress_bytes(
    bytes: &[u8],
    compression: Compression,
    bytes_max: u64,
    stop: StopCheck<'_>,
) -> Result<Vec<u8>, TableError> {
    let damaged = |what: &str, err: std::io::Error| {
        TableError::format(
            format_args!("the {what} data are damaged: {err}"),
            "compress the file again",
        )
    };
    match compression {
        Compression::Gzip => {
            let mut decoder = flate2::read::MultiGzDecoder::new(bytes);
            read_within(&mut decoder, bytes_max, stop, &|err| damaged("gzip", err))
        }
        Compression::Zstd => {
            let failed = |err| damaged("Zstandard", err);
            let decoder = zstd::stream::read::Decoder::with_buffer(bytes);
            read_within(&mut decoder.map_err(failed)?, bytes_max, stop, &failed)
        }
    }
}

/// Reads to the end, part by part.
fn read_within(
    source: &mut dyn Read,
    bytes_max: u64,
    stop: StopCheck<'_>,
    failed: &dyn Fn(std::io::Error) -> TableError,
) -> Result<Vec<u8>, TableError> {
    const PART: usize = 1 << 18;
    let mut read = Vec::new();
    let mut part = vec![0; PART];
    loop {
        if stop() {
            return Err(TableError::Stopped);
        }
        match source.read(&mut part) {
            Ok(0) => return Ok(read),
            Ok(count) => read.extend_from_slice(&part[..count]),
            Err(err) if err.kind() == std::io::ErrorKind::Interrupted => {}
            Err(err) => return Err(failed(err)),
        }
        if read.len() as u64 > bytes_max {
            return Err(TableError::Limit {
                what: "bytes of a file when it is decompressed",
                found: format!("more than {bytes_max}"),
                most: bytes_max,
            });
        }
    }
}
