//! The envelope format: `*** Begin Patch`, one section per file, `*** End Patch`.

use super::{
    FilePatch, HunkLine, PatchAction, PatchHunk, PatchReader, abbreviate_line, patch_error,
};
use crate::prelude::*;

const HINT: &str = "sections are `*** Add File: path`, `*** Update File: path` and `*** Delete File: path`; the patch ends with `*** End Patch`";

pub(super) fn parse_envelope(mut reader: PatchReader<'_>) -> Result<Vec<FilePatch>> {
    reader.hint = HINT;
    let begins = |line: &&str| line.trim() == "*** Begin Patch";
    reader.at = reader.lines.iter().position(begins).map_or(0, |at| at + 1);
    let mut files = Vec::new();
    loop {
        let Some(line) = reader.peek() else {
            return Err(patch_error(
                reader.at,
                "it ends without `*** End Patch`",
                HINT,
            ));
        };
        if line.trim_end() == "*** End Patch" {
            reader.at += 1;
            let Some(line) = reader.rest() else {
                return Ok(files);
            };
            let message = "unexpected text after `*** End Patch`";
            return Err(reader.fault(format_args!("{message}: {}", abbreviate_line(line))));
        }
        if line.trim().is_empty() {
            reader.at += 1;
            continue;
        }
        files.push(reader.section(line)?);
    }
}

impl<'a> PatchReader<'a> {
    /// The next line that is not empty.
    fn rest(&mut self) -> Option<&'a str> {
        while self.peek().is_some_and(|line| line.trim().is_empty()) {
            self.at += 1;
        }
        self.peek()
    }

    fn section(&mut self, header: &str) -> Result<FilePatch> {
        let line = self.at + 1;
        let section = header
            .strip_prefix("*** ")
            .and_then(|rest| rest.split_once(" File:"));
        let Some((kind @ ("Add" | "Delete" | "Update"), path)) = section else {
            let message = "expected the beginning of a section";
            return Err(self.fault(format_args!("{message}, found {}", abbreviate_line(header))));
        };
        self.at += 1;
        let action = match kind {
            "Add" => self.added()?,
            "Delete" => PatchAction::Delete { hunks: None },
            _ => self.updated()?,
        };
        let path = path.trim().to_owned();
        if path.is_empty() {
            return Err(patch_error(line, "the path is missing", HINT));
        }
        Ok(FilePatch { path, action, line })
    }

    fn added(&mut self) -> Result<PatchAction> {
        let mut content = String::new();
        while let Some(line) = self.peek().filter(|line| !line.starts_with("*** ")) {
            let Some(text) = line.strip_prefix('+') else {
                let expected = "each line of a new file begins with `+`";
                return Err(self.fault(format_args!("{expected}, found {}", abbreviate_line(line))));
            };
            content.push_str(text);
            content.push('\n');
            self.at += 1;
        }
        Ok(PatchAction::Add {
            content,
            executable: false,
        })
    }

    fn updated(&mut self) -> Result<PatchAction> {
        let mut move_to = None;
        if let Some(path) = self.after("*** Move to:") {
            if path.trim().is_empty() {
                return Err(self.fault("the path is missing"));
            }
            move_to = Some(path.trim().to_owned());
            self.at += 1;
        }
        let mut hunks = Vec::new();
        while let Some(line) = self.peek() {
            if line.starts_with("*** ") && line.trim_end() != "*** End of File" {
                break;
            }
            if line.trim().is_empty() && self.next_is_section() {
                self.at += 1;
                continue;
            }
            hunks.push(self.hunk(hunks.is_empty())?);
        }
        if hunks.is_empty() && move_to.is_none() {
            return Err(self.fault("the section changes nothing"));
        }
        Ok(PatchAction::Update { move_to, hunks })
    }

    /// Whether only empty lines come before the next section.
    fn next_is_section(&self) -> bool {
        (self.at..)
            .map_while(|index| self.get(index))
            .find(|line| !line.trim().is_empty())
            .is_none_or(|line| line.starts_with("*** "))
    }

    fn hunk(&mut self, first: bool) -> Result<PatchHunk> {
        let mut hunk = PatchHunk {
            line: self.at + 1,
            ..PatchHunk::default()
        };
        while let Some(heading) = self.after("@@") {
            let heading = heading.strip_suffix("@@").unwrap_or(heading).trim();
            if !heading.is_empty() {
                hunk.headings.push(heading.to_owned());
            }
            self.at += 1;
        }
        if self.at + 1 == hunk.line && !first {
            let found = self.peek().map(abbreviate_line).unwrap_or_default();
            let message = format_args!("expected `@@` before the next hunk, found {found}");
            return Err(self.fault(message));
        }
        while let Some(line) = self.peek() {
            if line.trim_end() == "*** End of File" {
                hunk.at_end = true;
                self.at += 1;
                break;
            }
            if line.starts_with("@@") || line.starts_with("*** ") {
                break;
            }
            if line.is_empty() && self.next_is_section() {
                break;
            }
            let Some(parsed) = HunkLine::parse(line) else {
                let expected = "each line of a hunk begins with a space, `-` or `+`";
                return Err(self.fault(format_args!("{expected}, found {}", abbreviate_line(line))));
            };
            hunk.lines.push(parsed);
            self.at += 1;
        }
        if hunk.lines.is_empty() {
            return Err(patch_error(hunk.line, "the hunk has no lines", HINT));
        }
        Ok(hunk)
    }
}
