//! A table of expected verdicts, and what became of them.

use tool_core::capability::Files;
use tool_core::{Object, Value};

use super::{Access, Explanation, Facts, Policy};
use crate::catalogue::Catalogue;
use crate::document::{self, Document, Format};
use crate::error::{LoadErrors, Place};
use crate::model::Principal;

/// One expected verdict.
#[derive(Debug, Clone)]
pub struct Case {
    /// Who calls.
    pub who: Principal,
    /// Which tool.
    pub tool: String,
    /// With which arguments; without them the strictest that could come is meant.
    pub args: Option<Object>,
    /// Facts instead of those that hold.
    pub facts: Vec<String>,
    /// What is expected.
    pub expect: Access,
    /// The layer that is expected to decide.
    pub layer: Option<String>,
    /// Where the case was written.
    pub place: Place,
}

/// What one case gave.
#[derive(Debug)]
pub struct CaseResult<'a> {
    /// The case.
    pub case: &'a Case,
    /// What is wrong; `None` where the verdict is the expected one.
    pub mismatch: Option<String>,
    /// Why the verdict is as it is; `None` where there is none.
    pub explanation: Option<Explanation>,
}

/// Reads a table of cases; the language follows from the name's ending.
///
/// # Errors
/// All that is wrong with it, each with its place.
pub fn read(name: &str, text: &str) -> Result<Vec<Case>, LoadErrors> {
    let document: Document = document::parse(name, text, Format::of_name(name))?;
    crate::config::cases(&document)
}

impl Policy {
    /// Decides every case.
    pub fn test<'a>(
        &self,
        catalogue: &Catalogue,
        cases: &'a [Case],
        facts: &Facts,
        files: Option<&dyn Files>,
    ) -> Vec<CaseResult<'a>> {
        cases
            .iter()
            .map(|case| self.test_one(catalogue, case, facts, files))
            .collect()
    }

    fn test_one<'a>(
        &self,
        catalogue: &Catalogue,
        case: &'a Case,
        facts: &Facts,
        files: Option<&dyn Files>,
    ) -> CaseResult<'a> {
        let failed = |message: String| CaseResult {
            case,
            mismatch: Some(message),
            explanation: None,
        };
        let mut facts = facts.clone();
        for fact in &case.facts {
            // Whether there is such a fact was seen when the case was read.
            if let Err(message) = facts.add(fact) {
                return failed(message);
            }
        }
        let args = case.args.clone().map(|args| Value::Object(args.into()));
        let decoded = match (&args, catalogue.get(&case.tool)) {
            (Some(args), Some(tool)) => Some(tool.decode(args)),
            _ => None,
        };
        let call = match decoded.transpose() {
            Ok(call) => call,
            Err(err) => return failed(format!("the arguments do not fit: {err}")),
        };
        let about = (case.tool.as_str(), call.as_deref());
        let explained = self.explain(catalogue, about, &case.who, &facts, files);
        let explanation = match explained {
            Ok(explanation) => explanation,
            Err(err) => return failed(err.to_string()),
        };
        let found = if explanation.visible {
            explanation.decision.verdict.into()
        } else {
            Access::Hidden
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
