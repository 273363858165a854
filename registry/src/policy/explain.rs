//! Why a decision is as it is: every layer and every rule, what would let the call through, and who had the last word.

use tool_core::capability::WorkspaceFiles;
use tool_core::convert::to_value;
use tool_core::{Encode, EncodeError, Encoder, Object, Spec, ToolCall, ToolError, Value};

use super::condition::RuleFit;
use super::limit::LimitStep;
use super::{CallFacts, CallerPolicy, Policy, PolicyDecision, RuntimeFacts};
use crate::catalogue::Catalogue;
use crate::model::{Principal, Verdict};

/// The effect of one layer on a tool.
#[derive(Debug, Clone, PartialEq, Eq, Encode)]
pub struct LayerStep {
    /// The layer.
    pub layer: String,
    /// `inherits`, `lists`, `does not list` or `denies`.
    pub effect: &'static str,
    /// Where it was written.
    pub place: Option<String>,
}

/// The verdict of one rule on a call.
#[derive(Debug, Clone, PartialEq, Eq, Encode)]
pub struct RuleStep {
    /// The layer it belongs to.
    pub layer: String,
    /// Where it was written, or its number in the layer.
    pub rule: String,
    /// Its verdict.
    pub decision: Verdict,
    /// `matches`, `does not match`, or `cannot be told`.
    pub fit: &'static str,
    /// Whether it counts.
    pub counts: bool,
    /// The reason that its author gave.
    pub reason: Option<String>,
}

/// Why a decision is as it is.
#[derive(Debug, Clone)]
pub struct DecisionExplanation {
    /// Canonical id of the tool.
    pub tool: String,
    /// Role of the caller.
    pub role: String,
    /// Whether the tool is visible.
    pub visible: bool,
    /// The decision.
    pub decision: PolicyDecision,
    /// File of the deciding rule or layer, where it was written in one.
    pub file: Option<String>,
    /// Line in that file.
    pub line: Option<u32>,
    /// What would let the call through; `None` when it is let through.
    pub what_would_allow: Option<String>,
    /// The effect of each layer, the role's selection first.
    pub layers: Vec<LayerStep>,
    /// The verdict of each rule about the tool.
    pub rules: Vec<RuleStep>,
    /// The limits that count the call, or some call of the tool.
    pub limits: Vec<LimitStep>,
    /// Digest of the policy.
    pub generation: String,
}

/// The members of the decision stand among the others.
impl Encode for DecisionExplanation {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        let subject = encoder.fields(&[
            ("tool", Some(&self.tool)),
            ("role", Some(&self.role)),
            ("visible", Some(&self.visible)),
        ])?;
        let decision = self.decision.encode(encoder)?;
        let reasons = encoder.fields(&[
            ("file", Some(&self.file)),
            ("line", Some(&self.line)),
            ("what_would_allow", Some(&self.what_would_allow)),
            ("layers", Some(&self.layers)),
            ("rules", Some(&self.rules)),
            (
                "limits",
                (!self.limits.is_empty()).then_some(&self.limits as &dyn Encode),
            ),
            ("policy_generation", Some(&self.generation)),
        ])?;
        let parts = [subject, decision, reasons];
        let members = parts
            .iter()
            .filter_map(Value::as_object)
            .flat_map(Object::iter);
        Ok(Value::object(
            members.map(|(key, value)| (key, value.clone())),
        ))
    }
}

impl Policy {
    /// Explains the decision on a tool, for a call when there is one.
    ///
    /// # Errors
    /// As [`Policy::caller`]; `unknown_tool`.
    pub fn explain(
        &self,
        catalogue: &Catalogue,
        (tool, call): (&str, Option<&dyn ToolCall>),
        who: &Principal,
        facts: &RuntimeFacts,
        files: Option<&dyn WorkspaceFiles>,
    ) -> Result<DecisionExplanation, ToolError> {
        let caller = self.caller(catalogue, who, facts)?;
        let index = catalogue
            .index(tool)
            .ok_or_else(|| catalogue.unknown(tool, catalogue.nearest(tool)))?;
        let found = catalogue.tool(index);
        let of_call = call.map(|call| CallFacts::of(found, call, files));
        let decision = caller.decide(catalogue, index, of_call.as_ref(), files);
        let visible = caller.sees(index);
        let layers = caller.layer_steps(index);
        let (file, line) = deciding_place(&decision, &layers).unzip();
        Ok(DecisionExplanation {
            tool: found.spec().id.to_owned(),
            role: who.role.clone(),
            generation: self.generation.clone(),
            visible,
            rules: caller.rule_steps(index, of_call.as_ref()),
            file,
            line,
            what_would_allow: what_would_allow(&decision, visible, found.spec()),
            layers,
            decision,
            limits: Vec::new(),
        })
    }
}

impl DecisionExplanation {
    /// With a stricter decision that limits came to.
    pub(crate) fn limited_to(&mut self, decision: PolicyDecision) {
        if decision.verdict > self.decision.verdict {
            (self.file, self.line) = deciding_place(&decision, &self.layers).unzip();
            let rule = decision.rule.as_deref().unwrap_or_default();
            let approved = match decision.verdict {
                Verdict::Ask => "a person's approval, ",
                _ => "",
            };
            self.what_would_allow = Some(format!(
                "{approved}a call that is counted and within the limit, or a change of the rule at {rule}"
            ));
            self.decision = decision;
        }
    }
}

impl CallerPolicy<'_> {
    fn layer_steps(&self, tool: usize) -> Vec<LayerStep> {
        let (from, place) = self.start.origin();
        let selection = LayerStep {
            layer: format!("{from} (selection)"),
            place: place.map(ToString::to_string),
            effect: match self.start.listed().contains(tool) {
                true => "lists",
                false => "does not list",
            },
        };
        let mut steps = vec![selection];
        steps.extend(self.layers().map(|layer| LayerStep {
            layer: layer.title.to_string(),
            place: layer.place.as_ref().map(ToString::to_string),
            effect: match &layer.allow {
                _ if layer.deny.contains(tool) => "denies",
                None => "inherits",
                Some(allow) if allow.contains(tool) => "lists",
                Some(_) => "does not list",
            },
        }));
        if self.lacks(tool).is_some() {
            steps.push(LayerStep {
                layer: "preconditions".to_owned(),
                place: None,
                effect: "denies",
            });
        }
        steps
    }

    fn rule_steps(&self, tool: usize, call: Option<&CallFacts<'_>>) -> Vec<RuleStep> {
        let mut steps = Vec::new();
        for layer in self.layers() {
            for rule in layer.rules.naming(tool) {
                let fit = rule.fit(tool, self.role(), call);
                steps.push(RuleStep {
                    layer: layer.title.to_string(),
                    rule: rule.label.to_string(),
                    decision: rule.decision,
                    fit: match fit {
                        RuleFit::Yes => "matches",
                        RuleFit::No => "does not match",
                        RuleFit::Unknown => "cannot be told",
                    },
                    counts: fit.counts(rule.decision),
                    reason: rule.reason.as_ref().map(ToString::to_string),
                });
            }
        }
        steps
    }
}

/// File and line of the deciding rule, else of the deciding layer.
fn deciding_place(decision: &PolicyDecision, layers: &[LayerStep]) -> Option<(String, u32)> {
    let of_rule = decision.rule.as_deref().and_then(|label| {
        let (file, line) = label.rsplit_once(':')?;
        Some((file.to_owned(), line.parse().ok()?))
    });
    of_rule.or_else(|| {
        let selection = format!("{} (selection)", decision.layer);
        let hides = |step: &&LayerStep| {
            step.layer == decision.layer && matches!(step.effect, "denies" | "does not list")
        };
        let of_selection = || layers.iter().find(|step| step.layer == selection);
        let layer = layers.iter().find(hides).or_else(of_selection)?;
        let mut parts = layer.place.as_deref()?.rsplitn(3, ':');
        let (_column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
        Some((file.to_owned(), line.parse().ok()?))
    })
}

fn what_would_allow(decision: &PolicyDecision, visible: bool, spec: &Spec) -> Option<String> {
    let (tool, destructive) = (spec.id, spec.destructive);
    match (decision.verdict, &decision.rule) {
        (Verdict::Allow, _) => None,
        (Verdict::Deny, Some(rule)) => Some(format!(
            "change the rule at {rule}; a deny holds over every allow and approval"
        )),
        (Verdict::Deny, None) if visible => Some(format!(
            "arguments of `{tool}` with which the call does not have that effect"
        )),
        (Verdict::Deny, None) if decision.layer == "preconditions" => {
            let cure = decision.reason.split_once(": ");
            cure.map(|(_, cure)| cure.to_owned())
        }
        (Verdict::Deny, None) => Some(format!(
            "add `{tool}` to the tools of {}, or call as another role",
            decision.layer
        )),
        (Verdict::Ask, Some(rule)) => {
            Some(format!("a person's approval, or change the rule at {rule}"))
        }
        (Verdict::Ask, None) if spec.human_gate => Some("a person's approval".to_owned()),
        (Verdict::Ask, None) if destructive => Some(format!(
            "a person's approval, or an `allow` rule of the global or user layer that names `{tool}`"
        )),
        (Verdict::Ask, None) => Some(format!(
            "a person's approval, or an `allow` rule about `{tool}`"
        )),
    }
}

impl DecisionExplanation {
    /// The explanation as data.
    pub fn to_value(&self) -> Value {
        to_value(self).expect("texts, whole numbers and lists have a spelling")
    }
}
