//! `mathchain policy matrix|test`: tables of verdicts.

use std::path::Path;

use registry::policy::{Access, CaseResult, MatrixRow, read_cases};
use tool_core::Object;

use super::super::prelude::*;
use super::render_explanation;

/// Role by tool.
pub(super) fn print_policy_matrix(
    global: &GlobalArgs,
    phase: Option<&str>,
    facts: &[String],
) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let facts = open::machine_facts(&toolkit, facts)?;
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let rows = dispatcher.policy().matrix(catalogue, phase, &facts)?;
    let ids: Vec<&str> = catalogue.iter().map(|tool| tool.spec().id).collect();
    let mut roles = Object::new();
    for row in &rows {
        let mut tools = Object::new();
        for (id, access) in ids.iter().zip(&row.access) {
            tools.insert(*id, access.as_str());
        }
        roles.insert(row.role.as_str(), Value::Object(tools.into()));
    }
    let data = object! {
        "phase" => phase,
        "roles" => Value::Object(roles.into()),
        "policy_generation" => dispatcher.policy().generation(),
    };
    output::print_data(global, &data, || render_role_grid(&ids, &rows))
}

/// A line for each tool, a numbered column for each role; a dot is hidden. As many roles stand beside each other as the screen has room for.
fn render_role_grid(ids: &[&str], rows: &[MatrixRow]) -> String {
    grid_in(ids, rows, human::terminal_width())
}

/// Width of the column of a role.
const COLUMN: usize = 5;

fn grid_in(ids: &[&str], rows: &[MatrixRow], columns: usize) -> String {
    let width = ids.iter().map(|id| id.len()).max().unwrap_or(0);
    let numbered = rows.iter().enumerate();
    let legend = numbered.map(|(index, row)| format!("{}\u{a0}{}", index + 1, row.role));
    let legend = legend.collect::<Vec<_>>().join(", ");
    let mut text = human::wrap_paragraph(&legend, columns, 0).replace('\u{a0}', " ");
    text.push('\n');
    // A last word is shorter than its column.
    let beside = (columns.saturating_sub(width + 1) / COLUMN).max(1);
    for (block, rows) in rows.chunks(beside).enumerate() {
        let _ = write!(text, "\n{:width$}  ", "");
        for column in 1..=rows.len() {
            let _ = write!(text, "{:<COLUMN$}", block * beside + column);
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
        for (tool, id) in ids.iter().enumerate() {
            let _ = write!(text, "{id:width$}  ");
            for row in rows {
                let word = match row.access.get(tool) {
                    Some(Access::Hidden) | None => ".",
                    Some(Access::Allow) => "yes",
                    Some(access) => access.as_str(),
                };
                let _ = write!(text, "{word:COLUMN$}");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
    }
    text.push_str("yes: runs; ask: needs approval; deny: visible, does not run; a dot: hidden\n");
    text
}

/// Tests the policy against a file of expected verdicts.
pub(super) fn test_policy(global: &GlobalArgs, file: &Path) -> Result<ExitCode> {
    let text = environment::read_named(file)?;
    let cases = read_cases(&file.to_string_lossy(), &text)?;
    let toolkit = match cases.iter().any(|case| case.agent.is_some()) {
        true => open::with_agents(global)?,
        false => open::open_toolkit(global)?,
    };
    let dispatcher = toolkit.dispatcher();
    let files = dispatcher.host().capabilities.files.as_deref();
    let (policy, catalogue) = (dispatcher.policy(), dispatcher.catalogue());
    let results = policy.test(catalogue, &cases, dispatcher.facts(), files);
    let failed = results.iter().filter(|result| result.mismatch.is_some());
    let failed: Vec<&CaseResult<'_>> = failed.collect();
    let mismatches = failed.iter().map(|result| mismatch_value(result));
    let data = object! {
        "cases" => results.len(),
        "mismatches" => mismatches.collect::<Vec<_>>(),
    };
    output::print_data(global, &data, || {
        let mut text: String = failed.iter().map(|result| mismatch_text(result)).collect();
        let held = results.len() - failed.len();
        let _ = writeln!(text, "{held} of {} cases passed", results.len());
        text
    })?;
    Ok(exit::of_check(failed.is_empty()))
}

fn mismatch_value(result: &CaseResult<'_>) -> Value {
    let (case, place) = (result.case, result.case.place.as_ref());
    object! {
        "file" => place.map(|place| place.file.to_string()),
        "line" => place.map(|place| place.line),
        "role" => case.role.as_str(),
        "tool" => case.tool.as_str(),
        "mismatch" => result.mismatch.clone(),
        "explanation" => result.explanation.as_ref().map(|explanation| explanation.to_value()),
    }
}

fn mismatch_text(result: &CaseResult<'_>) -> String {
    let case = result.case;
    let what = result.mismatch.as_deref().unwrap_or_default();
    let mut text = match &case.place {
        Some(place) => format!("{}:{}: ", place.file, place.line),
        None => String::new(),
    };
    let _ = writeln!(text, "`{}` as `{}`: {what}", case.tool, case.role);
    if let Some(explanation) = &result.explanation {
        for line in render_explanation(explanation).lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 80 columns no line is wider, and every role has its column once, under its number.
    #[test]
    fn roles_that_do_not_fit_beside_each_other_stand_below() {
        let access = [Access::Allow, Access::Ask, Access::Deny, Access::Hidden];
        let rows: Vec<MatrixRow> = (0..16)
            .map(|number| MatrixRow {
                role: format!("role{number}"),
                access: vec![access[number % 4]],
            })
            .collect();
        let name = "t".repeat(32);
        let text = grid_in(&[&name], &rows, 80);
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        let numbers: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("     "))
            .flat_map(str::split_whitespace)
            .collect();
        let expected: Vec<String> = (1..=16).map(|number| number.to_string()).collect();
        assert_eq!(numbers, expected);
        let words: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix(&*name))
            .flat_map(str::split_whitespace)
            .collect();
        assert_eq!(words, ["yes", "ask", "deny", "."].repeat(4));
    }
}
