//! An approval request for a reader: all that happens if it is granted.

use std::fmt::Write as _;

use journal::Approval;
use tool_core::brief::count_phrase;
use tool_core::capability::{Clock as _, WorkspaceFiles};
use tool_core::{Object, Value, json};

use super::changes;
use super::waiting::deadline_text;
use mathchain::Toolkit;
use mathchain::clock::SystemClock;

/// Largest file that is compared with its new content, in bytes.
const COMPARED_BYTES_MAX: u64 = 4 << 20;

/// A request with the details of its call, and the workspace to compare its changes with.
pub struct ApprovalDetails<'a> {
    /// The request.
    pub approval: &'a Approval,
    /// What is stored of its call while it waits.
    pub details: Option<&'a Value>,
    toolkit: &'a Toolkit,
}

impl<'a> ApprovalDetails<'a> {
    /// A request with what is stored of its call.
    pub fn new(toolkit: &'a Toolkit, approval: &'a Approval, details: Option<&'a Value>) -> Self {
        Self {
            approval,
            details,
            toolkit,
        }
    }

    /// Everything about the request, digests included; `asked` is the time of the request in words.
    pub fn text(&self, asked: &str) -> String {
        let approval = self.approval;
        let mut text = String::new();
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "{name:10} {value}");
        };
        line("approval", &format!("{}, {}", approval.id, approval.state));
        line("tool", &format!("{} as `{}`", approval.tool, approval.role));
        for (name, value) in [
            ("agent", &approval.agent),
            ("workspace", &approval.workspace),
            ("run", &approval.run),
            ("step", &approval.step),
            ("decided by", &approval.decided_by),
        ] {
            if let Some(value) = value {
                line(name, value);
            }
        }
        line("asked", asked);
        line("reason", &approval.reason);
        if approval.state == "pending" {
            let now_ms = SystemClock::default().unix_ms();
            line("deadline", &deadline_text(approval, now_ms));
        }
        for name in ["folder", "phase", "task", "arguments_digest", "digest"] {
            if let Some(value) = self.detail(name).and_then(Value::as_str) {
                line(name, value);
            }
        }
        for name in ["resources", "opens", "destroys"] {
            for one in self.detail(name).and_then(Value::items).unwrap_or_default() {
                let text = one.as_str().map(str::to_owned);
                line(name, &text.unwrap_or_else(|| json::to_text(&one)));
            }
        }
        text + &self.effect()
    }

    /// What the call does: its program, the changes of its files, and its arguments.
    pub fn effect(&self) -> String {
        let approval = self.approval;
        let mut text = String::new();
        if self.details.is_none() {
            let _ = writeln!(text, "{:10} {}", "arguments", approval.preview);
            if approval.cut {
                text.push_str(
                    "           truncated; full arguments are stored only while the request is pending\n",
                );
            }
            return text;
        }
        if let Some(count @ 1..) = self.detail("redacted").and_then(Value::as_i64) {
            let secrets = count_phrase(count.unsigned_abs(), "secret");
            let _ = writeln!(text, "{:10} {secrets}", "redacted");
        }
        let Some(arguments) = self.detail("arguments").and_then(Value::as_object) else {
            return text + "arguments  not stored: larger than 16 MiB\n";
        };
        for program in self.programs(arguments) {
            let _ = writeln!(text, "{:10} {program}", "program");
        }
        for (name, value) in self
            .detail("subject")
            .and_then(Value::as_object)
            .iter()
            .flat_map(|it| it.iter())
        {
            let _ = match value.items() {
                Some(lines) if value.as_str().is_none() => {
                    let lines: String = lines
                        .iter()
                        .map(|line| format!("  {}\n", plain_text(line)))
                        .collect();
                    write!(text, "{name}\n{lines}")
                }
                _ => writeln!(text, "{name:10} {}", plain_text(value)),
            };
        }
        let change = self.change(arguments);
        let compared = change.as_ref().map_or(&[][..], |(names, _)| names);
        text.push_str("arguments\n");
        for (name, value) in arguments.iter() {
            if !compared.contains(&name) {
                append_argument(&mut text, name, value);
            }
        }
        if let Some((_, change)) = change {
            text.push_str(&change);
        }
        text
    }

    /// A member of what is stored of the call.
    pub fn detail(&self, name: &str) -> Option<&'a Value> {
        self.details?.get(name)
    }

    /// The program that a call starts, and the files of the workspace among its arguments.
    pub fn programs(&self, arguments: &Object) -> Vec<String> {
        let argv = arguments.get("argv").and_then(Value::items);
        let argv = argv.unwrap_or_default();
        let mut words = argv.iter().filter_map(Value::as_str);
        let mut found = Vec::new();
        if let Some(program) = words.next() {
            let spawner = self
                .toolkit
                .dispatcher()
                .host()
                .capabilities
                .spawner
                .clone();
            let place = spawner.and_then(|spawner| spawner.find(program));
            found.push(place.map_or_else(|| program.to_owned(), |place| place.path));
        }
        let cwd = arguments.get("cwd").and_then(Value::as_str).unwrap_or(".");
        for word in argv.iter().filter_map(Value::as_str) {
            let path = if cwd == "." {
                word.to_owned()
            } else {
                format!("{cwd}/{word}")
            };
            if let Some(bytes) = self.files().and_then(|files| {
                let content = files.read(&path, 0).ok()?;
                Some(content.info.size)
            }) {
                found.push(format!("file {path} ({bytes} bytes)"));
            }
        }
        found
    }

    /// The change of the file that a call writes as lines, and the arguments that state it.
    pub fn change(&self, arguments: &Object) -> Option<(&'static [&'static str], String)> {
        const PATCH: &[&str] = &["patch"];
        const CONTENT: &[&str] = &["content"];
        const NONE: &[&str] = &[];
        const EDIT: &[&str] = &["old_string", "new_string"];
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let tool = self.approval.tool.as_str();
        if tool == "apply_patch" {
            let patch = text("patch")?;
            return Some((
                PATCH,
                format!("changes\n{}{}", indent_lines(patch), self.deletions(patch)),
            ));
        }
        let path = text("path")?;
        let (names, old, new) = match tool {
            "write_file" => {
                let content = text("content").filter(|_| text("encoding") != Some("base64"))?;
                let old = self.file(path)?;
                let new = match text("mode") {
                    Some("append") => format!("{old}{content}"),
                    _ => content.to_owned(),
                };
                (CONTENT, old, new)
            }
            "edit_file" => {
                let (from, to) = (text("old_string")?, text("new_string")?);
                let old = self.file(path).filter(|old| old.contains(from))?;
                let all = arguments.get("replace_all").and_then(Value::as_bool) == Some(true);
                let new = match all {
                    true => old.replace(from, to),
                    false => old.replacen(from, to, 1),
                };
                (EDIT, old, new)
            }
            "delete_file" => (NONE, self.file(path)?, String::new()),
            _ => return None,
        };
        // The new text has no secrets any more; the old one may have some.
        let difference = changes::unified_diff(&old, &new)?;
        let difference = registry::redact::redact_text(&difference).0.into_owned();
        Some((
            names,
            format!("changes of {path}\n{}", indent_lines(&difference)),
        ))
    }

    /// The contents of the files that a patch deletes by name alone, as removed lines.
    fn deletions(&self, patch: &str) -> String {
        let mut shown = String::new();
        let deleted = patch
            .lines()
            .filter_map(|line| line.trim_end().strip_prefix("*** Delete File: "));
        for path in deleted.map(str::trim) {
            let difference = self
                .file(path)
                .and_then(|old| changes::unified_diff(&old, ""));
            let difference = difference
                .unwrap_or_else(|| "its content is empty, or cannot be shown\n".to_owned());
            let difference = registry::redact::redact_text(&difference).0.into_owned();
            let _ = write!(shown, "deletes {path}\n{}", indent_lines(&difference));
        }
        shown
    }

    /// The text of a file, empty where there is none; `None` if it cannot be compared.
    fn file(&self, path: &str) -> Option<String> {
        match self.files()?.read(path, COMPARED_BYTES_MAX) {
            Ok(content) if content.truncated => None,
            Ok(content) => String::from_utf8(content.bytes).ok(),
            Err(err) if err.reason_str() == Some("not_found") => Some(String::new()),
            Err(_) => None,
        }
    }

    /// The files of the workspace, if the call is about this one.
    fn files(&self) -> Option<std::sync::Arc<dyn WorkspaceFiles>> {
        let here = self.toolkit.workspace_id()?;
        let id = self
            .detail("workspace")
            .and_then(|it| it.get("id")?.as_str());
        let host = self.toolkit.dispatcher();
        let files = host.host().capabilities.files.clone();
        files.filter(|_| id == Some(&here.id))
    }
}

/// A text as it is, everything else as JSON.
fn plain_text(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => json::to_text(value),
    }
}

/// An argument on lines of its own: texts as they are, everything else as JSON.
fn append_argument(text: &mut String, name: &str, value: &Value) {
    match value.as_str() {
        Some(lines) if lines.contains('\n') => {
            let _ = writeln!(text, "  {name}:");
            text.push_str(&indent_lines(lines));
        }
        _ => {
            let _ = writeln!(text, "  {name}: {}", json::to_text(value));
        }
    }
}

fn indent_lines(lines: &str) -> String {
    lines.lines().map(|line| format!("    {line}\n")).collect()
}
