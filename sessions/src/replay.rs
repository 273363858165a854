//! [`LogReplay`]: folds a log again from its recorded answers, and compares every line.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;

use registry::{Principal, RuntimeFacts};
use tool_core::{ErrorCode, Result, ToolError, Value, convert, json, tool_error};

use super::document;
use super::emitted::Emitted;
use super::event::Event;
use super::fold::apply_event;
use super::record::{Answer, Applied, Record, StateDocument, merge_patch};
use super::state::SessionState;
use super::tools::{Judged, Offer, SessionRegistry};

/// The first line at which a log differs from its replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogDivergence {
    /// Number of the line, from 1.
    pub line: u64,
    /// Description of the difference.
    pub message: String,
    /// The expected content, where it helps.
    pub expected: Option<String>,
    /// The content of the log.
    pub found: Option<String>,
}

impl fmt::Display for LogDivergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl From<LogDivergence> for ToolError {
    fn from(divergence: LogDivergence) -> Self {
        let error = Self::new(ErrorCode::Conflict, &divergence).reason("divergence");
        let LogDivergence {
            expected, found, ..
        } = divergence;
        let texts = [("expected", expected), ("found", found)].into_iter();
        let texts = texts.filter_map(|(name, text)| Some((name, text?)));
        error.evidence(Value::object(texts))
    }
}

/// The outcome of a replay.
#[derive(Debug, Clone)]
pub struct LogReplayResult {
    /// The final state.
    pub state: SessionState,
    /// Digests of the registries of the session, in order.
    pub generations: Vec<String>,
    /// Whether the log ends with its state, as a complete one does.
    pub complete: bool,
}

/// A replay in progress.
#[derive(Debug, Default)]
pub struct LogReplay {
    state: SessionState,
    value: Value,
    offer: Option<(String, Offer)>,
    /// The lines that must follow.
    expected: VecDeque<String>,
    generations: Vec<String>,
    complete: bool,
    /// Whether the head of the audit log was read.
    headed: bool,
    /// Number of the last refused line of input.
    refused: u64,
    line: u64,
}

impl LogReplay {
    /// Reads the next line.
    ///
    /// # Errors
    /// The difference, unless the line follows from those before.
    pub fn line(&mut self, number: u64, line: &Value) -> Result<(), LogDivergence> {
        self.line = number;
        let kind = line.get(document::TYPE).and_then(Value::as_str);
        let kind = kind.unwrap_or_default();
        if Emitted::TYPES.contains(&kind) {
            let found = json::to_text(line);
            return match self.expected.pop_front() {
                Some(expected) if expected == found => Ok(()),
                expected => Err(LogDivergence {
                    expected,
                    ..self.differs(format!("`{kind}` does not follow"), Some(found))
                }),
            };
        }
        self.is_whole()?;
        let ended = std::mem::take(&mut self.complete);
        let record = Record::from_value(line).map_err(|error| {
            self.differs(format!("not a line of a log: {}", error.message()), None)
        })?;
        match record {
            Record::Applied(applied) => self.applied(applied),
            Record::LineRefused(refused) => self.refused(refused.line),
            Record::EventRefused(refused) => refused.line.map_or(Ok(()), |line| self.refused(line)),
            Record::AuditHead(_) if std::mem::replace(&mut self.headed, true) => {
                Err(self.differs("the head of the audit log appears twice", None))
            }
            Record::AuditHead(_) => Ok(()),
            Record::StateDocument(_) if ended => Err(self.differs("the state appears twice", None)),
            Record::StateDocument(found) => {
                let own = StateDocument::of(&self.state).map_err(|error| self.failed(&error))?;
                self.same("the state", &own.state, &found.state)?;
                let (own, found) = (own.digest.into(), found.digest.into());
                self.same("the digest of the state", &own, &found)?;
                self.complete = true;
                Ok(())
            }
        }
    }

    /// Ends the replay.
    ///
    /// # Errors
    /// The difference, when required lines are missing.
    pub fn finish(self) -> Result<LogReplayResult, LogDivergence> {
        self.is_whole()?;
        Ok(LogReplayResult {
            state: self.state,
            generations: self.generations,
            complete: self.complete,
        })
    }

    fn is_whole(&self) -> Result<(), LogDivergence> {
        match self.expected.front() {
            None => Ok(()),
            Some(next) => {
                let message = format!("{} lines are missing before it", self.expected.len());
                let expected = Some(next.clone());
                Err(LogDivergence {
                    expected,
                    ..self.differs(message, None)
                })
            }
        }
    }

    /// Checks that lines of input are refused once each, in order.
    fn refused(&mut self, line: u64) -> Result<(), LogDivergence> {
        if line > self.refused {
            self.refused = line;
            return Ok(());
        }
        let last = self.refused;
        let message = format!("line {line} of the input is refused after line {last}");
        Err(self.differs(message, None))
    }

    fn applied(&mut self, applied: Applied) -> Result<(), LogDivergence> {
        let event = Event::from_value(&applied.event);
        let event = event.map_err(|error| self.failed(&error))?;
        let recorded = RecordedRegistry {
            answers: RefCell::new(applied.answers.into()),
            offer: RefCell::new(self.offer.take()),
            short: Cell::new(false),
        };
        let step = apply_event(&self.state, &event, &recorded);
        if recorded.short.get() || !recorded.answers.borrow().is_empty() {
            let message = "the recorded answers of the registry do not match the questions";
            return Err(self.differs(message, None));
        }
        let step = step.map_err(|error| {
            self.differs(format!("the event is refused: {}", error.message()), None)
        })?;
        self.offer = recorded.offer.into_inner();
        let value = step.state.to_value().map_err(|error| self.failed(&error))?;
        let before = match std::mem::take(&mut self.value) {
            Value::Null => self.state.to_value().map_err(|error| self.failed(&error))?,
            before => before,
        };
        let digest = registry::digest::of_value(&value);
        for (what, expected, found) in [
            (
                "the number of the event",
                step.state.events.into(),
                applied.seq.into(),
            ),
            (
                "the change of the state",
                merge_patch(&before, &value),
                applied.changed,
            ),
            (
                "the digest of the state",
                digest.into(),
                applied.digest.into(),
            ),
        ] {
            self.same(what, &expected, &found)?;
        }
        for emitted in &step.emitted {
            let value = emitted.to_value().map_err(|error| self.failed(&error))?;
            self.expected.push_back(json::to_text(&value));
        }
        self.state = step.state;
        self.value = value;
        if self.generations.last() != Some(&self.state.registry) {
            self.generations.push(self.state.registry.clone());
        }
        Ok(())
    }

    fn same(&self, what: &str, expected: &Value, found: &Value) -> Result<(), LogDivergence> {
        let (expected, found) = (json::canonical_json(expected), json::canonical_json(found));
        if expected == found {
            return Ok(());
        }
        Err(LogDivergence {
            expected: Some(expected),
            ..self.differs(format!("{what} differs"), Some(found))
        })
    }

    fn differs(&self, message: impl Into<String>, found: Option<String>) -> LogDivergence {
        let (line, message, expected) = (self.line, message.into(), None);
        LogDivergence {
            line,
            message,
            expected,
            found,
        }
    }

    fn failed(&self, error: &ToolError) -> LogDivergence {
        self.differs(error.message(), None)
    }
}

/// A registry with the recorded answers of a log.
struct RecordedRegistry {
    answers: RefCell<VecDeque<Answer>>,
    offer: RefCell<Option<(String, Offer)>>,
    /// Whether the log lacked an answer.
    short: Cell<bool>,
}

impl RecordedRegistry {
    fn next(&self) -> Result<Answer> {
        let answer = self.answers.borrow_mut().pop_front().unwrap_or_default();
        match &answer.refused {
            Some(failure) => Err(ToolError::from(failure)),
            None => Ok(answer),
        }
    }

    fn missing(&self) -> ToolError {
        self.short.set(true);
        tool_error!(Conflict, "the log lacks an answer of the registry")
    }
}

impl SessionRegistry for RecordedRegistry {
    fn offer(&self, _: &Principal, _: &RuntimeFacts) -> Result<Offer> {
        let answer = self.next()?;
        let mut last = self.offer.borrow_mut();
        if let (Some(digest), Some(offer)) = (&answer.offered, answer.offer) {
            // Later answers refer to it by its digest.
            if registry::digest::of_value(&convert::to_value(&offer)?) != *digest {
                return Err(self.missing());
            }
            *last = Some((digest.clone(), offer));
        }
        match &*last {
            Some((digest, offer)) if answer.offered.as_ref() == Some(digest) => Ok(offer.clone()),
            _ => Err(self.missing()),
        }
    }

    fn judge(&self, _: &Principal, _: &RuntimeFacts, _: &str, _: &Value) -> Result<Judged> {
        self.next()?.judged.ok_or_else(|| self.missing())
    }
}
