//! Calls of the tool: short forms and specifications, pictures of each format, errors at their arguments.

use super::super::tests::call;
use tool_core::{ErrorCode, Value};

const HOMES: &str = r#"{"city":["Graz","Graz","Lyon","Lyon","Porto","Porto"],"area":[50,80,60,90,55,70],
    "price":[210,330,300,450,180,230],"rooms":[2,3,2,4,2,3],"sold":["2024-01-05","2024-02-10","2024-03-01","2024-04-20","2024-05-02","2024-06-11"]}"#;

fn plot(arguments: &str) -> Value {
    let args = format!(r#"{{"data":{HOMES},{arguments}}}"#);
    call("plot", &args).unwrap_or_else(|err| panic!("{arguments}: {err:?}"))
}

fn description(arguments: &str) -> String {
    let answer = plot(&format!(r#"{arguments},"format":"text""#));
    answer
        .get("description")
        .and_then(Value::as_str)
        .unwrap()
        .to_owned()
}

#[test]
fn the_kind_follows_from_the_columns() {
    for (columns, kind) in [
        (
            r#""x":"area","y":"price""#,
            "Scatter plot of price over area",
        ),
        (r#""x":"sold","y":"price""#, "Line chart of price over sold"),
        (r#""x":"city","y":"price""#, "Box plot of price over city"),
        (
            r#""x":"city","y":"mean(price)""#,
            "Bar chart of mean of price over city",
        ),
        (r#""x":"city""#, "Bar chart of count over city"),
        (r#""x":"price""#, "Histogram of count over price"),
        (r#""x":"city","y":"rooms:N""#, "Heat map of rooms over city"),
        (
            r#""x":"area","y":["price","rooms"]"#,
            "Scatter plot of price, rooms over area",
        ),
        (
            r#""x":"area","y":"price,rooms","kind":"line""#,
            "Line chart of price, rooms over area",
        ),
    ] {
        let words = description(columns);
        assert!(words.starts_with(kind), "{columns}: {words}");
    }
}

#[test]
fn every_kind_is_drawn() {
    for kind in [
        "scatter", "line", "area", "bar", "box", "violin", "errorbar", "strip", "contour", "hist",
        "heatmap", "points",
    ] {
        let color = if kind == "heatmap" {
            r#","color":"price""#
        } else {
            ""
        };
        let y = if kind == "hist" {
            ""
        } else {
            r#","y":"price""#
        };
        let x = if matches!(kind, "bar" | "box" | "violin" | "errorbar") {
            "city"
        } else {
            "area"
        };
        let answer = plot(&format!(r#""x":"{x}"{y}{color},"kind":"{kind}""#));
        let picture = answer.get("picture").unwrap();
        assert!(
            picture.text("base64").unwrap().starts_with("iVBORw0KGgo"),
            "{kind}"
        );
        assert_eq!(picture.text("$media"), Some("image/png"));
    }
}

#[test]
fn several_rows_of_a_bar_are_their_mean() {
    assert!(description(r#""x":"city","y":"price","kind":"bar""#).contains("mean of price"));
    let single = call(
        "plot",
        r#"{"data":{"x":["a","b"],"y":[1,2]},"kind":"bar","format":"text"}"#,
    )
    .unwrap();
    assert!(
        single
            .get("description")
            .and_then(Value::as_str)
            .unwrap()
            .starts_with("Bar chart of y over x"),
        "{single}"
    );
}

#[test]
fn a_fit_is_described_with_its_line() {
    let words = description(r#""x":"area","y":"price","color":"city","fit":"linear""#);
    assert!(words.contains("For Graz, price = 10 + 4 × area"), "{words}");
}

#[test]
fn pictures_have_the_form_of_their_format() {
    let answer = |format: &str| plot(&format!(r#""x":"area","y":"price","format":"{format}""#));
    let svg = answer("svg");
    let picture = svg.get("picture").unwrap();
    assert_eq!(picture.text("mime_type"), Some("image/svg+xml"));
    assert!(
        picture.text("text").unwrap().starts_with("<svg ")
            && picture.text("$resource") == Some("plot:picture.svg")
    );
    let pdf = answer("pdf");
    assert!(
        pdf.get("picture")
            .unwrap()
            .text("base64")
            .unwrap()
            .starts_with("JVBERi0xLjcK")
    );
    let html = answer("html");
    assert!(
        html.get("picture")
            .unwrap()
            .text("text")
            .unwrap()
            .starts_with("<!DOCTYPE html>")
    );
    assert_eq!(answer("text").get("picture"), None);
}

#[test]
fn a_specification_is_drawn_and_what_is_ignored_is_said() {
    let spec = r#""spec":{"mark":"bar","encoding":{"x":{"field":"city"},"y":{"aggregate":"sum","field":"price","axis":{"tickCount":3}}}},"format":"text""#;
    let answer = plot(spec);
    assert!(
        answer
            .get("description")
            .and_then(Value::as_str)
            .unwrap()
            .starts_with("Bar chart of sum of price over city")
    );
    assert_eq!(
        answer.get("ignored").unwrap().to_string(),
        r#"["/encoding/y/axis/tickCount"]"#
    );
    // Also with data of its own, and as a text.
    let own = r#"{"spec":"{\"data\":{\"values\":[{\"a\":1}]},\"mark\":\"tick\",\"encoding\":{\"x\":{\"field\":\"a\"}}}","width":200,"height":100}"#;
    assert!(call("plot", own).is_ok());
}

#[test]
fn errors_name_the_argument() {
    let data = |rest: &str| format!(r#"{{"data":{HOMES},{rest}}}"#);
    for (args, place, words) in [
        (data(r#""x":"aera","y":"price""#), "/x", "no field `aera`"),
        (data(r#""x":"area","y":"cost""#), "/y", "no field `cost`"),
        (
            data(r#""x":"area","y":["price","cost"]"#),
            "/y/1",
            "no column `cost`",
        ),
        (
            data(r#""x":"area","y":["price","city"]"#),
            "/y/1",
            "numbers",
        ),
        (
            data(r#""x":"area","y":"price","facet":"town""#),
            "/facet",
            "no field `town`",
        ),
        (data(r#""title":"x""#), "/x", "expected a column"),
        (
            data(r#""x":"area","spec":{"mark":"bar"}"#),
            "/x",
            "exclude each other",
        ),
        (data(r#""spec":{"mark":"donut"}"#), "/spec/mark", "`donut`"),
        (data(r#""spec":"{""#), "/spec", "JSON"),
        (r#"{"x":"a"}"#.to_owned(), "/data", "a table"),
        (
            r#"{"data":{"x":[null],"y":[null]}}"#.to_owned(),
            "/data",
            "nothing to draw",
        ),
        (
            data(r#""x":"area","y":"price","width":5000"#),
            "/width",
            "4096",
        ),
    ] {
        let err = call("plot", &args).unwrap_err();
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{args}");
        let text = format!("{err:?}");
        assert!(
            text.contains(&format!("(at `{place}`)")) && text.contains(words),
            "{args}: {text}"
        );
    }
    let near = call("plot", &data(r#""x":"aera","y":"price""#)).unwrap_err();
    assert_eq!(near.hint_str(), Some("did you mean `area`?"));
}

/// Several plots of a specification are one picture, with the titles and the size of the call; faults are at their place.
#[test]
fn a_specification_may_be_of_several_plots() {
    let parts = r#""spec":{"hconcat":[{"mark":"point","encoding":{"x":{"field":"area"},"y":{"field":"price"}}},
        {"mark":"bar","encoding":{"x":{"field":"city"},"y":{"aggregate":"count"}}}],"spacing":4}"#;
    let answer = plot(&format!(
        r#"{parts},"title":"Two","width":800,"format":"svg""#
    ));
    let svg = answer
        .get("picture")
        .and_then(|picture| picture.text("text"));
    let svg = svg.unwrap();
    assert!(svg.contains(r#"width="800" height="300""#) && svg.contains(">Two</text>"));
    assert_eq!(
        answer.get("ignored").unwrap().to_string(),
        r#"["/spacing"]"#
    );
    assert!(answer.text("description").unwrap().contains("2 plots"));
    let wrong = r#"{"data":{"area":[1,2]},"spec":{"vconcat":[{"mark":"point","encoding":{"x":{"field":"areas"}}}]}}"#;
    let err = call("plot", wrong).unwrap_err();
    assert_eq!(err.path(), Some("/spec/vconcat/0/encoding/x"));
}
