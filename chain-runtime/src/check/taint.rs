//! Taint of `$fmt`: which parts of a value contain text that the plan interpolates. A value in such a text could change what a path,
//! a program or a query means. Results of steps are data and carry no taint.

use std::sync::Arc;

use super::checker::{MapElement, PlanChecker};
use super::tools::ToolFacts;
use crate::problem::problem;
use crate::reference::ReferenceSegment;
use crate::template::{ArgumentNode, PlacedReference};

/// Location of interpolated text in a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum InterpolationTaint {
    /// No taint.
    #[default]
    Not,
    /// The value is interpolated text.
    Text,
    /// Some members are tainted.
    Members(Vec<(Arc<str>, InterpolationTaint)>),
    /// Taint of every element.
    Elements(Vec<InterpolationTaint>),
}

impl InterpolationTaint {
    /// Taint of a value of the plan; `known` returns that of references. Recursion is bounded by the depth of a plan.
    pub(super) fn of(node: &ArgumentNode, known: &dyn Fn(&PlacedReference) -> Self) -> Self {
        match node {
            ArgumentNode::Literal(_) => Self::Not,
            ArgumentNode::Format(_) => Self::Text,
            ArgumentNode::Reference(placed) => known(placed),
            ArgumentNode::Object(members) => {
                let taint = members
                    .iter()
                    .map(|(name, node)| (Arc::clone(name), Self::of(node, known)));
                Self::Members(taint.filter(|(_, taint)| taint.is_any()).collect()).simple()
            }
            ArgumentNode::Array(nodes) => {
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
    pub(super) fn at(&self, segments: &[ReferenceSegment]) -> Self {
        let Some((first, rest)) = segments.split_first() else {
            return self.clone();
        };
        match (self, first) {
            (Self::Members(members), ReferenceSegment::Field(wanted)) => {
                let member = members.iter().find(|(name, _)| name == wanted);
                member.map_or(Self::Not, |(_, taint)| taint.at(rest))
            }
            (Self::Elements(elements), ReferenceSegment::Index(index)) => elements
                .get(*index)
                .map_or(Self::Not, |taint| taint.at(rest)),
            (Self::Elements(elements), ReferenceSegment::Each) => {
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
struct TaintedArgument {
    /// JSON pointer in the plan.
    pointer: String,
    taint: InterpolationTaint,
    /// Whether it names a file.
    in_file: bool,
    /// The reference that it comes through.
    through: Option<String>,
}

impl PlanChecker<'_> {
    /// Taint of the value of a reference.
    pub(super) fn taint_of(
        &self,
        mapped: Option<&MapElement>,
        placed: &PlacedReference,
    ) -> InterpolationTaint {
        let (root, segments) = (placed.reference.root(), placed.reference.segments());
        match (mapped.and_then(|mapped| mapped.taint(root)), segments) {
            (Some(item), _) => item.at(segments),
            (None, [ReferenceSegment::Field(name), rest @ ..]) if root == "inputs" => {
                let input = self.how.taints.get(name);
                input.map_or(InterpolationTaint::Not, |taint| taint.at(rest))
            }
            _ => InterpolationTaint::Not,
        }
    }

    /// Refuses interpolated text in arguments that are read as a program, a name or another language.
    pub(super) fn formats(
        &mut self,
        facts: &ToolFacts<'_>,
        args: &ArgumentNode,
        base: &str,
        mapped: Option<&MapElement>,
    ) {
        let mut found = Vec::new();
        gather_taints(
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
fn is_read(marked: &str, slot: &str, taint: &InterpolationTaint) -> bool {
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
    let way: Vec<ReferenceSegment> = names
        .map(|name| ReferenceSegment::Field(name.into()))
        .collect();
    taint.at(&way).is_any()
}

fn gather_taints(
    node: &ArgumentNode,
    in_file: bool,
    known: &dyn Fn(&PlacedReference) -> InterpolationTaint,
    found: &mut Vec<TaintedArgument>,
) {
    match node {
        ArgumentNode::Literal(_) => {}
        ArgumentNode::Reference(placed) => {
            let taint = known(placed);
            if taint.is_any() {
                found.push(TaintedArgument {
                    pointer: placed.pointer.clone(),
                    taint,
                    in_file,
                    through: Some(placed.reference.to_string()),
                });
            }
        }
        ArgumentNode::Format(format) => found.push(TaintedArgument {
            pointer: format.pointer.clone(),
            taint: InterpolationTaint::Text,
            in_file,
            through: None,
        }),
        ArgumentNode::Object(members) => {
            for (key, member) in members {
                let in_file = in_file || matches!(&**key, "$file" | "$artifact");
                gather_taints(member, in_file, known, found);
            }
        }
        ArgumentNode::Array(nodes) => nodes
            .iter()
            .for_each(|node| gather_taints(node, in_file, known, found)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::PlanReference;

    fn taint(text: &str) -> InterpolationTaint {
        let value =
            tool_core::json::parse_json(text, tool_core::json::JsonLimits::default()).unwrap();
        let mut problems = crate::problem::PlanProblems::default();
        let node = ArgumentNode::compile(&value, &mut String::new(), &mut problems);
        assert!(problems.is_empty(), "{problems}");
        InterpolationTaint::of(&node, &|_| InterpolationTaint::Not)
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
            let reference = PlanReference::parse(text).unwrap();
            assert_eq!(taint.at(reference.segments()).is_any(), expected, "{text}");
        }
        // Whichever element it is.
        for (text, expected) in [
            ("r.a", true),
            ("r.b", false),
            ("r.c[1]", true),
            ("r.c[0]", false),
        ] {
            let reference = PlanReference::parse(text).unwrap();
            let found = taint.element().at(reference.segments());
            assert_eq!(found.is_any(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_a_list_or_a_record_may_be_either() {
        let taint = taint(r#"[{"a":{"$fmt":"x"}},[{"$fmt":"y"}],"z"]"#).element();
        assert_eq!(taint, InterpolationTaint::Text);
    }
}
