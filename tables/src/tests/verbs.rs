//! Operations on tables.

use proptest::prelude::*;

use super::{doubles, go_on, integers, shown, table, texts};
use crate::*;

fn key(column: &str, is_descending: bool) -> SortKey {
    SortKey {
        column: column.to_owned(),
        is_descending,
    }
}

fn aggregate(name: &str, function: AggregateFunction, column: Option<&str>) -> AggregateColumn {
    AggregateColumn {
        name: name.to_owned(),
        function,
        column: column.map(str::to_owned),
    }
}

fn sales() -> DataTable {
    table(vec![
        ("city", texts("Rome Oslo _ Rome Oslo _")),
        (
            "price",
            TableColumn::doubles([Some(3.0), Some(1.0), None, Some(0.1), None, Some(7.0)]),
        ),
        ("n", integers(&[1, 2, 3, 4, 5, 6])),
    ])
}

#[test]
fn missing_cells_are_last_in_both_directions_and_ties_stay() {
    let up = sales().sort(&[key("price", false)], &go_on).unwrap();
    assert_eq!(
        shown(&up.choose(&["n"]).unwrap()),
        ["4", "2", "1", "6", "3", "5"]
    );
    let down = sales().sort(&[key("price", true)], &go_on).unwrap();
    assert_eq!(
        shown(&down.choose(&["n"]).unwrap()),
        ["6", "1", "2", "4", "3", "5"]
    );
    let two = sales()
        .sort(&[key("city", false), key("n", true)], &go_on)
        .unwrap();
    assert_eq!(
        shown(&two.choose(&["n"]).unwrap()),
        ["5", "2", "4", "1", "6", "3"]
    );
    let signs = table(vec![(
        "v",
        doubles(&[0.5, -1.0, f64::INFINITY, -0.0, f64::NEG_INFINITY, 0.0]),
    )]);
    let sorted = signs.sort(&[key("v", false)], &go_on).unwrap();
    assert_eq!(
        shown(&sorted),
        ["-Infinity", "-1.0", "-0.0", "0.0", "0.5", "Infinity"]
    );
    let large = table(vec![("v", integers(&[i64::MAX, i64::MIN, 0]))]);
    let sorted = large.sort(&[key("v", true)], &go_on).unwrap();
    assert_eq!(shown(&sorted)[0], i64::MAX.to_string());
}

#[test]
fn a_missing_cell_is_a_group_of_its_own() {
    let by_city = sales()
        .group(
            &["city"],
            &[
                aggregate("rows", AggregateFunction::Count, None),
                aggregate("prices", AggregateFunction::Count, Some("price")),
                aggregate("sum", AggregateFunction::Sum, Some("price")),
                aggregate("mean", AggregateFunction::Mean, Some("n")),
                aggregate("first", AggregateFunction::First, Some("price")),
                aggregate("max", AggregateFunction::Max, Some("n")),
            ],
            &go_on,
        )
        .unwrap();
    assert_eq!(
        shown(&by_city),
        [
            "Oslo 2 1 1.0 3.5 1.0 5",
            "Rome 2 2 3.1 2.5 3.0 4",
            "_ 2 1 7.0 4.5 7.0 6"
        ]
    );
    let all = sales()
        .group(
            &[] as &[&str],
            &[
                aggregate("median", AggregateFunction::Median, Some("price")),
                aggregate("q", AggregateFunction::Quantile(0.25), Some("n")),
                aggregate("d", AggregateFunction::DistinctCount, Some("city")),
                aggregate("var", AggregateFunction::Variance, Some("n")),
                aggregate("std", AggregateFunction::Deviation, Some("n")),
                aggregate("last", AggregateFunction::Last, Some("city")),
                aggregate("min", AggregateFunction::Min, Some("city")),
            ],
            &go_on,
        )
        .unwrap();
    assert_eq!(shown(&all), ["2.0 2.25 2 3.5 1.8708286933869707 Oslo Oslo"]);
    let empty = sales().filter(&[None; 6]);
    let none = empty
        .group(
            &[] as &[&str],
            &[aggregate("s", AggregateFunction::Sum, Some("price"))],
            &go_on,
        )
        .unwrap();
    assert_eq!(shown(&none), ["_"]);
    let wrong = sales().group(
        &["n"],
        &[aggregate("s", AggregateFunction::Sum, Some("city"))],
        &go_on,
    );
    assert_eq!(
        wrong.unwrap_err().to_string(),
        "column `city`: expected numbers, found text"
    );
}

#[test]
fn sums_of_integers_and_decimals_are_exact() {
    let one_sum = |column: TableColumn| {
        let sum = table(vec![("v", column)])
            .group(
                &[] as &[&str],
                &[aggregate("s", AggregateFunction::Sum, Some("v"))],
                &go_on,
            )
            .unwrap();
        shown(&sum)[0].clone()
    };
    assert_eq!(one_sum(integers(&[i64::MAX, 1])), "9223372036854775808");
    let decimals = TableColumn::decimals(vec![Some(10), Some(-25), None], 2).unwrap();
    assert_eq!(one_sum(decimals), "-0.15");
    assert_eq!(one_sum(doubles(&[1e100, 1.0, -1e100])), "1.0");
    assert_eq!(
        one_sum(TableColumn::booleans([Some(true), None, Some(true)])),
        "2"
    );
}

#[test]
fn masks_samples_and_distinct_rows() {
    let masked = sales().filter(&[Some(true), None, Some(false), Some(true), None, None]);
    assert_eq!(shown(&masked), ["Rome 3.0 1", "Rome 0.1 4"]);
    let drawn = sales().sample(3, 7);
    assert_eq!(drawn.rows(), 3);
    assert_eq!(drawn, sales().sample(3, 7));
    assert_ne!(drawn, sales().sample(3, 8));
    assert_eq!(sales().sample(10, 1), sales());
    let distinct = sales().distinct(&["city"], &go_on).unwrap();
    assert_eq!(shown(&distinct.choose(&["n"]).unwrap()), ["1", "2", "3"]);
    assert_eq!(sales().distinct(&[] as &[&str], &go_on).unwrap().rows(), 6);
    assert_eq!(sales().head(2).rows(), 2);
    assert_eq!(sales().distinct(&["n"], &|| true), Err(TableError::Stopped));
}

fn pair(left: &str, right: &str) -> ColumnPair {
    ColumnPair {
        left: left.to_owned(),
        right: right.to_owned(),
    }
}

fn cities() -> DataTable {
    table(vec![
        ("name", texts("Oslo Rome Rome _ Bern")),
        ("n", doubles(&[10.0, 20.0, 21.0, 30.0, 40.0])),
    ])
}

#[test]
fn joins_pair_rows_and_a_missing_cell_has_no_partner() {
    let keys = JoinKeys {
        equal: vec![pair("city", "name")],
        nearest: None,
    };
    let left = sales().choose(&["city", "n"]).unwrap();
    let joined =
        |kind: JoinKind| shown(&left.join(&cities(), &keys, kind, "_right", &go_on).unwrap());
    assert_eq!(
        joined(JoinKind::Inner),
        [
            "Rome 1 20.0",
            "Rome 1 21.0",
            "Oslo 2 10.0",
            "Rome 4 20.0",
            "Rome 4 21.0",
            "Oslo 5 10.0"
        ]
    );
    assert_eq!(joined(JoinKind::Left).len(), 8);
    assert_eq!(joined(JoinKind::Left)[3], "_ 3 _");
    let outer = joined(JoinKind::Outer);
    assert_eq!(outer[8..], ["_ _ 30.0", "Bern _ 40.0"]);
    assert_eq!(
        joined(JoinKind::Semi),
        ["Rome 1", "Oslo 2", "Rome 4", "Oslo 5"]
    );
    assert_eq!(joined(JoinKind::Anti), ["_ 3", "_ 6"]);
    let names = left
        .join(&cities(), &keys, JoinKind::Inner, "_right", &go_on)
        .unwrap();
    let names: Vec<&str> = names.names().iter().map(|name| &**name).collect();
    assert_eq!(names, ["city", "n", "n_right"]);
    // Numbers of different types are equal by value, texts and numbers never.
    let by_number = JoinKeys {
        equal: vec![pair("n", "n")],
        nearest: None,
    };
    let tens = table(vec![("n", integers(&[10, 40, 50]))]);
    let found = tens
        .join(&cities(), &by_number, JoinKind::Inner, "_right", &go_on)
        .unwrap();
    assert_eq!(shown(&found), ["10 Oslo", "40 Bern"]);
    let mixed = JoinKeys {
        equal: vec![pair("n", "name")],
        nearest: None,
    };
    let err = tens.join(&cities(), &mixed, JoinKind::Inner, "_right", &go_on);
    assert!(
        err.unwrap_err()
            .to_string()
            .contains("is integer and `name` of the other table is text")
    );
}

#[test]
fn the_nearest_cell_is_before_after_or_either() {
    let left = table(vec![
        ("t", doubles(&[1.0, 5.0, 9.0])),
        ("k", texts("a a b")),
    ]);
    let right = table(vec![
        ("t", doubles(&[0.0, 4.0, 7.0, 8.5, 8.5])),
        ("k", texts("a a a b b")),
        ("v", integers(&[0, 4, 7, 8, 9])),
    ]);
    let found = |direction: NearestDirection, tolerance: Option<f64>| {
        let keys = JoinKeys {
            equal: vec![pair("k", "k")],
            nearest: Some(NearestKey {
                columns: pair("t", "t"),
                direction,
                tolerance,
            }),
        };
        let joined = left
            .join(&right, &keys, JoinKind::Left, "_right", &go_on)
            .unwrap();
        shown(&joined.choose(&["v"]).unwrap())
    };
    assert_eq!(found(NearestDirection::Backward, None), ["0", "4", "9"]);
    assert_eq!(found(NearestDirection::Forward, None), ["4", "7", "_"]);
    assert_eq!(found(NearestDirection::Both, None), ["0", "4", "9"]);
    assert_eq!(found(NearestDirection::Both, Some(0.5)), ["_", "_", "9"]);
}

#[test]
fn long_tables_become_wide_and_back() {
    let plan = PivotPlan {
        rows: vec!["city".to_owned()],
        columns: "n".to_owned(),
        values: "price".to_owned(),
        function: AggregateFunction::Sum,
    };
    let wide = sales().pivot(&plan, &go_on).unwrap();
    let names: Vec<&str> = wide.names().iter().map(|name| &**name).collect();
    assert_eq!(names, ["city", "1", "2", "3", "4", "5", "6"]);
    assert_eq!(
        shown(&wide),
        [
            "Oslo _ 1.0 _ _ _ _",
            "Rome 3.0 _ _ 0.1 _ _",
            "_ _ _ _ _ _ 7.0"
        ]
    );
    let melt = MeltPlan {
        keep: vec!["city".to_owned()],
        columns: vec!["1".to_owned(), "4".to_owned()],
        name_to: "n".to_owned(),
        value_to: "price".to_owned(),
    };
    let long = wide.melt(&melt, &go_on).unwrap();
    assert_eq!(
        shown(&long),
        [
            "Oslo 1 _",
            "Rome 1 3.0",
            "_ 1 _",
            "Oslo 4 _",
            "Rome 4 0.1",
            "_ 4 _"
        ]
    );
    let mixed = MeltPlan {
        keep: Vec::new(),
        columns: vec!["city".to_owned(), "n".to_owned()],
        ..melt
    };
    assert_eq!(shown(&sales().melt(&mixed, &go_on).unwrap())[6], "n 1");
}

#[test]
fn windows_look_at_the_rows_around() {
    let data = table(vec![
        ("g", texts("a b a b a")),
        (
            "v",
            TableColumn::integers([Some(3), Some(1), Some(3), None, Some(5)]),
        ),
    ]);
    let column = |function: WindowFunction, partition: &[&str]| {
        let frame = WindowFrame {
            partition: partition.iter().map(|name| (*name).to_owned()).collect(),
            order: Vec::new(),
        };
        let found = data.window("v", function, &frame, &go_on).unwrap();
        shown(&table(vec![("w", found)])).join(" ")
    };
    assert_eq!(column(WindowFunction::Shift(1), &[]), "_ 3 1 3 _");
    assert_eq!(column(WindowFunction::Shift(-1), &["g"]), "3 _ 5 _ _");
    assert_eq!(column(WindowFunction::Difference(1), &["g"]), "_ _ 0 _ 2");
    assert_eq!(column(WindowFunction::CumulativeSum, &[]), "3 4 7 _ 12");
    assert_eq!(column(WindowFunction::Rank, &[]), "2 1 2 _ 4");
    assert_eq!(column(WindowFunction::RollingMean(2), &[]), "_ 2.0 2.0 _ _");
    assert_eq!(
        column(WindowFunction::RollingSum(2), &["g"]),
        "_ _ 6.0 _ 8.0"
    );
    assert_eq!(column(WindowFunction::RollingMin(2), &[]), "_ 1 1 _ _");
    assert_eq!(column(WindowFunction::RollingMax(3), &[]), "_ _ 3 _ _");
    assert_eq!(
        column(WindowFunction::RollingDeviation(2), &["g"]),
        "_ _ 0.0 _ 1.4142135623730951"
    );
    let frame = WindowFrame {
        partition: Vec::new(),
        order: vec![key("v", true)],
    };
    let sums = data
        .window("v", WindowFunction::CumulativeSum, &frame, &go_on)
        .unwrap();
    assert_eq!(shown(&table(vec![("w", sums)])).join(" "), "8 12 11 _ 5");
    // What left a window leaves nothing behind.
    let large = table(vec![("v", doubles(&[1e300, 1.0, 2.0]))]);
    let rolled = large.window(
        "v",
        WindowFunction::RollingSum(2),
        &WindowFrame::default(),
        &go_on,
    );
    assert_eq!(shown(&table(vec![("w", rolled.unwrap())]))[2], "3.0");
}

#[test]
fn a_description_says_what_is_there() {
    let described = sales().describe(&go_on).unwrap();
    let city = &described[0];
    assert_eq!((city.missing, city.distinct), (2, 2));
    assert_eq!(city.min.as_deref(), Some("Oslo"));
    assert_eq!(
        city.top
            .iter()
            .map(|one| format!("{} {}", one.value, one.count))
            .collect::<Vec<_>>(),
        ["Oslo 2", "Rome 2"]
    );
    let price = described[1].numbers.as_ref().unwrap();
    assert_eq!(price.mean, Some(2.775));
    assert_eq!(price.quantiles[2], 2.0);
    assert_eq!(price.histogram.iter().sum::<usize>(), 4);
    assert!(described[1].top.is_empty());
    let correlations = sales().correlations(&go_on).unwrap();
    assert_eq!(correlations.values[1][1], Some(1.0));
    assert_eq!(correlations.values[0][1], correlations.values[1][0]);
}

proptest! {
    /// The bytes of group, description and correlation do not depend on the order of the rows.
    #[test]
    fn the_order_of_rows_does_not_matter(
        rows in prop::collection::vec((0_u8..4, prop::option::of(-1e12_f64..1e12)), 1..60),
        seed in any::<u64>(),
    ) {
        let build = |rows: &[(u8, Option<f64>)]| {
            let keys: Vec<String> = rows.iter().map(|row| row.0.to_string()).collect();
            table(vec![
                ("k", TableColumn::texts(keys.iter().map(|key| Some(key.as_str())))),
                ("v", TableColumn::doubles(rows.iter().map(|row| row.1))),
                ("w", TableColumn::doubles(rows.iter().map(|row| row.1.map(|v| v * 3.7 + f64::from(row.0))))),
            ])
        };
        let mut shuffled = rows.clone();
        let length = shuffled.len();
        for index in 0..length {
            shuffled.swap(index, (seed as usize).wrapping_mul(index + 3) % length);
        }
        let functions = [
            AggregateFunction::Sum, AggregateFunction::Mean, AggregateFunction::Variance,
            AggregateFunction::Deviation, AggregateFunction::Median, AggregateFunction::Max,
        ];
        let aggregates: Vec<AggregateColumn> = functions.iter().enumerate()
            .map(|(index, function)| aggregate(&index.to_string(), *function, Some("v"))).collect();
        let (one, two) = (build(&rows), build(&shuffled));
        prop_assert_eq!(one.group(&["k"], &aggregates, &go_on).unwrap(), two.group(&["k"], &aggregates, &go_on).unwrap());
        prop_assert_eq!(one.describe(&go_on).unwrap(), two.describe(&go_on).unwrap());
        prop_assert_eq!(one.correlations(&go_on).unwrap(), two.correlations(&go_on).unwrap());
    }
}

/// 5,000 rows with as many names are 25 million places for 5,000 cells.
#[test]
fn a_wide_table_has_a_limit_of_cells() {
    let count = 0..5_000_i64;
    let long = table(vec![
        ("row", TableColumn::integers(count.clone().map(Some))),
        ("name", TableColumn::integers(count.clone().map(Some))),
        ("value", TableColumn::integers(count.map(Some))),
    ]);
    let plan = PivotPlan {
        rows: vec!["row".to_owned()],
        columns: "name".to_owned(),
        values: "value".to_owned(),
        function: AggregateFunction::First,
    };
    let err = long.pivot(&plan, &go_on).unwrap_err();
    assert!(
        matches!(err, TableError::Limit { most, .. } if most == crate::PIVOT_CELLS_MAX as u64),
        "{err}"
    );
    assert_eq!(
        long.head(10).pivot(&plan, &|| true),
        Err(TableError::Stopped)
    );
}

#[test]
fn tables_are_stacked_by_the_names_of_their_columns() {
    let named = |name: &str, table: DataTable| TablePart {
        name: name.to_owned(),
        table,
    };
    let one = named("1", table(vec![("a", integers(&[1])), ("b", texts("x"))]));
    let two = named("2", table(vec![("b", texts("_")), ("a", doubles(&[0.5]))]));
    let stacked = DataTable::stack(&[one.clone(), two.clone()], Some("from")).unwrap();
    assert_eq!(shown(&stacked.table), ["1 1.0 x", "2 0.5 _"]);
    assert!(stacked.notes.is_empty());
    let three = named("3", table(vec![("a", texts("y")), ("b", texts("z"))]));
    let mixed = DataTable::stack(&[one.clone(), three], None).unwrap();
    assert_eq!(shown(&mixed.table), ["1 x", "y z"]);
    assert!(mixed.notes[0].contains("column `a`"), "{:?}", mixed.notes);
    let large = named(
        "4",
        table(vec![("a", integers(&[i64::MAX])), ("b", texts("z"))]),
    );
    let exact = DataTable::stack(&[two, large], None).unwrap();
    assert_eq!(shown(&exact.table), ["_ 0.5", "z 9223372036854775807"]);
    let other = named("5", table(vec![("a", integers(&[1]))]));
    let err = DataTable::stack(&[one, other], None)
        .unwrap_err()
        .to_string();
    assert_eq!(err, "`1` has a column `b`, and `5` has none");
    assert!(DataTable::stack(&[], None).is_err());
}
