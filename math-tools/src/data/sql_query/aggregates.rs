//! Aggregates over texts: SQLite adds up the number that a text begins with, or 0, without a word.

use tool_core::{Value, brief, json};

use super::lint::{SqlToken, tokenise_query};
use super::source::{NamedColumn, SqlTable};

/// The aggregates that read a text as a number.
const SUMS: [&str; 3] = ["sum", "avg", "total"];
/// Those that compare texts by their characters.
const EXTREMES: [&str; 2] = ["min", "max"];

/// A warning for each aggregate of a query over a column, or an expression of columns, with texts that are no numbers; of `min` and
/// `max` where the column also has numbers.
pub(super) fn over_texts(query: &str, tables: &[(&str, SqlTable)]) -> Vec<String> {
    let mut warnings = Vec::new();
    for AggregateCall {
        function,
        column,
        is_alone,
    } in find_aggregates(query)
    {
        for (_, table) in tables {
            let found = table.columns().into_iter();
            let mut found = found.filter(|one| one.name.eq_ignore_ascii_case(&column));
            let Some(found) = found.next().filter(NamedColumn::may_have_texts) else {
                continue;
            };
            let (name, cells) = (found.name, found.values());
            let texts = cells.iter().filter_map(Value::as_str);
            let (numbers, others): (Vec<&str>, Vec<&str>) = texts.partition(|text| is_number(text));
            let has_numbers =
                !numbers.is_empty() || cells.iter().any(|cell| cell.as_f64().is_some());
            let Some(first) = others.first().filter(|_| is_sum(function) || has_numbers) else {
                continue;
            };
            let what = match is_sum(function) {
                true => "counts the number each begins with, or 0",
                false => "compares the column by characters",
            };
            let (count, first) = (others.len(), brief::brief_name(first));
            let values = match count {
                1 => "1 value is a text that is no number".to_owned(),
                _ => format!("{count} values are texts that are no numbers"),
            };
            let over = match is_alone {
                true => "over",
                false => "over an expression with",
            };
            let warning = format!(
                "`{function}` {over} `{name}`: {values}, such as {first:?}, and SQLite {what}"
            );
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    warnings
}

fn is_sum(function: &str) -> bool {
    SUMS.contains(&function)
}

fn is_number(text: &str) -> bool {
    let number = json::parse_json(text.trim(), json::JsonLimits::default());
    number.is_ok_and(|number| matches!(number, Value::Int(_) | Value::Float(_)))
}

/// An aggregate over a column.
struct AggregateCall {
    function: &'static str,
    column: String,
    /// Whether the column is all that the aggregate is over.
    is_alone: bool,
}

/// The aggregates that a query writes, as `sum(v)`, `SUM ( DISTINCT t."v" )` or `sum(v * n)`, one for each column that they read.
fn find_aggregates(query: &str) -> Vec<AggregateCall> {
    let tokens = tokenise_query(query);
    let (mut found, mut looked_at) = (Vec::new(), 0);
    for (index, token) in tokens.iter().enumerate() {
        let known = SUMS.into_iter().chain(EXTREMES);
        let mut known = known.filter(|name| token.is(name));
        let (Some(function), Some(SqlToken::Sign(b'('))) = (known.next(), tokens.get(index + 1))
        else {
            continue;
        };
        looked_at += 1;
        if looked_at > AGGREGATES_MAX {
            break;
        }
        let mut argument = AggregateArgument {
            rest: &tokens[index + 2..],
            depth: 0,
        };
        argument.take("distinct");
        let whole = argument.rest;
        let columns = argument.value();
        let is_alone = columns.len() == 1 && is_column(whole);
        if !is_sum(function) && !is_alone {
            continue;
        }
        found.extend(columns.into_iter().map(|column| AggregateCall {
            function,
            column,
            is_alone,
        }));
    }
    found
}

/// Whether the first argument is one column, however it is qualified.
fn is_column(mut rest: &[SqlToken]) -> bool {
    while let [SqlToken::Name(_), SqlToken::Sign(b'.'), after @ ..] = rest {
        rest = after;
    }
    matches!(rest, [SqlToken::Name(_), SqlToken::Sign(b')'), ..])
}

/// Most aggregates of a query that are looked at.
const AGGREGATES_MAX: usize = 200;
/// Deepest nesting that is followed; columns below it are not seen.
const DEPTH_MAX: usize = 64;

/// Functions whose value is a number made of their arguments, or one of them.
const PASSING: [&str; 10] = [
    "abs", "round", "coalesce", "ifnull", "min", "max", "sum", "avg", "total", "likely",
];

/// An argument of an aggregate, read for the columns whose values are added up: not those that are compared, joined as texts or
/// passed to other functions.
struct AggregateArgument<'a> {
    rest: &'a [SqlToken],
    depth: usize,
}

impl AggregateArgument<'_> {
    /// Takes a word, if it is next.
    fn take(&mut self, word: &str) -> bool {
        let is_next = self.rest.first().is_some_and(|token| token.is(word));
        if is_next {
            self.rest = &self.rest[1..];
        }
        is_next
    }

    fn take_sign(&mut self, signs: &[u8]) -> bool {
        let is_next =
            matches!(self.rest.first(), Some(SqlToken::Sign(sign)) if signs.contains(sign));
        if is_next {
            self.rest = &self.rest[1..];
        }
        is_next
    }

    /// An expression; the value of a comparison or of a logical operator has no columns.
    fn value(&mut self) -> Vec<String> {
        let mut columns = self.sum();
        loop {
            let is_negated = self.take("not");
            if self.take_sign(b"=<>!") {
                while self.take_sign(b"=<>") {}
                self.sum();
            } else if self.take("between") {
                self.sum();
                self.take("and");
                self.sum();
            } else if [
                "is", "in", "like", "glob", "regexp", "match", "escape", "and", "or",
            ]
            .iter()
            .any(|word| self.take(word))
            {
                self.take("not");
                self.sum();
            } else if !(self.take("isnull") || self.take("notnull") || is_negated) {
                return columns;
            }
            columns.clear();
        }
    }

    /// Operands between arithmetic operators, which read texts as numbers.
    fn sum(&mut self) -> Vec<String> {
        let mut columns = self.joined();
        loop {
            let is_shift = matches!(
                self.rest,
                [SqlToken::Sign(b'<'), SqlToken::Sign(b'<'), ..]
                    | [SqlToken::Sign(b'>'), SqlToken::Sign(b'>'), ..]
            );
            if is_shift {
                self.rest = &self.rest[2..];
            } else if !self.take_sign(b"+-*/%&|") {
                return columns;
            }
            columns.extend(self.joined());
        }
    }

    /// An operand, or texts that are joined by `||` or taken from a document by `->`, which have no columns.
    fn joined(&mut self) -> Vec<String> {
        let mut columns = self.operand();
        while let [SqlToken::Sign(b'|'), SqlToken::Sign(b'|'), after @ ..]
        | [SqlToken::Sign(b'-'), SqlToken::Sign(b'>'), after @ ..] = self.rest
        {
            self.rest = after;
            self.take_sign(b">");
            self.operand();
            columns.clear();
        }
        columns
    }

    fn operand(&mut self) -> Vec<String> {
        while self.take_sign(b"+-~") {}
        let [first, after @ ..] = self.rest else {
            return Vec::new();
        };
        if self.depth >= DEPTH_MAX {
            return Vec::new();
        }
        let columns = match first {
            SqlToken::Sign(b')' | b',') => return Vec::new(),
            SqlToken::Sign(b'(') => {
                self.rest = after;
                let is_query = |word: &&str| after.first().is_some_and(|token| token.is(word));
                match ["select", "with", "values"].iter().any(is_query) {
                    true => self.inside(|_| Vec::new()),
                    false => self.inside(Self::value),
                }
            }
            SqlToken::Name(name) => {
                self.rest = after;
                self.named(name)
            }
            // A text, or the sign of a parameter.
            SqlToken::Text(_) | SqlToken::Sign(_) => {
                self.rest = after;
                if let (SqlToken::Sign(b':' | b'@' | b'$'), [SqlToken::Name(_), after @ ..]) =
                    (first, after)
                {
                    self.rest = after;
                }
                Vec::new()
            }
        };
        if self.take("collate") {
            self.rest = self.rest.get(1..).unwrap_or_default();
        }
        columns
    }

    /// What begins with a name: a column, a number, a function, `CASE`.
    fn named(&mut self, name: &str) -> Vec<String> {
        let is = |word: &str| name.eq_ignore_ascii_case(word);
        if is("case") {
            return self.case();
        }
        if is("not") {
            self.depth += 1;
            self.sum();
            self.depth -= 1;
            return Vec::new();
        }
        if self.take_sign(b"(") {
            let columns = if is("cast") {
                self.inside(Self::cast)
            } else if is("iif") || is("if") {
                self.inside(|argument| {
                    argument.value();
                    argument.others()
                })
            } else if is("nullif") {
                self.inside(Self::value)
            } else if PASSING.into_iter().any(is) {
                self.inside(|argument| {
                    let mut columns = argument.value();
                    columns.extend(argument.others());
                    columns
                })
            } else {
                self.inside(|_| Vec::new())
            };
            while self.take("filter") || self.take("over") {
                if self.take_sign(b"(") {
                    self.inside(|_| Vec::new());
                } else {
                    self.rest = self.rest.get(1..).unwrap_or_default();
                }
            }
            return columns;
        }
        let mut column = name;
        while let [SqlToken::Sign(b'.'), SqlToken::Name(after), rest @ ..] = self.rest {
            (column, self.rest) = (after, rest);
        }
        vec![column.to_owned()]
    }

    /// What stands in parentheses that are open already; what `read` leaves of it is skipped.
    fn inside(&mut self, read: impl FnOnce(&mut Self) -> Vec<String>) -> Vec<String> {
        self.depth += 1;
        let columns = read(self);
        self.depth -= 1;
        let mut open = 1;
        while let [first, after @ ..] = self.rest {
            self.rest = after;
            match first {
                SqlToken::Sign(b'(') => open += 1,
                SqlToken::Sign(b')') => open -= 1,
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        columns
    }

    /// The arguments after the first.
    fn others(&mut self) -> Vec<String> {
        let mut columns = Vec::new();
        while self.take_sign(b",") {
            columns.extend(self.value());
        }
        columns
    }

    fn cast(&mut self) -> Vec<String> {
        let columns = self.value();
        let is_text = self.take("as") && (self.take("text") || self.take("blob"));
        match is_text {
            true => Vec::new(),
            false => columns,
        }
    }

    fn case(&mut self) -> Vec<String> {
        self.depth += 1;
        let mut columns = Vec::new();
        if !self.rest.first().is_some_and(|token| token.is("when")) {
            self.value();
        }
        while self.take("when") {
            self.value();
            if self.take("then") {
                columns.extend(self.value());
            }
        }
        if self.take("else") {
            columns.extend(self.value());
        }
        self.take("end");
        self.depth -= 1;
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_are_added_up_are_found() {
        for (query, expected) in [
            ("select sum(v) from t", "sum v"),
            ("select SUM ( DISTINCT t.\"v\" ) from t", "sum v"),
            ("select avg(temp + 0), max(v) from t", "avg* temp|max v"),
            ("select sum(price * n) from t", "sum* price|sum* n"),
            (
                "select sum(-t.price), total((a) - 1.5) from t",
                "sum* price|total* a",
            ),
            (
                "select sum(case when city = 'Rome' then price else 0 end) from t",
                "sum* price",
            ),
            (
                "select sum(case city when 'Rome' then price * 2 end) from t",
                "sum* price",
            ),
            (
                "select sum(coalesce(price, fallback, 0)) from t",
                "sum* price|sum* fallback",
            ),
            (
                "select sum(iif(city like 'R%', price, 0)) from t",
                "sum* price",
            ),
            ("select sum(cast(price as real)) from t", "sum* price"),
            (
                "select avg(abs(v)) filter (where w is not null) from t",
                "avg* v",
            ),
            (
                "select sum(v + (select max(w) from u)) from t",
                "sum* v|max w",
            ),
            ("select sum(v) over (order by w) from t", "sum v"),
            ("select sum(v << 1) from t", "sum* v"),
            // Nothing of these is a text that is read as a number.
            (
                "select sum(city = 'Rome'), sum(city is null), sum(not city) from t",
                "",
            ),
            (
                "select sum(length(city)), sum(replace(price, ',', '')) from t",
                "",
            ),
            (
                "select sum(city in ('a', 'b')), sum(v between w and x and y) from t",
                "",
            ),
            ("select sum(a || b), sum(data -> 'x') from t", ""),
            (
                "select min(v + 1), sum(1), sum(?), sum(:name), sum('v') from t",
                "",
            ),
            ("select sum(cast(price as text)) from t", ""),
            ("select 'sum(v)' from t -- sum(w)", ""),
            ("select sum(", ""),
            ("select sum(((((", ""),
        ] {
            let found = find_aggregates(query);
            let found = found
                .iter()
                .filter(|one| one.column.parse::<f64>().is_err());
            let found: Vec<String> = found
                .map(|one| {
                    let mark = if one.is_alone { "" } else { "*" };
                    format!("{}{mark} {}", one.function, one.column)
                })
                .collect();
            assert_eq!(found.join("|"), expected, "{query}");
        }
    }

    #[test]
    fn deep_nesting_ends() {
        let deep = format!("select sum({}v) from t", "(".repeat(50_000));
        assert!(find_aggregates(&deep).is_empty());
        for word in ["case when ", "not ", "sum(", "- "] {
            let deep = format!("select sum({}v) from t", word.repeat(10_000));
            assert!(find_aggregates(&deep).len() < 2, "{word}");
        }
    }
}
