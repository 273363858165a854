//! Detection of conditions that are never true, without values.
//!
//! The parts are brought into a normal form: alternatives, each a list of comparisons that must hold together, as far as a limit
//! goes. In each, terms and values are nodes, `a <= b` and `a < b` are edges; a circle with a `<` in it cannot be, nor can values that
//! differ be equal. Terms that hang together in other ways (a list and its length) count as independent: then less is found, and
//! nothing that could hold.

use tool_core::Value;

use super::{ComparisonOperator, ConditionExpression, compare_values};

/// Maximum number of alternatives that are examined, and of terms and values of one.
const ALTERNATIVES_MAX: usize = 32;
const NODES_MAX: usize = 32;
/// Most parts of which every two are held against each other.
const PARTS_MAX: usize = 40;

/// The parts that are never true together, as few as are easily found; `whole` tells whether a term is an integer.
pub(crate) fn find_contradiction(
    parts: &[&ConditionExpression],
    whole: &dyn Fn(&ConditionExpression) -> bool,
) -> Option<Vec<String>> {
    let never = |parts: &[&ConditionExpression]| !can_hold(parts, whole);
    if !never(parts) {
        return None;
    }
    let shown =
        |parts: &[&ConditionExpression]| Some(parts.iter().map(ToString::to_string).collect());
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
struct ComparisonAtom<'a> {
    left: ComparisonSide<'a>,
    op: ComparisonOperator,
    right: ComparisonSide<'a>,
}

#[derive(Clone)]
enum ComparisonSide<'a> {
    Term(&'a ConditionExpression),
    Known(Value),
}

type Alternative<'a> = Vec<ComparisonAtom<'a>>;

fn can_hold(parts: &[&ConditionExpression], whole: &dyn Fn(&ConditionExpression) -> bool) -> bool {
    let all = vec![Vec::new()];
    let mut parts = parts.iter();
    let Some(alternatives) = parts.try_fold(all, |all, part| {
        conjoin_alternatives(all, disjunctive_normal_form(part, true))
    }) else {
        return true; // too many to say
    };
    alternatives
        .iter()
        .any(|alternative| OrderGraph::of(alternative, whole).is_none_or(|nodes| nodes.can_be()))
}

/// The alternatives in which an expression is true, or false; none where there are too many. The depth is that of a condition.
fn disjunctive_normal_form(
    expr: &ConditionExpression,
    truth: bool,
) -> Option<Vec<Alternative<'_>>> {
    match (expr, truth) {
        (ConditionExpression::Not(inner), _) => disjunctive_normal_form(inner, !truth),
        (ConditionExpression::All(parts), true) | (ConditionExpression::Any(parts), false) => {
            let one = vec![Vec::new()];
            let mut parts = parts.iter();
            parts.try_fold(one, |all, part| {
                conjoin_alternatives(all, disjunctive_normal_form(part, truth))
            })
        }
        (ConditionExpression::Any(parts), true) | (ConditionExpression::All(parts), false) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(disjunctive_normal_form(part, truth)?);
            }
            (all.len() <= ALTERNATIVES_MAX).then_some(all)
        }
        (ConditionExpression::Compare(left, op, right), _) => {
            let op = if truth { *op } else { op.negated() };
            let (left, right) = (comparison_side(left), comparison_side(right));
            Some(vec![vec![ComparisonAtom { left, op, right }]])
        }
        _ => {
            let (left, right) = (
                comparison_side(expr),
                ComparisonSide::Known(Value::Bool(truth)),
            );
            let op = ComparisonOperator::Equal;
            Some(vec![vec![ComparisonAtom { left, op, right }]])
        }
    }
}

fn comparison_side(expr: &ConditionExpression) -> ComparisonSide<'_> {
    match expr {
        ConditionExpression::Literal(value) => ComparisonSide::Known(value.clone()),
        term => ComparisonSide::Term(term),
    }
}

fn conjoin_alternatives<'a>(
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
enum OrderEdge {
    None,
    AtMost,
    Less,
}

/// A node: the text of a term, or a value.
#[derive(PartialEq)]
enum OrderNode {
    Term(String),
    Known(Value),
}

#[derive(Default)]
struct OrderGraph {
    nodes: Vec<OrderNode>,
    /// Comparisons as they are written, before what follows from them.
    edges: Vec<(usize, usize, OrderEdge)>,
    unequal: Vec<(usize, usize)>,
    /// Nodes that must have an order, since a comparison needs it.
    ordered: Vec<usize>,
}

impl OrderGraph {
    /// None where there are too many.
    fn of(
        alternative: &Alternative<'_>,
        whole: &dyn Fn(&ConditionExpression) -> bool,
    ) -> Option<Self> {
        let mut nodes = Self::default();
        for atom in alternative {
            nodes.add(&atom.left, atom.op, &atom.right);
            nodes.add_whole(atom, whole);
        }
        (nodes.nodes.len() <= NODES_MAX).then_some(nodes)
    }

    fn node(&mut self, side: &ComparisonSide<'_>) -> usize {
        let node = match side {
            ComparisonSide::Term(expr) => OrderNode::Term(expr.to_string()),
            ComparisonSide::Known(value) => OrderNode::Known(value.clone()),
        };
        let known = |other: &OrderNode| match (&node, other) {
            (OrderNode::Known(a), OrderNode::Known(b)) => {
                compare_values(a, ComparisonOperator::Equal, b) == Some(true)
            }
            (a, b) => a == b,
        };
        self.nodes.iter().position(known).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn add(
        &mut self,
        left: &ComparisonSide<'_>,
        op: ComparisonOperator,
        right: &ComparisonSide<'_>,
    ) {
        let (a, b) = (self.node(left), self.node(right));
        if op.is_order() {
            self.ordered.extend([a, b]);
        }
        match op {
            ComparisonOperator::Equal => self
                .edges
                .extend([(a, b, OrderEdge::AtMost), (b, a, OrderEdge::AtMost)]),
            ComparisonOperator::Unequal => self.unequal.push((a, b)),
            ComparisonOperator::Less => self.edges.push((a, b, OrderEdge::Less)),
            ComparisonOperator::AtMost => self.edges.push((a, b, OrderEdge::AtMost)),
            ComparisonOperator::Greater => self.edges.push((b, a, OrderEdge::Less)),
            ComparisonOperator::AtLeast => self.edges.push((b, a, OrderEdge::AtMost)),
        }
        for side in [left, right] {
            if let ComparisonSide::Term(ConditionExpression::Length(_)) = side {
                let (zero, length) = (
                    self.node(&ComparisonSide::Known(Value::Int(0))),
                    self.node(side),
                );
                self.edges.push((zero, length, OrderEdge::AtMost));
            }
        }
    }

    /// A whole number beyond a bound is at least the next one.
    fn add_whole(
        &mut self,
        atom: &ComparisonAtom<'_>,
        whole: &dyn Fn(&ConditionExpression) -> bool,
    ) {
        let (term, op, value) = match (&atom.left, &atom.right) {
            (ComparisonSide::Term(term), ComparisonSide::Known(value)) => (*term, atom.op, value),
            (ComparisonSide::Known(value), ComparisonSide::Term(term)) => {
                (*term, atom.op.mirrored(), value)
            }
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
        let mut limit = |op: ComparisonOperator, value: f64| {
            let value = ComparisonSide::Known(Value::from(value));
            self.add(&ComparisonSide::Term(term), op, &value);
        };
        if matches!(
            op,
            ComparisonOperator::Greater | ComparisonOperator::AtLeast | ComparisonOperator::Equal
        ) {
            limit(
                ComparisonOperator::AtLeast,
                next(op == ComparisonOperator::Greater, above, 1.0),
            );
        }
        if matches!(
            op,
            ComparisonOperator::Less | ComparisonOperator::AtMost | ComparisonOperator::Equal
        ) {
            limit(
                ComparisonOperator::AtMost,
                next(op == ComparisonOperator::Less, below, -1.0),
            );
        }
    }

    /// Whether some values satisfy all comparisons.
    fn can_be(&self) -> bool {
        let count = self.nodes.len();
        let mut known = vec![vec![OrderEdge::None; count]; count];
        let mut linked = vec![vec![false; count]; count];
        (0..count).for_each(|node| linked[node][node] = true);
        for &(a, b, edge) in &self.edges {
            known[a][b] = known[a][b].max(edge);
            (linked[a][b], linked[b][a]) = (true, true);
        }
        for (a, one) in self.nodes.iter().enumerate() {
            for (b, other) in self.nodes.iter().enumerate() {
                if let (OrderNode::Known(x), OrderNode::Known(y)) = (one, other)
                    && compare_values(x, ComparisonOperator::Less, y) == Some(true)
                {
                    known[a][b] = OrderEdge::Less;
                }
            }
        }
        for middle in 0..count {
            for a in 0..count {
                for b in 0..count {
                    linked[a][b] |= linked[a][middle] && linked[middle][b];
                    let (first, second) = (known[a][middle], known[middle][b]);
                    if first != OrderEdge::None && second != OrderEdge::None {
                        known[a][b] = known[a][b].max(first).max(second);
                    }
                }
            }
        }
        let equal = |a: usize, b: usize| {
            a == b || (known[a][b] != OrderEdge::None && known[b][a] != OrderEdge::None)
        };
        let circle = (0..count).any(|node| known[node][node] == OrderEdge::Less);
        let same = self.unequal.iter().any(|&(a, b)| equal(a, b));
        !(circle || same || self.mixes(&linked, &equal))
    }

    /// Whether values of different kinds, or without an order, are compared through terms.
    fn mixes(&self, linked: &[Vec<bool>], equal: &dyn Fn(usize, usize) -> bool) -> bool {
        let values = || {
            let known = self.nodes.iter().enumerate();
            known.filter_map(|(position, node)| match node {
                OrderNode::Known(value) => Some((position, value)),
                OrderNode::Term(_) => None,
            })
        };
        values().any(|(a, one)| {
            let unordered = compare_values(one, ComparisonOperator::Less, one).is_none();
            let compared = self.ordered.iter().any(|&b| linked[a][b]);
            (unordered && compared)
                || values().any(|(b, other)| {
                    let differ =
                        compare_values(one, ComparisonOperator::Equal, other) == Some(false);
                    let kinds = compare_values(one, ComparisonOperator::Less, other).is_none();
                    differ && ((kinds && linked[a][b]) || (a != b && equal(a, b)))
                })
        })
    }
}
