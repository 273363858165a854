//! Tables of access: what each role sees of each tool, and what changes from one policy to another.

use std::collections::{BTreeMap, BTreeSet};

use tool_core::convert::to_value;
use tool_core::{ToolError, Value, json, names, object};

use super::{CallerPolicy, CompiledRule, Policy, RuntimeFacts};
use crate::catalogue::Catalogue;
use crate::model::{JoinedObligations, Principal, RuleLimit, RuleMatch, Verdict};

names! {
    /// What a caller can expect of a tool, whatever its arguments: the strictest verdict that could result.
    Access {
        /// It runs.
        Allow = "allow",
        /// It needs approval.
        Ask = "ask",
        /// It is visible and refused.
        Deny = "deny",
        /// It is hidden.
        Hidden = "hidden",
    }
}

impl From<Verdict> for Access {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Allow => Self::Allow,
            Verdict::Ask => Self::Ask,
            Verdict::Deny => Self::Deny,
        }
    }
}

/// What a rule makes of calls beside its verdict.
fn limits_of(rule: &CompiledRule) -> (JoinedObligations, Option<RuleLimit>) {
    let limit = rule.limit.as_ref().map(|limit| limit.limit.clone());
    (rule.obligations, limit)
}

impl CallerPolicy<'_> {
    /// What this caller can expect of a tool.
    pub fn access(&self, catalogue: &Catalogue, tool: usize) -> Access {
        if !self.sees(tool) {
            return Access::Hidden;
        }
        self.decide(catalogue, tool, None, None).verdict.into()
    }

    /// What rules say of a tool, without where they stand: equal texts mean equal rules.
    fn rules_about(&self, tool: usize) -> BTreeSet<String> {
        let rules = self.layers().flat_map(|layer| layer.rules.naming(tool));
        let rules = rules.filter(|rule| rule.is_about(tool, self.role()));
        let text = |rule: &CompiledRule| {
            let matches = RuleMatch {
                tools: Vec::new(),
                role: None,
                ..rule.matches.clone()
            };
            let said = (&rule.decision, rule.priority, matches, limits_of(rule));
            let value = to_value(&said).expect("texts and whole numbers have a spelling");
            json::canonical_json(&value)
        };
        rules.map(text).collect()
    }
}

/// One row of a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixRow {
    /// The role.
    pub role: String,
    /// By tool, in the order of the catalogue.
    pub access: Vec<Access>,
}

impl Policy {
    /// What each role can expect of each tool, in a phase where one is named.
    ///
    /// # Errors
    /// `not_visible` for an unknown phase.
    pub fn matrix(
        &self,
        catalogue: &Catalogue,
        phase: Option<&str>,
        facts: &RuntimeFacts,
    ) -> Result<Vec<MatrixRow>, ToolError> {
        let row = |(role, _): (&str, &str)| {
            let mut who = Principal::role(role);
            who.phase = phase.map(str::to_owned);
            let caller = self.caller(catalogue, &who, facts)?;
            let access = (0..catalogue.len()).map(|tool| caller.access(catalogue, tool));
            let (role, access) = (role.to_owned(), access.collect());
            Ok(MatrixRow { role, access })
        };
        self.roles().map(row).collect()
    }

    /// The agents that have a file.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        self.agents.keys().map(String::as_str)
    }

    /// The phases an agent works in.
    fn phases_of<'a>(&'a self, agent: &'a str) -> impl Iterator<Item = &'a str> {
        let phases = self.phases.iter();
        let works =
            phases.filter(move |(_, phase)| phase.agents.iter().any(|known| known == agent));
        works.map(|(name, _)| name.as_str())
    }

    /// Everybody a comparison looks at: each role, each role in each phase, each agent, each agent in each of its phases.
    fn everybody(&self) -> Vec<Principal> {
        let mut all = Vec::new();
        for (role, _) in self.roles() {
            all.push(Principal::role(role));
            all.extend(self.phases().map(|phase| Principal {
                phase: Some(phase.to_owned()),
                ..Principal::role(role)
            }));
        }
        for agent in self.agents() {
            let role = self.role_of_agent(agent).unwrap_or(self.default_role());
            let phases = self.phases_of(agent).map(Some);
            all.extend(std::iter::once(None).chain(phases).map(|phase| Principal {
                agent: Some(agent.to_owned()),
                phase: phase.map(str::to_owned),
                ..Principal::role(role)
            }));
        }
        all
    }
}

/// What a change of the configuration does for one caller and one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessChange {
    /// The role.
    pub role: String,
    /// The agent.
    pub agent: Option<String>,
    /// The phase.
    pub phase: Option<String>,
    /// The tool.
    pub tool: String,
    /// Before.
    pub before: Access,
    /// After.
    pub after: Access,
}

impl AccessChange {
    /// `grants`, `revokes`, or `changes conditions` where only rules on arguments differ.
    pub fn kind(&self) -> &'static str {
        match self.before.cmp(&self.after) {
            std::cmp::Ordering::Greater => "grants",
            std::cmp::Ordering::Less => "revokes",
            std::cmp::Ordering::Equal => "changes conditions",
        }
    }

    /// The change as data.
    pub fn to_value(&self) -> Value {
        object! {
            "role" => self.role.as_str(),
            "agent" => self.agent.clone(),
            "phase" => self.phase.clone(),
            "tool" => self.tool.as_str(),
            "before" => self.before.as_str(),
            "after" => self.after.as_str(),
            "change" => self.kind(),
        }
    }
}

/// A policy, and the catalogue it was compiled against.
type Compiled<'a> = (&'a Catalogue, &'a Policy);

/// What a change from one policy to another grants and revokes. Who exists on one side only has nothing on the other.
pub fn policy_difference(
    before: Compiled<'_>,
    after: Compiled<'_>,
    facts: &RuntimeFacts,
) -> Vec<AccessChange> {
    type Key = (String, Option<String>, Option<String>);
    let mut callers: BTreeMap<Key, Principal> = BTreeMap::new();
    for who in [before, after]
        .iter()
        .flat_map(|(_, policy)| policy.everybody())
    {
        let key = (who.role.clone(), who.agent.clone(), who.phase.clone());
        callers.insert(key, who);
    }
    let tools: BTreeSet<&str> = [before, after]
        .iter()
        .flat_map(|(catalogue, _)| catalogue.iter().map(|tool| tool.spec().id))
        .collect();
    let mut changes = Vec::new();
    for who in callers.values() {
        let [old, new] = [before, after]
            .map(|(catalogue, policy)| (catalogue, policy.caller(catalogue, who, facts).ok()));
        for tool in &tools {
            let [(was, was_rules), (is, is_rules)] = [&old, &new]
                .map(|(catalogue, caller)| tool_access(catalogue, caller.as_ref(), tool));
            if was != is || is != Access::Hidden && was_rules != is_rules {
                changes.push(AccessChange {
                    role: who.role.clone(),
                    agent: who.agent.clone(),
                    phase: who.phase.clone(),
                    tool: (*tool).to_owned(),
                    before: was,
                    after: is,
                });
            }
        }
    }
    changes
}

fn tool_access(
    catalogue: &Catalogue,
    caller: Option<&CallerPolicy<'_>>,
    tool: &str,
) -> (Access, BTreeSet<String>) {
    match (caller, catalogue.index(tool)) {
        (Some(caller), Some(index)) => (caller.access(catalogue, index), caller.rules_about(index)),
        _ => (Access::Hidden, BTreeSet::new()),
    }
}
