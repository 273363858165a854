//! Archives made byte by byte, so that any field can say anything.

use std::io::Write;

/// One member of a zip, with what its headers say about it.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) name: Vec<u8>,
    pub(super) data: Vec<u8>,
    pub(super) method: u16,
    pub(super) flags: u16,
    pub(super) mode: u32,
    pub(super) crc: Option<u32>,
    pub(super) size: Option<u32>,
    pub(super) packed: Option<u32>,
    pub(super) offset: Option<u32>,
    pub(super) local_name: Option<Vec<u8>>,
    pub(super) local_size: Option<u32>,
    pub(super) extra: Vec<u8>,
}

pub(super) fn member(name: &str, data: &[u8]) -> Member {
    Member {
        name: name.as_bytes().to_vec(),
        data: data.to_vec(),
        method: 8,
        flags: 0x800,
        mode: 0o100_644,
        crc: None,
        size: None,
        packed: None,
        offset: None,
        local_name: None,
        local_size: None,
        extra: Vec::new(),
    }
}

pub(super) fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn zip(members: &[Member]) -> Vec<u8> {
    zip_of(members, members.len() as u16)
}

/// With a count of members at the end that may lie.
pub(super) fn zip_of(members: &[Member], count: u16) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let packed = match member.method {
            8 => deflated(&member.data),
            _ => member.data.clone(),
        };
        let crc = member.crc.unwrap_or_else(|| crc32fast::hash(&member.data));
        let size = member.size.unwrap_or(member.data.len() as u32);
        let packed_size = member.packed.unwrap_or(packed.len() as u32);
        let offset = member.offset.unwrap_or(out.len() as u32);
        let start = |size: u32, name: &[u8], extra: u16| {
            let mut fields = Vec::new();
            fields.extend(20_u16.to_le_bytes());
            fields.extend(member.flags.to_le_bytes());
            fields.extend(member.method.to_le_bytes());
            fields.extend(0x0021_0000_u32.to_le_bytes());
            fields.extend(crc.to_le_bytes());
            fields.extend(packed_size.to_le_bytes());
            fields.extend(size.to_le_bytes());
            fields.extend((name.len() as u16).to_le_bytes());
            fields.extend(extra.to_le_bytes());
            fields
        };
        let local_name = member.local_name.as_ref().unwrap_or(&member.name);
        out.extend(b"PK\x03\x04");
        out.extend(start(member.local_size.unwrap_or(size), local_name, 0));
        out.extend(local_name);
        out.extend(&packed);
        directory.extend(b"PK\x01\x02");
        directory.extend((3_u16 << 8 | 20).to_le_bytes());
        directory.extend(start(size, &member.name, member.extra.len() as u16));
        directory.extend([0; 6]);
        directory.extend((member.mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(&member.name);
        directory.extend(&member.extra);
    }
    let at = out.len() as u32;
    let size = directory.len() as u32;
    out.extend(directory);
    out.extend(b"PK\x05\x06");
    out.extend([0; 4]);
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// One header of a tar and its content, padded.
pub(super) fn block(name: &[u8], kind: u8, mode: u32, data: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 512];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name);
    put(100, format!("{mode:07o}\0").as_bytes());
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", data.len()).as_bytes());
    put(136, b"00000000000\0");
    put(156, &[kind]);
    put(
        157,
        if matches!(kind, b'1' | b'2') {
            b"/etc/passwd"
        } else {
            b""
        },
    );
    put(257, b"ustar\x0000");
    sum(&mut header);
    header.extend(data);
    header.resize(header.len().div_ceil(512) * 512, 0);
    header
}

/// Writes the checksum of a header.
pub(super) fn sum(header: &mut [u8]) {
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header[..512].iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

/// Blocks and the end.
pub(super) fn tar(blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut out = blocks.concat();
    out.extend([0; 1024]);
    out
}

pub(super) fn file(name: &str, data: &[u8]) -> Vec<u8> {
    block(name.as_bytes(), b'0', 0o644, data)
}

pub(super) fn pax(key: &str, value: &str, kind: u8) -> Vec<u8> {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len() + 1;
    while format!("{length}{rest}").len() != length {
        length += 1;
    }
    block(b"pax", kind, 0o644, format!("{length}{rest}").as_bytes())
}

pub(super) fn gz(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn bz2(data: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// With a header that asks for a window of so many bytes, a power of two.
pub(super) fn xz(data: &[u8], window: u32) -> Vec<u8> {
    use liblzma::stream::{Check, Filters, LzmaOptions, Stream};
    // A window that large would cost this encoder gigabytes; a decoder believes the header.
    const OWN_MAX: u32 = 1 << 20;
    let mut options = LzmaOptions::new_preset(0).unwrap();
    options.dict_size(window.min(OWN_MAX));
    let stream = Stream::new_stream_encoder(Filters::new().lzma2(&options), Check::Crc32).unwrap();
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
    encoder.write_all(data).unwrap();
    let mut packed = encoder.finish().unwrap();
    if window > OWN_MAX {
        // The header of the first block follows the 12 bytes of the stream's: its size, flags, the filter, one byte of properties.
        let end = 12 + 4 * usize::from(packed[12]);
        assert_eq!(packed[14..16], [0x21, 1]);
        packed[16] = 2 * (window.trailing_zeros() - 12) as u8;
        let sum = crc32fast::hash(&packed[12..end]);
        packed[end..end + 4].copy_from_slice(&sum.to_le_bytes());
    }
    packed
}

pub(super) fn zst(data: &[u8], window_log: u32) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_contentsize(false).unwrap();
    encoder.window_log(window_log).unwrap();
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Members: a name, Windows attributes, and a content where it is a file.
pub(super) fn sevenz(members: &[(&str, u32, Option<&[u8]>)]) -> Vec<u8> {
    use sevenz_rust2::{ArchiveEntry, ArchiveWriter};
    let mut writer = ArchiveWriter::new(std::io::Cursor::new(Vec::new())).unwrap();
    for (name, attributes, data) in members {
        let mut entry = match data {
            Some(_) => ArchiveEntry::new_file(name),
            None => ArchiveEntry::new_directory(name),
        };
        entry.has_windows_attributes = *attributes != 0;
        entry.windows_attributes = *attributes;
        writer.push_archive_entry(entry, *data).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
