//! Taint of `$fmt`: which parts of a value contain text that the plan interpolates. A value in such a text could change what a path,
//! a program or a query means. Results of steps are data and carry no taint.

use std::sync::Arc;

use super::checker::{Checker, Mapped};
use super::tools::ToolFacts;
use crate::problem::problem;
use crate::reference::Segment;
use crate::template::{Node, Placed};

/// Location of interpolated text in a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Interpolated {
    /// No taint.
    #[default]
    Not,
    /// The value is interpolated text.
    Text,
    /// Some members are tainted.
    Members(Vec<(Arc<str>, Interpolated)>),
    /// Taint of every element.
    Elements(Vec<Interpolated>),
}

impl Interpolated {
    /// Taint of a value of the plan; `known` returns that of references. Recursion is bounded by the depth of a plan.
    pub(super) fn of(node: &Node, known: &dyn Fn(&Placed) -> Self) -> Self {
        match node {
            Node::Literal(_) => Self::Not,
            Node::Format(_) => Self::Text,
            Node::Reference(placed) => known(placed),
            Node::Object(members) => {
                let taint = members
                    .iter()
                    .map(|(name, node)| (Arc::clone(name), Self::of(node, known)));
                Self::Members(taint.filter(|(_, taint)| taint.is_any()).collect()).simple()
            }
            Node::Array(nodes) => {
                Self::Elements(nodes.iter().map(|node| Self::of(node, known)).collect()).simple()
            }
        }
    }

    /// Whether any part is tainted.
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

    /// Taint of the part at a path.
    pub(super) fn at(&self, segments: &[Segment]) -> Self {
        let Some((first, rest)) = segments.split_first() else {
            return self.clone();
        };
        match (self, first) {
            (Self::Members(members), Segment::Field(wanted)) => {
                let member = members.iter().find(|(name, _)| name == wanted);
                member.map_or(Self::Not, |(_, taint)| taint.at(rest))
            }
            (Self::Elements(elements), Segment::Index(index)) => elements
                .get(*index)
                .map_or(Self::Not, |taint| taint.at(rest)),
            (Self::Elements(elements), Segment::Each) => {
                Self::Elements(elements.iter().map(|taint| taint.at(rest)).collect()).simple()
            }
            // A text has no parts; where it replaces a list or a record, any part may be tainted.
            (Self::Text, _) => Self::Text,
            _ => Self::Not,
        }
    }

    /// Taint of any element.
    pub(super) fn element(&self) -> Self {
        match self {
            Self::Elements(elements) => elements.iter().fold(Self::Not, |mut some, taint| {
                some.join(taint);
                some
            }),
            Self::Text => Self::Text,
            Self::Not | Self::Members(_) => Self::Not,
        }
    }

    /// Joins the taint of another value; `Text` is the top.
    fn join(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Text, _) | (_, Self::Not) => {}
            (Self::Members(mine), Self::Members(others)) => {
                for (name, taint) in others {
                    match mine.iter_mut().find(|(known, _)| known == name) {
                        Some((_, known)) => known.join(taint),
                        None => mine.push((Arc::clone(name), taint.clone())),
                    }
                }
            }
            (Self::Elements(mine), Self::Elements(others)) => {
                mine.resize(mine.len().max(others.len()), Self::Not);
                mine.iter_mut()
                    .zip(others)
                    .for_each(|(one, taint)| one.join(taint));
            }
            (Self::Not, _) => *self = other.clone(),
            // Either a list or a record: any part may be tainted.
            _ => *self = Self::Text,
        }
    }
}

/// An argument that contains interpolated text.
struct Found {
    /// JSON pointer in the plan.
    pointer: String,
    taint: Interpolated,
    /// Whether it names a file.
    in_file: bool,
    /// The reference that it comes through.
    through: Option<String>,
}

impl Checker<'_> {
    /// Taint of the value of a reference.
    pub(super) fn taint_of(&self, mapped: Option<&Mapped>, placed: &Placed) -> Interpolated {
        let (root, segments) = (placed.reference.root(), placed.reference.segments());
        match (mapped.and_then(|mapped| mapped.taint(root)), segments) {
            (Some(item), _) => item.at(segments),
            (None, [Segment::Field(name), rest @ ..]) if root == "inputs" => {
                let input = self.how.taints.get(name);
                input.map_or(Interpolated::Not, |taint| taint.at(rest))
            }
            _ => Interpolated::Not,
        }
    }

    /// Refuses interpolated text in arguments that are read as a program, a name or another language.
    pub(super) fn formats(
        &mut self,
        facts: &ToolFacts<'_>,
        args: &Node,
        base: &str,
        mapped: Option<&Mapped>,
    ) {
        let mut found = Vec::new();
        gather(
            args,
            false,
            &|placed| self.taint_of(mapped, placed),
            &mut found,
        );
        for found in found {
            let slot = found.pointer.strip_prefix(base).unwrap_or_default();
            let syntax = facts.tool.spec().syntax.iter();
            let read = syntax.filter(|(marked, _)| is_read(marked, slot, &found.taint));
            let kind = match read.map(|(_, syntax)| syntax.as_str()).next() {
                _ if found.in_file => "path",
                Some(kind) => kind,
                None => continue,
            };
            let through = found
                .through
                .map(|reference| format!(" (it comes through `{reference}`)"));
            let (tool, through) = (facts.tool.spec().id, through.unwrap_or_default());
            self.report(problem!(Argument, &found.pointer;
                "`$fmt` is refused for `{slot}` of `{tool}`: the text is read as {kind}, and a value in it could change its meaning{through}";
                "pass the whole value with `$ref`, or write it out"));
        }
    }
}

/// Whether the argument at `marked` contains interpolated text when this value is at `slot`.
fn is_read(marked: &str, slot: &str, taint: &Interpolated) -> bool {
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
    let names = rest.split('/').skip(1);
    let way: Vec<Segment> = names.map(|name| Segment::Field(name.into())).collect();
    taint.at(&way).is_any()
}

fn gather(
    node: &Node,
    in_file: bool,
    known: &dyn Fn(&Placed) -> Interpolated,
    found: &mut Vec<Found>,
) {
    match node {
        Node::Literal(_) => {}
        Node::Reference(placed) => {
            let taint = known(placed);
            if taint.is_any() {
                found.push(Found {
                    pointer: placed.pointer.clone(),
                    taint,
                    in_file,
                    through: Some(placed.reference.to_string()),
                });
            }
        }
        Node::Format(format) => found.push(Found {
            pointer: format.pointer.clone(),
            taint: Interpolated::Text,
            in_file,
            through: None,
        }),
        Node::Object(members) => {
            for (key, member) in members {
                let in_file = in_file || matches!(&**key, "$file" | "$artifact");
                gather(member, in_file, known, found);
            }
        }
        Node::Array(nodes) => nodes
            .iter()
            .for_each(|node| gather(node, in_file, known, found)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Reference;

    fn taint(text: &str) -> Interpolated {
        let value = tool_core::json::parse(text, tool_core::json::JsonLimits::default()).unwrap();
        let mut problems = crate::problem::Problems::default();
        let node = Node::compile(&value, &mut String::new(), &mut problems);
        assert!(problems.is_empty(), "{problems}");
        Interpolated::of(&node, &|_| Interpolated::Not)
    }

    #[test]
    fn parts_are_told_apart() {
        let taint = taint(
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
            assert_eq!(taint.at(reference.segments()).is_any(), expected, "{text}");
        }
        // Whichever element it is.
        for (text, expected) in [
            ("r.a", true),
            ("r.b", false),
            ("r.c[1]", true),
            ("r.c[0]", false),
        ] {
            let reference = Reference::parse(text).unwrap();
            let found = taint.element().at(reference.segments());
            assert_eq!(found.is_any(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_a_list_or_a_record_may_be_either() {
        let taint = taint(r#"[{"a":{"$fmt":"x"}},[{"$fmt":"y"}],"z"]"#).element();
        assert_eq!(taint, Interpolated::Text);
    }
}
