//! Linear systems of differential equations, as `symbolic_ode` reads them: equations with `;` between them.

use symbolic::ode::{
    ClosedFormSolution, OdeSystemAnswer, OdeSystemQuestion, SystemCondition, solve_linear_system,
};
use symbolic::print::write_text;

use super::engine::{EngineChoice, EngineName};
use super::ode::{Args, Output, solution_row};
use super::reading::{CheckEvidence, TextReader, answer, texts_of};
use super::unknown::{detect_unknown, has_name, read_conditions};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// The equations, where there are several.
pub(super) fn split_equations(text: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = text
        .split([';', '\n'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    (parts.len() > 1).then_some(parts)
}

/// Solves a system.
pub(super) fn solve(args: &Args, texts: &[&str], ctx: &Ctx) -> Result<Output, ToolError> {
    if args.engine == EngineChoice::Sympy {
        refuse!(invalid "/engine"; "systems are solved by `native` alone"; "leave `engine` out");
    }
    let (functions, variable) = find_names(args, texts)?;
    let names: Vec<String> = functions.iter().chain([&variable]).cloned().collect();
    let mut reader = TextReader::new(args.assumptions.as_ref(), &names, false)?;
    let t = reader.symbol(&variable, "/variable")?;
    let mut equations = Vec::new();
    for (text, function) in texts.iter().zip(&functions) {
        reader.options.function = Some((function.clone(), variable.clone()));
        let others = functions.iter().filter(|other| *other != function);
        let plain = others.fold((*text).to_owned(), |text, other| {
            without_argument(&text, other, &variable)
        });
        equations.push(reader.read(&plain, "/equation")?);
    }
    let conditions = find_conditions(args, &functions, &variable, &mut reader)?;
    let question = OdeSystemQuestion {
        equations,
        functions,
        variable: t,
        conditions,
    };
    let found = answer(ctx, "/equation", |budget| {
        solve_linear_system(&question, budget)
    })?;
    let engine = (args.engine == EngineChoice::Auto).then_some(EngineName::Native);
    Ok(system_output(found, &question, reader, engine))
}

/// The function of each equation, the one with the derivative, and their variable.
fn find_names(args: &Args, texts: &[&str]) -> Result<(Vec<String>, String), ToolError> {
    let mut functions: Vec<String> = Vec::new();
    let mut variable = args.variable.clone();
    for text in texts {
        let (shown, by) = detect_unknown(text);
        let Some(name) = shown else {
            return Err(ToolError::invalid(
                "/equation",
                format_args!("`{text}` has no derivative of a function"),
            )
            .hint("write a system as `x' = x + y; y' = 4x - 2y`, one function for each equation"));
        };
        if functions.contains(&name) {
            refuse!(invalid "/equation"; "`{name}` has two equations"; "write one equation for each function");
        }
        functions.push(name);
        variable = variable.or(by);
    }
    let mut all = texts.join(" ");
    all.push_str(&texts_of(args.conditions.as_ref()).join(" "));
    let is_free = |name: &str| !functions.iter().any(|function| function == name);
    let chosen = variable.unwrap_or_else(|| {
        let is_x = is_free("x") && has_name(&all, "x") && !has_name(&all, "t");
        if is_x || !is_free("t") { "x" } else { "t" }.to_owned()
    });
    if !is_free(&chosen) {
        refuse!(invalid "/variable"; "`{chosen}` is a function and the variable"; "name the variable");
    }
    Ok((functions, chosen))
}

/// A text in which a function stands without its variable.
fn without_argument(text: &str, function: &str, variable: &str) -> String {
    let call = format!("{function}({variable})");
    let mut plain = String::new();
    let mut rest = text;
    while let Some(place) = rest.find(&call) {
        let (before, after) = rest.split_at(place);
        plain.push_str(before);
        let is_name = before.ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
        let is_longer = is_name && !before.ends_with(|sign: char| sign.is_ascii_digit());
        plain.push_str(if is_longer { &call } else { function });
        rest = &after[call.len()..];
    }
    plain + rest
}

/// The conditions of all functions, each `x(0) = 1`.
fn find_conditions(
    args: &Args,
    functions: &[String],
    variable: &str,
    reader: &mut TextReader,
) -> Result<Vec<SystemCondition>, ToolError> {
    let path = "/conditions";
    let mut sorted: Vec<Vec<String>> = vec![Vec::new(); functions.len()];
    for text in texts_of(args.conditions.as_ref())
        .iter()
        .flat_map(|text| text.split(','))
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        let is_of = |name: &String| {
            let rest = text.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.trim_start().starts_with('('))
        };
        let Some(place) = functions.iter().position(is_of) else {
            return Err(ToolError::invalid(
                path,
                format_args!("`{text}` is no value of a function"),
            )
            .hint("write `x(0) = 1, y(0) = 0`"));
        };
        sorted[place].push(text.to_owned());
    }
    let mut found = Vec::new();
    for (place, texts) in sorted.into_iter().enumerate() {
        reader.options.function = Some((functions[place].clone(), variable.to_owned()));
        let given = OneOrManyFormulas::Many(texts);
        for condition in read_conditions(Some(&given), path, reader)? {
            if condition.order > 0 {
                refuse!(invalid path; "a system has values of functions, and none of derivatives"; "leave it out");
            }
            found.push(SystemCondition {
                function: place,
                at: condition.at,
                value: condition.value,
            });
        }
    }
    Ok(found)
}

fn system_output(
    found: OdeSystemAnswer,
    question: &OdeSystemQuestion,
    reader: TextReader,
    engine: Option<EngineName>,
) -> Output {
    let how = match question.conditions.is_empty() {
        true => "the solution was put back into each equation at random points and constants",
        false => "the solution was put back into each equation and the conditions",
    };
    let variable = write_text(&question.variable);
    let unknown = question.functions.iter();
    let unknown = unknown.map(|function| format!("{function}({variable})"));
    let rows = question.functions.iter().zip(found.values);
    Output {
        solutions: rows
            .map(|(function, expr)| {
                let solution = ClosedFormSolution {
                    expr,
                    is_explicit: true,
                    holds_on_branch: false,
                };
                solution_row(&solution, function)
            })
            .collect(),
        constants: found.constants,
        singular: Vec::new(),
        method: found.method.to_owned(),
        order: 1,
        assumed: found.conditions.iter().map(write_text).collect(),
        unknown: unknown.collect::<Vec<String>>().join(", "),
        read_as: question
            .equations
            .iter()
            .map(write_text)
            .collect::<Vec<String>>()
            .join("; "),
        ambiguities: reader.ambiguities,
        verified: CheckEvidence {
            how: how.to_owned(),
            points: found.points,
            digits: 30,
        },
        engine,
    }
}
