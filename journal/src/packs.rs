//! Packs: the records of many elements of a map as one record of the chain, and the ends of their calls as one stored value.
//!
//! An element of a map without effects has a record of its call and a record of its end, which differ from those of its neighbours in some
//! members. A pack holds each common member once and the others by column, compressed. Readers get the records back, member by member the
//! same; the hash of the chain covers the pack. Few records stand alone, as they are.
//!
//! The text that is compressed has for each table of a pack (records with the same members) a line of JSON, and then for each member that
//! differs a line for each record: its canonical JSON, or the difference of a whole number from the one before. Digests are numbers of a list of
//! their own, which is not compressed, since nothing in it repeats.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tool_core::{Object, Result, ToolError, Value, fields, json, object, tool_error};

use super::run::{AT_KEY, END_KEY};
use crate::artifacts::{ArtifactHandle, ArtifactHash};

/// Kind of the record of a pack.
pub(super) const PACK_KIND: &str = "pack";
/// Fewest records of a pack.
const RECORDS_LEAST: usize = 32;
/// Most records of a pack, and most bytes of its ends.
const RECORDS_MAX: usize = 512;
const ENDS_BYTES_MAX: usize = 256 << 10;
/// Largest record and largest end in a pack, in bytes.
const RECORD_BYTES_MAX: u64 = 16 << 10;
const END_BYTES_MAX: usize = 4 << 10;
/// Longest text of a pack.
const TEXT_BYTES_MAX: u64 = 64 << 20;
/// Shortest text that is compressed.
const COMPRESSED_LEAST: usize = 1 << 10;
/// Beginning of a stored text that is compressed; no JSON begins so.
const COMPRESSED_MARK: char = '~';

/// A record that waits for its pack.
struct PackedRecord {
    record: Object,
    /// The stored form of the end of its call.
    end: Option<String>,
}

/// Records of a run that wait for their packs, by step.
#[derive(Default)]
pub(super) struct RecordPacks {
    packs: BTreeMap<String, Vec<PackedRecord>>,
    count: usize,
    ends_bytes: usize,
}

/// A record for the chain, and the stored value that it names.
pub(super) struct ClosedRecord {
    pub(super) body: String,
    pub(super) value: Option<(ArtifactHash, String)>,
}

/// Whether the record of a call may be packed: one of an element, which succeeded without effects and has nothing that is looked up.
pub(super) fn is_packable_call(record: &Object) -> bool {
    const LOOKED_UP: [&str; 9] = [
        "approval_id",
        "approved_by",
        "backups",
        "notice",
        "limits",
        "redacted",
        "first_args_digest",
        "event",
        "outcome",
    ];
    let is_text = |key: &str, wanted: &str| record.get(key).and_then(Value::as_str) == Some(wanted);
    let effects = record.get("effects").and_then(Value::items);
    is_text("kind", "call")
        && is_text("status", "success")
        && is_of_element(record)
        && effects.is_some_and(|effects| effects.is_empty())
        && !LOOKED_UP
            .iter()
            .any(|key| record.get(key).is_some_and(|value| !value.is_null()))
}

/// Whether a record is that of an element and small.
pub(super) fn is_of_element(record: &Object) -> bool {
    record
        .get("item")
        .is_some_and(|item| item.as_i64().is_some())
        && record
            .get("step")
            .is_some_and(|step| step.as_str().is_some())
        && Value::from(record.clone()).memory_bytes() <= RECORD_BYTES_MAX
}

/// Whether an end is small enough for a pack.
pub(super) fn is_packable_end(body: &str) -> bool {
    body.len() <= END_BYTES_MAX
}

impl RecordPacks {
    /// Number of records that wait.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn is_full(&self) -> bool {
        self.count >= RECORDS_MAX || self.ends_bytes >= ENDS_BYTES_MAX
    }

    pub(super) fn add(&mut self, record: Object, end: Option<String>) {
        let step = record.get("step").and_then(Value::as_str);
        let step = step.unwrap_or_default().to_owned();
        self.count += 1;
        self.ends_bytes += end.as_ref().map_or(0, String::len);
        let pack = self.packs.entry(step).or_default();
        pack.push(PackedRecord { record, end });
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The records that wait, as records for the chain: packs, or those of a step one by one where they are few.
    pub(super) fn take(&mut self) -> Vec<ClosedRecord> {
        let packs = std::mem::take(self).packs;
        let mut closed = Vec::new();
        for (step, records) in packs {
            match records.len() < RECORDS_LEAST {
                true => closed.extend(records.into_iter().map(PackedRecord::alone)),
                false => closed.push(close(&step, records)),
            }
        }
        closed
    }
}

impl PackedRecord {
    fn alone(mut self) -> ClosedRecord {
        let value = self.end.map(|end| (ArtifactHash::of(end.as_bytes()), end));
        if let Some((hash, _)) = &value {
            let handle = ArtifactHandle::small(*hash).to_value();
            self.record.insert(END_KEY, handle);
        }
        let body = json::canonical_json(&Value::from(self.record));
        ClosedRecord { body, value }
    }
}

/// The members of a record, each as JSON.
type PackedRow = BTreeMap<String, String>;

/// Closes a pack of one step.
fn close(step: &str, records: Vec<PackedRecord>) -> ClosedRecord {
    let mut pack = fields! {
        "kind" => PACK_KIND,
        "step" => step,
        "status" => "success",
        "count" => records.len(),
    };
    for key in ["tool", "role", "recorded_ms"] {
        let newest_first = records.iter().rev();
        let found = newest_first.filter_map(|one| one.record.get(key)).next();
        pack.insert_some(key, found.cloned());
    }
    let mut ends = Vec::new();
    let mut lists = PackLists::default();
    let mut tables: Vec<(Vec<String>, Vec<PackedRow>)> = Vec::new();
    for PackedRecord { mut record, end } in records {
        if let Some(end) = end {
            record.insert(AT_KEY, ends.len());
            ends.push(end);
        }
        let row: PackedRow = (record.iter())
            .map(|(key, value)| (key.to_owned(), json::canonical_json(value)))
            .collect();
        let keys: Vec<String> = row.keys().cloned().collect();
        match tables.iter_mut().find(|(known, _)| *known == keys) {
            Some((_, rows)) => rows.push(row),
            None => tables.push((keys, vec![row])),
        }
    }
    let mut text = String::new();
    for (keys, rows) in &tables {
        write_table(keys, rows, &mut lists, &mut text);
    }
    let value = (!ends.is_empty()).then(|| {
        let list = format!("[{}]", ends.join(","));
        (ArtifactHash::of(list.as_bytes()), list)
    });
    if let Some((hash, _)) = &value {
        pack.insert(END_KEY, ArtifactHandle::small(*hash).to_value());
    }
    pack.insert("call_ids", lists.call_ids.join(" "));
    pack.insert("digests", STANDARD.encode(&lists.digests));
    pack.insert("records", compress(&text));
    let body = json::canonical_json(&Value::from(pack));
    ClosedRecord { body, value }
}

/// What a pack has beside its text.
#[derive(Default)]
struct PackLists {
    call_ids: Vec<String>,
    /// Digests, each once.
    digests: Vec<u8>,
    numbers: HashMap<Digest, i64>,
}

type Digest = [u8; 32];

impl PackLists {
    /// The number of a digest.
    fn number_of(&mut self, digest: Digest) -> i64 {
        let next = self.numbers.len() as i64;
        let Self {
            digests, numbers, ..
        } = self;
        *numbers.entry(digest).or_insert_with(|| {
            digests.extend(digest);
            next
        })
    }
}

/// The digest of a JSON text of 64 lower-case hex digits.
fn digest_of(cell: &str) -> Option<Digest> {
    let hex = cell.strip_prefix('"')?.strip_suffix('"')?;
    let is_lower = hex.bytes().all(|byte| !byte.is_ascii_uppercase());
    let hash = blake3::Hash::from_hex(hex).ok()?;
    is_lower.then(|| hash.into())
}

/// The whole numbers of cells, if all are some.
fn whole_numbers<'a>(cells: impl Iterator<Item = &'a str>) -> Option<Vec<i64>> {
    /// Differences of numbers up to it are exact in any reader.
    const MOST: i64 = 1 << 52;
    let number = |cell: &str| {
        let number: i64 = cell.parse().ok()?;
        (number.abs() <= MOST && number.to_string() == cell).then_some(number)
    };
    cells.map(number).collect()
}

/// Writes numbers as their differences, one a line.
fn write_differences(numbers: &[i64], text: &mut String) {
    let mut before = 0;
    for number in numbers {
        text.push_str(&(number - before).to_string());
        text.push('\n');
        before = *number;
    }
}

/// Writes records with the same members; the ids of calls and the digests are moved to lists of all.
fn write_table(
    keys: &[String],
    rows: &[BTreeMap<String, String>],
    lists: &mut PackLists,
    text: &mut String,
) {
    let mut common = Object::new();
    let mut columns: Vec<&str> = Vec::new();
    let mut has_ids = false;
    for key in keys {
        let cells = || rows.iter().filter_map(|row| row.get(key));
        let first = cells().next().map_or("null", String::as_str);
        if key == "call_id" && cells().all(|cell| is_plain_word(cell)) {
            lists
                .call_ids
                .extend(cells().map(|cell| cell.trim_matches('"').to_owned()));
            has_ids = true;
        } else if cells().all(|cell| cell == first) {
            let value = json::parse_json(first, json::JsonLimits::default());
            common.insert(key.as_str(), value.unwrap_or_default());
        } else {
            columns.push(key);
        }
    }
    let cells = |key: &str| {
        let cells = rows.iter().map(|row| row.get(key));
        let cells = cells.map(|cell| cell.map_or("null", String::as_str));
        cells.collect::<Vec<&str>>()
    };
    let mut body = String::new();
    let (mut numbers, mut digests) = (Vec::new(), Vec::new());
    for key in &columns {
        let cells = cells(key);
        let found: Option<Vec<Digest>> = cells.iter().map(|cell| digest_of(cell)).collect();
        if let Some(found) = found {
            digests.push(*key);
            let found: Vec<i64> = found.into_iter().map(|one| lists.number_of(one)).collect();
            write_differences(&found, &mut body);
        } else if let Some(found) = whole_numbers(cells.iter().copied()) {
            numbers.push(*key);
            write_differences(&found, &mut body);
        } else {
            for cell in cells {
                body.push_str(cell);
                body.push('\n');
            }
        }
    }
    let head = object! {
        "rows" => rows.len(),
        "common" => common,
        "columns" => columns,
        "numbers" => numbers,
        "digests" => digests,
        "call_ids" => has_ids,
    };
    text.push_str(&json::canonical_json(&head));
    text.push('\n');
    text.push_str(&body);
}

/// Whether a JSON text is a string of letters, digits and dashes.
fn is_plain_word(cell: &str) -> bool {
    let inner = cell
        .strip_prefix('"')
        .and_then(|cell| cell.strip_suffix('"'));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    inner.is_some_and(|inner| !inner.is_empty() && inner.bytes().all(is_plain))
}

/// The records of a pack, in order; `None` for any other record.
///
/// # Errors
/// `state_corrupt` where it cannot be read.
pub(super) fn expand(record: &Value) -> Option<Result<Vec<Value>>> {
    (record.text("kind") == Some(PACK_KIND)).then(|| {
        read_pack(record).ok_or_else(|| {
            tool_error!(ToolError, "state_corrupt"; "a pack of records cannot be read";
                "`mathchain audit verify` lists all damage")
        })
    })
}

/// The records that a record stands for: itself, or those of its pack.
///
/// # Errors
/// As [`expand`].
pub(super) fn expanded(record: Value) -> Result<Vec<Value>> {
    expand(&record).unwrap_or_else(|| Ok(vec![record]))
}

fn read_pack(pack: &Value) -> Option<Vec<Value>> {
    let text = decompress(pack.text("records")?).ok()?;
    let mut ids = pack.text("call_ids").unwrap_or_default().split(' ');
    let end = pack.get(END_KEY);
    let count = usize::try_from(pack.get("count")?.as_i64()?).ok()?;
    let digests = STANDARD.decode(pack.text("digests")?).ok()?;
    let digest = |number: i64| {
        let from = usize::try_from(number).ok()?.checked_mul(32)?;
        let digest: Digest = digests.get(from..from.checked_add(32)?)?.try_into().ok()?;
        Some(Value::from(blake3::Hash::from(digest).to_hex().to_string()))
    };
    let parse = |text: &str| json::parse_json(text, json::JsonLimits::default()).ok();
    let mut lines = text.lines();
    let mut records = Vec::new();
    while let Some(head) = lines.next() {
        let head = parse(head)?;
        let rows = usize::try_from(head.get("rows")?.as_i64()?).ok()?;
        if records.len() + rows > count.min(2 * RECORDS_MAX) {
            return None;
        }
        let common = head.get("common")?.as_object()?.clone();
        let mut table: Vec<BTreeMap<String, Value>> = (0..rows)
            .map(|_| {
                let members = common.iter();
                members
                    .map(|(key, value)| (key.to_owned(), value.clone()))
                    .collect()
            })
            .collect();
        for key in head.items_at("columns") {
            let key = key.as_str()?;
            let is_in = |list: &str| {
                let mut keys = head.items_at(list).into_iter();
                keys.any(|one| one.as_str() == Some(key))
            };
            let (is_digest, is_number) = (is_in("digests"), is_in("numbers"));
            let mut before = 0_i64;
            for row in &mut table {
                let line = lines.next()?;
                let cell = if is_digest || is_number {
                    before = before.checked_add(line.parse().ok()?)?;
                    match is_digest {
                        true => digest(before)?,
                        false => Value::from(before),
                    }
                } else {
                    parse(line)?
                };
                row.insert(key.to_owned(), cell);
            }
        }
        let has_ids = head.get("call_ids") == Some(&Value::Bool(true));
        for mut row in table {
            if has_ids {
                row.insert("call_id".to_owned(), Value::from(ids.next()?));
            }
            if row.contains_key(AT_KEY) {
                row.insert(END_KEY.to_owned(), end?.clone());
            }
            let mut record = Object::new();
            for (key, value) in row {
                record.insert(key, value);
            }
            records.push(Value::from(record));
        }
    }
    (records.len() == count).then_some(records)
}

/// Compresses a text; the result is ASCII.
fn compress(text: &str) -> String {
    let mut encoder =
        flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    let written = encoder.write_all(text.as_bytes());
    let bytes = written.and_then(|()| encoder.finish()).unwrap_or_default();
    STANDARD.encode(bytes)
}

fn decompress(text: &str) -> Result<String> {
    let damaged = || -> ToolError {
        tool_error!(ToolError, "state_corrupt"; "a compressed text cannot be read";
            "`mathchain audit verify` lists all damage")
    };
    let bytes = STANDARD.decode(text).map_err(|_| damaged())?;
    let mut found = String::new();
    let mut decoder = flate2::read::DeflateDecoder::new(bytes.as_slice()).take(TEXT_BYTES_MAX);
    decoder.read_to_string(&mut found).map_err(|_| damaged())?;
    Ok(found)
}

/// A stored text as its row has it: compressed where that is shorter.
pub(super) fn to_stored_text(text: &str) -> Cow<'_, str> {
    if text.len() < COMPRESSED_LEAST || text.len() as u64 >= TEXT_BYTES_MAX {
        return text.into();
    }
    let compressed = compress(text);
    match compressed.len() + 1 < text.len() {
        true => format!("{COMPRESSED_MARK}{compressed}").into(),
        false => text.into(),
    }
}

/// The text of a row. One that cannot be read is given as it is, and does not match its hash.
pub(crate) fn of_stored_text(stored: String) -> String {
    match stored.strip_prefix(COMPRESSED_MARK).map(decompress) {
        Some(Ok(text)) => text,
        _ => stored,
    }
}
