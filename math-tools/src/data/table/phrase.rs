//! Short texts of the tools of tables: `mean(price)`, `p = price / area`, `-price`.

use ::tables::SortKey;

use crate::prelude::*;

/// A function of a column: `mean(price)`, `top = quantile(price, 0.9)`, `count()`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FunctionPhrase<'a> {
    /// The name of the result, where one is given.
    pub name: Option<&'a str>,
    /// The function.
    pub function: &'a str,
    /// The column, where one is given.
    pub column: Option<&'a str>,
    /// The number after the column.
    pub number: Option<f64>,
}

impl<'a> FunctionPhrase<'a> {
    /// Reads a phrase; a column may have any name, since all between the parentheses but a number at the end is one.
    pub(crate) fn parse(text: &'a str, pointer: &str) -> Result<Self, ToolError> {
        let fault = || {
            let error = ToolError::invalid(
                pointer,
                format_args!("expected a function of a column, found `{text}`"),
            );
            error
                .reason("phrase")
                .hint("such as `mean(price)` or `top = quantile(price, 0.9)`")
        };
        let (head, rest) = text.split_once('(').ok_or_else(fault)?;
        let inside = rest.trim_end().strip_suffix(')').ok_or_else(fault)?.trim();
        let (name, function) = match head.split_once('=') {
            Some((name, function)) => (Some(name.trim()), function.trim()),
            None => (None, head.trim()),
        };
        if function.is_empty() || name == Some("") {
            return Err(fault());
        }
        let last = inside.rsplit_once(',').and_then(|(column, number)| {
            let number = number.trim().parse::<f64>().ok()?;
            Some((column.trim(), number))
        });
        let (column, number) = match last {
            Some((column, number)) => (column, Some(number)),
            None => (inside, None),
        };
        Ok(Self {
            name,
            function,
            column: (!column.is_empty()).then_some(column),
            number,
        })
    }

    /// The name of the result: the one that is given, or `mean_price`.
    pub(crate) fn result_name(&self) -> String {
        match (self.name, self.column) {
            (Some(name), _) => name.to_owned(),
            (None, Some(column)) => format!("{}_{column}", self.function),
            (None, None) => self.function.to_owned(),
        }
    }
}

/// A named expression: `p = price / area`.
pub(crate) struct Assignment<'a> {
    /// The name of the column.
    pub name: &'a str,
    /// The expression.
    pub expression: &'a str,
}

/// Reads a named expression.
pub(crate) fn parse_assignment<'a>(
    text: &'a str,
    pointer: &str,
) -> Result<Assignment<'a>, ToolError> {
    let parts = text.split_once('=');
    let parts = parts.filter(|(name, rest)| !name.trim().is_empty() && !rest.starts_with('='));
    match parts {
        Some((name, expression)) => Ok(Assignment {
            name: name.trim(),
            expression: expression.trim(),
        }),
        None => {
            refuse!(invalid pointer, "phrase"; "expected a name and an expression, found `{text}`";
                "such as `per_room = price / rooms`")
        }
    }
}

/// Columns to sort by; `-price` is descending.
pub(crate) fn parse_sort_keys(names: &[String]) -> Vec<SortKey> {
    let key = |name: &String| match name.strip_prefix('-') {
        Some(column) => SortKey {
            column: column.to_owned(),
            is_descending: true,
        },
        None => SortKey {
            column: name.clone(),
            is_descending: false,
        },
    };
    names.iter().map(key).collect()
}
