//! JMESPath queries over any value.
//!
//! The grammar is parsed by the crate `jmespath` behind `guard`; the evaluator is our own, over [`Value`]: it keeps the order
//! of object members and packed arrays as they are, and every step of it is counted against limits.

mod evaluate;
mod functions;
mod guard;
#[cfg(test)]
mod tests;

use tool_core::tool_error;

use crate::prelude::*;

/// Queries a JSON value with JMESPath (jmespath.org): fields, indices from either end, slices, projections `[*]` and `*`,
/// flattening `[]`, filters `[?price > `10`]`, pipes, multi-select lists and objects, and the 26 standard functions. Raw
/// strings are written 'so', JSON literals `so`. `<` and its kin compare numbers only. A path that leads nowhere is null.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The value to query: any JSON. A .csv file with a header is a list of records.
    pub data: Input<Value>,
    /// The JMESPath expression; up to 65,536 bytes, 512 tokens, nested up to 64 deep.
    pub query: String,
}

/// The result of the query.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The value found, of any type; null when there is none.
    pub result: Value,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("json_query", "Query JSON with JMESPath")
        .category(Category::Data)
        .tags(&["json", "query"])
        .syntax(&[("/query", Syntax::Query)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "names of what costs more than 10":
            r#"{"data": {"items": [{"name": "pen", "price": 2}, {"name": "book", "price": 12}, {"name": "lamp", "price": 30}]},
                "query": "items[?price > `10`].name"}"#
            => r#"{"result": ["book", "lamp"]}"#;
        "the last item":
            r#"{"data": {"items": [{"name": "pen", "price": 2}, {"name": "book", "price": 12}, {"name": "lamp", "price": 30}]},
                "query": "items[-1].name"}"#
            => r#"{"result": "lamp"}"#;
        "a total and a count":
            r#"{"data": {"items": [{"name": "pen", "price": 2}, {"name": "book", "price": 12}, {"name": "lamp", "price": 30}]},
                "query": "{total: sum(items[].price), count: length(items)}"}"#
            => r#"{"result": {"total": 44, "count": 3}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        guard::check_query(&args.query)?;
        let data = args.data.load(ctx)?;
        let ast = jmespath::parse(&args.query).map_err(|err| syntax_error(&err, &args.query))?;
        Ok(Output {
            result: evaluate::evaluate_query(&data, &ast, &args.query, ctx)?,
        })
    }
}

/// The 1-based column of a byte offset.
fn column_of_offset(query: &str, offset: usize) -> usize {
    query
        .char_indices()
        .take_while(|(at, _)| *at < offset)
        .count()
        + 1
}

/// An error at a place of the query.
fn error_at(query: &str, offset: usize, message: impl std::fmt::Display) -> ToolError {
    let column = column_of_offset(query, offset);
    tool_error!(InvalidArgs at "/query", "jmespath"; "{message} at column {column}")
}

/// Words an error of the parser.
fn syntax_error(err: &jmespath::JmespathError, query: &str) -> ToolError {
    let words = match &err.reason {
        jmespath::ErrorReason::Parse(words) => words.as_str(),
        jmespath::ErrorReason::Runtime(_) => "the query cannot be read",
    };
    let hint = "see jmespath.org for the grammar; literals are written `10` or 'text'";
    if words.contains(" -- found ") {
        let rest = query.get(err.offset..).unwrap_or_default().trim_start();
        if rest.is_empty() {
            return error_at(query, query.len(), "the query ends too early").hint(hint);
        }
        let token = guard::first_token(rest);
        return error_at(query, err.offset, format_args!("unexpected `{token}`")).hint(hint);
    }
    let mut words: String = words.chars().take(100).collect();
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    error_at(query, err.offset, words).hint(hint)
}
