//! The tools for rows as points against `tests/reference/multivariate.json`, which the script beside it made with NumPy, SciPy and scikit-learn; and what they refuse.

use tool_core::{AnyTool, Ctx, Value, json};

use super::{dbscan, hierarchical_clustering, kmeans, nearest_neighbours, outliers, pca};
use crate::testing::{assert_refused, run, run_warned};

const REFERENCE: &str = include_str!("../../../../tests/reference/multivariate.json");
const IRIS: &str = include_str!("../../../../examples/data/iris.csv");

fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).expect("JSON")
}

/// The table of iris as columns.
fn iris() -> String {
    let mut lines = IRIS.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().expect("a header");
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |place: usize| {
        let cells: Vec<&str> = rows.iter().map(|row| row[place]).collect();
        format!("\"{}\": [{}]", names[place], cells.join(","))
    };
    let columns: Vec<String> = (0..4).map(column).collect();
    format!("{{{}}}", columns.join(","))
}

fn tool(id: &str) -> &'static dyn AnyTool {
    let mut tools = super::super::TOOLS.iter().map(|entry| entry.tool());
    tools.find(|tool| tool.spec().id == id).expect("a tool")
}

fn numbers(value: &Value, found: &mut Vec<f64>) {
    match value.items() {
        Some(items) => items.iter().for_each(|item| numbers(item, found)),
        None => found.extend(value.as_f64()),
    }
}

#[test]
fn values_are_those_of_the_references() {
    let (reference, iris) = (parse(REFERENCE), parse(&iris()));
    let cases = reference
        .get("cases")
        .and_then(Value::items)
        .expect("cases");
    assert!(cases.len() > 15);
    let mut faults = Vec::new();
    for case in &cases {
        let text = |key: &str| case.text(key).expect(key).to_owned();
        let mut args = case
            .get("args")
            .and_then(Value::as_object)
            .expect("args")
            .clone();
        if args.get("data").is_none() {
            args.insert("data", iris.clone());
        }
        let output = tool(&text("tool"))
            .decode(&Value::from(args))
            .and_then(|call| call.run(&Ctx::default()));
        let output = output.unwrap_or_else(|err| panic!("{}: {err:?}", text("title")));
        let tolerance = case.get("tolerance").and_then(Value::as_f64).expect("one");
        let values = case
            .get("values")
            .and_then(Value::as_object)
            .expect("values");
        for (pointer, expected) in values.iter() {
            let (mut found, mut wanted) = (Vec::new(), Vec::new());
            output
                .pointer(pointer)
                .iter()
                .for_each(|value| numbers(value, &mut found));
            numbers(expected, &mut wanted);
            let size = wanted
                .iter()
                .fold(0.0_f64, |most, value| most.max(value.abs()));
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance * size.max(1e-300);
            if found.len() != wanted.len() || !found.iter().zip(&wanted).all(near) {
                faults.push(format!(
                    "{} {pointer}: {found:?}, not {wanted:?}",
                    text("title")
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The shares in the sentence are sums of the shares in the table.
#[test]
fn the_sentence_of_components_is_true() {
    let data = iris();
    let output = run::<pca::Args>(&format!(r#"{{"data": {data}}}"#)).unwrap();
    let share = 100.0 * output.components[1].cumulative;
    assert!(
        output
            .summary
            .contains(&format!("{share:.1} % of the variance of 4 columns"))
    );
    assert!(
        output
            .summary
            .contains("PC1 is mostly `petal_length` (0.857)")
    );
    let kept: Vec<usize> = output.rules.iter().map(|rule| rule.components).collect();
    assert_eq!(kept, [1, 1, 1]);
    assert_eq!(
        (output.rank, output.scores.len(), output.scores[0].len()),
        (4, 150, 4)
    );
    let share = run::<pca::Args>(&format!(
        r#"{{"data": {data}, "keep": "share", "share": 0.97, "scores": false}}"#
    ))
    .unwrap();
    assert_eq!(
        (share.loadings[0].coefficients.len(), share.scores.len()),
        (2, 0)
    );
    let total: f64 = share.correlations[0]
        .correlations
        .iter()
        .map(|r| r * r)
        .sum();
    assert!((total - share.correlations[0].communality).abs() < 1e-15);
}

#[test]
fn rows_with_missing_cells_are_left_out_and_said() {
    let data = r#"{"x": [1, 2, null, 9, 10, 30], "y": [1, 1, 5, 9, null, 9]}"#;
    let (output, warnings) =
        run_warned::<kmeans::Args>(&format!(r#"{{"data": {data}, "k": 2, "seed": 1}}"#)).unwrap();
    assert_eq!(
        (output.n, output.missing, output.rows),
        (4, 2, vec![0, 1, 3, 5])
    );
    assert!(warnings.contains("2 of 6 rows"), "{warnings}");
    let (output, _) = run_warned::<nearest_neighbours::Args>(&format!(
        r#"{{"data": {data}, "k": 1, "queries": {{"x": [null, 8], "y": [0, 9]}}}}"#
    ))
    .unwrap();
    assert_eq!((output.queries_missing, output.pairs.len()), (1, 1));
    assert_eq!((output.pairs[0].row, output.pairs[0].neighbour), (1, 3));
}

#[test]
fn matrices_have_columns_too() {
    let output = run::<pca::Args>(r#"{"data": [[1, 2], [2, 4], [3, 7]], "columns": ["c1"]}"#);
    assert_eq!(output.unwrap().loadings[0].column, "c1");
}

#[test]
fn numbers_of_clusters_are_chosen() {
    let data = r#"{"x": [0, 0.2, 0.1, 5, 5.1, 5.2, 9, 9.3, 9.1], "y": [0, 0.1, 0.3, 1, 1.2, 1.1, 7, 7.1, 7.3]}"#;
    let output = run::<kmeans::Args>(&format!(r#"{{"data": {data}, "seed": 1}}"#)).unwrap();
    assert_eq!(
        (output.k, output.labels.as_slice()),
        (3, [0, 0, 0, 1, 1, 1, 2, 2, 2].as_slice())
    );
    assert_eq!(output.choices.len(), 7);
    assert!(output.summary.starts_with("3 clusters of 3, 3, 3 rows"));
    let gap = run::<kmeans::Args>(&format!(
        r#"{{"data": {data}, "seed": 1, "choose": "gap", "k_max": 5}}"#
    ))
    .unwrap();
    assert_eq!((gap.k, gap.k_from.as_str()), (3, "gap statistic"));
    let tree = run::<hierarchical_clustering::Args>(&format!(r#"{{"data": {data}}}"#)).unwrap();
    assert_eq!((tree.k, tree.labels), (3, output.labels));
    let height = tree.merges[6].height;
    assert!(tree.cut[0].unwrap() < height && tree.cut[1] == Some(height));
    let cut = run::<hierarchical_clustering::Args>(&format!(
        r#"{{"data": {data}, "height": {}}}"#,
        0.5 * (tree.cut[0].unwrap() + height)
    ))
    .unwrap();
    assert_eq!((cut.k, cut.k_from.as_str()), (3, "height"));
}

/// Equal rows, one row, one column, constants: an answer with its warning.
#[test]
fn equal_rows_have_answers() {
    let same = r#"{"data": {"x": [3, 3, 3, 3, 3, 3, 3], "y": [1, 1, 1, 1, 1, 1, 1]}}"#;
    let (means, warnings) = run_warned::<kmeans::Args>(same).unwrap();
    assert_eq!((means.k, means.k_from.as_str()), (1, "no two rows differ"));
    assert!(warnings.contains("every value is the same"));
    assert_eq!(
        (means.inertia, means.between_share, means.silhouette),
        (0.0, 0.0, 0.0)
    );
    let tree = run::<hierarchical_clustering::Args>(same).unwrap();
    assert_eq!((tree.k, tree.cophenetic), (1, None));
    let dense = run::<dbscan::Args>(same).unwrap();
    assert_eq!((dense.k, dense.noise, dense.eps), (1, 0, 0.0));
    let apart = run::<outliers::Args>(same).unwrap();
    assert!(apart.outliers.is_empty() && apart.factors == [1.0; 7]);
    assert!(
        apart
            .methods
            .iter()
            .any(|method| method.note.contains("depend on each other"))
    );
    let one = run::<outliers::Args>(r#"{"data": {"x": [3]}}"#).unwrap();
    assert!(one.outliers.is_empty() && one.factors.is_empty() && one.distances.is_empty());
    let near = run::<nearest_neighbours::Args>(r#"{"data": {"x": [3]}}"#).unwrap();
    assert!(near.pairs.is_empty() && near.summary == "None of 1 row has a neighbour.");
}

#[test]
fn outliers_have_their_reasons() {
    let output = run::<outliers::Args>(
        r#"{"data": {"x": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 80, 5.5], "y": [2.2, 3.7, 5, 8.4, 9.5, 12.3, 15, 15.6, 18.4, 19.7, 3, 40]}, "neighbours": 4}"#,
    )
    .unwrap();
    let rows: Vec<usize> = output.outliers.iter().map(|row| row.row).collect();
    assert_eq!(rows, [10, 11]);
    let first = &output.outliers[0];
    assert_eq!(
        (first.votes, first.distance, first.factor),
        (5, Some(true), Some(true))
    );
    assert!(
        first.reason.contains("ranges above the quartiles"),
        "{}",
        first.reason
    );
    assert!(
        output
            .summary
            .starts_with("2 of 12 rows are outliers by at least one of 5 methods"),
        "{}",
        output.summary
    );
}

#[test]
fn calls_without_an_answer_are_refused() {
    assert_refused::<pca::Args>(&[
        (r#"{"data": {"x": [1]}}"#, "/data", "at least 2 rows"),
        (r#"{"data": {"x": [2, 2]}}"#, "/data", "no column varies"),
        (
            r#"{"data": {"x": ["a"]}}"#,
            "/columns",
            "columns of numbers",
        ),
        (
            r#"{"data": {"x": [1, 2]}, "columns": ["x", "x"]}"#,
            "/columns/1",
            "twice",
        ),
        (
            r#"{"data": {"x": [1, null], "y": [null, 2]}}"#,
            "/data",
            "none of 2",
        ),
    ]);
    assert_refused::<kmeans::Args>(&[
        (
            r#"{"data": {"x": [1, 1, 2]}, "k": 3}"#,
            "/k",
            "at most 2 clusters",
        ),
        (
            r#"{"data": {"x": [1, 2]}, "columns": ["q"]}"#,
            "/columns/0",
            "q",
        ),
    ]);
    assert_refused::<hierarchical_clustering::Args>(&[
        (r#"{"data": {"x": [1]}}"#, "/data", "at least 2 rows"),
        (
            r#"{"data": {"x": [1, 2]}, "metric": "manhattan"}"#,
            "/metric",
            "Euclidean",
        ),
        (
            r#"{"data": {"x": [1, 2]}, "clusters": 3}"#,
            "/clusters",
            "at most 2",
        ),
        (
            r#"{"data": {"x": [1, 2]}, "clusters": 2, "height": 1}"#,
            "/height",
            "both",
        ),
    ]);
    assert_refused::<dbscan::Args>(&[
        (r#"{"data": {"x": [1, 2, 3]}}"#, "/data", "at least 5 rows"),
        (
            r#"{"data": {"x": [1, 2]}, "metric": "minkowski", "power": 0.5, "eps": 1}"#,
            "/power",
            "from 1 to 100",
        ),
    ]);
    assert_refused::<nearest_neighbours::Args>(&[
        (
            r#"{"data": {"x": [1, 0]}, "metric": "cosine"}"#,
            "/data",
            "row 1 is zero",
        ),
        (
            r#"{"data": {"x": [1]}, "queries": {"x": [0]}, "metric": "cosine"}"#,
            "/queries",
            "row 0 is zero",
        ),
    ]);
    assert_refused::<outliers::Args>(&[(
        r#"{"data": {"x": [1, 2]}, "level": 0}"#,
        "/level",
        "above 0",
    )]);
}

/// Squares beyond the doubles are refused, and standardised columns have none.
#[test]
fn huge_numbers_are_refused_or_standardised() {
    let data = r#"{"x": [1e200, 2e200, 9e200, 8e200], "y": [-1e307, 1e307, 5e306, 2e306]}"#;
    for id in ["pca", "kmeans"] {
        let answer = |more: &str| {
            let args = parse(&format!(r#"{{"data": {data}, "seed": 1{more}}}"#));
            tool(id)
                .decode(&args)
                .and_then(|call| call.run(&Ctx::default()))
        };
        assert_eq!(answer("").unwrap_err().reason_str(), Some("overflow"));
        assert!(answer(r#", "standardise": true"#).is_ok());
    }
}
