//! Line-by-line search of several texts, for `grep` and `archive_search`.

use std::collections::VecDeque;
use std::io::Read;

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};

use crate::prelude::*;

/// Maximum length of a pattern in bytes.
const PATTERN_MAX: usize = 10_000;
/// Maximum size of a compiled pattern, and of its state cache, in bytes.
const REGEX_BYTES_MAX: usize = 1 << 20;
/// Maximum characters shown of a line.
const LINE_SHOWN_MAX: usize = 500;
/// Maximum length of a searched line in bytes; a file with a longer one is skipped.
const LINE_BYTES_MAX: usize = 16 << 20;

/// Memory of a search besides its result: a line and its context.
pub(crate) const MEMORY: u64 = LINE_BYTES_MAX as u64 * 2;

/// A matching line.
#[derive(Debug, PartialEq, Eq, Encode, Describe)]
pub(crate) struct LineMatch {
    /// Path of the file, relative to the workspace root.
    pub path: String,
    /// Line number, from 1.
    pub line: u64,
    /// Column of the match in bytes, from 1.
    pub column: u64,
    /// The line, without its end; lines of more than 500 characters are cut and end in `...`.
    pub text: String,
    /// The lines before it.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The lines after it.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub after: Vec<String>,
}

/// The pattern of a search, and the argument it comes from.
pub(crate) struct SearchPattern<'a> {
    pub(crate) text: &'a str,
    pub(crate) literal: bool,
    pub(crate) ignore_case: bool,
    pub(crate) pointer: &'static str,
}

impl SearchPattern<'_> {
    fn compile(&self) -> Result<RegexMatcher> {
        let refuse = |why: String| ToolError::invalid(self.pointer, why).reason("pattern");
        if self.text.is_empty() || self.text.len() > PATTERN_MAX {
            let found = self.text.len();
            let expected = format!("expected a pattern of 1 to {PATTERN_MAX} bytes");
            return Err(refuse(format!("{expected}, found {found}")));
        }
        if self.literal && self.text.contains('\n') {
            let why = "the text contains a line break, but lines are searched one by one";
            return Err(refuse(why.to_owned()).hint("search for a part within one line"));
        }
        RegexMatcherBuilder::new()
            .case_insensitive(self.ignore_case)
            .fixed_strings(self.literal)
            .size_limit(REGEX_BYTES_MAX)
            .dfa_size_limit(REGEX_BYTES_MAX)
            .multi_line(true)
            .crlf(true)
            .ban_byte(Some(0))
            .build(self.text)
            .map_err(|err| {
                let words: Vec<String> =
                    err.to_string().lines().map(|line| line.trim().to_owned()).collect();
                refuse(format!("invalid pattern: {}", words.join(" "))).hint(
                    "set `literal` to search for a text; a pattern matches within one line and must compile to at most 1 MiB",
                )
            })
    }
}

/// A search through one text after another.
pub(crate) struct TextScan<'a> {
    regex: RegexMatcher,
    searcher: Searcher,
    around: (u64, u64),
    matches_max: usize,
    stop: &'a StopFlag,
    pub(crate) found: Vec<LineMatch>,
    pub(crate) matched: u64,
    pub(crate) searched: u64,
    pub(crate) skipped: u64,
    /// Whether the maximum of matches was exceeded.
    pub(crate) full: bool,
}

impl<'a> TextScan<'a> {
    /// A search with `around` context lines before and after each match.
    pub(crate) fn new(
        pattern: &SearchPattern<'_>,
        around: (u64, u64),
        matches_max: usize,
        stop: &'a StopFlag,
    ) -> Result<Self> {
        Ok(Self {
            regex: pattern.compile()?,
            searcher: SearcherBuilder::new()
                .binary_detection(BinaryDetection::quit(0))
                .heap_limit(Some(LINE_BYTES_MAX))
                .line_number(true)
                .line_terminator(LineTerminator::crlf())
                .before_context(around.0 as usize)
                .after_context(around.1 as usize)
                .build(),
            around,
            matches_max,
            stop,
            found: Vec::new(),
            matched: 0,
            searched: 0,
            skipped: 0,
            full: false,
        })
    }

    /// The stop flag of the search.
    pub(crate) fn stop(&self) -> &'a StopFlag {
        self.stop
    }

    /// Searches one text; a binary text, or one with a line that is too long, is skipped.
    ///
    /// # Errors
    /// Errors of reading; after a stop, the next check of the caller reports it.
    pub(crate) fn search(&mut self, path: &str, reader: &mut dyn Read) -> std::io::Result<()> {
        let mut lines = MatchCollector {
            regex: &self.regex,
            path,
            room: self.matches_max - self.found.len(),
            before: self.around.0,
            after: self.around.1,
            recent: VecDeque::new(),
            found: Vec::new(),
            full: false,
            binary: false,
        };
        let mut watched = StoppableReader {
            reader,
            stop: self.stop,
            failed: None,
        };
        let searched = self
            .searcher
            .search_reader(&self.regex, &mut watched, &mut lines);
        if let Some(err) = watched.failed {
            return Err(err);
        }
        if lines.binary || searched.is_err() {
            self.skipped += 1;
            return Ok(());
        }
        self.searched += 1;
        self.matched += u64::from(!lines.found.is_empty());
        self.full |= lines.full;
        self.found.append(&mut lines.found);
        Ok(())
    }
}

/// Ends the search of a long text at a stop, and records the error of reading: the searcher replaces it.
struct StoppableReader<'a> {
    reader: &'a mut dyn Read,
    stop: &'a StopFlag,
    failed: Option<std::io::Error>,
}

impl Read for StoppableReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = if self.stop.is_set() {
            Err(std::io::Error::other("stopped"))
        } else {
            self.reader.read(buffer)
        };
        read.map_err(|err| {
            if err.kind() == std::io::ErrorKind::Interrupted {
                return err;
            }
            self.failed = Some(err);
            std::io::Error::other("failed")
        })
    }
}

/// Collects the matches of one file.
struct MatchCollector<'a> {
    regex: &'a RegexMatcher,
    path: &'a str,
    room: usize,
    before: u64,
    after: u64,
    /// The last lines seen, with their numbers.
    recent: VecDeque<(u64, String)>,
    found: Vec<LineMatch>,
    /// Whether the maximum of matches was exceeded.
    full: bool,
    binary: bool,
}

impl Sink for MatchCollector<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        let number = line.line_number().unwrap_or_default();
        let text = display_line(line.bytes());
        if self.found.len() == self.room {
            self.full = true;
            return Ok(false);
        }
        self.give_after(number, &text);
        let recent = self.recent.iter();
        let before = recent.filter(|(at, _)| at + self.before >= number);
        let before = before.map(|(_, text)| text.clone()).collect();
        self.remember(number, &text);
        let column = self.regex.find(line.bytes()).ok().flatten();
        self.found.push(LineMatch {
            path: self.path.to_owned(),
            line: number,
            column: column.map_or(1, |found| found.start() as u64 + 1),
            text,
            before,
            after: Vec::new(),
        });
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> Result<bool, Self::Error> {
        let number = line.line_number().unwrap_or_default();
        let text = display_line(line.bytes());
        self.give_after(number, &text);
        self.remember(number, &text);
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, Self::Error> {
        self.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), Self::Error> {
        self.binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

impl MatchCollector<'_> {
    fn remember(&mut self, number: u64, text: &str) {
        if self.before == 0 {
            return;
        }
        if self.recent.len() as u64 == self.before {
            self.recent.pop_front();
        }
        self.recent.push_back((number, text.to_owned()));
    }

    /// Adds a line, matching or not, to the context of the matches above it.
    fn give_after(&mut self, number: u64, text: &str) {
        for found in self.found.iter_mut().rev() {
            if number.saturating_sub(found.line) > self.after {
                break;
            }
            found.after.push(text.to_owned());
        }
    }
}

/// A line as results show it.
fn display_line(bytes: &[u8]) -> String {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // A character has at most four bytes.
    let start = &line[..line.len().min(LINE_SHOWN_MAX * 4 + 4)];
    let text = String::from_utf8_lossy(start);
    match text.char_indices().nth(LINE_SHOWN_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}
