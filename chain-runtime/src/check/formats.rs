//! Refuses interpolated text where a tool reads it as a program, a name or another language.

use super::checker::{Checker, Mapped};
use super::facts::ToolFacts;
use super::taint::Interpolated;
use crate::problem::problem;
use crate::reference::Segment;
use crate::template::{Node, Placed};

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
            let problem = problem!(
                Argument,
                &found.pointer,
                "`$fmt` is refused for `{slot}` of `{tool}`: the text is read as {kind}, and a value in it could change its meaning{through}"
            );
            self.problems
                .push(problem.hint("pass the whole value with `$ref`, or write it out"));
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
