//! Syntax tree of a script, with the position of each part.

use std::sync::Arc;

use tool_core::Value;

/// The lines of a script.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) calls: Vec<Line>,
    pub(super) answer: Option<Expr>,
    /// Names whose lines could not be read: what they mean is not known.
    pub(super) broken: Vec<Arc<str>>,
}

/// One call, perhaps with a name for its result.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) at: usize,
    pub(super) target: Option<Name>,
    pub(super) tool: Name,
    pub(super) args: Vec<(Name, Expr)>,
}

/// A name or a key, with its position.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) at: usize,
    pub(super) text: Arc<str>,
}

/// A value, with its position.
#[derive(Debug)]
pub(super) struct Expr {
    pub(super) at: usize,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Literal(Value),
    /// A name, the way into what it means, and what holds where that is absent.
    Reference(Arc<str>, String, Option<Box<Expr>>),
    List(Vec<Expr>),
    Record(Vec<(Name, Expr)>),
}

impl Expr {
    /// Position of the first reference in it.
    pub(super) fn reference(&self) -> Option<usize> {
        match &self.kind {
            Kind::Literal(_) => None,
            Kind::Reference(..) => Some(self.at),
            Kind::List(items) => items.iter().find_map(Self::reference),
            Kind::Record(members) => members.iter().find_map(|(_, member)| member.reference()),
        }
    }
}
