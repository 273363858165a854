//! Multi-threaded xz compression.

use std::io::{self, Write};
use std::thread::available_parallelism;

use liblzma::stream::{Action, Check, MtStreamBuilder, Status, Stream};

use super::{ArchiveBuffer, BUFFER};
use crate::prelude::*;

const PRESET: u32 = 6;
/// Block size, three times the window of the preset; blocks are independent, so the output does not depend on the number of threads.
const BLOCK: u64 = 24 << 20;
const THREADS_MAX: u32 = 4;
/// Maximum wait for the threads of the encoder; a stopped call ends by then.
const WAIT_MS: u32 = 100;

/// An encoder within the memory budget of the call.
pub(in crate::archives) struct XzEncoder {
    stream: Stream,
    packed: Vec<u8>,
    out: ArchiveBuffer,
}

impl XzEncoder {
    /// An encoder with as many threads as the machine has and the memory budget allows.
    ///
    /// # Errors
    /// `limit_exceeded` if the memory budget allows no thread.
    pub(super) fn new(out: ArchiveBuffer, ctx: &Ctx) -> Result<Self> {
        let cores = available_parallelism().map_or(1, |cores| cores.get() as u32);
        let mut threads = cores.min(THREADS_MAX);
        while let Err(err) = ctx.reserve(stream_builder(threads, BLOCK).memusage()) {
            if threads == 1 {
                return Err(err);
            }
            threads -= 1;
        }
        Self::with(&stream_builder(threads, BLOCK), out)
    }

    fn with(builder: &MtStreamBuilder, out: ArchiveBuffer) -> Result<Self> {
        let failed = |err| ToolError::new(ErrorCode::Internal, io::Error::from(err));
        Ok(Self {
            stream: builder.encoder().map_err(failed)?,
            packed: Vec::with_capacity(BUFFER),
            out,
        })
    }

    fn step(&mut self, bytes: &[u8], action: Action) -> io::Result<Status> {
        self.out.ctx.check().map_err(io::Error::other)?;
        let status = self.stream.process_vec(bytes, &mut self.packed, action)?;
        self.out.write_all(&self.packed)?;
        self.packed.clear();
        Ok(status)
    }

    pub(super) fn finish(mut self) -> io::Result<ArchiveBuffer> {
        while self.step(&[], Action::Finish)? != Status::StreamEnd {}
        Ok(self.out)
    }
}

impl Write for XzEncoder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let before = self.stream.total_in();
        while self.stream.total_in() == before && !bytes.is_empty() {
            self.step(bytes, Action::Run)?;
        }
        Ok((self.stream.total_in() - before) as usize)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn stream_builder(threads: u32, block: u64) -> MtStreamBuilder {
    let mut builder = MtStreamBuilder::new();
    builder
        .preset(PRESET)
        .check(Check::Crc64)
        .threads(threads)
        .block_size(block)
        .timeout_ms(WAIT_MS);
    builder
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use tool_core::{CallBudget, StopFlag};

    use super::*;

    fn packed(threads: u32, data: &[u8]) -> Vec<u8> {
        let out = ArchiveBuffer::new(&Ctx::default());
        let mut encoder = XzEncoder::with(&stream_builder(threads, 64 << 10), out).unwrap();
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap().bytes.into_inner()
    }

    #[test]
    fn the_number_of_threads_does_not_show() {
        let data: Vec<u8> = (0..100_000_u32)
            .flat_map(|n| (n.wrapping_mul(2_654_435_761) >> (n % 24)).to_le_bytes())
            .collect();
        let one = packed(1, &data);
        assert!(one.len() < data.len());
        assert_eq!(one, packed(4, &data));
        let mut back = Vec::new();
        liblzma::read::XzDecoder::new(&one[..])
            .read_to_end(&mut back)
            .unwrap();
        assert_eq!(back, data);
        assert!(!packed(2, b"").is_empty());
    }

    #[test]
    fn the_memory_of_the_call_bounds_the_threads() {
        let encoder = |memory_bytes| {
            let budget = CallBudget {
                memory_bytes,
                ..CallBudget::default()
            };
            let ctx = Ctx::new(StopFlag::new(), budget);
            XzEncoder::new(ArchiveBuffer::new(&ctx), &ctx)
        };
        let one = stream_builder(1, BLOCK).memusage();
        assert!(one < stream_builder(2, BLOCK).memusage());
        assert!(encoder(one).is_ok());
        let err = encoder(one - 1).err().unwrap();
        assert_eq!(err.reason_str(), Some("memory"));
    }

    #[test]
    fn a_stopped_call_ends() {
        let stop = StopFlag::new();
        let ctx = Ctx::new(stop.clone(), CallBudget::default());
        let mut encoder = XzEncoder::new(ArchiveBuffer::new(&ctx), &ctx).unwrap();
        encoder.write_all(&[7; 1000]).unwrap();
        stop.cancel();
        assert!(encoder.write(&[7; 1000]).is_err());
        assert!(encoder.finish().is_err());
    }
}
