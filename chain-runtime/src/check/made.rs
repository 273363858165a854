//! Texts that the plan puts together with `$fmt`, followed to where they are read: a value in one could change what a path, a program
//! or a query means. What steps give is data, and is not followed.

use std::sync::Arc;

use super::maps::Mapped;
use super::{Checker, ToolFacts};
use crate::problem::{Fault, PlanProblem};
use crate::reference::Segment;
use crate::template::{Node, Placed};

/// Where in a value such texts are.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Made {
    /// Nowhere.
    #[default]
    Not,
    /// The value is one.
    Text,
    /// In these members.
    Members(Vec<(Arc<str>, Made)>),
    /// In these elements; those without are there too.
    Elements(Vec<Made>),
}

impl Made {
    /// Of what a plan writes, where `known` tells it of references. Recursion is bounded by the depth of a plan.
    pub(super) fn of(node: &Node, known: &dyn Fn(&Placed) -> Self) -> Self {
        match node {
            Node::Literal(_) => Self::Not,
            Node::Format(_) => Self::Text,
            Node::Reference(placed) => known(placed),
            Node::Object(members) => {
                let made = members
                    .iter()
                    .map(|(name, member)| (Arc::clone(name), Self::of(member, known)))
                    .filter(|(_, made)| made.is_any());
                Self::Members(made.collect()).simple()
            }
            Node::Array(nodes) => {
                Self::Elements(nodes.iter().map(|node| Self::of(node, known)).collect()).simple()
            }
        }
    }

    /// Whether there is one.
    pub(super) fn is_any(&self) -> bool {
        *self != Self::Not
    }

    fn simple(self) -> Self {
        let any = match &self {
            Self::Not | Self::Text => return self,
            Self::Members(members) => !members.is_empty(),
            Self::Elements(elements) => elements.iter().any(Self::is_any),
        };
        if any { self } else { Self::Not }
    }

    /// Of a part.
    pub(super) fn at(&self, segments: &[Segment]) -> Self {
        let Some((first, rest)) = segments.split_first() else {
            return self.clone();
        };
        match (self, first) {
            (Self::Members(members), Segment::Field(wanted)) => members
                .iter()
                .find(|(name, _)| name == wanted)
                .map_or(Self::Not, |(_, made)| made.at(rest)),
            (Self::Elements(elements), Segment::Index(index)) => {
                elements.get(*index).map_or(Self::Not, |made| made.at(rest))
            }
            (Self::Elements(elements), Segment::Each) => {
                Self::Elements(elements.iter().map(|made| made.at(rest)).collect()).simple()
            }
            // A text has no parts; where it stands for a list or a record, any part may be one.
            (Self::Text, _) => Self::Text,
            _ => Self::Not,
        }
    }

    /// Of some element, whichever it is.
    pub(super) fn element(&self) -> Self {
        match self {
            Self::Elements(elements) => {
                let mut some = Self::Not;
                elements.iter().for_each(|made| some.join(made));
                some
            }
            Self::Text => Self::Text,
            Self::Not | Self::Members(_) => Self::Not,
        }
    }

    /// Adds where another value has such texts; a text is the most that can be said.
    fn join(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Text, _) | (_, Self::Not) => {}
            (Self::Members(mine), Self::Members(others)) => {
                for (name, made) in others {
                    match mine.iter_mut().find(|(known, _)| known == name) {
                        Some((_, known)) => known.join(made),
                        None => mine.push((Arc::clone(name), made.clone())),
                    }
                }
            }
            (Self::Elements(mine), Self::Elements(others)) => {
                mine.resize(mine.len().max(others.len()), Self::Not);
                mine.iter_mut()
                    .zip(others)
                    .for_each(|(one, made)| one.join(made));
            }
            (Self::Not, _) => *self = other.clone(),
            // A list here, a record there: whatever is asked for may be one.
            _ => *self = Self::Text,
        }
    }
}

/// Something in the arguments that holds such texts.
struct Found {
    /// JSON pointer in the plan.
    pointer: String,
    made: Made,
    /// Whether it names a file.
    in_file: bool,
    /// The reference that it comes through.
    through: Option<String>,
}

impl Checker<'_> {
    /// What is put together in what a reference gives.
    pub(super) fn made(&self, mapped: Option<&Mapped>, placed: &Placed) -> Made {
        let (root, segments) = (placed.reference.root(), placed.reference.segments());
        match (mapped.and_then(|mapped| mapped.made(root)), segments) {
            (Some(item), _) => item.at(segments),
            (None, [Segment::Field(name), rest @ ..]) if root == "inputs" => {
                let input = self.how.made.get(name);
                input.map_or(Made::Not, |made| made.at(rest))
            }
            _ => Made::Not,
        }
    }

    /// Refuses texts put together where they would be read as a program, a name or another language.
    pub(super) fn formats(
        &mut self,
        facts: &ToolFacts<'_>,
        args: &Node,
        base: &str,
        mapped: Option<&Mapped>,
    ) {
        let mut found = Vec::new();
        gather(args, false, &|placed| self.made(mapped, placed), &mut found);
        for found in found {
            let slot = found.pointer.strip_prefix(base).unwrap_or_default();
            let syntax = facts.tool.spec().syntax.iter();
            let read = syntax.filter(|(marked, _)| is_read(marked, slot, &found.made));
            let kind = match read.map(|(_, syntax)| syntax.as_str()).next() {
                _ if found.in_file => "path",
                Some(kind) => kind,
                None => continue,
            };
            let through = found
                .through
                .map(|reference| format!(" (it comes through `{reference}`)"));
            self.problems.push(
                PlanProblem::new(
                    Fault::Argument,
                    found.pointer.clone(),
                    format_args!(
                        "`$fmt` is refused for `{slot}` of `{}`: the text is read as {kind}, and a value in it could change its meaning{}",
                        facts.tool.spec().id,
                        through.unwrap_or_default(),
                    ),
                )
                .hint("pass the whole value with `$ref`, or write it out"),
            );
        }
    }
}

/// Whether what a tool reads at `marked` holds a text put together, when this stands at `slot`.
fn is_read(marked: &str, slot: &str, made: &Made) -> bool {
    let below = |outer: &str, inner: &str| {
        let rest = inner.strip_prefix(outer)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
    };
    if below(marked, slot).is_some() {
        return true;
    }
    let Some(rest) = below(slot, marked) else {
        return false;
    };
    let way: Vec<Segment> = rest
        .split('/')
        .skip(1)
        .map(|name| Segment::Field(name.into()))
        .collect();
    made.at(&way).is_any()
}

fn gather(node: &Node, in_file: bool, known: &dyn Fn(&Placed) -> Made, found: &mut Vec<Found>) {
    match node {
        Node::Literal(_) => {}
        Node::Reference(placed) => {
            let made = known(placed);
            if made.is_any() {
                found.push(Found {
                    pointer: placed.pointer.clone(),
                    made,
                    in_file,
                    through: Some(placed.reference.to_string()),
                });
            }
        }
        Node::Format(format) => found.push(Found {
            pointer: format.pointer.clone(),
            made: Made::Text,
            in_file,
            through: None,
        }),
        Node::Object(members) => {
            for (key, member) in members {
                let in_file = in_file || matches!(&**key, "$file" | "$artifact");
                gather(member, in_file, known, found);
            }
        }
        Node::Array(nodes) => {
            for node in nodes {
                gather(node, in_file, known, found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Reference;

    fn made(text: &str) -> Made {
        let value = tool_core::json::parse(text, tool_core::json::Limits::default()).unwrap();
        let mut problems = crate::problem::Problems::default();
        let node = Node::compile(&value, &mut String::new(), &mut problems);
        assert!(problems.is_empty(), "{problems}");
        Made::of(&node, &|_| Made::Not)
    }

    #[test]
    fn parts_are_told_apart() {
        let made = made(
            r#"[{"a":{"$fmt":"x"},"b":"y"},{"b":"z","c":["u",{"$fmt":"v"}]},{"$ref":"s.text"},7]"#,
        );
        let cases = [
            ("r", true),
            ("r[0]", true),
            ("r[0].a", true),
            ("r[0].b", false),
            ("r[1].c[0]", false),
            ("r[1].c[1]", true),
            ("r[1].c[*]", true),
            ("r[*].a", true),
            ("r[*].b", false),
            ("r[2]", false),
            ("r[9]", false),
        ];
        for (text, expected) in cases {
            let reference = Reference::parse(text).unwrap();
            assert_eq!(made.at(reference.segments()).is_any(), expected, "{text}");
        }
        // Whichever element it is.
        for (text, expected) in [
            ("r.a", true),
            ("r.b", false),
            ("r.c[1]", true),
            ("r.c[0]", false),
        ] {
            let reference = Reference::parse(text).unwrap();
            let found = made.element().at(reference.segments());
            assert_eq!(found.is_any(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_a_list_or_a_record_may_be_either() {
        let made = made(r#"[{"a":{"$fmt":"x"}},[{"$fmt":"y"}],"z"]"#).element();
        assert_eq!(made, Made::Text);
    }
}
