//! [`LiveRegistry`]: the registry of a session over the dispatcher, through the same stages as every call.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use registry::{CallRequest, CallerContext, Dispatcher, Principal, RuntimeFacts, Verdict};
use tool_core::{
    Access, AnyTool, Caller, Capability, Effect, ErrorCode, RandomSeed, ResourceKey, Result, Spec,
    StopFlag, ToolError, Value,
};

use super::tools::{
    ElsewhereTool, Judged, Missing, Offer, OfferedTool, PermittedVerdict, Resource, SessionRegistry,
};

/// The current registry.
pub struct LiveRegistry {
    dispatcher: Dispatcher,
    /// Digests of tools, computed once per generation.
    digests: RefCell<HashMap<&'static str, String>>,
}

impl LiveRegistry {
    /// Creates a registry over a dispatcher.
    pub fn new(dispatcher: Dispatcher) -> Self {
        Self {
            dispatcher,
            digests: RefCell::default(),
        }
    }

    /// The dispatcher.
    pub fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// Replaces the dispatcher, as after a reload.
    pub fn set(&mut self, dispatcher: Dispatcher) -> Dispatcher {
        if dispatcher.catalogue().generation() != self.dispatcher.catalogue().generation() {
            self.digests.borrow_mut().clear();
        }
        std::mem::replace(&mut self.dispatcher, dispatcher)
    }

    fn digest(&self, tool: &dyn AnyTool) -> String {
        let spec = tool.spec();
        let make = || registry::digest::of_tool(tool);
        (self.digests.borrow_mut().entry(spec.id))
            .or_insert_with(make)
            .clone()
    }
}

impl SessionRegistry for LiveRegistry {
    fn offer(&self, who: &Principal, facts: &RuntimeFacts) -> Result<Offer> {
        let catalogue = self.dispatcher.catalogue();
        let policy = self.dispatcher.policy();
        let caller = policy.caller(catalogue, who, facts)?;
        let direct = |index: &usize| {
            let spec = catalogue.tool(*index).spec();
            spec.callers.contains(&Caller::Direct)
        };
        let tools = caller.listed().filter(direct).map(|index| {
            let tool = catalogue.tool(index);
            OfferedTool {
                name: tool.spec().wire_name(),
                id: tool.spec().id.to_owned(),
                version: tool.spec().version,
                digest: self.digest(tool),
            }
        });
        let tools = tools.collect();
        let mut missing: BTreeMap<&str, (Vec<String>, &str)> = BTreeMap::new();
        for index in (0..catalogue.len()).filter(direct) {
            if let Some((fact, hint)) = caller.lacked_fact(catalogue, index) {
                let id = catalogue.tool(index).spec().id.to_owned();
                let (tools, _) = missing.entry(fact).or_insert((Vec::new(), hint));
                tools.push(id);
            }
        }
        let missing = missing.into_iter().map(|(fact, (tools, hint))| Missing {
            fact: fact.to_owned(),
            tools,
            hint: hint.to_owned(),
        });
        Ok(Offer {
            generation: policy.generation().to_owned(),
            tools,
            missing: missing.collect(),
            elsewhere: tools_run_elsewhere(&caller),
            max_turns: caller.turns_of_run(),
        })
    }

    fn judge(
        &self,
        who: &Principal,
        facts: &RuntimeFacts,
        tool: &str,
        args: &Value,
    ) -> Result<Judged> {
        let request = CallRequest {
            tool: tool.to_owned(),
            args: args.clone(),
            context: CallerContext {
                who: who.clone(),
                ..CallerContext::default()
            },
            seed: RandomSeed::DEFAULT,
            timeout_ms: None,
            stop: StopFlag::new(),
            progress: None,
            client: None,
            remote: None,
        };
        let here = self.dispatcher.with_facts(facts.clone());
        let found = here.consider(&request)?;
        let spec = found.tool.spec();
        Ok(Judged {
            id: spec.id.to_owned(),
            version: spec.version,
            digest: self.digest(found.tool),
            decision: match found.decision.verdict {
                Verdict::Allow => PermittedVerdict::Allow,
                Verdict::Ask => PermittedVerdict::Ask,
                Verdict::Deny => {
                    let error = ToolError::new(ErrorCode::PolicyDenied, found.decision.reason);
                    return Err(error.reason("rule"));
                }
            },
            layer: found.decision.layer.to_string(),
            resources: found.keys.iter().map(Resource::from).collect(),
            alone: must_run_alone(spec, found.reach.effects, &found.keys),
        })
    }
}

/// The tools of the selection that run elsewhere, without denied ones.
fn tools_run_elsewhere(caller: &registry::policy::CallerPolicy<'_>) -> Vec<ElsewhereTool> {
    let handed = caller.handed().into_iter();
    let offered = handed.filter_map(|(tool, decision)| {
        Some(ElsewhereTool {
            name: tool.name,
            source: tool.home.as_str().to_owned(),
            decision: match decision.verdict {
                Verdict::Allow => PermittedVerdict::Allow,
                Verdict::Ask => PermittedVerdict::Ask,
                Verdict::Deny => return None,
            },
        })
    });
    offered.collect()
}

/// Whether a call must run alone: the tool requires it, makes calls of its own, or changes local resources that it does not name.
fn must_run_alone(spec: &Spec, effects: &[Effect], keys: &[ResourceKey]) -> bool {
    let changes = effects.iter().any(|effect| {
        matches!(
            effect,
            Effect::LocalExec | Effect::ModifiesFiles | Effect::SystemState
        )
    });
    let named = keys.iter().any(|key| key.access == Access::Write);
    spec.exclusive || spec.capabilities.contains(&Capability::Calls) || changes && !named
}
