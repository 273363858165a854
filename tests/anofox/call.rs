//! Tools as a user calls them: JSON in, JSON out.

use tool_core::{Ctx, Value, json};

/// The answer of a tool, or its error in words.
pub(crate) fn try_call(id: &str, args: &str) -> Result<Answer, String> {
    let tool = math_tools::FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .map(|entry| entry.tool())
        .find(|tool| tool.spec().id == id)
        .unwrap_or_else(|| panic!("no tool `{id}`"));
    let args = json::parse_json(args, json::JsonLimits::default())
        .unwrap_or_else(|err| panic!("{args}: {err:?}"));
    let call = tool.decode(&args).map_err(|err| format!("{err:?}"))?;
    let output = call
        .run(&Ctx::default())
        .map_err(|err| format!("{err:?}"))?;
    Ok(Answer(output))
}

/// The answer of a tool to arguments that it takes.
pub(crate) fn call(id: &str, args: &str) -> Answer {
    try_call(id, args).unwrap_or_else(|err| panic!("{id} {args}: {err}"))
}

/// The answer of a tool.
#[derive(Debug)]
pub(crate) struct Answer(Value);

impl Answer {
    /// The number at a pointer; `null` is NaN.
    pub(crate) fn number(&self, pointer: &str) -> f64 {
        let found = self.0.pointer(pointer);
        let found = found.unwrap_or_else(|| panic!("no `{pointer}` in {:?}", self.0));
        match (found.as_f64(), found.as_str()) {
            (Some(number), _) => number,
            (None, Some("Infinity")) => f64::INFINITY,
            (None, Some("-Infinity")) => f64::NEG_INFINITY,
            (None, Some("NaN")) => f64::NAN,
            _ if found.is_null() => f64::NAN,
            _ => panic!("no number at `{pointer}` in {:?}", self.0),
        }
    }

    /// The text at a pointer.
    pub(crate) fn text(&self, pointer: &str) -> String {
        let found = self.0.pointer(pointer);
        found
            .and_then(|found| Some(found.as_str()?.to_owned()))
            .unwrap_or_else(|| panic!("no text at `{pointer}` in {:?}", self.0))
    }

    /// The entries of the list at a pointer.
    pub(crate) fn entries(&self, pointer: &str) -> Vec<Self> {
        let found = self.0.pointer(pointer).and_then(|list| list.items());
        found
            .unwrap_or_else(|| panic!("no list at `{pointer}` in {:?}", self.0))
            .into_iter()
            .map(Self)
            .collect()
    }

    /// The entry of a list whose text at `key` is `text`.
    pub(crate) fn entry(&self, pointer: &str, key: &str, text: &str) -> Self {
        self.entries(pointer)
            .into_iter()
            .find(|entry| entry.text(key) == text)
            .unwrap_or_else(|| panic!("no `{text}` in `{pointer}` of {:?}", self.0))
    }
}
