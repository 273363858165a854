//! Whether a rule that a person wants to record would hold: an `allow` never stands against what is written.

use tool_core::{ToolError, tool_error};

use super::compile::CompiledRule;
use super::condition::RuleCondition;
use super::facts::{could_begin_with, file_name_components, host_fits};
use super::glob::PathPattern;
use super::{Policy, RuntimeFacts};
use crate::catalogue::Catalogue;
use crate::model::{PolicyRule, Principal, RuleMatch, Verdict};

impl Policy {
    /// Whether an `allow` rule on one tool would let calls of a caller through.
    ///
    /// # Errors
    /// `policy_denied` that names the rule or layer it would stand against; `unknown_tool`; as [`Policy::caller`].
    pub fn may_record(
        &self,
        catalogue: &Catalogue,
        (tool, rule): (&str, &PolicyRule),
        who: &Principal,
        facts: &RuntimeFacts,
    ) -> Result<(), ToolError> {
        let index = catalogue
            .index(tool)
            .ok_or_else(|| catalogue.unknown(tool, catalogue.nearest(tool)))?;
        let caller = self.caller(catalogue, who, facts)?;
        let refuse = |what: &str, hint: String| {
            let error = tool_error!(
                PolicyDenied,
                "no rule can allow this call of `{tool}`: {what}"
            );
            Err(error.reason("rule").hint(hint))
        };
        if let Some(hidden) = caller.hidden(catalogue, index) {
            let hint = format!("`mathchain policy explain {} {tool}` says why", who.role);
            return refuse(&hidden.reason, hint);
        }
        for layer in caller.layers() {
            for stricter in &layer.rules {
                if stricter.decision > Verdict::Allow
                    && stricter.is_about(index, caller.role())
                    && could_meet(stricter, &rule.matches)
                {
                    let (title, label) = (&layer.title, &stricter.label);
                    let what = format!("layer {title}, {label} says `{}`", stricter.decision);
                    let hint =
                        "an `allow` holds over no `ask` and no `deny`: change that rule instead";
                    return refuse(&what, hint.to_owned());
                }
            }
        }
        Ok(())
    }
}

/// Whether some call could match both; undecidable counts as yes.
fn could_meet(rule: &CompiledRule, wanted: &RuleMatch) -> bool {
    let conditions = rule.conditions.iter();
    conditions
        .map(|one| could_hold(one, wanted))
        .all(|could| could != Some(false))
}

/// Whether a condition could hold for some call that matches; `None` where it says nothing about what the match is limited to.
fn could_hold(condition: &RuleCondition, wanted: &RuleMatch) -> Option<bool> {
    match condition {
        RuleCondition::Paths(paths) => {
            let under = wanted.path.as_ref()?.under.as_ref()?;
            let could_meet = |path: Vec<String>| {
                let met = |root: &Vec<String>| {
                    could_begin_with(&path, root) || could_begin_with(root, &path)
                };
                let fits = |glob: &PathPattern| glob.could_fit(&path, true);
                let (roots, globs) = (paths.under.as_ref(), paths.globs.as_ref());
                roots.is_none_or(|roots| roots.iter().any(met))
                    && globs.is_none_or(|globs| globs.iter().any(fits))
            };
            Some(
                under
                    .iter()
                    .any(|path| file_name_components(path).is_none_or(could_meet)),
            )
        }
        RuleCondition::Argv(prefix) => {
            let argv = &wanted.argv.as_ref()?.prefix;
            Some(argv.starts_with(prefix) || prefix.starts_with(argv))
        }
        RuleCondition::Hosts(patterns) => {
            let fits = |host: &String| patterns.iter().any(|pattern| host_fits(pattern, host));
            Some(wanted.url.as_ref()?.host.iter().any(fits))
        }
        _ => None,
    }
}
