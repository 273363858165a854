//! Files that a query names: `from 'sales.csv'` is the table of that file, opened as the argument `{"$file": "sales.csv"}` is.
//!
//! The names become arguments before the call is decided, so that rules, audit and plans see them; the query itself reaches no file.

use std::collections::BTreeMap;

use ::tables::FileForm;
use tool_core::DataSource;

use super::lint::{SqlToken, tokenise_query};
use super::source::SqlTable;
use crate::prelude::*;

/// Words before which a table is named.
const BEFORE_TABLES: [&str; 2] = ["from", "join"];
/// Words that end the list of tables of a query.
const AFTER_TABLES: [&str; 14] = [
    "where",
    "group",
    "order",
    "limit",
    "having",
    "union",
    "except",
    "intersect",
    "on",
    "using",
    "window",
    "select",
    "set",
    "values",
];
/// Most files of a query.
const FILES_MAX: usize = 50;

/// Adds the files that a query names in single quotes where a table is named, with an ending of data, and that are no tables of the call.
pub(super) fn add_named_files(query: &str, tables: &mut BTreeMap<String, Input<SqlTable>>) {
    for name in named_files(query) {
        let is_given = tables.keys().any(|known| known.eq_ignore_ascii_case(&name));
        if !is_given {
            let source = DataSource::file(name.as_str());
            tables.insert(name, Input::From(source));
        }
    }
}

/// The texts in single quotes that stand where a table does.
fn named_files(query: &str) -> Vec<String> {
    let tokens = tokenise_query(query);
    let mut found: Vec<String> = Vec::new();
    // Whether each open parenthesis, and the text outside of all, is in a list of tables.
    let mut in_tables = vec![false];
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &tokens[before]);
        let is_word = |words: &[&str]| words.iter().any(|word| token.is(word));
        let here = in_tables.len() - 1;
        match token {
            // `a IS DISTINCT FROM b` compares.
            SqlToken::Name(_) if is_word(&BEFORE_TABLES) => {
                in_tables[here] = !before.is_some_and(|before| before.is("distinct"));
            }
            SqlToken::Name(_) if is_word(&AFTER_TABLES) => in_tables[here] = false,
            SqlToken::Sign(b'(') => {
                let is_list = before.is_some_and(starts_table);
                let is_inside = in_tables[here] && is_list;
                in_tables.push(is_inside);
            }
            SqlToken::Sign(b')') if here > 0 => _ = in_tables.pop(),
            SqlToken::Text(name)
                if in_tables[here]
                    && before.is_some_and(starts_table)
                    && FileForm::of_name(name).is_some()
                    && !found.contains(name) =>
            {
                found.push(name.clone());
            }
            _ => {}
        }
        if found.len() == FILES_MAX {
            break;
        }
    }
    found
}

/// Whether a table can follow a token, in a list of tables.
fn starts_table(token: &SqlToken) -> bool {
    let is_word = BEFORE_TABLES.iter().any(|word| token.is(word));
    is_word || matches!(token, SqlToken::Sign(b',' | b'('))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_stand_where_tables_do() {
        for (query, expected) in [
            ("select * from 'a.csv'", &["a.csv"][..]),
            (
                "SELECT 'x.csv' FROM 'd/a.parquet' AS t JOIN 'b.tsv.gz' USING (id)",
                &["d/a.parquet", "b.tsv.gz"],
            ),
            (
                "select * from 'a.csv', 'b.csv' b where x = 'c.csv'",
                &["a.csv", "b.csv"],
            ),
            ("select * from ('a.csv')", &["a.csv"]),
            ("select * from (select * from 'a.csv') t", &["a.csv"]),
            (
                "with t as (select * from 'a.csv') select * from t join 'b.csv' on t.x in ('c.csv', 'd.csv')",
                &["a.csv", "b.csv"],
            ),
            ("select a is distinct from 'a.csv' from t", &[]),
            ("select * from t where x in ('a.csv')", &[]),
            ("select * from \"a.csv\"", &[]),
            ("select * from people", &[]),
            ("select * from 'people'", &[]),
            ("select * from '/etc/passwd'", &[]),
            ("select f(x, 'a.csv') from t", &[]),
            ("select * from t -- from 'a.csv'\n", &[]),
            ("select ' from ''a.csv''' from t", &[]),
            (
                "select * from 'a.csv' union select * from 'a.csv'",
                &["a.csv"],
            ),
        ] {
            assert_eq!(named_files(query), expected, "{query}");
        }
    }
}
