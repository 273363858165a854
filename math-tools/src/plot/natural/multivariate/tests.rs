//! Pictures of components, clusters, trees and outliers.

use super::super::super::tests::call;
use crate::prelude::*;

const TABLE: &str = r#"{"a": [1, 1.2, 0.9, 5, 5.3, 5.1, 9, 9.2, 9.1, 30], "b": [2, 2.1, 1.8, 7, 7.4, 7.2, 1, 1.3, 1.1, 4], "c": [0, 1, 2, 1, 0, 1, 2, 1, 0, 9]}"#;

fn picture_of(tool: &str, more: &str, beside: &str) -> Result<Value, ToolError> {
    let text = format!(r#"{{"data": {TABLE}{more}}}"#);
    let args = tool_core::json::parse_json(&text, tool_core::json::JsonLimits::default());
    let mut tools = crate::FAMILIES.iter().flat_map(|family| family.iter());
    let found = tools.find(|entry| entry.tool().spec().id == tool);
    let found = found.expect("the tool exists").tool();
    let result = found
        .decode(&args.expect("JSON"))
        .and_then(|call| call.run(&Ctx::default()))?;
    call(
        "plot",
        &format!(r#"{{"result": {result}, "call": {text}{beside}}}"#),
    )
}

const CALLS: [(&str, &str, &str); 11] = [
    ("pca", "", "PC1"),
    (
        "pca",
        r#", "scores": false, "standardise": true"#,
        "of standardised columns",
    ),
    ("pca", r#", "components": 1"#, "component"),
    ("kmeans", r#", "k": 3"#, "cluster 2"),
    (
        "kmeans",
        r#", "k": 3, "columns": ["a", "b"]"#,
        "mean silhouette",
    ),
    ("kmeans", r#", "k": 2, "columns": ["a"]"#, "row, in order"),
    ("dbscan", r#", "eps": 1.5, "min_points": 2"#, "noise"),
    ("dbscan", "", "distance to the neighbour"),
    ("hierarchical_clustering", "", "Dendrogram, ward linkage"),
    (
        "hierarchical_clustering",
        r#", "linkage": "centroid", "clusters": 1"#,
        "1 clusters",
    ),
    ("outliers", "", "robust Mahalanobis distance"),
];

#[test]
fn every_result_has_its_picture() {
    for (tool, more, words) in CALLS {
        for format in ["svg", "png", "text"] {
            let answer = picture_of(tool, more, &format!(r#", "format": "{format}""#));
            let answer = answer.unwrap_or_else(|err| panic!("{tool} {more}: {err:?}"));
            if format == "svg" {
                let picture = answer.get("picture").expect("a picture");
                let svg = picture.text("text").expect("text");
                assert!(svg.contains(words), "{tool} {more}: {words}");
                assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{tool}");
            }
        }
    }
}

#[test]
fn columns_of_the_plane_may_be_named() {
    let answer = picture_of(
        "kmeans",
        r#", "k": 2"#,
        r#", "x": "b", "y": "c", "format": "svg""#,
    );
    let answer = answer.unwrap();
    let picture = answer.get("picture").unwrap();
    let svg = picture.text("text").unwrap();
    assert!(svg.contains(">b</text>") && svg.contains(">c</text>"));
}

#[test]
fn results_without_their_rows_are_refused() {
    for (result, place) in [
        (
            r#"{"labels": [0, 1], "inertia": 1, "clusters": [], "rows": [0, 1], "columns": ["a"]}"#,
            "/data",
        ),
        (
            r#"{"merges": [{"first": 0, "second": 7, "height": 1}], "leaf_order": [0, 1], "labels": [0, 1]}"#,
            "/result/merges",
        ),
        (
            r#"{"merges": [], "leaf_order": [0, 5], "labels": [0, 1]}"#,
            "/result/leaf_order",
        ),
        (
            r#"{"components": [], "loadings": [], "scores": []}"#,
            "/result/components",
        ),
        (
            r#"{"outliers": [], "methods": [], "factors": [], "rows": []}"#,
            "/result/factors",
        ),
    ] {
        let err = call("plot", &format!(r#"{{"result": {result}}}"#)).unwrap_err();
        assert_eq!(err.path(), Some(place), "{result}: {err:?}");
    }
}
