//! Who answers a symbolic question: the engine of this program, or an outside one that a call chooses and the configuration allows.

use std::sync::{Mutex, PoisonError};

use symbolic::budget::{Budget, Outcome, SymbolicFault};
use symbolic::engine::{NativeEngine, SymbolicEngine};
use symbolic::outside::{OutsideEngine, OutsideQuestion, OutsideRows};
use symbolic::tree::SymbolTraits;
use tool_core::{object, tool_error};

use super::reading::answer;
use crate::prelude::*;

/// The worth of an answer to which nothing is to be added.
pub(crate) const WHOLE: usize = usize::MAX;

/// The worth of an answer that is there or not.
pub(crate) fn worth_of_option<T>(found: &Option<T>) -> usize {
    if found.is_some() { WHOLE } else { 0 }
}

/// Name of the outside engine in results.
const SYMPY: &str = "SymPy";

/// Who answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum EngineChoice {
    /// This program: the same question has the same answer.
    #[default]
    Native,
    /// This program, and SymPy for what it refuses, where the configuration has it.
    Auto,
    /// SymPy, which the configuration must have (`[symbolic] sympy = true`).
    Sympy,
}

/// Who answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum EngineName {
    /// This program.
    Native,
    /// SymPy; its answer was checked as one of this program is.
    Sympy,
}

/// An answer, and who gave it where the call chose.
#[derive(Debug)]
pub(crate) struct EngineAnswer<T> {
    pub found: T,
    pub engine: Option<EngineName>,
}

impl EngineChoice {
    /// Has a question answered; `worth` tells how much an answer is: 0 is none, [`WHOLE`] all there is.
    ///
    /// # Errors
    /// Those of the last engine that was asked; of `auto` those of this program.
    pub(crate) fn answer<T: Send>(
        self,
        ctx: &Ctx,
        path: &str,
        work: impl Fn(&dyn SymbolicEngine, &Budget<'_>) -> Outcome<T> + Sync,
        worth: impl Fn(&T) -> usize,
    ) -> Result<EngineAnswer<T>, ToolError> {
        if self == Self::Sympy {
            let found = ask_sympy(ctx, path, &work)?;
            let engine = Some(EngineName::Sympy);
            return Ok(EngineAnswer { found, engine });
        }
        let native = answer(ctx, path, |budget| work(&NativeEngine, budget));
        let engine = (self == Self::Auto).then_some(EngineName::Native);
        let is_final = match &native {
            Ok(found) => worth(found) == WHOLE,
            Err(error) => !matches!(error.reason_str(), Some("refused" | "work" | "unevaluated")),
        };
        if is_final || self == Self::Native || ctx.algebra().is_err() {
            let found = native.map_err(|error| self.hinted(error))?;
            return Ok(EngineAnswer { found, engine });
        }
        let before = native.as_ref().map_or(0, &worth);
        match ask_sympy(ctx, path, &work) {
            Ok(found) if worth(&found) > before => Ok(EngineAnswer {
                found,
                engine: Some(EngineName::Sympy),
            }),
            other => {
                ctx.check()?;
                if let Err(error) = other
                    && error.reason_str() != Some("refused")
                {
                    ctx.warn(format!("SymPy was asked too: {}", error.message()));
                }
                native.map(|found| EngineAnswer { found, engine })
            }
        }
    }

    /// A refusal without a hint names the other engine.
    fn hinted(self, error: ToolError) -> ToolError {
        let is_refusal = matches!(error.reason_str(), Some("refused" | "work"));
        match is_refusal && self == Self::Native && error.hint_str().is_none() {
            true => error.hint("`engine: \"auto\"` asks SymPy too, where the configuration has `[symbolic] sympy = true`"),
            false => error,
        }
    }
}

/// Has SymPy answer. The errors of its process are those of the call.
fn ask_sympy<T: Send>(
    ctx: &Ctx,
    path: &str,
    work: &(impl Fn(&dyn SymbolicEngine, &Budget<'_>) -> Outcome<T> + Sync),
) -> Result<T, ToolError> {
    let Ok(system) = ctx.algebra() else {
        return Err(
            tool_error!(PreconditionFailed at "/engine", "engine"; "no SymPy is configured";
            "write `[symbolic] sympy = true` in the configuration, and with `[code] python` name an environment that has SymPy; or use `native`"),
        );
    };
    let failed = Mutex::new(None);
    let ask = |question: &OutsideQuestion| {
        let reply = system.ask(&question_value(question), ctx);
        reply.and_then(|reply| rows_of(&reply)).map_err(|error| {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            SymbolicFault::Stopped
        })
    };
    let engine = OutsideEngine {
        name: SYMPY,
        ask: &ask,
    };
    let found = answer(ctx, path, |budget| work(&engine, budget));
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failed {
        Some(error) => Err(error),
        None => found,
    }
}

fn question_value(question: &OutsideQuestion) -> Value {
    let symbols = question
        .symbols
        .iter()
        .map(|traits| trait_words(*traits).into());
    object! {
        "task" => question.task,
        "expressions" => question.expressions.clone(),
        "symbols" => Value::array(symbols.collect()),
        "words" => question.words.clone(),
        "count" => question.count,
    }
}

fn trait_words(traits: SymbolTraits) -> Vec<&'static str> {
    let words = [
        ("real", traits.is_real),
        ("positive", traits.is_positive),
        ("nonnegative", traits.is_nonnegative),
        ("integer", traits.is_integer),
    ];
    let known = words.into_iter().filter(|(_, is_known)| *is_known);
    known.map(|(word, _)| word).collect()
}

/// The rows of a reply.
fn rows_of(reply: &Value) -> Result<OutsideRows, ToolError> {
    let row = |row: &Value| -> Option<Vec<String>> {
        let texts = row.items()?;
        texts
            .iter()
            .map(|text| text.as_str().map(str::to_owned))
            .collect()
    };
    let rows = reply.get("rows").and_then(Value::items);
    let rows: Option<OutsideRows> = rows.and_then(|rows| rows.iter().map(row).collect());
    rows.ok_or_else(|| {
        tool_error!(ToolError at "/engine", "engine_protocol"; "SymPy answered without `rows`, lists of texts";
            "use `engine: \"native\"`")
    })
}
