//! The text of a plan: YAML, JSON or a call script, told apart by its name or its first line.

use registry::LoadError;
use registry::document::{self, DocumentFormat, ParsedDocument};
use tool_core::ToolError;

use crate::plan::{Plan, TEXT_BYTES_MAX};
use crate::problem::{PlanProblems, problem};
use crate::script;

impl Plan {
    /// Reads a text: JSON when it starts with `{`, a call script when its first line is a call, YAML otherwise.
    ///
    /// # Errors
    /// When the text is too long or not a document. Problems of the plan itself are reported by [`crate::check_plan()`], all at once.
    pub fn parse(text: &str) -> Result<Self, ToolError> {
        Ok(Self::read("plan", text)?)
    }

    /// Reads a text in the language of its file name: a script for `.chain`, JSON for `.json`, YAML for `.yaml` and `.yml`; any
    /// other as [`Plan::parse`].
    ///
    /// # Errors
    /// When the text is too long or not a document.
    pub fn read(name: &str, text: &str) -> Result<Self, PlanProblems> {
        if text.len() > TEXT_BYTES_MAX {
            let problem = problem!(
                Limit,
                "",
                "a plan has at most {TEXT_BYTES_MAX} bytes, found {}",
                text.len()
            );
            return Err(problem
                .hint("pass data as {\"$file\": path}, or as an input")
                .into());
        }
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let format = match ending {
            Some("json") => DocumentFormat::Json,
            Some("yaml" | "yml") => DocumentFormat::Yaml,
            Some("chain") => return Ok(Self::of_script(name, text)),
            _ if text.trim_start().starts_with('{') => DocumentFormat::Json,
            _ if script::is_likely(text) => return Ok(Self::of_script(name, text)),
            _ => DocumentFormat::Yaml,
        };
        let (document, errors) = document::read_document(name, text, format)?;
        Ok(Self::of_text(document, errors))
    }

    fn of_script(name: &str, text: &str) -> Self {
        let (document, errors) = script::read_script(name, text);
        let mut plan = Self::of_text(document, errors);
        plan.is_script = true;
        plan
    }

    /// A document, and the errors of its text.
    fn of_text(document: ParsedDocument, errors: Vec<LoadError>) -> Self {
        let mut plan = Self::from_document(document);
        let mut faults = PlanProblems::of_errors(errors);
        faults.append(std::mem::take(&mut plan.faults));
        plan.faults = faults;
        plan
    }
}
