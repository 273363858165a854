//! Detection of conditions that are never true, without values.
//!
//! The parts are brought into a normal form: alternatives, each a list of comparisons that must hold together, as far as a limit
//! goes. In each, terms and values are nodes, `a <= b` and `a < b` are edges; a circle with a `<` in it cannot be, nor can values that
//! differ be equal. Terms that hang together in other ways (a list and its length) count as independent: then less is found, and
//! nothing that could hold.

use tool_core::Value;

use super::{Expr, Op, compare};

/// Maximum number of alternatives that are examined, and of terms and values of one.
const ALTERNATIVES_MAX: usize = 32;
const NODES_MAX: usize = 32;
/// Most parts of which every two are held against each other.
const PARTS_MAX: usize = 40;

/// The parts that are never true together, as few as are easily found; `whole` tells whether a term is an integer.
pub(crate) fn contradiction(parts: &[&Expr], whole: &dyn Fn(&Expr) -> bool) -> Option<Vec<String>> {
    let never = |parts: &[&Expr]| !can_hold(parts, whole);
    if !never(parts) {
        return None;
    }
    let shown = |parts: &[&Expr]| Some(parts.iter().map(ToString::to_string).collect());
    if let Some(&one) = parts.iter().find(|&&one| never(&[one])) {
        return shown(&[one]);
    }
    if parts.len() <= PARTS_MAX {
        for (position, &other) in parts.iter().enumerate() {
            if let Some(&one) = parts[..position].iter().find(|&&one| never(&[one, other])) {
                return shown(&[one, other]);
            }
        }
    }
    shown(parts)
}

/// One comparison that must be true.
#[derive(Clone)]
struct Atom<'a> {
    left: Side<'a>,
    op: Op,
    right: Side<'a>,
}

#[derive(Clone)]
enum Side<'a> {
    Term(&'a Expr),
    Known(Value),
}

type Alternative<'a> = Vec<Atom<'a>>;

fn can_hold(parts: &[&Expr], whole: &dyn Fn(&Expr) -> bool) -> bool {
    let all = vec![Vec::new()];
    let mut parts = parts.iter();
    let Some(alternatives) = parts.try_fold(all, |all, part| product(all, normal(part, true)))
    else {
        return true; // too many to say
    };
    alternatives
        .iter()
        .any(|alternative| Nodes::of(alternative, whole).is_none_or(|nodes| nodes.can_be()))
}

/// The alternatives in which an expression is true, or false; none where there are too many. The depth is that of a condition.
fn normal(expr: &Expr, truth: bool) -> Option<Vec<Alternative<'_>>> {
    match (expr, truth) {
        (Expr::Not(inner), _) => normal(inner, !truth),
        (Expr::All(parts), true) | (Expr::Any(parts), false) => {
            let one = vec![Vec::new()];
            let mut parts = parts.iter();
            parts.try_fold(one, |all, part| product(all, normal(part, truth)))
        }
        (Expr::Any(parts), true) | (Expr::All(parts), false) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(normal(part, truth)?);
            }
            (all.len() <= ALTERNATIVES_MAX).then_some(all)
        }
        (Expr::Compare(left, op, right), _) => {
            let op = if truth { *op } else { op.negated() };
            let (left, right) = (side(left), side(right));
            Some(vec![vec![Atom { left, op, right }]])
        }
        _ => {
            let (left, right) = (side(expr), Side::Known(Value::Bool(truth)));
            let op = Op::Equal;
            Some(vec![vec![Atom { left, op, right }]])
        }
    }
}

fn side(expr: &Expr) -> Side<'_> {
    match expr {
        Expr::Literal(value) => Side::Known(value.clone()),
        term => Side::Term(term),
    }
}

fn product<'a>(
    one: Vec<Alternative<'a>>,
    other: Option<Vec<Alternative<'a>>>,
) -> Option<Vec<Alternative<'a>>> {
    let other = other?;
    if one.len() * other.len() > ALTERNATIVES_MAX {
        return None;
    }
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    Some(pairs.map(|(a, b)| [a.as_slice(), b].concat()).collect())
}

/// Order of two nodes: unknown, at most, or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    None,
    AtMost,
    Less,
}

/// A node: the text of a term, or a value.
#[derive(PartialEq)]
enum Node {
    Term(String),
    Known(Value),
}

#[derive(Default)]
struct Nodes {
    nodes: Vec<Node>,
    /// Comparisons as they are written, before what follows from them.
    edges: Vec<(usize, usize, Edge)>,
    unequal: Vec<(usize, usize)>,
    /// Nodes that must have an order, since a comparison needs it.
    ordered: Vec<usize>,
}

impl Nodes {
    /// None where there are too many.
    fn of(alternative: &Alternative<'_>, whole: &dyn Fn(&Expr) -> bool) -> Option<Self> {
        let mut nodes = Self::default();
        for atom in alternative {
            nodes.add(&atom.left, atom.op, &atom.right);
            nodes.add_whole(atom, whole);
        }
        (nodes.nodes.len() <= NODES_MAX).then_some(nodes)
    }

    fn node(&mut self, side: &Side<'_>) -> usize {
        let node = match side {
            Side::Term(expr) => Node::Term(expr.to_string()),
            Side::Known(value) => Node::Known(value.clone()),
        };
        let known = |other: &Node| match (&node, other) {
            (Node::Known(a), Node::Known(b)) => compare(a, Op::Equal, b) == Some(true),
            (a, b) => a == b,
        };
        self.nodes.iter().position(known).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn add(&mut self, left: &Side<'_>, op: Op, right: &Side<'_>) {
        let (a, b) = (self.node(left), self.node(right));
        if op.is_order() {
            self.ordered.extend([a, b]);
        }
        match op {
            Op::Equal => self
                .edges
                .extend([(a, b, Edge::AtMost), (b, a, Edge::AtMost)]),
            Op::Unequal => self.unequal.push((a, b)),
            Op::Less => self.edges.push((a, b, Edge::Less)),
            Op::AtMost => self.edges.push((a, b, Edge::AtMost)),
            Op::Greater => self.edges.push((b, a, Edge::Less)),
            Op::AtLeast => self.edges.push((b, a, Edge::AtMost)),
        }
        for side in [left, right] {
            if let Side::Term(Expr::Length(_)) = side {
                let (zero, length) = (self.node(&Side::Known(Value::Int(0))), self.node(side));
                self.edges.push((zero, length, Edge::AtMost));
            }
        }
    }

    /// A whole number beyond a bound is at least the next one.
    fn add_whole(&mut self, atom: &Atom<'_>, whole: &dyn Fn(&Expr) -> bool) {
        let (term, op, value) = match (&atom.left, &atom.right) {
            (Side::Term(term), Side::Known(value)) => (*term, atom.op, value),
            (Side::Known(value), Side::Term(term)) => (*term, atom.op.mirrored(), value),
            _ => return,
        };
        let Some(bound) = value.as_f64().filter(|bound| bound.abs() < 1e15) else {
            return;
        };
        if !whole(term) {
            return;
        }
        let (above, below) = (bound.ceil(), bound.floor());
        let next = |strict: bool, edge: f64, step: f64| match strict && edge == bound {
            true => edge + step,
            false => edge,
        };
        let mut limit = |op: Op, value: f64| {
            let value = Side::Known(Value::from(value));
            self.add(&Side::Term(term), op, &value);
        };
        if matches!(op, Op::Greater | Op::AtLeast | Op::Equal) {
            limit(Op::AtLeast, next(op == Op::Greater, above, 1.0));
        }
        if matches!(op, Op::Less | Op::AtMost | Op::Equal) {
            limit(Op::AtMost, next(op == Op::Less, below, -1.0));
        }
    }

    /// Whether some values satisfy all comparisons.
    fn can_be(&self) -> bool {
        let count = self.nodes.len();
        let mut known = vec![vec![Edge::None; count]; count];
        let mut linked = vec![vec![false; count]; count];
        (0..count).for_each(|node| linked[node][node] = true);
        for &(a, b, edge) in &self.edges {
            known[a][b] = known[a][b].max(edge);
            (linked[a][b], linked[b][a]) = (true, true);
        }
        for (a, one) in self.nodes.iter().enumerate() {
            for (b, other) in self.nodes.iter().enumerate() {
                if let (Node::Known(x), Node::Known(y)) = (one, other)
                    && compare(x, Op::Less, y) == Some(true)
                {
                    known[a][b] = Edge::Less;
                }
            }
        }
        for middle in 0..count {
            for a in 0..count {
                for b in 0..count {
                    linked[a][b] |= linked[a][middle] && linked[middle][b];
                    let (first, second) = (known[a][middle], known[middle][b]);
                    if first != Edge::None && second != Edge::None {
                        known[a][b] = known[a][b].max(first).max(second);
                    }
                }
            }
        }
        let equal =
            |a: usize, b: usize| a == b || (known[a][b] != Edge::None && known[b][a] != Edge::None);
        let circle = (0..count).any(|node| known[node][node] == Edge::Less);
        let same = self.unequal.iter().any(|&(a, b)| equal(a, b));
        !(circle || same || self.mixes(&linked, &equal))
    }

    /// Whether values of different kinds, or without an order, are compared through terms.
    fn mixes(&self, linked: &[Vec<bool>], equal: &dyn Fn(usize, usize) -> bool) -> bool {
        let values = || {
            let known = self.nodes.iter().enumerate();
            known.filter_map(|(position, node)| match node {
                Node::Known(value) => Some((position, value)),
                Node::Term(_) => None,
            })
        };
        values().any(|(a, one)| {
            let unordered = compare(one, Op::Less, one).is_none();
            let compared = self.ordered.iter().any(|&b| linked[a][b]);
            (unordered && compared)
                || values().any(|(b, other)| {
                    let differ = compare(one, Op::Equal, other) == Some(false);
                    let kinds = compare(one, Op::Less, other).is_none();
                    differ && ((kinds && linked[a][b]) || (a != b && equal(a, b)))
                })
        })
    }
}
