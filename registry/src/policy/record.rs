//! Whether a rule that a person wants to record would hold: an `allow` never stands against what is written.

use tool_core::{ErrorCode, ToolError};

use super::compile::CompiledRule;
use super::facts::{components, could_begin_with, host_fits};
use super::{Facts, Policy};
use crate::catalogue::Catalogue;
use crate::model::{Match, Principal, Rule, Verdict};

impl Policy {
    /// Whether an `allow` rule on one tool would let calls of a caller through.
    ///
    /// # Errors
    /// `policy_denied` that names the rule or layer it would stand against; `unknown_tool`; as [`Policy::caller`].
    pub fn may_record(
        &self,
        catalogue: &Catalogue,
        (tool, rule): (&str, &Rule),
        who: &Principal,
        facts: &Facts,
    ) -> Result<(), ToolError> {
        let index = catalogue
            .index(tool)
            .ok_or_else(|| catalogue.unknown(tool, catalogue.nearest(tool)))?;
        let caller = self.caller(catalogue, who, facts)?;
        let refuse = |what: &str, hint: String| {
            let message = format_args!("no rule can allow this call of `{tool}`: {what}");
            Err(ToolError::new(ErrorCode::PolicyDenied, message)
                .reason("rule")
                .hint(hint))
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

/// Whether some call could be one that both are about; what cannot be told counts as yes.
fn could_meet(rule: &CompiledRule, wanted: &Match) -> bool {
    let paths = match (&rule.paths, &wanted.path_under) {
        (Some(paths), Some(under)) => under.iter().any(|path| {
            components(path).is_none_or(|path| {
                let met = |root: &Vec<String>| {
                    could_begin_with(&path, root) || could_begin_with(root, &path)
                };
                let (roots, globs) = (paths.under.as_ref(), paths.globs.as_ref());
                roots.is_none_or(|roots| roots.iter().any(met))
                    && globs
                        .is_none_or(|globs| globs.iter().any(|glob| glob.could_fit(&path, true)))
            })
        }),
        _ => true,
    };
    let argv = match (&rule.matches.argv_prefix, &wanted.argv_prefix) {
        (Some(prefix), Some(argv)) => argv.starts_with(prefix) || prefix.starts_with(argv),
        _ => true,
    };
    let hosts = match (&rule.hosts, &wanted.url_host) {
        (Some(patterns), Some(hosts)) => hosts
            .iter()
            .any(|host| patterns.iter().any(|pattern| host_fits(pattern, host))),
        _ => true,
    };
    paths && argv && hosts
}
