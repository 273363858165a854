//! The envelope format: `*** Begin Patch`, one section per file, `*** End Patch`.

use tool_core::ToolError;

use super::{Action, FilePatch, Hunk, Line, Reader, brief, fault};

const HINT: &str = "sections are `*** Add File: path`, `*** Update File: path` and `*** Delete File: path`; the patch ends with `*** End Patch`";

pub(super) fn parse(mut reader: Reader<'_>) -> Result<Vec<FilePatch>, ToolError> {
    reader.hint = HINT;
    while reader
        .peek()
        .is_some_and(|line| line.trim() != "*** Begin Patch")
    {
        reader.at += 1;
    }
    reader.at += 1;
    let mut files = Vec::new();
    loop {
        let Some(line) = reader.peek() else {
            return Err(fault(reader.at, "it ends without `*** End Patch`", HINT));
        };
        if line.trim_end() == "*** End Patch" {
            reader.at += 1;
            return match reader.rest() {
                None => Ok(files),
                Some(line) => Err(reader.fault(format_args!(
                    "unexpected text after `*** End Patch`: {}",
                    brief(line)
                ))),
            };
        }
        if line.trim().is_empty() {
            reader.at += 1;
            continue;
        }
        files.push(reader.section(line)?);
    }
}

impl<'a> Reader<'a> {
    /// The next line that is not empty.
    fn rest(&mut self) -> Option<&'a str> {
        while self.peek().is_some_and(|line| line.trim().is_empty()) {
            self.at += 1;
        }
        self.peek()
    }

    fn section(&mut self, header: &str) -> Result<FilePatch, ToolError> {
        let line = self.at + 1;
        let named = |prefix| {
            header
                .strip_prefix(prefix)
                .map(|path: &str| path.trim().to_owned())
        };
        let (path, action) = if let Some(path) = named("*** Add File:") {
            self.at += 1;
            (path, self.added()?)
        } else if let Some(path) = named("*** Delete File:") {
            self.at += 1;
            (path, Action::Delete { hunks: None })
        } else if let Some(path) = named("*** Update File:") {
            self.at += 1;
            (path, self.updated()?)
        } else {
            return Err(self.fault(format_args!(
                "expected the beginning of a section, found {}",
                brief(header)
            )));
        };
        if path.is_empty() {
            return Err(fault(line, "the path is missing", HINT));
        }
        Ok(FilePatch { path, action, line })
    }

    fn added(&mut self) -> Result<Action, ToolError> {
        let mut content = String::new();
        while let Some(line) = self.peek().filter(|line| !line.starts_with("*** ")) {
            let Some(text) = line.strip_prefix('+') else {
                return Err(self.fault(format_args!(
                    "each line of a new file begins with `+`, found {}",
                    brief(line)
                )));
            };
            content.push_str(text);
            content.push('\n');
            self.at += 1;
        }
        Ok(Action::Add {
            content,
            executable: false,
        })
    }

    fn updated(&mut self) -> Result<Action, ToolError> {
        let mut move_to = None;
        if let Some(path) = self
            .peek()
            .and_then(|line| line.strip_prefix("*** Move to:"))
        {
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
        Ok(Action::Update { move_to, hunks })
    }

    /// Whether only empty lines come before the next section.
    fn next_is_section(&self) -> bool {
        (self.at..)
            .map_while(|index| self.get(index))
            .find(|line| !line.trim().is_empty())
            .is_none_or(|line| line.starts_with("*** "))
    }

    fn hunk(&mut self, first: bool) -> Result<Hunk, ToolError> {
        let mut hunk = Hunk {
            line: self.at + 1,
            ..Hunk::default()
        };
        while let Some(heading) = self.peek().and_then(|line| line.strip_prefix("@@")) {
            let heading = heading.strip_suffix("@@").unwrap_or(heading).trim();
            if !heading.is_empty() {
                hunk.headings.push(heading.to_owned());
            }
            self.at += 1;
        }
        if self.at + 1 == hunk.line && !first {
            return Err(self.fault(format_args!(
                "expected `@@` before the next hunk, found {}",
                self.peek().map(brief).unwrap_or_default()
            )));
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
            hunk.lines.push(match line.split_at_checked(1) {
                Some((" ", text)) => Line::Keep(text.to_owned()),
                Some(("-", text)) => Line::Remove(text.to_owned()),
                Some(("+", text)) => Line::Add(text.to_owned()),
                // Editors strip the space of an empty line.
                None if line.is_empty() => Line::Keep(String::new()),
                _ => {
                    return Err(self.fault(format_args!(
                        "each line of a hunk begins with a space, `-` or `+`, found {}",
                        brief(line)
                    )));
                }
            });
            self.at += 1;
        }
        if hunk.lines.is_empty() {
            return Err(fault(hunk.line, "the hunk has no lines", HINT));
        }
        Ok(hunk)
    }
}
