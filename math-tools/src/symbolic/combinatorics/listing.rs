//! Lists of arrangements, with a condition.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use num_traits::One as _;
use tool_core::tool_error;

use super::items::{ListedItems, read_items};
use super::question::{Args, ListedSet, Output};
use crate::expression::{Expression, ExpressionScope};
use crate::prelude::*;
use crate::symbolic::exact_integer::{ExactInteger, NamedInteger, short_digits};

/// Most arrangements that are visited, to count those that satisfy a condition.
const VISITED_MAX: u64 = 20_000_000;
/// Names of a condition beside the entries of `x`.
const WHOLE_NAMES: [&str; 6] = [
    "size",
    "total",
    "product",
    "smallest",
    "greatest",
    "different",
];

pub(super) fn answer_list(args: &Args, list: ListedSet, ctx: &Ctx) -> Result<Output, ToolError> {
    let items = read_items(args, list)?;
    let (total, formula) = items.total(args);
    let condition = match &args.condition {
        Some(text) => Some(ArrangementCondition::new(text, items.length)?),
        None => None,
    };
    let visits_all = condition.is_some() || total.is_none();
    if let Some(total) = total
        .as_ref()
        .filter(|total| visits_all && **total > BigUint::from(VISITED_MAX))
    {
        let found = short_digits(&total.clone().into());
        refuse!(invalid "/condition", "limit"; "a condition is evaluated for each arrangement: expected at most {VISITED_MAX}, found {found}";
            "narrow the set by `k`, `largest` or fewer items");
    }
    let limit = args.limit.size();
    ctx.reserve((limit * items.length) as u64 * 64)?;
    let mut visit = ArrangementListing {
        items: &items,
        condition,
        limit,
        visits_all,
        shown: Vec::new(),
        visited: 0,
        matched: 0,
        fault: None,
        ctx,
    };
    let _ = items.visit(args.repetition, &mut |chosen| visit.take(chosen));
    if let Some(fault) = visit.fault {
        return Err(fault);
    }
    let is_condition = visit.condition.is_some();
    let (shown, visited, matched) = (visit.shown, visit.visited, visit.matched);
    let all = total.clone().unwrap_or_else(|| BigUint::from(visited));
    let value = match is_condition {
        true => BigUint::from(matched),
        false => all.clone(),
    };
    let verified = verify_count(total.as_ref(), visited, shown.len() < limit || visits_all)?;
    let what = items.what();
    let (found, of) = (
        short_digits(&value.clone().into()),
        short_digits(&all.clone().into()),
    );
    let summary = match &args.condition {
        Some(text) => {
            let verb = if value.is_one() {
                "satisfies"
            } else {
                "satisfy"
            };
            format!("{found} of {of} {what} {verb} `{text}`.")
        }
        None if value.is_one() => format!("There is 1 of {what}."),
        None => format!("There are {found} {what}."),
    };
    let numbers = match is_condition {
        true => vec![NamedInteger::new("without_condition", all)],
        false => Vec::new(),
    };
    let name = tool_core::convert::to_value(&list)?;
    Ok(Output {
        question: name.as_str().unwrap_or_default().to_owned(),
        text: value.to_string(),
        is_cut: value > BigUint::from(shown.len()),
        value: Some(ExactInteger::from(value)),
        formula: formula.to_owned(),
        arrangements: shown,
        numbers,
        verified,
        summary,
    })
}

/// A visit of all arrangements is held against the formula.
fn verify_count(
    total: Option<&BigUint>,
    visited: u64,
    is_whole: bool,
) -> Result<Vec<String>, ToolError> {
    match total {
        Some(total) if is_whole => {
            if *total != BigUint::from(visited) {
                return Err(tool_error!(
                    Internal,
                    "visited {visited}, the formula counts {total}"
                ));
            }
            Ok(vec![format!(
                "all {visited} were visited, as many as the formula counts"
            )])
        }
        Some(_) => Ok(vec![
            "the count is that of the formula; the list is its beginning".to_owned(),
        ]),
        None => Ok(vec![format!("counted by a visit of all {visited}")]),
    }
}

/// What is done with each arrangement.
struct ArrangementListing<'a> {
    items: &'a ListedItems,
    condition: Option<ArrangementCondition>,
    limit: usize,
    visits_all: bool,
    shown: Vec<Value>,
    visited: u64,
    matched: u64,
    fault: Option<ToolError>,
    ctx: &'a Ctx,
}

impl ArrangementListing<'_> {
    fn take(&mut self, chosen: &[usize]) -> ControlFlow<()> {
        if !self.visits_all && self.shown.len() >= self.limit {
            return ControlFlow::Break(());
        }
        if self.visited.is_multiple_of(256)
            && let Err(fault) = self.step()
        {
            self.fault = Some(fault);
            return ControlFlow::Break(());
        }
        self.visited += 1;
        let fits = match &mut self.condition {
            None => Ok(true),
            Some(condition) => condition.holds(self.items, chosen),
        };
        match fits {
            Err(fault) => {
                self.fault = Some(fault);
                return ControlFlow::Break(());
            }
            Ok(true) => {
                self.matched += 1;
                if self.shown.len() < self.limit {
                    self.shown.push(self.items.written(chosen));
                }
            }
            Ok(false) => {}
        }
        ControlFlow::Continue(())
    }

    fn step(&self) -> Result<(), ToolError> {
        if self.condition.is_some() {
            self.ctx.count_evaluations(256)?;
        }
        if self.visited >= VISITED_MAX {
            return Err(tool_error!(LimitExceeded at "/list", "limit";
                "more than {VISITED_MAX} arrangements"; "narrow the set by `k`, `largest` or fewer items"));
        }
        self.ctx.check()
    }
}

/// An expression over an arrangement.
struct ArrangementCondition {
    expression: Expression,
    length: usize,
    slots: Vec<f64>,
}

impl ArrangementCondition {
    fn new(text: &str, length: usize) -> Result<Self, ToolError> {
        let scope = ExpressionScope::new().list("x", length.max(1));
        let scope = WHOLE_NAMES
            .iter()
            .fold(scope, |scope, name| scope.variable(name));
        let expression =
            Expression::parse(text, &scope).map_err(|err| err.into_tool_error("/condition"))?;
        Ok(Self {
            expression,
            length: length.max(1),
            slots: vec![0.0; length.max(1) + WHOLE_NAMES.len()],
        })
    }

    fn holds(&mut self, items: &ListedItems, chosen: &[usize]) -> Result<bool, ToolError> {
        let entries = self.slots.len() - WHOLE_NAMES.len();
        self.slots[..entries].fill(0.0);
        let (mut total, mut product) = (0.0, 1.0);
        let (mut smallest, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut different = 0.0;
        for (place, &kind) in chosen.iter().enumerate().take(self.length) {
            let value = items.number(place, kind);
            self.slots[place] = value;
            total += value;
            product *= value;
            smallest = value.min(smallest);
            greatest = value.max(greatest);
            different += f64::from(u8::from(!self.slots[..place].contains(&value)));
        }
        if chosen.is_empty() {
            (smallest, greatest) = (0.0, 0.0);
        }
        let whole = [
            chosen.len() as f64,
            total,
            product,
            smallest,
            greatest,
            different,
        ];
        if !product.is_finite() || !total.is_finite() {
            refuse!(numeric "/condition", "overflow"; "the product or the sum of an arrangement is no double"; "use smaller numbers");
        }
        self.slots[entries..].copy_from_slice(&whole);
        match self.expression.value(&self.slots) {
            Ok(value) => Ok(value != 0.0),
            Err(err) => {
                let shown = items.written(chosen);
                refuse!(numeric "/condition", "value"; "the condition has no value for {shown}: {err}"; "exclude such arrangements, for example by `if(x[1] == 0, 0, ...)`")
            }
        }
    }
}
