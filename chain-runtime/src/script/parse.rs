//! Syntax tree of a script, and its parser. After a faulty line, parsing continues with the next one that begins at the margin.

use std::collections::HashSet;
use std::sync::Arc;

use tool_core::Value;

use super::faults::{Read, ScriptFault, ScriptFaults, shorten_message_text};
use super::{ARGS_MAX, NAME_BYTES_MAX};
use crate::plan::STEPS_MAX;

/// Keywords of statements in other languages.
const STATEMENTS: [&str; 28] = [
    "for", "while", "if", "elif", "else", "def", "class", "import", "from", "with", "try",
    "except", "finally", "raise", "assert", "del", "global", "nonlocal", "lambda", "pass", "break",
    "continue", "async", "await", "yield", "match", "let", "const",
];

/// Literal constants.
const CONSTANTS: [&str; 6] = ["true", "false", "null", "True", "False", "None"];

const CALL_HINT: &str = "every line is a call: `rows = csv_to_json(csv_content=\"..\")`";
pub(super) const STEP_HINT: &str =
    "a script computes nothing itself: make it a call, such as `calculate` or `json_query`";

/// Reads the lines of a script.
pub(super) fn read_script_lines(text: &str) -> (CallScript, ScriptFaults) {
    let mut parser = ScriptParser {
        text,
        at: text.len() - text.trim_start_matches('\u{feff}').len(),
        open: Vec::new(),
    };
    let (mut script, mut faults) = (CallScript::default(), ScriptFaults::default());
    let begin = parser.at;
    while !faults.are_many() {
        parser.blank();
        if parser.rest().is_empty() {
            break;
        }
        let start = parser.at;
        if script.answer.is_some() && parser.is_at_name() {
            let fault = ScriptFault::new(start, "`return` is the last line");
            faults.push(fault.hint("put every call before it"));
        }
        let mut target = None;
        let read = parser.line(&mut target, &mut script);
        let read = read.and_then(|()| parser.end_of_line());
        if let Err(fault) = read {
            faults.push(fault);
            script.broken.extend(target);
            parser.recover(start);
        }
    }
    if script.calls.is_empty() && faults.0.is_empty() {
        faults.push(ScriptFault::new(begin, "the script has no call").hint(CALL_HINT));
    }
    (script, faults)
}

pub(super) struct ScriptParser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// Positions of open brackets, inside which line ends are ignored.
    pub(super) open: Vec<usize>,
}

impl<'t> ScriptParser<'t> {
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn unexpected(&self, expected: &str, hint: &str) -> ScriptFault {
        let found = match self.peek() {
            None => "the end of the script".to_owned(),
            Some('\n' | '\r') => "the end of the line".to_owned(),
            Some(other) => format!("{other:?}"),
        };
        ScriptFault::new(self.at, format!("expected {expected}, found {found}")).hint(hint)
    }

    /// Whether a name comes next.
    fn is_at_name(&self) -> bool {
        self.peek().is_some_and(|c| c.is_alphabetic() || c == '_')
    }

    /// Whether a single `=` comes next.
    fn is_at_assignment(&self) -> bool {
        self.rest().starts_with('=') && !self.rest().starts_with("==")
    }

    /// Skips spaces; inside brackets ends of lines and comments too.
    pub(super) fn space(&mut self) {
        loop {
            let rest = self.rest();
            let inside = !self.open.is_empty();
            let skipped = rest
                .trim_start_matches(|c| matches!(c, ' ' | '\t' | '\r') || (inside && c == '\n'));
            self.at += rest.len() - skipped.len();
            if !(inside && skipped.starts_with('#')) {
                return;
            }
            self.comment();
        }
    }

    fn comment(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    /// Skips lines without a statement.
    fn blank(&mut self) {
        self.open.clear();
        loop {
            self.space();
            match self.peek() {
                Some('#') => self.comment(),
                Some('\n') => self.at += 1,
                _ => return,
            }
        }
    }

    fn end_of_line(&mut self) -> Read<()> {
        self.space();
        match self.peek() {
            None | Some('\n' | '#') => Ok(()),
            Some(';') => Err(self.unexpected("the end of the line", "write one call a line")),
            Some(_) => Err(self.unexpected("the end of the line", STEP_HINT)),
        }
    }

    /// Skips to the next line that begins at the margin with a name or a comment.
    fn recover(&mut self, start: usize) {
        self.open.clear();
        self.at = self.at.max(start);
        while let Some(end) = self.rest().find('\n') {
            self.at += end + 1;
            if self.is_at_name() || matches!(self.peek(), None | Some('#')) {
                return;
            }
        }
        self.at = self.text.len();
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// A name, if one comes next.
    pub(super) fn word(&mut self) -> Read<Option<ScriptName>> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let word = &rest[..end.unwrap_or(rest.len())];
        if !self.is_at_name() {
            return Ok(None);
        }
        if !word.is_ascii() {
            let message = format!("`{}` is not a valid name", shorten_message_text(word));
            let hint = "names have the letters a-z and A-Z, digits and _";
            return Err(ScriptFault::new(self.at, message).hint(hint));
        }
        if word.len() > NAME_BYTES_MAX {
            let most = format!("a name has at most {NAME_BYTES_MAX} characters");
            let message = format!("{most}, found {}", word.len());
            return Err(ScriptFault::new(self.at, message).hint("choose a shorter one"));
        }
        let name = ScriptName {
            at: self.at,
            text: word.into(),
        };
        self.at += word.len();
        Ok(Some(name))
    }

    fn line(&mut self, target: &mut Option<Arc<str>>, script: &mut CallScript) -> Read<()> {
        let start = self.at;
        let Some(first) = self.word()? else {
            return Err(self.unexpected("a call", CALL_HINT));
        };
        if &*first.text == "return" {
            let answer = self.answer()?;
            script.answer.get_or_insert(answer);
            return Ok(());
        }
        if STATEMENTS.contains(&&*first.text) {
            let fault =
                ScriptFault::new(start, format!("`{}` is not part of a script", first.text));
            return Err(fault.hint("every line is a call; loops and conditions are `map` and `when` of a plan (docs/plans.md)"));
        }
        self.space();
        if CONSTANTS.contains(&&*first.text) && self.peek() == Some('=') {
            let fault = ScriptFault::new(start, format!("`{}` is a value, not a name", first.text));
            return Err(fault.hint("choose another name for the result"));
        }
        let (named, tool) = if self.is_at_assignment() {
            *target = Some(Arc::clone(&first.text));
            self.at += 1;
            self.space();
            let tool = self.called()?;
            (Some(first), tool)
        } else {
            let tool = self.tool(first)?;
            if self.peek() != Some('(') {
                return Err(self.no_call(&tool));
            }
            (None, tool)
        };
        if &*tool.text == "print" {
            let fault = ScriptFault::new(tool.at, "a script has no `print`");
            return Err(fault.hint("end it with what it answers: `return {mean: ..}` is written `return {\"mean\": a.mean}`"));
        }
        let args = self.arguments(&tool)?;
        if script.calls.len() == STEPS_MAX {
            let fault = ScriptFault::new(start, format!("a script has at most {STEPS_MAX} calls"));
            return Err(fault.hint("split it"));
        }
        script.calls.push(ScriptCall {
            at: start,
            target: named,
            tool,
            args,
        });
        Ok(())
    }

    fn answer(&mut self) -> Read<ScriptExpression> {
        self.space();
        if matches!(self.peek(), None | Some('\n' | '#')) {
            let hint = "write `return {\"mean\": a.mean}`, or `return a.mean`";
            return Err(self.unexpected("a value", hint));
        }
        self.value()
    }

    /// The tool called on the right side of an assignment.
    fn called(&mut self) -> Read<ScriptName> {
        let alone = ScriptFault::new(self.at, "expected a call after `=`")
            .hint("only results of calls have names; write a value where it is used");
        let Some(first) = self.word()? else {
            return Err(alone);
        };
        let tool = self.tool(first)?;
        match self.peek() {
            Some('(') => Ok(tool),
            _ => Err(alone),
        }
    }

    /// The rest of the name of a tool, and the spaces before its bracket.
    fn tool(&mut self, first: ScriptName) -> Read<ScriptName> {
        let mut text = first.text.to_string();
        while let Some(join) = self.peek().filter(|c| matches!(c, '.' | ':')) {
            self.at += 1;
            let Some(next) = self.word()? else {
                self.at -= 1;
                return Err(self.unexpected("`=` or `(`", CALL_HINT));
            };
            text.push(join);
            text.push_str(&next.text);
            if text.len() > NAME_BYTES_MAX {
                let message = format!("the name of a tool has at most {NAME_BYTES_MAX} characters");
                let hint = "`mathchain tools list` shows the tools";
                return Err(ScriptFault::new(first.at, message).hint(hint));
            }
        }
        self.space();
        Ok(ScriptName {
            at: first.at,
            text: text.into(),
        })
    }

    fn no_call(&self, name: &ScriptName) -> ScriptFault {
        let is_qualified = name.text.contains(['.', ':']);
        let (expected, hint) = match self.peek() {
            Some(',') => (
                "`=`",
                "assign to one name; use a part of its result where it is needed: `a.rows`",
            ),
            Some('[') => ("`=` or `(`", "only whole names are assigned"),
            Some('=') if is_qualified && self.is_at_assignment() => {
                let message = format!("`{}` is not the name of a result", name.text);
                let hint = "only whole names are assigned: `b = tool(..)`";
                return ScriptFault::new(name.at, message).hint(hint);
            }
            Some('+' | '-' | '*' | '/' | '%' | '|' | '&' | '<' | '>' | '=') => {
                ("`=` or `(`", STEP_HINT)
            }
            _ => {
                let hint = format!("write `{}(name=value)`, or assign a call to it", name.text);
                return self.unexpected("`=` or `(`", &hint);
            }
        };
        self.unexpected(expected, hint)
    }

    fn arguments(&mut self, tool: &ScriptName) -> Read<Vec<(ScriptName, ScriptExpression)>> {
        let mut names = HashSet::new();
        self.bracketed(')', |parser| {
            let at = parser.at;
            let name = parser.argument(tool)?;
            if !names.insert(Arc::clone(&name.text)) {
                let fault = ScriptFault::new(at, format!("`{}` is given twice", name.text));
                return Err(fault.hint("leave one out"));
            }
            if names.len() > ARGS_MAX {
                let fault =
                    ScriptFault::new(at, format!("a call has at most {ARGS_MAX} arguments"));
                return Err(fault.hint("pass a record"));
            }
            parser.space();
            match parser.value() {
                // The apparent argument is the next line.
                Err(_) if parser.is_at_margin(at) && parser.peek() == Some('(') => {
                    Err(parser.unclosed())
                }
                read => Ok((name, read?)),
            }
        })
    }

    /// The name of an argument and its `=`.
    fn argument(&mut self, tool: &ScriptName) -> Read<ScriptName> {
        let at = self.at;
        if let Some(name) = self.word()? {
            self.space();
            if self.is_at_assignment() {
                self.at += 1;
                return Ok(name);
            }
        }
        let message = match self.text[at..].chars().next() {
            Some('*') => "arguments are not unpacked",
            None => "the call does not end",
            _ => "an argument has no name",
        };
        let tool = &tool.text;
        let hint =
            format!("write `{tool}(name=value)`; `mathchain tools show {tool}` lists the names");
        Err(ScriptFault::new(at, message).hint(hint))
    }

    /// A comma, or the bracket that ends the list; the bracket itself is left.
    pub(super) fn separator(&mut self, end: char) -> Read<()> {
        self.space();
        if self.eat(",") || self.peek() == Some(end) {
            return Ok(());
        }
        if self.is_at_margin(self.at) && self.is_at_name() {
            return Err(self.unclosed());
        }
        let hint = match self.peek() {
            None => "close the bracket",
            Some('"' | '\'') => "texts are not joined; write one text",
            Some('=') => "`=` follows a name; separate values by commas",
            Some('?') => "a default is written `a.mean ?? 0`",
            _ => STEP_HINT,
        };
        Err(self.unexpected(&format!("`,` or `{end}`"), hint))
    }

    /// Whether a line begins here.
    fn is_at_margin(&self, at: usize) -> bool {
        at == 0 || self.text[..at].ends_with('\n')
    }

    /// The innermost bracket is still open where the next line begins; parsing continues with that line.
    fn unclosed(&mut self) -> ScriptFault {
        let at = self.open.last().copied().unwrap_or(self.at);
        self.at = at;
        let (open, close) = match self.peek() {
            Some('[') => ('[', ']'),
            Some('{') => ('{', '}'),
            _ => ('(', ')'),
        };
        ScriptFault::new(at, format!("`{open}` is not closed")).hint(format!(
            "close it with `{close}` before the next line begins"
        ))
    }
}

/// The lines of a script.
#[derive(Debug, Default)]
pub(super) struct CallScript {
    pub(super) calls: Vec<ScriptCall>,
    pub(super) answer: Option<ScriptExpression>,
    /// Names whose lines could not be read: what they mean is not known.
    pub(super) broken: Vec<Arc<str>>,
}

/// One call, perhaps with a name for its result.
#[derive(Debug)]
pub(super) struct ScriptCall {
    pub(super) at: usize,
    pub(super) target: Option<ScriptName>,
    pub(super) tool: ScriptName,
    pub(super) args: Vec<(ScriptName, ScriptExpression)>,
}

/// A name or a key, with its position.
#[derive(Debug, Clone)]
pub(super) struct ScriptName {
    pub(super) at: usize,
    pub(super) text: Arc<str>,
}

/// A value, with its position.
#[derive(Debug)]
pub(super) struct ScriptExpression {
    pub(super) at: usize,
    pub(super) kind: ScriptExpressionKind,
}

#[derive(Debug)]
pub(super) enum ScriptExpressionKind {
    Literal(Value),
    /// A name, the way into what it means, and what holds where that is absent.
    Reference(Arc<str>, String, Option<Box<ScriptExpression>>),
    List(Vec<ScriptExpression>),
    Record(Vec<(ScriptName, ScriptExpression)>),
}

impl ScriptExpression {
    /// Position of the first reference in it.
    pub(super) fn reference(&self) -> Option<usize> {
        match &self.kind {
            ScriptExpressionKind::Literal(_) => None,
            ScriptExpressionKind::Reference(..) => Some(self.at),
            ScriptExpressionKind::List(items) => items.iter().find_map(Self::reference),
            ScriptExpressionKind::Record(members) => {
                members.iter().find_map(|(_, member)| member.reference())
            }
        }
    }
}
