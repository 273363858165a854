//! [`Replay`]: a log folded again from its own answers, held against every line it has.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;

use registry::{Facts, Principal};
use tool_core::{ErrorCode, ToolError, Value, convert, json};

use super::document;
use super::emitted::Emitted;
use super::event::Event;
use super::fold::apply;
use super::record::{Answer, Applied, Record, StateDocument, patch};
use super::state::SessionState;
use super::tools::{Judged, Offer, Registry};

/// Where a log and what follows from it part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// The line of the log, from 1.
    pub line: u64,
    /// What is wrong.
    pub message: String,
    /// What follows from the lines before, where that says something.
    pub expected: Option<String>,
    /// What the log has.
    pub found: Option<String>,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl From<Divergence> for ToolError {
    fn from(divergence: Divergence) -> Self {
        let error = Self::new(ErrorCode::Conflict, &divergence).reason("divergence");
        let texts = [
            ("expected", &divergence.expected),
            ("found", &divergence.found),
        ];
        let evidence: Vec<(&str, Value)> = (texts.into_iter())
            .filter_map(|(name, text)| Some((name, Value::from(text.as_deref()?))))
            .collect();
        error.evidence(Value::object(evidence))
    }
}

/// What a log led to.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// The state at its end.
    pub state: SessionState,
    /// Digests of the registries it was made with, in order.
    pub generations: Vec<String>,
    /// Whether the log ends with its state, as one that was not cut does.
    pub complete: bool,
}

/// A log folded again.
#[derive(Debug, Default)]
pub struct Replay {
    state: SessionState,
    value: Value,
    offer: Option<(String, Offer)>,
    /// What the log must have next.
    expected: VecDeque<String>,
    generations: Vec<String>,
    complete: bool,
    /// Whether the head of the audit was said.
    headed: bool,
    /// The newest line of input that was refused.
    refused: u64,
    line: u64,
}

impl Replay {
    /// Takes the next line.
    ///
    /// # Errors
    /// Where it is not what follows from the lines before.
    pub fn line(&mut self, number: u64, line: &Value) -> Result<(), Divergence> {
        self.line = number;
        let kind = line.get(document::TYPE).and_then(Value::as_str);
        let kind = kind.unwrap_or_default();
        if Emitted::TYPES.contains(&kind) {
            let found = json::to_text(line);
            return match self.expected.pop_front() {
                Some(expected) if expected == found => Ok(()),
                expected => Err(Divergence {
                    expected,
                    ..self.differs(format!("`{kind}` does not follow"), Some(found))
                }),
            };
        }
        self.is_whole()?;
        let ended = std::mem::take(&mut self.complete);
        let record = Record::from_value(line).map_err(|error| {
            self.differs(format!("no line of a log: {}", error.message()), None)
        })?;
        match record {
            Record::Applied(applied) => self.applied(applied),
            Record::LineRefused(refused) => self.refused(refused.line),
            Record::EventRefused(refused) => refused.line.map_or(Ok(()), |line| self.refused(line)),
            Record::AuditHead(_) if std::mem::replace(&mut self.headed, true) => {
                Err(self.differs("the head of the audit stands twice".to_owned(), None))
            }
            Record::AuditHead(_) => Ok(()),
            Record::StateDocument(_) if ended => {
                Err(self.differs("the state stands twice".to_owned(), None))
            }
            Record::StateDocument(found) => {
                let own = StateDocument::of(&self.state).map_err(|error| self.failed(&error))?;
                self.same("the state", &own.state, &found.state)?;
                self.same(
                    "the digest of the state",
                    &own.digest.into(),
                    &found.digest.into(),
                )?;
                self.complete = true;
                Ok(())
            }
        }
    }

    /// Ends the log.
    ///
    /// # Errors
    /// When lines are missing that must follow.
    pub fn finish(self) -> Result<Replayed, Divergence> {
        self.is_whole()?;
        Ok(Replayed {
            state: self.state,
            generations: self.generations,
            complete: self.complete,
        })
    }

    fn is_whole(&self) -> Result<(), Divergence> {
        match self.expected.front() {
            None => Ok(()),
            Some(next) => Err(Divergence {
                expected: Some(next.clone()),
                ..self.differs(
                    format!("{} lines are missing before it", self.expected.len()),
                    None,
                )
            }),
        }
    }

    /// Each line of input is refused once, in their order.
    fn refused(&mut self, line: u64) -> Result<(), Divergence> {
        if line > self.refused {
            self.refused = line;
            return Ok(());
        }
        let message = format!(
            "line {line} of the input is refused after line {}",
            self.refused
        );
        Err(self.differs(message, None))
    }

    fn applied(&mut self, applied: Applied) -> Result<(), Divergence> {
        let event = Event::from_value(&applied.event);
        let event = event.map_err(|error| self.failed(&error))?;
        let recorded = Recorded {
            answers: RefCell::new(applied.answers.into()),
            offer: RefCell::new(self.offer.take()),
            short: Cell::new(false),
        };
        let step = apply(&self.state, &event, &recorded);
        if recorded.short.get() || !recorded.answers.borrow().is_empty() {
            let message = "the answers of the registry are not those that were asked for";
            return Err(self.differs(message.to_owned(), None));
        }
        let step = step.map_err(|error| {
            self.differs(format!("the event is refused: {}", error.message()), None)
        })?;
        self.offer = recorded.offer.into_inner();
        let value = step.state.to_value().map_err(|error| self.failed(&error))?;
        let before = std::mem::take(&mut self.value);
        let before = match before {
            Value::Null => self.state.to_value().map_err(|error| self.failed(&error))?,
            before => before,
        };
        self.same(
            "the number of the event",
            &step.state.events.into(),
            &applied.seq.into(),
        )?;
        self.same("what changed", &patch(&before, &value), &applied.changed)?;
        let digest = registry::digest::of_value(&value);
        self.same(
            "the digest of the state",
            &digest.into(),
            &applied.digest.into(),
        )?;
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

    fn same(&self, what: &str, expected: &Value, found: &Value) -> Result<(), Divergence> {
        let (expected, found) = (json::canonical(expected), json::canonical(found));
        if expected == found {
            return Ok(());
        }
        Err(Divergence {
            expected: Some(expected),
            ..self.differs(format!("{what} differs"), Some(found))
        })
    }

    fn differs(&self, message: String, found: Option<String>) -> Divergence {
        Divergence {
            line: self.line,
            message,
            expected: None,
            found,
        }
    }

    fn failed(&self, error: &ToolError) -> Divergence {
        self.differs(error.message().to_owned(), None)
    }
}

/// Gives the answers of a log.
struct Recorded {
    answers: RefCell<VecDeque<Answer>>,
    offer: RefCell<Option<(String, Offer)>>,
    /// Whether one was asked for that the log does not have.
    short: Cell<bool>,
}

impl Recorded {
    fn next(&self) -> Result<Answer, ToolError> {
        let answer = self.answers.borrow_mut().pop_front().unwrap_or_default();
        match &answer.refused {
            Some(failure) => Err(ToolError::from(failure)),
            None => Ok(answer),
        }
    }

    fn missing(&self) -> ToolError {
        self.short.set(true);
        ToolError::new(
            ErrorCode::Conflict,
            "the log lacks an answer of the registry",
        )
    }
}

impl Registry for Recorded {
    fn offer(&self, _: &Principal, _: &Facts) -> Result<Offer, ToolError> {
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

    fn judge(&self, _: &Principal, _: &Facts, _: &str, _: &Value) -> Result<Judged, ToolError> {
        self.next()?.judged.ok_or_else(|| self.missing())
    }
}
