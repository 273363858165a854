//! A table of expected verdicts, and what became of them.

use std::collections::BTreeMap;
use tool_core::capability::WorkspaceFiles;

use tool_core::{Decode, Describe, Value};

use super::{Access, DecisionExplanation, Policy, RuntimeFacts};
use crate::catalogue::Catalogue;
use crate::document::{self, DocumentFormat, ParsedDocument};
use crate::error::{LoadErrors, TextPlace};
use crate::model::{FormatVersion, Principal, ToolSelector};

/// A file of expected verdicts.
#[derive(Debug, Decode, Describe)]
struct CasesFile {
    #[value(default, rename = "version")]
    _version: FormatVersion,
    /// The cases
    cases: Vec<PolicyCase>,
}

/// One expected verdict.
#[derive(Debug, Clone, Decode, Describe)]
pub struct PolicyCase {
    /// Role of the caller
    pub role: String,
    /// Tool to call
    pub tool: String,
    /// Arguments; absent: the strictest verdict that any arguments could have
    #[value(default)]
    #[schema(with = "Option<BTreeMap<String, Value>>")]
    pub args: Option<Value>,
    /// Phase of the caller
    #[value(default)]
    pub phase: Option<String>,
    /// Agent of the caller
    #[value(default)]
    pub agent: Option<String>,
    /// Kind of task of the caller
    #[value(default)]
    pub task: Option<String>,
    /// Facts to add to those that hold
    #[value(default)]
    pub facts: Vec<ToolSelector>,
    /// Expected verdict
    pub expect: Access,
    /// Layer that is expected to decide
    #[value(default)]
    pub layer: Option<String>,
    /// Source location.
    #[value(rename = "$place", default)]
    pub place: Option<TextPlace>,
}

/// What one case gave.
#[derive(Debug)]
pub struct CaseResult<'a> {
    /// The case.
    pub case: &'a PolicyCase,
    /// What is wrong; `None` where the verdict is the expected one.
    pub mismatch: Option<String>,
    /// Why the verdict is as it is; `None` where there is none.
    pub explanation: Option<DecisionExplanation>,
}

/// Reads a file of cases; the language follows from the name's ending.
///
/// # Errors
/// Every problem of the file, each with its place.
pub fn read_cases(name: &str, text: &str) -> Result<Vec<PolicyCase>, LoadErrors> {
    let document: ParsedDocument =
        document::parse_document(name, text, DocumentFormat::of_name(name))?;
    let mut errors = Vec::new();
    let file: Option<CasesFile> = document::read_typed(&document, &mut errors);
    let cases = file.map(|file| file.cases).unwrap_or_default();
    for fact in cases.iter().flat_map(|case| &case.facts) {
        if let Err(message) = RuntimeFacts::default().add(&fact.text) {
            errors.push(fact.error(message));
        }
    }
    LoadErrors::check(errors).map(|()| cases)
}

impl PolicyCase {
    /// The caller of the case.
    pub fn principal(&self) -> Principal {
        Principal {
            phase: self.phase.clone(),
            agent: self.agent.clone(),
            task: self.task.clone(),
            ..Principal::role(self.role.as_str())
        }
    }
}

impl Policy {
    /// Decides every case.
    pub fn test<'a>(
        &self,
        catalogue: &Catalogue,
        cases: &'a [PolicyCase],
        facts: &RuntimeFacts,
        files: Option<&dyn WorkspaceFiles>,
    ) -> Vec<CaseResult<'a>> {
        let test = |case| self.test_one(catalogue, case, facts, files);
        cases.iter().map(test).collect()
    }

    fn test_one<'a>(
        &self,
        catalogue: &Catalogue,
        case: &'a PolicyCase,
        facts: &RuntimeFacts,
        files: Option<&dyn WorkspaceFiles>,
    ) -> CaseResult<'a> {
        let failed = |message: String| CaseResult {
            case,
            mismatch: Some(message),
            explanation: None,
        };
        let mut facts = facts.clone();
        for fact in &case.facts {
            // Whether there is such a fact was seen when the case was read.
            if let Err(message) = facts.add(&fact.text) {
                return failed(message);
            }
        }
        let decoded = match (&case.args, catalogue.get(&case.tool)) {
            (Some(args), Some(tool)) => Some(tool.decode(args)),
            _ => None,
        };
        let call = match decoded.transpose() {
            Ok(call) => call,
            Err(err) => return failed(format!("the arguments do not fit: {err}")),
        };
        let about = (case.tool.as_str(), call.as_deref());
        let explained = self.explain(catalogue, about, &case.principal(), &facts, files);
        let explanation = match explained {
            Ok(explanation) => explanation,
            Err(err) => return failed(err.to_string()),
        };
        let found = match explanation.visible {
            true => explanation.decision.verdict.into(),
            false => Access::Hidden,
        };
        let layer = &explanation.decision.layer;
        let mismatch = if found != case.expect {
            let (expected, found) = (case.expect.as_str(), found.as_str());
            Some(format!("expected `{expected}`, found `{found}`"))
        } else {
            let wanted = case.layer.as_ref().filter(|wanted| *wanted != layer);
            wanted.map(|wanted| format!("expected layer `{wanted}` to decide, it was `{layer}`"))
        };
        CaseResult {
            case,
            mismatch,
            explanation: Some(explanation),
        }
    }
}
