//! Reading all of stdin.

use std::io::{self, Read};
#[cfg(unix)]
use std::{
    fs::File,
    io::{Seek, SeekFrom},
};

/// Files with at least this many bytes left are read by two threads, since page faults dominate.
#[cfg(unix)]
const SPLIT_LEAST: u64 = 4 << 20;

/// Reads to the end, at most `bytes_max` bytes and one more, which shows that there are too many.
pub(super) fn read_stdin(bytes_max: u64) -> io::Result<Vec<u8>> {
    let most = bytes_max.saturating_add(1);
    #[cfg(unix)]
    if let Some(text) = redirected_file().and_then(|file| read_in_halves(file, most)) {
        return Ok(text);
    }
    read_pipe(io::stdin().lock(), most)
}

/// Reads a pipe, at most `most` bytes.
fn read_pipe(mut input: impl Read, most: u64) -> io::Result<Vec<u8>> {
    /// Longer texts reserve the maximum, which costs address space only, and avoids moving them.
    const SHORT: u64 = 64 << 10;
    const RESERVE_MAX: u64 = 1 << 30;
    let mut text = Vec::new();
    input
        .by_ref()
        .take(SHORT.min(most))
        .read_to_end(&mut text)?;
    let left = most - text.len() as u64;
    if text.len() as u64 == SHORT {
        // Without the reservation the text grows step by step.
        let _ = text.try_reserve_exact(left.min(RESERVE_MAX) as usize);
        input.take(left).read_to_end(&mut text)?;
    }
    Ok(text)
}

/// The file that stdin is redirected from, if any.
#[cfg(unix)]
fn redirected_file() -> Option<File> {
    use std::os::fd::AsFd as _;
    let file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    file.metadata().ok()?.is_file().then_some(file)
}

/// The rest of a long file, read in two halves in parallel; `None`, with the position unchanged, if it is short or shrinks meanwhile.
#[cfg(unix)]
fn read_in_halves(mut file: File, most: u64) -> Option<Vec<u8>> {
    use std::os::unix::fs::FileExt as _;
    let start = file.stream_position().ok()?;
    let length = file.metadata().ok()?.len().checked_sub(start)?.min(most);
    if length < SPLIT_LEAST {
        return None;
    }
    let mut text = vec![0; usize::try_from(length).ok()?];
    let (first, second) = text.split_at_mut((length / 2) as usize);
    let split = start + first.len() as u64;
    let shared = &file;
    let whole = std::thread::scope(|scope| {
        let reader = std::thread::Builder::new()
            .spawn_scoped(scope, move || shared.read_exact_at(second, split).is_ok())
            .ok()?;
        let first = shared.read_exact_at(first, start).is_ok();
        Some(reader.join().unwrap_or(false) && first)
    })?;
    // The position is then as after a sequential read.
    (whole && file.seek(SeekFrom::Start(start + length)).is_ok()).then_some(text)
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;

    use super::*;

    fn written(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn a_long_file_is_read_from_its_place_to_its_end() {
        let bytes: Vec<u8> = (0..SPLIT_LEAST + 12_345)
            .map(|index| (index % 251) as u8)
            .collect();
        let mut file = written(&bytes);
        file.seek(SeekFrom::Start(7)).unwrap();
        let text = read_in_halves(file.try_clone().unwrap(), u64::MAX).unwrap();
        assert!(text == bytes[7..]);
        assert_eq!(file.stream_position().unwrap(), bytes.len() as u64);
        assert!(read_in_halves(file, u64::MAX).is_none(), "nothing is left");
    }

    #[test]
    fn a_stream_is_read_to_its_end_or_to_the_limit() {
        for length in [0, 1, 65_535, 65_536, 65_537, 300_000] {
            let bytes: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
            assert!(read_pipe(bytes.as_slice(), 1 << 20).unwrap() == bytes);
            let most = length.min(100_000);
            assert!(read_pipe(bytes.as_slice(), most as u64).unwrap() == bytes[..most]);
        }
    }

    #[test]
    fn no_more_is_read_than_asked_for_and_short_files_are_left_alone() {
        let mut file = written(&vec![b' '; SPLIT_LEAST as usize + 100]);
        file.rewind().unwrap();
        let text = read_in_halves(file.try_clone().unwrap(), SPLIT_LEAST + 1).unwrap();
        assert_eq!(text.len() as u64, SPLIT_LEAST + 1);
        file.rewind().unwrap();
        assert!(read_in_halves(file.try_clone().unwrap(), SPLIT_LEAST - 1).is_none());
        assert_eq!(file.stream_position().unwrap(), 0);
    }
}
