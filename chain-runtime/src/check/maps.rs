//! Maps: the list, the type of its elements, and the calls for literal elements.

use std::sync::Arc;

use tool_core::{Effect, ToolError, Value, tool_error};

use super::args;
use super::checked::{CheckedStep, StepPermit};
use super::checker::{MapElement, PlanChecker, ResolvedCall, StepSite};
use super::taint::InterpolationTaint;
use crate::plan::{OnItemError, StepMap};
use crate::problem::{Fault, PROBLEMS_MAX, PlanProblem, problem};
use crate::template::{ArgumentNode, PlacedReference};
use crate::types::{RecordField, RecordType, ReferenceTarget, Type, TypeFit, check_type_fit};

/// Maximum number of elements whose problems are reported.
const REPORTED_MAX: usize = 5;

/// Type of the result of a map.
pub(super) fn map_output_type(item: Type, on_item_error: OnItemError) -> Type {
    let element = match on_item_error {
        OnItemError::Fail => item,
        OnItemError::Collect => {
            let record = |fields: Vec<(&str, Type, bool)>| {
                let field = |(name, ty, required): (&str, Type, bool)| RecordField {
                    name: name.into(),
                    ty,
                    required,
                };
                let fields = fields.into_iter().map(field).collect();
                Type::Record(Arc::new(RecordType { fields, rest: None }))
            };
            let texts = ["code", "message"].map(|name| (name, Type::String, true));
            record(vec![
                ("ok", Type::Boolean, true),
                ("value", item, false),
                ("error", record(texts.into()), false),
            ])
        }
    };
    Type::List(Arc::new(element))
}

/// Whether all references of the arguments are to the element, so that every call is known.
pub(super) fn is_known(checked: &CheckedStep) -> bool {
    let Some(map) = &checked.map else {
        return false;
    };
    let roots = checked.args.references().into_iter();
    let mut roots = roots.map(|placed| placed.reference.root());
    roots.all(|root| root == "index" || *root == *map.name)
}

/// The arguments for one element.
pub(crate) fn bind_item(
    args: &ArgumentNode,
    name: &str,
    index: usize,
    item: &Value,
) -> Result<ArgumentNode, ToolError> {
    args.bind(&mut |placed| item_value(placed, name, index, item))
}

/// Value of a reference to the element or its index; `None` for other references.
pub(crate) fn item_value(
    placed: &PlacedReference,
    name: &str,
    index: usize,
    item: &Value,
) -> Result<Option<Value>, ToolError> {
    let root = placed.reference.root();
    let found = match root {
        "index" => placed.resolve(&Value::from(index)),
        _ if root == name => placed.resolve(item),
        _ => return Ok(None),
    };
    found.map(|(value, _)| Some(value)).map_err(|missing| {
        let reference = &placed.reference;
        tool_error!(InvalidArgs, "`{reference}`: {missing}")
            .hint("name a part that every element has, or add a `default`")
    })
}

impl PlanChecker<'_> {
    /// Checks the list of a map; its references are dependencies like those of the arguments.
    pub(super) fn over(
        &mut self,
        position: usize,
        map: &StepMap,
        checked: &mut CheckedStep,
    ) -> Option<MapElement> {
        let base = format!("/steps/{position}/map/over");
        if self.index.contains_key(&map.name) {
            let pointer = format!("/steps/{position}/map/as");
            let problem = problem!(Id, pointer, "`{}` is the id of a step", map.name);
            self.report(problem.hint("choose another name for the element"));
        }
        let (over, _) = self.bind_inputs(&map.over, &base);
        let site = StepSite::new(position, base);
        let mut walked = None;
        for placed in over.references() {
            walked = match placed.reference.root() {
                "inputs" => self.open_input(placed).and_then(Result::ok),
                _ => self.used(&site, placed, checked),
            };
            let through = walked.as_ref().filter(|walked| walked.through);
            if let (Some(walked), None) = (through, &placed.default) {
                let (reference, lacks) = (&placed.reference, args::may_lack(walked));
                let problem = problem!(Type, &placed.pointer, "`{reference}` {lacks}");
                let hint = args::add_default(reference, self.plan.is_script);
                self.report(problem.hint(hint));
            }
        }
        let items = over.literal().map(Value::items);
        let ty = match (&over, &items) {
            (ArgumentNode::Literal(value), None | Some(None)) => Type::of_value(value),
            (ArgumentNode::Literal(_), Some(Some(items))) => {
                Type::List(Arc::new(Type::union(items.iter().map(Type::of_value))))
            }
            (ArgumentNode::Reference(placed), _) => match &walked {
                Some(walked) if walked.maybe && placed.default.is_none() => {
                    Type::union([walked.ty.clone(), Type::Null])
                }
                Some(walked) => walked.ty.clone(),
                None => Type::Any,
            },
            (ArgumentNode::Array(_), _) => Type::List(Arc::new(Type::Any)),
            (ArgumentNode::Object(_), _) => Type::of_schema(&serde_json::json!({"type": "object"})),
            (ArgumentNode::Format(_), _) => Type::String,
        };
        let items = items.flatten();
        let calls = items.as_ref().map_or(1, Vec::len);
        self.found.units += calls;
        let cost = self.plan.steps[position].cost_ms.unwrap_or(0);
        let cost = cost.saturating_mul(calls as u64);
        self.found.cost = self.found.cost.saturating_add(cost);
        if let Some(items) = items.as_ref().filter(|items| items.len() > map.max) {
            let (found, most) = (items.len(), map.max);
            let message = format_args!("the map takes at most {most} elements, found {found}");
            self.report(PlanProblem::new(Fault::Limit, &site.base, message));
        }
        if check_type_fit(&ty, &Type::list(1, Type::Any)) == TypeFit::Never {
            self.report(problem!(Type, &site.base; "a map needs a list, found {ty}";
                "write `over: [..]`, or a reference to a list"));
        }
        let item = match ty.walk(&[crate::reference::ReferenceSegment::Index(0)]) {
            Ok(walked) if walked.maybe => Type::union([walked.ty, Type::Null]),
            Ok(walked) => walked.ty,
            Err(_) => Type::Any,
        };
        checked.step.map = Some(StepMap {
            over,
            ..map.clone()
        });
        Some(MapElement {
            name: Arc::clone(&map.name),
            item,
            taint: InterpolationTaint::of(&map.over, &|placed| self.taint_of(None, placed))
                .element(),
            items,
        })
    }

    /// Type of a reference to the element.
    pub(super) fn walked_item(
        &mut self,
        ty: &Type,
        placed: &PlacedReference,
    ) -> Option<ReferenceTarget> {
        let end = match ty.walk(placed.reference.segments()) {
            Ok(walked) => return Some(walked),
            Err(end) => end,
        };
        let (reference, (reached, part)) = (&placed.reference, end.last_of(&placed.reference));
        let found = end.found;
        self.report(problem!(ReferenceField, &placed.pointer;
            "`{reference}`: `{reached}` gives {found}, which has no `{part}`"));
        None
    }

    /// Calls for literal elements: each is checked as if it were a step.
    pub(super) fn known_items(
        &mut self,
        called: ResolvedCall<'_>,
        items: &[Value],
        checked: &mut CheckedStep,
    ) {
        let Some(map) = checked.map.clone() else {
            return;
        };
        let mut resources = Vec::new();
        let mut strictest: Option<StepPermit> = None;
        let mut effects: Option<&[Effect]> = None;
        let (mut faults, mut idempotent) = (0, true);
        let mut plans = Some(Vec::new()); // none as soon as one of them is not known
        for (index, item) in items.iter().enumerate() {
            let args = bind_item(&checked.args, &map.name, index, item);
            let args = args.map(|args| args.literal().cloned().unwrap_or_default());
            let call = match args.and_then(|args| called.facts.tool.decode(&args)) {
                Ok(call) => call,
                Err(err) => {
                    faults += 1;
                    if faults <= REPORTED_MAX {
                        let mut origins = checked.from_inputs.clone();
                        let path = err.path().unwrap_or_default().to_owned();
                        origins.push((path, format!("element {index} of the map")));
                        self.bad_arguments(&err, &called.site.base, &origins);
                    }
                    continue;
                }
            };
            let mut one = checked.clone();
            self.permit_known(called, &*call, &mut one);
            resources.append(&mut one.resources);
            idempotent &= one.idempotent;
            plans = plans
                .zip(one.plans)
                .map(|(plans, one)| [plans, one].concat());
            // Most effects of any of them, and the strictest verdict, the first of several.
            if effects.is_none_or(|found| found.len() < one.effects.len()) {
                effects = Some(one.effects);
            }
            let known = strictest.as_ref().map(|known| known.verdict);
            if known.is_none_or(|known| one.permit.verdict > known) {
                strictest = Some(one.permit);
            }
            if self.problems.list().len() > PROBLEMS_MAX / 2 {
                return;
            }
        }
        resources.sort();
        resources.dedup();
        checked.resources = resources;
        checked.plans = plans.filter(|_| !items.is_empty());
        if let Some(effects) = effects {
            checked.effects = effects;
            checked.idempotent = idempotent;
        }
        checked.permit = strictest.unwrap_or_else(|| checked.permit.clone());
    }
}
