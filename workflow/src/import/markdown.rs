//! The Markdown of the earlier layout: a title, lines `**Key**: value`, sections.

use registry::TextPlace;

use super::{ImportReader, ImportSource, line_place};
use crate::item::sections;
use crate::limits::{ENTRY_BYTES_MAX, ITEM_BYTES_MAX, LIST_MAX, TEXT_BYTES_MAX, TITLE_BYTES_MAX};

/// A page of the earlier layout.
pub(super) struct EarlierPage<'a> {
    file: &'a ImportSource<'a>,
    /// What follows the kind in the title line.
    pub(super) title: String,
    pub(super) title_place: TextPlace,
    /// Keys in lower case, values and lines.
    keys: Vec<(String, String, usize)>,
    /// Where the keys end.
    pub(super) body: usize,
}

impl<'a> EarlierPage<'a> {
    /// Reads title and keys; errors are reported.
    pub(super) fn read(
        reading: &mut ImportReader,
        file: &'a ImportSource<'a>,
        kinds: &[&str],
    ) -> Option<Self> {
        if file.text.len() > ITEM_BYTES_MAX {
            reading.error(
                &line_place(file, 1),
                format!(
                    "the file has {} bytes, the limit is {ITEM_BYTES_MAX}",
                    file.text.len()
                ),
            );
            return None;
        }
        let mut offset = 0;
        let mut lines = (1..)
            .zip(file.text.split_inclusive('\n'))
            .map(|(number, line)| {
                offset += line.len();
                (number, offset, line.trim_end())
            });
        let title = lines.by_ref().find_map(|(number, _, line)| {
            let rest = line.strip_prefix("# ")?;
            let title = kinds
                .iter()
                .find_map(|kind| rest.strip_prefix(kind)?.strip_prefix(':'))?;
            Some((title.trim().to_owned(), number))
        });
        let Some((title, line)) = title else {
            let expected: Vec<String> = kinds
                .iter()
                .map(|kind| format!("`# {kind}: title`"))
                .collect();
            reading.error(
                &line_place(file, 1),
                format!("expected a line {}", expected.join(" or ")),
            );
            return None;
        };
        if title.is_empty() || title.len() > TITLE_BYTES_MAX {
            reading.error(
                &line_place(file, line),
                format!(
                    "expected a title of 1 to {TITLE_BYTES_MAX} bytes, found {}",
                    title.len()
                ),
            );
            return None;
        }
        let mut keys = Vec::new();
        let mut body = file.text.len();
        for (number, end, line) in lines {
            match line.replace("**", "").split_once(':') {
                Some((key, value)) if line.starts_with("**") => {
                    keys.push((key.trim().to_lowercase(), value.trim().to_owned(), number));
                }
                _ if line.is_empty() => {}
                _ => {
                    // A line `---` separates; any other belongs to the body.
                    let start = end
                        - file.text[..end]
                            .split_inclusive('\n')
                            .next_back()
                            .map_or(0, str::len);
                    body = if line == "---" { end } else { start };
                    break;
                }
            }
        }
        Some(Self {
            file,
            title,
            title_place: line_place(file, line),
            keys,
            body,
        })
    }

    /// A page of this program: its keys are in its frontmatter, and its sections follow.
    pub(super) fn own(file: &'a ImportSource<'a>) -> Self {
        Self {
            file,
            title: String::new(),
            title_place: line_place(file, 1),
            keys: Vec::new(),
            body: 0,
        }
    }

    /// The value of a key and its place.
    pub(super) fn key(&self, name: &str) -> Option<(&str, TextPlace)> {
        let found = self
            .keys
            .iter()
            .find(|(key, value, _)| key == name && !value.is_empty());
        found.map(|(_, value, line)| (value.as_str(), line_place(self.file, *line)))
    }

    /// Notes on keys that nothing reads.
    pub(super) fn unknown_keys(&self, reading: &mut ImportReader, known: &[&str]) {
        for (key, _, line) in self
            .keys
            .iter()
            .filter(|(key, ..)| !known.contains(&key.as_str()))
        {
            reading.note(
                &line_place(self.file, *line),
                format!(
                    "the key `{}` is not imported",
                    tool_core::brief::brief_name(key)
                ),
            );
        }
    }

    /// The place of a byte of the text.
    pub(super) fn place(&self, offset: usize) -> TextPlace {
        line_place(
            self.file,
            self.file.text[..offset].matches('\n').count() + 1,
        )
    }

    /// The sections with their texts, without the lines `---` that separated them.
    pub(super) fn sections(&self, reading: &mut ImportReader) -> Vec<(String, String, TextPlace)> {
        let mut read = Vec::new();
        for (name, range) in sections::all_sections(self.file.text) {
            let place = self.place(range.start);
            let text = trim_separators(&self.file.text[range]);
            if text.len() > TEXT_BYTES_MAX {
                reading.error(
                    &place,
                    format!(
                        "the section `{name}` has {} bytes, the limit is {TEXT_BYTES_MAX}",
                        text.len()
                    ),
                );
                continue;
            }
            read.push((name.to_owned(), text, place));
        }
        read
    }
}

/// A text without empty lines around it and without lines `---` at its end.
pub(super) fn trim_separators(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut text = text.trim_matches('\n').trim_end();
    while let Some(rest) = text
        .strip_suffix("---")
        .filter(|rest| rest.is_empty() || rest.ends_with('\n'))
    {
        text = rest.trim_end();
    }
    text.to_owned()
}

/// The entries of a list: lines that begin with `-` or `*`, with the indented lines below them; boxes are dropped. Any other line
/// is an entry of its own.
pub(super) fn list_entries(
    reading: &mut ImportReader,
    place: &TextPlace,
    text: &str,
) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let item = line.strip_prefix("- ").or(line.strip_prefix("* "));
        match (item, entries.last_mut()) {
            (None, Some(last)) if line.starts_with([' ', '\t']) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => {
                let item = item.unwrap_or(line).trim();
                let boxes = ["[ ] ", "[x] ", "[X] "];
                let item = boxes
                    .iter()
                    .find_map(|mark| item.strip_prefix(mark))
                    .unwrap_or(item);
                entries.push(item.trim().to_owned());
            }
        }
    }
    // A dash alone lists nothing.
    entries.retain(|entry| !entry.is_empty() && entry != "-");
    if entries.len() > LIST_MAX {
        reading.error(
            place,
            format!(
                "the list has {} entries, the limit is {LIST_MAX}",
                entries.len()
            ),
        );
        entries.truncate(LIST_MAX);
    }
    if let Some(long) = entries.iter().find(|entry| entry.len() > ENTRY_BYTES_MAX) {
        let bytes = long.len();
        reading.error(
            place,
            format!("an entry of the list has {bytes} bytes, the limit is {ENTRY_BYTES_MAX}"),
        );
        entries.retain(|entry| entry.len() <= ENTRY_BYTES_MAX);
    }
    entries
}

/// The path of an entry such as `` `src/a.rs` - why ``.
pub(super) fn entry_path(entry: &str) -> &str {
    let inner = entry
        .strip_prefix('`')
        .and_then(|rest| rest.split_once('`'));
    inner.map_or(entry, |(code, _)| code)
}
