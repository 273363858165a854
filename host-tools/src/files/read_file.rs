//! Reading a file: all of it, a range of bytes, or a range of lines.

use std::io::{Read, SeekFrom};

use tool_core::types::Count;

use super::TextEncoding;
use super::encoding::CodeUnits;
use crate::prelude::*;

/// Maximum bytes that one call reads.
const BYTES_MAX: i64 = 256 << 20;
const IN_CHARACTER: &str =
    "`offset` may be inside a character: use the `next_offset` of an earlier result, or read lines";
/// Buffer size while lines are counted; even, so that no unit of two bytes is cut.
const PART: usize = 64 << 10;

/// Read a file of the workspace as text or base64: the whole file, from a byte offset, or a range of lines. Long content is cut at
/// `max_bytes`; then `truncated` is true and `next_offset` is the offset to continue from.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the file, relative to the workspace root (an absolute path beneath the root is accepted too). Links are
    /// followed as long as they stay in the workspace.
    pub path: String,
    /// Text encoding of the file. A file that does not match it is an error; `base64` accepts any bytes.
    #[value(default)]
    pub encoding: TextEncoding,
    /// Maximum bytes to read, 1 to 268435456.
    #[value(default = "BoundedInteger::<1, BYTES_MAX>::of::<1_000_000>")]
    pub max_bytes: BoundedInteger<1, BYTES_MAX>,
    /// Offset of the first byte, from 0; pass the `next_offset` of an earlier result to continue.
    #[value(default = "BoundedInteger::<0, SAFE_INTEGER>::of::<0>")]
    pub offset: BoundedInteger<0, SAFE_INTEGER>,
    /// First line, from 1; not together with `offset` or `base64`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub first_line: Option<Count>,
    /// Last line; by default the last of the file.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub last_line: Option<Count>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The text of the file, or of the requested part.
    pub content: String,
    /// The encoding used.
    pub encoding: TextEncoding,
    /// Size of the whole file in bytes.
    pub size: u64,
    /// Whether the file continues after `content`.
    pub truncated: bool,
    /// Offset to continue from, if `content` was cut at `max_bytes`.
    #[value(skip_encoding_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// The lines in `content`, if lines were requested.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "first_line": { "not": null } }, { "last_line": { "not": null } }]))]
    pub lines: Option<LineRange>,
    /// Time of the last change, in seconds since 1970-01-01 UTC.
    pub modified: f64,
    /// Path relative to the workspace root.
    pub path: String,
}

/// A range of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
pub(crate) struct LineRange {
    /// First line, from 1.
    pub first: u64,
    /// Last line.
    pub last: u64,
}

/// The bytes of a part of a file.
struct FilePart {
    info: FileInfo,
    bytes: Vec<u8>,
    /// Offset of the first byte.
    from: u64,
    /// Whether `max_bytes` cut them.
    cut: bool,
    /// Whether the file continues after them.
    more: bool,
    lines: Option<LineRange>,
}

impl Tool for Args {
    const SPEC: Spec = super::READING
        .with_name("read_file", "Read a file")
        .tags(&["file", "text"]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        // The bytes and their text.
        ctx.reserve(args.max_bytes.get().unsigned_abs().saturating_mul(3))?;
        let files = ctx.files()?;
        let (info, mut reader) = files.open(&args.path, LinkMode::Follow).at("/path")?;
        let part = if args.first_line.is_some() || args.last_line.is_some() {
            read_lines(&args, info, reader.as_mut(), ctx)?
        } else {
            read_bytes(&args, info, reader.as_mut(), ctx)?
        };
        ctx.check()?;
        let count = part.bytes.len();
        let (content, taken) = args.encoding.decode(part.bytes, part.cut).map_err(|err| {
            match part.from {
                0 => err,
                _ => err.hint(IN_CHARACTER),
            }
            .at("/encoding")
        })?;
        let end = part.from + taken as u64;
        Ok(Output {
            content,
            encoding: args.encoding,
            size: part.info.size.max(part.from + count as u64),
            truncated: part.more,
            next_offset: part.cut.then_some(end),
            lines: part.lines,
            modified: part.info.modified_s,
            path: part.info.path,
        })
    }

    /// Run in a workspace that has `notes.txt`, 12 bytes of text, last changed at second 1,700,000,000.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a short text": r#"{"path": "notes.txt"}"# => r#"{
            "content": "hello world\n", "encoding": "utf-8", "size": 12, "truncated": false,
            "modified": 1700000000.0, "path": "notes.txt"
        }"#;
        "the first five bytes as base64":
            r#"{"path": "notes.txt", "encoding": "base64", "max_bytes": 5}"#
            => r#"{
                "content": "aGVsbG8=", "encoding": "base64", "size": 12, "truncated": true, "next_offset": 5,
                "modified": 1700000000.0, "path": "notes.txt"
            }"#;
        "the first line": r#"{"path": "notes.txt", "first_line": 1, "last_line": 1}"# => r#"{
            "content": "hello world\n", "encoding": "utf-8", "size": 12, "truncated": false,
            "lines": {"first": 1, "last": 1}, "modified": 1700000000.0, "path": "notes.txt"
        }"#;
    };
}

fn read_error(args: &Args, err: &std::io::Error) -> ToolError {
    tool_error!(ToolError at "/path", "io"; "cannot read `{}`: {err}", args.path)
}

/// Reads from an offset. The file may grow meanwhile, and files such as those of `/proc` have size 0: the limit applies to the bytes
/// read.
fn read_bytes(
    args: &Args,
    info: FileInfo,
    reader: &mut dyn FileReader,
    ctx: &Ctx,
) -> Result<FilePart> {
    const STEP: u64 = 16 << 20;
    let from = args.offset.get().unsigned_abs();
    let bytes_max = args.max_bytes.get().unsigned_abs();
    let failed = |err| read_error(args, &err);
    if from > info.size {
        return Err(tool_error!(InvalidArgs at "/offset", "range";
            "the file has {} bytes", info.size; "count from 0"));
    }
    if from > 0 {
        reader.seek(SeekFrom::Start(from)).map_err(failed)?;
    }
    let expected = (info.size - from).min(bytes_max);
    let mut bytes = Vec::with_capacity(expected as usize + 1);
    let mut limited = reader.take(bytes_max + 1);
    loop {
        let mut step = limited.by_ref().take(STEP);
        if (step.read_to_end(&mut bytes).map_err(failed)? as u64) < STEP {
            break;
        }
        ctx.check()?;
    }
    let cut = bytes.len() as u64 > bytes_max;
    bytes.truncate(bytes_max as usize);
    Ok(FilePart {
        info,
        bytes,
        from,
        cut,
        more: cut,
        lines: None,
    })
}

fn read_lines(
    args: &Args,
    info: FileInfo,
    reader: &mut dyn FileReader,
    ctx: &Ctx,
) -> Result<FilePart> {
    let number = |line: Count| line.get().unsigned_abs();
    let first = args.first_line.map_or(1, number);
    let last = args.last_line.map_or(u64::MAX, number);
    if last < first {
        return Err(tool_error!(InvalidArgs at "/last_line", "range";
            "expected at least `first_line`, {first}, found {last}"));
    }
    if args.offset.get() > 0 {
        return Err(tool_error!(InvalidArgs at "/offset";
            "give a range in bytes or in lines, not both"; "omit `offset`"));
    }
    let mut scan = LineScan {
        first,
        last,
        bytes_max: args.max_bytes.size(),
        line: 1,
        ended: true,
        ..LineScan::default()
    };
    let mut part = Vec::with_capacity(PART);
    let mut units: Option<CodeUnits> = None;
    loop {
        ctx.check()?;
        part.clear();
        let read = Read::take(&mut *reader, PART as u64).read_to_end(&mut part);
        if read.map_err(|err| read_error(args, &err))? == 0 {
            break;
        }
        let found = units.or_else(|| args.encoding.units(&part));
        units = Some(found.ok_or_else(|| {
            tool_error!(InvalidArgs at "/encoding"; "bytes in `base64` have no lines";
                "use `offset` and `max_bytes`")
        })?);
        if units.is_some_and(|units| !scan.part(&part, units)) {
            break;
        }
    }
    // A line exists if it has a byte.
    let lines = scan.line - u64::from(scan.ended);
    if first > lines.max(1) {
        return Err(tool_error!(InvalidArgs at "/first_line", "range";
            "the file has {lines} lines"; "count from 1"));
    }
    Ok(FilePart {
        info,
        bytes: scan.kept,
        from: scan.from,
        cut: scan.cut,
        more: scan.more,
        lines: Some(LineRange {
            first,
            last: lines.min(last),
        }),
    })
}

/// Scans the lines and keeps those asked for.
#[derive(Default)]
struct LineScan {
    first: u64,
    last: u64,
    bytes_max: usize,
    /// Bytes seen before this part.
    place: u64,
    /// Line of the next byte.
    line: u64,
    from: u64,
    kept: Vec<u8>,
    /// Whether the next byte begins a line.
    ended: bool,
    cut: bool,
    more: bool,
}

impl LineScan {
    /// Scans the next part of the file; returns whether to continue.
    fn part(&mut self, part: &[u8], units: CodeUnits) -> bool {
        let mut begin = 0;
        for end in units.line_ends(part).chain([part.len()]) {
            if begin == end {
                continue;
            }
            if self.line > self.last {
                self.more = true;
                return false;
            }
            if self.line >= self.first && !self.keep(&part[begin..end], begin) {
                return false;
            }
            // The last piece of a part is a whole line only when it is one of its line ends.
            self.ended = end < part.len() || units.line_ends(&part[begin..end]).next().is_some();
            self.line += u64::from(self.ended);
            begin = end;
        }
        self.place += part.len() as u64;
        true
    }

    fn keep(&mut self, bytes: &[u8], begin: usize) -> bool {
        if self.kept.is_empty() {
            self.from = self.place + begin as u64;
        }
        let room = self.bytes_max - self.kept.len();
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room {
            // A line of which nothing fits is not in the answer.
            self.ended &= room == 0;
            self.cut = true;
            self.more = true;
            return false;
        }
        true
    }
}
