//! Rows of two tables side by side.

use ::tables::{ColumnPair, JoinKeys, JoinKind, NearestDirection, NearestKey};

use super::table::{self, FaultPlaces, ROWS_SHOWN, TableAnswer, TableInput};
use crate::prelude::*;

/// Rows of two tables side by side: those with equal cells in some columns, or with the nearest one in a column of numbers, dates or times. A
/// missing cell has no partner; numbers are equal by value, whatever their type. Rows are in the order of the left table, then of the right one.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The left table: a list of records, an object of columns, or `{"$file": path}`.
    pub left: Input<TableInput>,
    /// The right table.
    pub right: Input<TableInput>,
    /// Columns whose cells are equal: a name that both tables have, or `left_name = right_name`.
    #[value(default)]
    pub on: Vec<String>,
    /// Which rows the result has.
    #[value(default)]
    pub how: JoinChoice,
    /// A column of numbers, dates or times of which the nearest right cell is taken, among the rows that are equal in `on`: a name, or
    /// `left_name = right_name`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// Where the nearest cell is looked for.
    #[value(default)]
    pub direction: NearestChoice,
    /// Largest distance to the nearest cell: days of dates, seconds of times.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub tolerance: Option<Tolerance>,
    /// What a name of the right table gets where the left one has it too.
    #[value(default = "default_suffix")]
    pub suffix: String,
    /// Rows to show as records.
    #[value(default = "BoundedInteger::<0, 1_000_000>::of::<ROWS_SHOWN>")]
    pub rows: BoundedInteger<0, 1_000_000>,
}

fn default_suffix() -> String {
    "_right".to_owned()
}

/// Which rows a join has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum JoinChoice {
    /// Pairs of rows with a partner.
    #[default]
    Inner,
    /// These, and the left rows without a partner.
    Left,
    /// These, and the right rows without a partner.
    Outer,
    /// The left rows with a partner, each once, without columns of the right table.
    Semi,
    /// The left rows without a partner.
    Anti,
}

/// Where the nearest cell is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum NearestChoice {
    /// At or before the left cell.
    #[default]
    Backward,
    /// At or after the left cell.
    Forward,
    /// On both sides; before it where both are as near.
    Both,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("table_join", "Join two tables")
        .category(Category::Data)
        .tags(&["table", "query"]);
    type Output = TableAnswer;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the country of each city":
            r#"{"left": {"city": ["Rome", "Oslo", "Bern"], "n": [1, 2, 3]},
                "right": {"country": ["NO", "IT"], "name": ["Oslo", "Rome"]}, "on": ["city = name"], "how": "left"}"#
            => r#"{"columns": ["city", "n", "country"], "types": ["text", "integer", "text"],
                "rows": [{"city": "Rome", "n": 1, "country": "IT"}, {"city": "Oslo", "n": 2, "country": "NO"},
                    {"city": "Bern", "n": 3, "country": null}], "count": 3,
                "table": {"city": ["Rome", "Oslo", "Bern"], "n": [1, 2, 3], "country": ["IT", "NO", null]}}"#;
        "the last quote before each trade":
            r#"{"left": {"size": [10, 20], "t": [3, 7]}, "right": {"quote": [1.5, 1.6, 1.7], "t": [1, 5, 8]},
                "nearest": "t"}"#
            => r#"{"columns": ["size", "t", "quote", "t_right"], "types": ["integer", "integer", "number", "integer"],
                "rows": [{"size": 10, "t": 3, "quote": 1.5, "t_right": 1}, {"size": 20, "t": 7, "quote": 1.6, "t_right": 5}],
                "count": 2, "table": {"size": [10, 20], "t": [3, 7], "quote": [1.5, 1.6], "t_right": [1, 5]}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<TableAnswer, ToolError> {
        let left = args.left.load(ctx)?.into_table(ctx)?;
        let right = args.right.load(ctx)?.into_table(ctx)?;
        let mut keys = JoinKeys::default();
        let checked = |pair: ColumnPair, pointer: &str| {
            let known = left.position(&pair.left);
            known.map_err(|err| table::table_fault(err, pointer, &left, ctx))?;
            let known = right.position(&pair.right);
            known.map_err(|err| table::table_fault(err, pointer, &right, ctx))?;
            Ok::<_, ToolError>(pair)
        };
        for (index, text) in args.on.iter().enumerate() {
            let pair = checked(parse_pair(text), &format!("/on/{index}"))?;
            keys.equal.push(pair);
        }
        if let Some(text) = &args.nearest {
            keys.nearest = Some(parse_nearest(
                &args,
                checked(parse_pair(text), "/nearest")?,
                &left,
            ));
        }
        if keys.equal.is_empty() && keys.nearest.is_none() {
            refuse!(invalid "/on"; "no column is compared"; "name the columns whose cells are equal, such as [\"id\"]");
        }
        let kind = match args.how {
            JoinChoice::Inner => JoinKind::Inner,
            JoinChoice::Left => JoinKind::Left,
            JoinChoice::Outer => JoinKind::Outer,
            JoinChoice::Semi => JoinKind::Semi,
            JoinChoice::Anti => JoinKind::Anti,
        };
        let stop = table::stop_check(ctx);
        let joined = left.join(&right, &keys, kind, &args.suffix, &stop);
        let compared = if args.on.is_empty() {
            "/nearest"
        } else {
            "/on"
        };
        let places = FaultPlaces {
            names: "/suffix",
            types: if args.nearest.is_some() {
                "/nearest"
            } else {
                compared
            },
            other: compared,
        };
        let joined = joined.map_err(|err| places.fault(err, &left, ctx))?;
        TableAnswer::new(&joined, args.rows.size(), ctx)
    }
}

/// Two names around `=`, or one for both tables.
fn parse_pair(text: &str) -> ColumnPair {
    let (left, right) = text.split_once('=').unwrap_or((text, text));
    ColumnPair {
        left: left.trim().to_owned(),
        right: right.trim().to_owned(),
    }
}

fn parse_nearest(args: &Args, columns: ColumnPair, left: &::tables::DataTable) -> NearestKey {
    /// Times are compared in microseconds.
    const MICROS: f64 = 1e6;
    let kind = left
        .column(&columns.left)
        .map(|column| column.column_type());
    let unit = match kind {
        Ok(::tables::ColumnType::Moment(_)) => MICROS,
        _ => 1.0,
    };
    NearestKey {
        columns,
        direction: match args.direction {
            NearestChoice::Backward => NearestDirection::Backward,
            NearestChoice::Forward => NearestDirection::Forward,
            NearestChoice::Both => NearestDirection::Both,
        },
        tolerance: args.tolerance.map(|tolerance| tolerance.get() * unit),
    }
}
